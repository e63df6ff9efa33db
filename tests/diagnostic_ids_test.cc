// Every diagnostic ID that the sources can report has an explanation and a test, and every
// explanation is of an ID that something reports. The IDs are read off the source text, so that a
// new one without explanation or test fails here by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/session/explanations.h"
#include "tests/support/project_folders.h"

namespace moescope {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Prefix {
  std::string_view letters;
  std::size_t digits;
};
// The table of tools.md 1.4.
constexpr std::array<Prefix, 12> kPrefixes = {{{"AS", 3},
                                               {"CF", 3},
                                               {"EM", 3},
                                               {"FT", 3},
                                               {"IM", 3},
                                               {"IS", 3},
                                               {"LM", 3},
                                               {"MF", 3},
                                               {"MS", 3},
                                               {"PC", 3},
                                               {"PV", 2},
                                               {"RC", 3}}};

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The ID that stands at `at`, or an empty text.
std::string_view IdAt(std::string_view text, std::size_t at) {
  if (at > 0 && IsWordByte(text[at - 1])) return {};
  for (const Prefix& prefix : kPrefixes) {
    const std::size_t size = prefix.letters.size() + prefix.digits;
    const std::string_view id = text.substr(at, size);
    if (id.size() != size || !id.starts_with(prefix.letters)) continue;
    if (!std::all_of(id.begin() + 2, id.end(), IsDigit)) continue;
    if (at + size < text.size() && IsWordByte(text[at + size])) continue;
    return id;
  }
  return {};
}

std::set<std::string> IdsIn(std::string_view text) {
  std::set<std::string> ids;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view id = IdAt(text, at);
    if (!id.empty()) ids.emplace(id);
  }
  return ids;
}

// The files below the folders that mention each ID, with paths as in the tree.
using Mentions = std::map<std::string, std::vector<std::string>>;

Mentions MentionsIn(const std::vector<std::string>& folders,
                    const std::set<std::string>& extensions) {
  const std::filesystem::path root = test::SourceFolder();
  Mentions mentions;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::filesystem::path& path = entry.path();
      if (!entry.is_regular_file() || !extensions.contains(path.extension())) continue;
      const absl::StatusOr<std::string> text = ReadFile(path.string());
      EXPECT_TRUE(text.ok()) << path;
      if (!text.ok()) continue;
      const std::string name = std::filesystem::relative(path, root).generic_string();
      for (const std::string& id : IdsIn(*text)) mentions[id].push_back(name);
    }
  }
  return mentions;
}

// IDs that the sources report, apart from the tables that explain them. The rules of the lint for
// emitters are themselves test code.
const Mentions& Reported() {
  static const auto& reported = *new Mentions([] {
    Mentions all =
        MentionsIn({"asm", "base", "cli", "cuda", "emulator", "isa", "moe", "profiler", "stages"},
                   {".cc", ".h", ".cu", ".cuh"});
    for (auto& [id, files] : MentionsIn({"tests/stages"}, {".cc", ".h"})) {
      if (id.starts_with("EM")) all[id].insert(all[id].end(), files.begin(), files.end());
    }
    for (auto at = all.begin(); at != all.end();) {
      std::erase_if(at->second, [](const std::string& file) {
        return file.ends_with("/explanations.cc") && !file.starts_with("cli/");
      });
      at = at->second.empty() ? all.erase(at) : std::next(at);
    }
    return all;
  }());
  return reported;
}

std::set<std::string> Explained() {
  std::set<std::string> ids;
  for (const Explanation& entry : session::AllExplanations()) {
    EXPECT_TRUE(ids.emplace(entry.id).second) << entry.id << " is explained twice";
  }
  return ids;
}

TEST(DiagnosticIdsTest, AreFoundInText) {
  EXPECT_EQ(IdsIn("x [AS008] \"PV02: a\" (MS104)"),
            (std::set<std::string>{"AS008", "MS104", "PV02"}));
  EXPECT_THAT(IdsIn("AS0081 XAS008 AS08 as008 PV2 PV021 AS_008 AS008_x"), IsEmpty());
  EXPECT_EQ(IdsIn("FT9").size(), 0u);
  EXPECT_EQ(IdsIn("FT999").size(), 1u);
}

TEST(DiagnosticIdsTest, EveryPrefixIsInUse) {
  for (const Prefix& prefix : kPrefixes) {
    const bool is_used = std::any_of(Reported().begin(), Reported().end(), [&](const auto& entry) {
      return entry.first.starts_with(prefix.letters);
    });
    EXPECT_TRUE(is_used) << prefix.letters;
  }
  EXPECT_GE(Reported().size(), 230u);
}

TEST(DiagnosticIdsTest, EveryReportedIdIsExplained) {
  const std::set<std::string> explained = Explained();
  for (const auto& [id, files] : Reported()) {
    EXPECT_TRUE(explained.contains(id)) << id << " of " << files[0] << " has no explanation";
  }
}

TEST(DiagnosticIdsTest, EveryExplainedIdIsReported) {
  for (const std::string& id : Explained()) {
    EXPECT_TRUE(Reported().contains(id)) << id << " is explained, but nothing reports it";
  }
}

TEST(DiagnosticIdsTest, EveryReportedIdIsInATest) {
  const Mentions tests = MentionsIn({"tests"}, {".cc", ".h", ".py", ".txt", ".tsv", ".golden"});
  for (const auto& [id, files] : Reported()) {
    EXPECT_TRUE(tests.contains(id)) << id << " of " << files[0] << " is in no test";
  }
}

TEST(DiagnosticIdsTest, EveryPageHasItsThreeParts) {
  for (const Explanation& entry : session::AllExplanations()) {
    const absl::StatusOr<std::string> page = session::Explain(entry.id);
    ASSERT_TRUE(page.ok()) << entry.id << ": " << page.status();
    EXPECT_TRUE(page->starts_with(entry.id)) << *page;
    EXPECT_THAT(*page, HasSubstr("\n\nCause:\n    ")) << entry.id;
    EXPECT_THAT(*page, HasSubstr("\n\nExample:\n    ")) << entry.id;
    EXPECT_THAT(*page, HasSubstr("\n\nFix:\n    ")) << entry.id;
    EXPECT_TRUE(page->ends_with(".\n")) << *page;
    EXPECT_TRUE(entry.cause.ends_with('.')) << entry.id;
    EXPECT_FALSE(entry.title.empty() || entry.title.ends_with('.')) << entry.id;
    EXPECT_FALSE(entry.example.empty()) << entry.id;
  }
}

}  // namespace
}  // namespace moescope
