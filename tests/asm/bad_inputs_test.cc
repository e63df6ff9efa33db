#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "base/file.h"
#include "tests/support/project_folders.h"

// Inputs with the exact text of everything that is said about them: bad_inputs.txt. With
// MOESCOPE_REGENERATE set, the expected texts of that file are written anew; read the difference.

namespace moescope::assembler {
namespace {

const std::string& CasesFile() {
  static const std::string kFile = test::SourceFolder() + "/tests/asm/bad_inputs.txt";
  return kFile;
}

struct Case {
  std::string name;
  std::vector<std::string> options;
  std::vector<SourceText> files;  // the first is the input
  std::string expected;
};

// "### case: NAME", "### option: ...", "### file: NAME" with its lines, "### expect" with its
// lines.
std::vector<Case> ReadCases(const std::string& text) {
  std::vector<Case> cases;
  std::string* lines = nullptr;
  for (const auto& piece : absl::StrSplit(text, '\n')) {
    const std::string line(piece);
    const auto value = [&line] { return line.substr(line.find(": ") + 2); };
    if (line.starts_with("### case: ")) {
      cases.emplace_back().name = value();
      lines = nullptr;
    } else if (line.starts_with("### option: ")) {
      cases.back().options.push_back(value());
    } else if (line.starts_with("### file: ")) {
      lines = &cases.back().files.emplace_back(SourceText{value(), ""}).text;
    } else if (line == "### expect") {
      lines = &cases.back().expected;
    } else if (lines != nullptr) {
      absl::StrAppend(lines, line, "\n");
    }
  }
  return cases;
}

AssembleOptions OptionsOf(const Case& c) {
  AssembleOptions options;
  for (const std::string& option : c.options) {
    const std::vector<std::string> words = absl::StrSplit(option, ' ');
    if (words[0] == "max_errors") options.max_errors = std::stoul(words[1]);
    if (words[0] == "werror") options.rules.SetWarningsAreErrors(true);
    if (words[0] == "unknown_stage") options.unknown_stage = stages::UnknownStage::kWarning;
    if (words[0] == "rule") {
      EXPECT_TRUE(options.rules.Set(words[1], AssemblerRules()).ok());
    }
    if (words[0] == "define") options.definitions.push_back({words[1], words[2]});
    if (words[0] == "folder") options.include_folders.push_back(words[1]);
    if (words[0] == "lines") options.limits.lines = std::stoul(words[1]);
    if (words[0] == "bytes") options.limits.bytes = std::stoul(words[1]);
    if (words[0] == "depth") options.limits.depth = std::stoul(words[1]);
  }
  options.read_file = [&c](const std::string& path) -> absl::StatusOr<std::string> {
    for (const SourceText& file : c.files) {
      if (file.path == path) return file.text;
    }
    if (path == "locked.inc") return absl::InvalidArgumentError("cannot open 'locked.inc': locked");
    return absl::NotFoundError("no such file");
  };
  return options;
}

std::string SaidAbout(const Case& c) {
  const absl::StatusOr<Assembly> assembly =
      Assemble(c.files[0].text, c.files[0].path, OptionsOf(c));
  std::string text;
  for (const Diagnostic& finding :
       assembly.ok() ? assembly->findings : DiagnosticsOf(assembly.status())) {
    text += RenderText(finding);
  }
  return text;
}

std::string TextOf(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) {
    absl::StrAppend(&text, "### case: ", c.name, "\n");
    for (const std::string& option : c.options) {
      absl::StrAppend(&text, "### option: ", option, "\n");
    }
    for (const SourceText& file : c.files) {
      absl::StrAppend(&text, "### file: ", file.path, "\n", file.text);
    }
    absl::StrAppend(&text, "### expect\n", SaidAbout(c));
  }
  return text;
}

TEST(BadInputsTest, EveryInputGivesExactlyItsDiagnostics) {
  const absl::StatusOr<std::string> text = ReadFile(CasesFile());
  ASSERT_TRUE(text.ok()) << text.status();
  std::string content = *text;
  if (content.ends_with('\n')) content.pop_back();
  const std::vector<Case> cases = ReadCases(content);
  if (std::getenv("MOESCOPE_REGENERATE") != nullptr) {
    ASSERT_TRUE(WriteFile(CasesFile(), TextOf(cases)).ok());
    GTEST_SKIP() << "regenerated " << CasesFile();
  }
  EXPECT_GE(cases.size(), 90u);
  for (const Case& c : cases) EXPECT_EQ(SaidAbout(c), c.expected) << c.name;
}

}  // namespace
}  // namespace moescope::assembler
