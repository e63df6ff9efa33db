#include "tests/stages/source_tokens.h"

#include <algorithm>
#include <cctype>

namespace moescope::test {

namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  SourceTokens Run() {
    while (at_ < text_.size()) Step();
    return std::move(tokens_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }

  void Step() {
    const char c = text_[at_];
    if (c == '\n') {
      begins_line_ = true;
      return Skip(1);
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return Skip(1);
    if (Rest().starts_with("//")) return Skip(std::min(Rest().find('\n'), Rest().size()));
    if (Rest().starts_with("/*")) return Skip(EndOf("*/", 2));
    if (c == '#' && begins_line_) return Directive();
    begins_line_ = false;
    if (Rest().starts_with("R\"")) return RawString();
    if (c == '"') return Quoted('"', SourceToken::Kind::kString);
    if (c == '\'') return Quoted('\'', SourceToken::Kind::kWord);
    if (IsWordCharacter(c)) return Word();
    Add(SourceToken::Kind::kPunctuation, Rest().starts_with("::") ? "::" : std::string(1, c));
    Skip(tokens_.back().text.size());
  }

  void Skip(std::size_t count) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_ + count),
                                         '\n'));
    at_ += count;
  }

  // Bytes up to and including `end`, looked for behind the first `from` bytes.
  std::size_t EndOf(std::string_view end, std::size_t from) const {
    const std::size_t found = Rest().find(end, from);
    return found == std::string_view::npos ? Rest().size() : found + end.size();
  }

  void Add(SourceToken::Kind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), line_});
  }

  void Directive() {
    std::size_t end = 0;
    do {
      end = std::min(Rest().find('\n', end + 1), Rest().size());
    } while (end < Rest().size() && text_[at_ + end - 1] == '\\');
    const std::string_view directive = Rest().substr(0, end);
    if (directive.substr(1, 12).find("define") != std::string_view::npos) {
      Add(SourceToken::Kind::kDefine, std::string(directive));
    }
    Skip(end);
  }

  void RawString() {
    const std::size_t open = Rest().find('(');
    if (open == std::string_view::npos) return Skip(Rest().size());
    const std::string close = ")" + std::string(Rest().substr(2, open - 2)) + "\"";
    const std::size_t size = EndOf(close, open);
    const std::size_t content = size > open + close.size() ? size - open - 1 - close.size() : 0;
    Add(SourceToken::Kind::kString, std::string(Rest().substr(open + 1, content)));
    Skip(size);
  }

  void Quoted(char quote, SourceToken::Kind kind) {
    std::size_t end = 1;
    while (end < Rest().size() && Rest()[end] != quote && Rest()[end] != '\n') {
      end += Rest()[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, Rest().size());
    Add(kind, std::string(Rest().substr(1, end - 1)));
    Skip(std::min(end + 1, Rest().size()));
  }

  void Word() {
    std::size_t end = 0;
    while (end < Rest().size() && IsWordCharacter(Rest()[end])) ++end;
    Add(SourceToken::Kind::kWord, std::string(Rest().substr(0, end)));
    Skip(end);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool begins_line_ = true;
  SourceTokens tokens_;
};

}  // namespace

SourceTokens Tokenize(std::string_view text) { return Tokenizer(text).Run(); }

std::size_t BehindMatch(const SourceTokens& tokens, std::size_t open) {
  const std::string close = tokens[open].Is("(") ? ")" : tokens[open].Is("[") ? "]" : "}";
  const std::string& begin = tokens[open].text;
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].Is(begin)) ++depth;
    if (tokens[i].Is(close) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

}  // namespace moescope::test
