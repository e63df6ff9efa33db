// CSV texts: whatever the fields hold, reading is the inverse of writing, here and in the csv
// module of Python.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "profiler/csv.h"
#include "tests/support/scratch_folder.h"

namespace moescope::profiler {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows RandomRows(std::uint32_t seed) {
  static constexpr const char* kPieces[] = {"a", ",",    "\"", "\r", "\n", "\r\n", " ",
                                            "0", "\"\"", ";",  "é",  "\t", "'"};
  std::mt19937 random(seed);
  Rows rows(1 + random() % 5);
  const std::size_t columns = 1 + random() % 4;
  for (auto& row : rows) {
    row.resize(columns);
    for (std::string& field : row) {
      for (std::size_t i = random() % 6; i > 0; --i)
        field += kPieces[random() % std::size(kPieces)];
    }
    // A row of one empty field is a line without anything, which no reader can tell from none.
    if (columns == 1 && row[0].empty()) row[0] = "x";
  }
  return rows;
}

std::string TextOf(const Rows& rows) {
  CsvWriter csv;
  for (const auto& row : rows) csv.Row(row);
  return csv.Take();
}

TEST(CsvPropertyTest, ReadingIsTheInverseOfWriting) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const Rows rows = RandomRows(seed);
    const absl::StatusOr<Rows> read = ParseCsv(TextOf(rows));
    ASSERT_TRUE(read.ok()) << seed << ": " << read.status();
    EXPECT_EQ(*read, rows) << seed;
  }
}

TEST(CsvPropertyTest, OnlyFieldsThatNeedItAreQuoted) {
  const struct {
    const char* field;
    const char* text;
  } rows[] = {{"", ""},         {"a b", "a b"},   {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""},
              {"\r", "\"\r\""}, {"\n", "\"\n\""}, {"'", "'"},         {"\"", "\"\"\"\""},
              {" ", " "},       {"=1+1", "=1+1"}, {",", "\",\""},     {"\"\"", "\"\"\"\"\"\""},
              {"é", "é"}};
  for (const auto& row : rows) {
    CsvWriter csv;
    csv.Row({"x", row.field});
    EXPECT_EQ(csv.Take(), absl::StrCat("x,", row.text, "\r\n"));
  }
}

TEST(CsvPropertyTest, PythonReadsTheSame) {
  if (std::system("python3 -c 'import csv' >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const moescope::test::ScratchFolder folder;
  std::string expected;
  std::string script =
      "import csv, sys\nfor name in sys.argv[1:]:\n"
      "    for row in csv.reader(open(name, newline=''), strict=True):\n"
      "        print([f.encode() for f in row])\n";
  // Python's list of bytes, written here.
  const auto shown = [](const std::string& field) {
    std::string text = field.find('\'') != std::string::npos && field.find('"') == std::string::npos
                           ? "b\""
                           : "b'";
    const char quote = text.back();
    for (const char c : field) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\r') {
        text += "\\r";
      } else if (c == '\n') {
        text += "\\n";
      } else if (c == '\t') {
        text += "\\t";
      } else if (c == quote) {
        text += std::string("\\") + c;
      } else if (byte >= 0x80) {
        static constexpr char kHex[] = "0123456789abcdef";
        text += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
      } else {
        text += c;
      }
    }
    return text + quote;
  };
  std::string files;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Rows rows = RandomRows(seed);
    files += " " + folder.Write(absl::StrCat(seed, ".csv"), TextOf(rows));
    for (const auto& row : rows) {
      expected += "[";
      for (std::size_t i = 0; i < row.size(); ++i) {
        absl::StrAppend(&expected, i == 0 ? "" : ", ", shown(row[i]));
      }
      expected += "]\n";
    }
  }
  folder.Write("read.py", script);
  const std::string command =
      absl::StrCat("PYTHONIOENCODING=utf-8 python3 -X utf8 ", folder.Path("read.py"), files, " > ",
                   folder.Path("out.txt"));
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(folder.Read("out.txt"), expected);
}

}  // namespace
}  // namespace moescope::profiler
