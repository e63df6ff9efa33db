#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "tests/support/gzip_file.h"
#include "tests/support/shared_folder.h"

// The assembler against material that was made elsewhere: one line per vector, whole programs.

namespace moescope::assembler {
namespace {

const std::map<std::string, std::string>& IdOfReason() {
  static const std::map<std::string, std::string> kIds = {
      {"unknown-mnemonic", "AS001"}, {"not-implemented", "AS002"},    {"operand-count", "AS004"},
      {"operand-kind", "AS005"},     {"placeholder", "AS006"},        {"register-range", "AS007"},
      {"immediate-range", "AS008"},  {"negative-immediate", "AS009"}, {"reserved-value", "AS010"},
      {"undefined-symbol", "AS011"}, {"expression", "AS013"},         {"bad-character", "AS016"}};
  return kIds;
}

std::string Outcome(const std::string& line) {
  const absl::StatusOr<Assembly> assembly = Assemble(line, "vector.asm");
  if (!assembly.ok()) return DiagnosticsOf(assembly.status()).at(0).id;
  EXPECT_EQ(assembly->program.words.size(), 1u) << line;
  char word[16];
  std::snprintf(word, sizeof word, "0x%08X", assembly->program.words.at(0));
  return word;
}

TEST(VectorsTest, EveryRowOfTheAssemblerVectors) {
  const auto shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  const auto text = ReadFile(*shared + "/vectors/asm_vectors.tsv");
  ASSERT_TRUE(text.ok()) << text.status();
  int rows = 0;
  std::istringstream lines(*text);
  for (std::string row; std::getline(lines, row);) {
    if (row.starts_with('#') || row.empty()) continue;
    ++rows;
    const std::vector<std::string> columns = absl::StrSplit(row, '\t');
    ASSERT_GE(columns.size(), 2u) << row;
    std::string expected = columns[1];
    if (expected.starts_with("ERROR:")) expected = IdOfReason().at(expected.substr(6));
    EXPECT_EQ(Outcome(columns[0]), expected) << row;
  }
  EXPECT_EQ(rows, 358);
}

std::vector<std::uint32_t> ReadWords(const std::string& text) {
  std::vector<std::uint32_t> words;
  std::istringstream tokens(text);
  for (std::string token; tokens >> token;) {
    words.push_back(static_cast<std::uint32_t>(std::stoul(token, nullptr, 16)));
  }
  return words;
}

TEST(VectorsTest, EveryProgramOfTheCorpusWordForWord) {
  const auto shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared + "/corpus")) {
    if (!entry.is_directory()) continue;
    ++programs;
    const std::string folder = entry.path().string();
    const auto text = test::ReadPlainOrGzipped(folder + "/program.asm");
    const auto words = test::ReadPlainOrGzipped(folder + "/program.mem");
    ASSERT_TRUE(text.ok() && words.ok()) << folder;
    const absl::StatusOr<Assembly> assembly = Assemble(*text, folder + "/program.asm");
    ASSERT_TRUE(assembly.ok()) << assembly.status();
    EXPECT_TRUE(assembly->program.words == ReadWords(*words)) << folder;
    EXPECT_EQ(assembly->program.positions.size(), assembly->program.words.size());
    EXPECT_TRUE(assembly->findings.empty()) << RenderText(assembly->findings[0]);
  }
  EXPECT_EQ(programs, 13);
}

}  // namespace
}  // namespace moescope::assembler
