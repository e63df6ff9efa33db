#include "asm/word_files.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "asm/sources.h"
#include "base/diagnostic.h"
#include "base/string_view.h"

namespace moescope::assembler {

namespace {

constexpr std::size_t kMostReported = 20;
constexpr std::size_t kMostShownToken = 40;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

void AppendDigits(std::string& out, std::uint32_t word) {
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[word >> shift & 15];
}

std::string Lines(std::span<const std::uint32_t> words, std::string_view prefix) {
  std::string out;
  out.reserve(words.size() * (prefix.size() + 9));
  for (const std::uint32_t word : words) {
    out += prefix;
    AppendDigits(out, word);
    out += '\n';
  }
  return out;
}

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool ParseWord(std::string_view token, std::uint32_t& word) {
  if (token.starts_with("0x") || token.starts_with("0X")) token.remove_prefix(2);
  if (token.empty() || token.size() > 8) return false;
  word = 0;
  for (const char c : token) {
    const int digit = DigitValue(c);
    if (digit < 0) return false;
    word = word << 4 | static_cast<std::uint32_t>(digit);
  }
  return true;
}

absl::Status WholeFile(std::string_view id, std::string message, const std::string& path) {
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location.file = path;
  return ToStatus(diagnostic);
}

class MemReader {
 public:
  MemReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  absl::StatusOr<std::vector<std::uint32_t>> Read() {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    for (std::uint32_t number = 1; !text_.empty() && problems_.size() < kMostReported; ++number) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ReadLine(line, number);
    }
    if (!problems_.empty()) return ToStatus(problems_);
    if (words_.empty()) return WholeFile("PC021", "no word in the input", path_);
    return std::move(words_);
  }

 private:
  void ReadLine(std::string_view line, std::uint32_t number) {
    const std::string_view code =
        line.substr(0, std::min(line.find(';'), std::min(line.find("//"), line.size())));
    for (std::size_t at = 0; at < code.size();) {
      if (code[at] == ' ' || code[at] == '\t') {
        ++at;
        continue;
      }
      const std::size_t end = std::min(code.find_first_of(" \t", at), code.size());
      std::uint32_t word = 0;
      if (ParseWord(code.substr(at, end - at), word)) {
        words_.push_back(word);
      } else {
        Report(line, number, at, end - at);
      }
      at = end;
    }
  }

  void Report(std::string_view line, std::uint32_t number, std::size_t begin, std::size_t length) {
    if (problems_.size() == kMostReported) return;
    Diagnostic& problem = problems_.emplace_back();
    problem.id = "PC020";
    const std::string_view token = line.substr(begin, std::min(length, kMostShownToken));
    problem.message = absl::StrCat("'", Absl(token), length > kMostShownToken ? "..." : "",
                                   "' is no word of one to eight hex digits");
    problem.location = {path_, number, CountCodePoints(line.substr(0, begin)) + 1,
                        CountCodePoints(token)};
    if (line.size() < 200) problem.source_line = std::string(line);
  }

  std::string_view text_;
  const std::string& path_;
  std::vector<std::uint32_t> words_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

std::string WriteMem(std::span<const std::uint32_t> words) { return Lines(words, "0x"); }

std::string WriteHex(std::span<const std::uint32_t> words) { return Lines(words, ""); }

std::string WriteReadmemh(std::span<const std::uint32_t> words) {
  return absl::StrCat("// ", words.size(), " words of 32 bits\n@00000000\n", WriteHex(words));
}

std::string WriteBinary(std::span<const std::uint32_t> words) {
  std::string out;
  out.reserve(words.size() * 4);
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(word >> shift & 0xFF);
  }
  return out;
}

absl::StatusOr<std::vector<std::uint32_t>> ReadMem(std::string_view text, const std::string& path) {
  return MemReader(text, path).Read();
}

absl::StatusOr<std::vector<std::uint32_t>> ReadBinary(std::string_view bytes,
                                                      const std::string& path) {
  if (bytes.empty()) return WholeFile("PC021", "no word in the input", path);
  if (bytes.size() % 4 != 0) {
    return WholeFile("PC022",
                     absl::StrCat("the size, ", bytes.size(), " bytes, is no multiple of 4"), path);
  }
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << i % 4 * 8;
  }
  return words;
}

}  // namespace moescope::assembler
