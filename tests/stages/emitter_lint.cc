#include "tests/stages/emitter_lint.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/file.h"
#include "stages/shipped.h"
#include "stages/stage.h"
#include "stages/vocabulary.h"
#include "tests/stages/source_tokens.h"

namespace moescope::test {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// "kGather" for "gather": the constants of stages/stage.h.
std::set<std::string> ConstantNames() {
  std::set<std::string> names;
  for (const stages::BuiltinName& builtin : stages::kBuiltinStages) {
    std::string constant = "k";
    bool upper = true;
    for (const char c : builtin.name) {
      if (c != '_') constant += upper ? static_cast<char>(c - 'a' + 'A') : c;
      upper = c == '_';
    }
    names.insert(constant);
  }
  return names;
}

// What the sources declare together.
struct Declared {
  std::set<std::string> type_names = {"Stage", "Attribution"};  // and aliases of them
  std::set<std::string> takers;        // functions with a parameter of such a type
  std::set<std::string> variables;     // of such a type
  std::set<std::string> vocabularies;  // variables of type Vocabulary
};

class Reader {
 public:
  Reader(const SourceFile& file, Declared& declared)
      : file_(file), declared_(declared), tokens_(Tokenize(file.text)) {}

  void CollectAliases() {
    for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (!At(i, "using") || !At(i + 2, "=")) continue;
      if (BehindType(i + 3) != kNone) declared_.type_names.insert(tokens_[i + 1].text);
    }
  }

  void CollectDeclarations() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (At(i, "Vocabulary")) {
        std::size_t name = i + 1;
        while (At(name, "&") || At(name, "*") || At(name, "const")) ++name;
        if (IsWord(name)) declared_.vocabularies.insert(tokens_[name].text);
      }
      const std::size_t behind = BehindType(i);
      if (behind != kNone && IsWord(behind)) declared_.variables.insert(tokens_[behind].text);
      if (IsWord(i) && At(i + 1, "(") && HasTypedParameter(i + 1)) {
        if (tokens_[i].text != "In" && tokens_[i].text != "Nested") {
          declared_.takers.insert(tokens_[i].text);
        }
      }
    }
  }

  std::vector<EmitterFinding> Lint() {
    FindDefaults();
    FindBoundStages();
    FindForwarders();
    FindUnknownNames();
    FindHiddenArguments();
    return std::move(findings_);
  }

 private:
  bool At(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && tokens_[i].Is(word);
  }
  bool IsWord(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == SourceToken::Kind::kWord;
  }
  void Report(std::string id, std::size_t i, std::string message) {
    findings_.push_back({std::move(id), file_.path, tokens_[i].line, std::move(message)});
  }

  // The index behind a type that says what instructions are for, when one begins at `i`.
  std::size_t BehindType(std::size_t i) const {
    if (i >= tokens_.size() || (i > 0 && (At(i - 1, "::") || At(i - 1, ".")))) return kNone;
    if (At(i, "const")) ++i;
    if (At(i, "moescope") && At(i + 1, "::")) i += 2;
    if (At(i, "std") && At(i + 1, "::") && At(i + 2, "optional") && At(i + 3, "<")) {
      const std::size_t inner = BehindType(i + 4);
      if (inner == kNone || !At(inner, ">")) return kNone;
      i = inner + 1;
    } else {
      if (At(i, "stages") && At(i + 1, "::")) i += 2;
      if (!IsWord(i) || !declared_.type_names.contains(tokens_[i].text)) return kNone;
      ++i;
    }
    while (At(i, "const") || At(i, "&") || At(i, "*")) ++i;
    return i;
  }

  // Whether the brackets at `open` declare a parameter of such a type; a call constructs one.
  bool HasTypedParameter(std::size_t open) const {
    const std::size_t end = BehindMatch(tokens_, open);
    for (std::size_t i = open + 1; i < end; ++i) {
      const std::size_t behind = BehindType(i);
      if (behind == kNone || !(At(i - 1, "(") || At(i - 1, ","))) continue;
      if (IsWord(behind) || At(behind, ",") || At(behind, ")") || At(behind, "=")) return true;
    }
    return false;
  }

  bool NamesStage(std::size_t begin, std::size_t end) const {
    static const std::set<std::string> constants = ConstantNames();
    for (std::size_t i = begin; i < std::min(end, tokens_.size()); ++i) {
      if (!IsWord(i)) continue;
      if (constants.contains(tokens_[i].text) || At(i, "BuiltinStage")) return true;
    }
    return false;
  }

  // EM001: "Stage s = ..." between the brackets of a declaration, or in the body of a class.
  void FindDefaults() {
    std::vector<bool> is_class_scope{false};
    std::vector<bool> is_parameter_list;
    bool begins_class = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const bool is_class_word = At(i, "class") || At(i, "struct") || At(i, "union");
      if (is_class_word && !(i > 0 && (At(i - 1, "<") || At(i - 1, ",") || At(i - 1, "enum")))) {
        begins_class = true;
      }
      if (At(i, ";") || At(i, "=")) begins_class = false;
      if (At(i, "{")) {
        is_class_scope.push_back(begins_class && is_parameter_list.empty());
        begins_class = false;
      }
      if (At(i, "}") && is_class_scope.size() > 1) is_class_scope.pop_back();
      if (At(i, "(")) {
        is_parameter_list.push_back(!(i > 0 && (At(i - 1, "for") || At(i - 1, "if") ||
                                                At(i - 1, "while") || At(i - 1, "switch"))));
      }
      if (At(i, ")") && !is_parameter_list.empty()) is_parameter_list.pop_back();

      std::size_t behind = BehindType(i);
      if (behind == kNone) continue;
      const bool is_parameter = !is_parameter_list.empty() && is_parameter_list.back() &&
                                (At(i - 1, "(") || At(i - 1, ","));
      const bool is_constant = i > 0 && (At(i - 1, "constexpr") || At(i - 1, "static"));
      const bool is_member = is_parameter_list.empty() && is_class_scope.back() && !is_constant;
      const bool is_named = IsWord(behind);
      if (is_named) ++behind;
      if (is_parameter && At(behind, "=")) Report("EM001", i, "a default argument");
      if (is_member && is_named && (At(behind, "=") || At(behind, "{"))) {
        Report("EM001", i, "a default member initialiser");
      }
      i = behind - 1;
    }
  }

  // EM002: "name = [...](...) {... Emit(kGather) ...}" and "name = std::bind(Emit, kGather)".
  void FindBoundStages() {
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (!At(i, "=") || !IsWord(i - 1)) continue;
      if (At(i + 1, "[")) {
        std::size_t body = BehindMatch(tokens_, i + 1);
        if (At(body, "(")) {
          if (HasTypedParameter(body)) continue;
          body = BehindMatch(tokens_, body);
        }
        while (body < tokens_.size() && !At(body, "{") && !At(body, ";")) ++body;
        if (At(body, "{") && CallsTakerWithStage(body)) {
          Report("EM002", i, "'" + tokens_[i - 1].text + "' fixes a stage for an emitter");
        }
      }
      const bool is_bind =
          At(i + 1, "std") && At(i + 2, "::") && (At(i + 3, "bind") || At(i + 3, "bind_front"));
      if (is_bind && At(i + 4, "(") && NamesStage(i + 4, BehindMatch(tokens_, i + 4))) {
        Report("EM002", i, "'" + tokens_[i - 1].text + "' binds a stage");
      }
    }
  }

  bool CallsTakerWithStage(std::size_t body) const {
    const std::size_t end = BehindMatch(tokens_, body);
    for (std::size_t i = body; i + 1 < end; ++i) {
      if (!IsWord(i) || !At(i + 1, "(") || !declared_.takers.contains(tokens_[i].text)) continue;
      if (NamesStage(i + 1, BehindMatch(tokens_, i + 1))) return true;
    }
    return false;
  }

  // EM003: "F(...) {... F(kGather) ...}" where another F takes a stage.
  void FindForwarders() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!IsWord(i) || !At(i + 1, "(") || !declared_.takers.contains(tokens_[i].text)) continue;
      if (HasTypedParameter(i + 1)) continue;
      std::size_t body = BehindMatch(tokens_, i + 1);
      while (At(body, "const") || At(body, "noexcept")) ++body;
      if (!At(body, "{")) continue;
      const std::size_t end = BehindMatch(tokens_, body);
      for (std::size_t call = body; call + 1 < end; ++call) {
        if (!At(call, tokens_[i].text) || !At(call + 1, "(")) continue;
        // Called on another object, it may be of another class; a constant gives it away.
        const bool has_receiver = At(call - 1, ".") || At(call - 1, ">");
        if (has_receiver ? !NamesStage(call + 1, BehindMatch(tokens_, call + 1))
                         : !CarriesStage(call + 1)) {
          continue;
        }
        Report("EM003", i, "'" + tokens_[i].text + "' drops the stage and forwards");
        break;
      }
    }
  }

  bool CarriesStage(std::size_t open) const {
    const std::size_t end = BehindMatch(tokens_, open);
    if (NamesStage(open, end)) return true;
    for (std::size_t i = open + 1; i < end; ++i) {
      if (BehindType(i) != kNone) return true;
      if (IsWord(i) && declared_.variables.contains(tokens_[i].text)) return true;
    }
    return false;
  }

  // EM004: markers in string literals, and Vocabulary::Find("...").
  void FindUnknownNames() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != SourceToken::Kind::kString) continue;
      for (const std::string_view directive : {"@stage=", "@stage_push="}) {
        std::size_t at = tokens_[i].text.find(directive);
        for (; at != std::string::npos; at = tokens_[i].text.find(directive, at + 1)) {
          const std::string rest = tokens_[i].text.substr(at + directive.size());
          CheckName(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")),
                    i);
        }
      }
      const bool is_argument = i >= 4 && At(i - 1, "(") && At(i - 2, "Find");
      const std::size_t receiver = At(i - 3, ">") ? i - 5 : i - 4;  // "->" is two tokens
      if (is_argument && IsWord(receiver) &&
          declared_.vocabularies.contains(tokens_[receiver].text)) {
        CheckName(tokens_[i].text, i);
      }
    }
  }

  void CheckName(const std::string& name, std::size_t i) {
    static const stages::Vocabulary* const vocabulary = [] {
      auto* all = new stages::Vocabulary;
      for (const stages::ShippedVocabulary& shipped : stages::ShippedVocabularies()) {
        (void)all->Extend(shipped.toml, std::string(shipped.name));
      }
      return all;
    }();
    if (name.empty() || vocabulary->Index(name)) return;  // an empty name is put together later
    Report("EM004", i, "'" + name + "' is in no vocabulary");
  }

  // EM005: macros that speak of stages, stages as template parameters or arguments.
  void FindHiddenArguments() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == SourceToken::Kind::kDefine) {
        SourceFile body{file_.path, tokens_[i].text.substr(7)};
        const Reader inside(body, declared_);
        if (inside.CarriesAnywhere()) Report("EM005", i, "a macro carries a stage");
      }
      if (At(i, "template") && At(i + 1, "<")) {
        for (std::size_t at = i + 2; at < tokens_.size() && !At(at, ">"); ++at) {
          if (BehindType(at) == kNone) continue;
          Report("EM005", i, "a template parameter carries a stage");
          break;
        }
      }
      if (IsWord(i) && At(i + 1, "<")) CheckTemplateArguments(i);
    }
  }

  // "EmitRow<kGather>(": names only, up to the bracket that closes them.
  void CheckTemplateArguments(std::size_t name) {
    std::size_t end = name + 2;
    while (IsWord(end) || At(end, "::") || At(end, ",")) ++end;
    if (At(end, ">") && At(end + 1, "(") && NamesStage(name + 2, end)) {
      Report("EM005", name, "a template argument carries a stage");
    }
  }

  bool CarriesAnywhere() const {
    if (NamesStage(0, tokens_.size())) return true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (BehindType(i) != kNone) return true;
    }
    return false;
  }

  const SourceFile& file_;
  Declared& declared_;
  SourceTokens tokens_;
  std::vector<EmitterFinding> findings_;
};

}  // namespace

std::vector<SourceFile> ReadSources(const std::string& folder,
                                    const std::vector<std::string>& extensions) {
  std::vector<SourceFile> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const bool is_wanted = std::any_of(extensions.begin(), extensions.end(),
                                       [&](const std::string& e) { return path.ends_with(e); });
    if (!entry.is_regular_file() || !is_wanted) continue;
    sources.push_back({path, ReadFile(path).value_or("")});
  }
  std::sort(sources.begin(), sources.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return sources;
}

std::vector<EmitterFinding> LintEmitters(const std::vector<SourceFile>& sources) {
  Declared declared;
  std::vector<Reader> readers;
  for (const SourceFile& file : sources) readers.emplace_back(file, declared);
  for (Reader& reader : readers) reader.CollectAliases();
  for (Reader& reader : readers) reader.CollectDeclarations();
  std::vector<EmitterFinding> findings;
  for (Reader& reader : readers) {
    for (EmitterFinding& finding : reader.Lint()) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace moescope::test
