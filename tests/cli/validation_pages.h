#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "tests/support/captured_console.h"
#include "tests/support/gzip_file.h"
#include "tests/support/project_folders.h"

// The corpora and the command lines behind docs/isa-validation.md.

namespace moescope::cli::test {

struct CommandOutcome {
  ExitCode code = ExitCode::kInternal;
  std::string out;
  std::string err;
};

inline CommandOutcome CallCommand(const std::vector<std::string>& words) {
  moescope::test::CapturedConsole captured;
  const ExitCode code = Dispatch(Commands(), words, captured.console);
  return {code, captured.out, captured.err};
}

// Layers with shapes that need C_SET_TOPK_REG and V_TOPK policy 15, one folder each.
struct GeneratedShape {
  const char* name;
  const char* experts;
  const char* top_k;
};
inline constexpr GeneratedShape kShapes[] = {{"layer-16-1", "16", "1"},
                                             {"layer-256-8", "256", "8"},
                                             {"layer-60-4", "60", "4"},
                                             {"layer-64-6", "64", "6"}};

inline void GenerateLayers(const std::string& folder) {
  for (const GeneratedShape& shape : kShapes) {
    const CommandOutcome outcome = CallCommand(
        {"moe", "gen", "--tokens=2", "--hidden=64", "--inter=64",
         std::string("--experts=") + shape.experts, std::string("--top-k=") + shape.top_k,
         "--seed=1", "-o", folder + "/" + shape.name});
    ASSERT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
  }
}

// A run manifest for every compiled program of the shared folder, in a folder of its own; what is
// compressed there is unpacked.
inline void WriteCompiledCorpus(const std::string& shared, const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus")) {
    if (!entry.is_directory()) continue;
    const std::string source = entry.path().string() + "/";
    const std::string target = folder + "/" + entry.path().filename().string() + "/";
    std::filesystem::create_directories(target);
    Json manifest = {{"schema", "moescope.run"}, {"schema_version", 1}};
    const auto place = [&](const std::string& file) -> std::string {
      if (std::filesystem::exists(source + file)) return source + file;
      const auto content = moescope::test::ReadPlainOrGzipped(source + file);
      if (!content.ok()) return "";
      EXPECT_TRUE(WriteFile(target + file, *content).ok());
      return target + file;
    };
    manifest["program"]["file"] = place("program.asm");
    manifest["machine"]["file"] = place("machine.toml");
    const std::pair<const char*, const char*> images[] = {{"hbm", "hbm.bin"},
                                                          {"vram", "vram.bin"},
                                                          {"fpsram", "fp_sram.bin"},
                                                          {"intsram", "int_sram.bin"}};
    for (const auto& [key, file] : images) {
      const std::string path = place(file);
      if (!path.empty()) manifest["images"][key] = path;
    }
    EXPECT_TRUE(WriteFile(target + "run.json", JsonText(manifest)).ok());
  }
}

// The examples of changes, as the command line names their two sides.
struct Change {
  const char* title;
  std::string before;
  std::string after;
};

inline std::vector<Change> Changes() {
  const std::string folder = moescope::test::SourceFolder() + "/examples/02_isa_changes/";
  return {{"`isa-1.0.json` to `builtin`", folder + "isa-1.0.json", "builtin"},
          {"`builtin` to `changed-latency.json`", "builtin", folder + "changed-latency.json"},
          {"`builtin` to `moved-opcode.json`", "builtin", folder + "moved-opcode.json"},
          {"`builtin` to `new-field.json`", "builtin", folder + "new-field.json"}};
}

// The verdicts of all changes on a corpus as Markdown, each with its exit code.
inline std::string VerdictsOn(const std::vector<std::string>& corpus) {
  std::string text;
  for (const Change& change : Changes()) {
    std::vector<std::string> words = {"isa", "validate", change.before, change.after};
    for (const std::string& folder : corpus) words.push_back("--corpus=" + folder);
    const CommandOutcome outcome = CallCommand(words);
    EXPECT_EQ(outcome.err, "") << change.title;
    text += std::string("### ") + change.title + "\n\n```\n" + outcome.out + "exit code " +
            std::to_string(static_cast<int>(outcome.code)) + "\n```\n\n";
  }
  return text;
}

// docs/isa-validation.md is an introduction and two parts that begin with these lines.
inline constexpr char kOwnPart[] = "## Programs of this repository\n";
inline constexpr char kCompiledPart[] = "## Compiled programs\n";

inline std::string PagePath() { return moescope::test::SourceFolder() + "/docs/isa-validation.md"; }

// Compares one part of the page, or writes it (and fails) with MOESCOPE_REGENERATE=1.
inline void ExpectPart(const std::string& heading, const std::string& expected) {
  const absl::StatusOr<std::string> page = ReadFile(PagePath());
  ASSERT_TRUE(page.ok()) << page.status();
  const std::size_t begin = page->find(heading);
  ASSERT_NE(begin, std::string::npos) << heading;
  std::size_t end = page->find("\n## ", begin);
  end = end == std::string::npos ? page->size() : end + 1;
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    std::string text = *page;
    text.replace(begin, end - begin, expected);
    ASSERT_TRUE(WriteFile(PagePath(), text).ok());
    ADD_FAILURE() << "regenerated " << PagePath();
    return;
  }
  EXPECT_EQ(page->substr(begin, end - begin), expected);
}

}  // namespace moescope::cli::test
