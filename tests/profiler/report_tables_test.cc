// Tables for people and spreadsheets, read back: every number of the text, Markdown, HTML and CSV
// reports of random runs is the one in the JSON text of the profile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "profiler/csv.h"
#include "tests/profiler/report_runs.h"

namespace moescope::profiler {
namespace {

using test::NumberOf;
using test::PercentOf;
using test::ReportedRun;
using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

constexpr std::uint32_t kRuns = 40;

std::uint64_t Bytes(const Json& block) {
  return block["hbm"]["read"]["physical_bytes"].get<std::uint64_t>() +
         block["hbm"]["write"]["physical_bytes"].get<std::uint64_t>();
}

// The reason with the most cycles of a block, the first of equals.
std::string TopReason(const Json& block) {
  std::string top = "-";
  std::uint64_t most = 0;
  if (!block.contains("reasons")) return top;
  for (const auto& [reason, cycles] : block["reasons"].items()) {
    if (cycles.get<std::uint64_t>() <= most) continue;
    most = cycles;
    top = reason;
  }
  return top;
}

std::string BoundOf(const Json& roofline) { return roofline.value("bound", "-"); }

// The row of the stage table for a block of the JSON text.
Cells ExpectedRow(const Json& json, const std::string& name, const Json& block, std::uint64_t share,
                  std::uint64_t inclusive, const std::string& bound) {
  const auto count = [](std::uint64_t value) { return std::to_string(value); };
  Cells cells = {name,
                 count(block["cycles"]),
                 PercentOf(share),
                 count(block["instructions"]),
                 count(Bytes(block)),
                 bound,
                 TopReason(block)};
  if (json.contains("paths")) cells.insert(cells.begin() + 2, count(inclusive));
  return cells;
}

std::vector<Cells> ExpectedStageTable(const Json& json) {
  std::vector<Cells> rows;
  for (const Json& stage : json["stages"]) {
    rows.push_back(ExpectedRow(json, stage["name"], stage, stage["cycle_share_ppm"],
                               stage["inclusive"]["cycles"],
                               stage.contains("roofline") ? BoundOf(stage["roofline"]) : "-"));
  }
  const Json& totals = json["totals"];
  const std::uint64_t cycles = totals["cycles"];
  rows.push_back(ExpectedRow(json, "total", totals, cycles == 0 ? 0 : 1'000'000, cycles,
                             json.contains("roofline") ? BoundOf(json["roofline"]) : "-"));
  return rows;
}

// Thousands separators out of the cells that are numbers.
Cells Plain(Cells cells) {
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (!cells[i].empty() && cells[i].find_first_not_of("0123456789,") == std::string::npos) {
      cells[i] = std::to_string(NumberOf(cells[i]));
    }
  }
  return cells;
}

// Rows of the table under the header that starts with "stage ", whose columns are at least two
// blanks apart.
std::vector<Cells> TextTable(const std::string& report) {
  std::vector<Cells> rows;
  std::istringstream in(report);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("stage ")) {
      inside = true;
    } else if (inside && line.empty()) {
      break;
    } else if (inside && !line.starts_with("---")) {
      Cells cells;
      for (const auto cell : absl::StrSplit(line, "  ", absl::SkipEmpty())) {
        cells.emplace_back(absl::StripAsciiWhitespace(cell));
      }
      std::erase(cells, "");
      rows.push_back(Plain(std::move(cells)));
    }
  }
  return rows;
}

TEST(TextReportTest, TheStageTableHasTheNumbersOfTheJson) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 2 == 0);
    EXPECT_EQ(TextTable(run.Report({.format = "text"})), ExpectedStageTable(run.json)) << seed;
  }
}

TEST(TextReportTest, FactsAndTotalsAreThoseOfTheJson) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    const std::string text = run.Report({.format = "text", .width = 1000});
    const Json& json = run.json;
    std::map<std::string, std::string> facts;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line) && !line.empty();) {
      const std::size_t colon = line.find(": ");
      facts[line.substr(0, colon)] =
          std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    }
    EXPECT_TRUE(facts["program"].starts_with(
        absl::StrCat(json["program"]["words"].get<std::uint64_t>(), " words, sha256:")));
    EXPECT_EQ(facts["label commit"], "abc");
    EXPECT_EQ(facts["run"], json["complete"].get<bool>() ? "complete (end)" : "");
    const std::size_t at = text.find(" instructions, ");
    if (json["totals"]["instructions"] == 1) continue;
    ASSERT_NE(at, std::string::npos) << text;
    const std::size_t begin = text.rfind('\n', at) + 1;
    EXPECT_EQ(NumberOf(text.substr(begin, at - begin)), json["totals"]["instructions"]);
  }
}

std::vector<Cells> MarkdownTable(const std::string& report) {
  std::vector<Cells> rows;
  std::istringstream in(report);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ")) continue;
    Cells cells = absl::StrSplit(line.substr(2, line.size() - 4), " | ");
    rows.push_back(Plain(std::move(cells)));
  }
  return rows;
}

TEST(MarkdownReportTest, TheStageTableHasTheNumbersOfTheJson) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 2 == 0);
    std::vector<Cells> rows = MarkdownTable(run.Report({.format = "markdown"}));
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0][0], "stage");
    rows.erase(rows.begin());
    EXPECT_EQ(rows, ExpectedStageTable(run.json)) << seed;
  }
}

// The rows of the table in the section under a heading of an HTML report.
std::vector<Cells> HtmlTable(const std::string& page, const std::string& heading) {
  std::vector<Cells> rows;
  std::size_t at = page.find("<h2>" + heading + "</h2>");
  if (at == std::string::npos) return rows;
  const std::size_t end = page.find("</table>", at);
  while ((at = page.find("<tr>", at)) < end) {
    Cells& cells = rows.emplace_back();
    const std::size_t row_end = page.find("</tr>", at);
    for (std::size_t cell = page.find("<td", at); cell < row_end; cell = page.find("<td", cell)) {
      cell = page.find('>', cell) + 1;
      cells.push_back(page.substr(cell, page.find("</td>", cell) - cell));
    }
    at = row_end;
    if (cells.empty()) rows.pop_back();  // the header
  }
  return rows;
}

TEST(HtmlReportTest, TheStageTableHasTheNumbersOfTheJson) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 2 == 0);
    std::vector<Cells> rows;
    for (Cells& row : HtmlTable(run.Report({.format = "html"}), "Stages")) {
      rows.push_back(Plain(std::move(row)));
    }
    EXPECT_EQ(rows, ExpectedStageTable(run.json)) << seed;
  }
}

TEST(HtmlReportTest, HotAndOpcodeTablesHaveTheNumbersOfTheJson) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    const std::string page = run.Report({.format = "html"});
    const std::vector<Cells> hot = HtmlTable(page, "Hot instructions");
    ASSERT_EQ(hot.size(), run.json["hot"].size()) << seed;
    for (std::size_t i = 0; i < hot.size(); ++i) {
      const Json& row = run.json["hot"][i];
      EXPECT_EQ(NumberOf(hot[i][0]), row["pc"]);
      EXPECT_EQ(NumberOf(hot[i][1]), row["cycles"]);
      EXPECT_EQ(NumberOf(hot[i][2]), row["instructions"]);
      EXPECT_EQ(hot[i][3], row["stage"]);
      EXPECT_EQ(hot[i][4], row.value("top_reason", "-"));
      EXPECT_EQ(hot[i][5], row["text"]);
    }
    const std::vector<Cells> opcodes = HtmlTable(page, "Instructions by mnemonic");
    ASSERT_EQ(opcodes.size(), run.json["opcodes"].size()) << seed;
    for (std::size_t i = 0; i < opcodes.size(); ++i) {
      const Json& row = run.json["opcodes"][i];
      EXPECT_EQ(opcodes[i][0], row["mnemonic"]);
      EXPECT_EQ(NumberOf(opcodes[i][2]), row["instructions"]);
      EXPECT_EQ(NumberOf(opcodes[i][3]), row["cycles"]);
      EXPECT_EQ(NumberOf(opcodes[i][5]), row["wait_cycles"]);
    }
  }
}

// ---- CSV ----------------------------------------------------------------------------------------

// A CSV table as one map per row, by the names of its header.
std::vector<std::map<std::string, std::string>> Csv(const ReportedRun& run, const char* table) {
  const auto rows = ParseCsv(run.Report({.format = "csv", .table = table}));
  EXPECT_TRUE(rows.ok());
  std::vector<std::map<std::string, std::string>> result;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    EXPECT_EQ((*rows)[i].size(), (*rows)[0].size());
    auto& row = result.emplace_back();
    for (std::size_t c = 0; c < (*rows)[i].size(); ++c) row[(*rows)[0][c]] = (*rows)[i][c];
  }
  return result;
}

// What a cell shows of a member: a number, a text, or nothing when it is absent.
std::string Shown(const Json& object, const std::string& key) {
  if (!object.contains(key)) return "";
  return object[key].is_string() ? object[key].get<std::string>() : object[key].dump();
}

void ExpectCounters(const std::map<std::string, std::string>& row, const Json& block) {
  EXPECT_EQ(row.at("instructions"), Shown(block, "instructions"));
  EXPECT_EQ(row.at("cycles"), Shown(block, "cycles"));
  for (const char* direction : {"read", "write"}) {
    for (const auto& [field, value] : block["hbm"][direction].items()) {
      EXPECT_EQ(row.at(absl::StrCat("hbm_", direction, "_", field)), value.dump());
    }
  }
  for (const auto& [kind, value] : block["flops"].items()) {
    EXPECT_EQ(row.at("flops_" + kind), value.dump());
  }
}

TEST(CsvReportTest, Stages) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 2 == 0);
    const auto rows = Csv(run, "stages");
    ASSERT_EQ(rows.size(), run.json["stages"].size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Json& stage = run.json["stages"][i];
      ExpectCounters(rows[i], stage);
      for (const char* key :
           {"name", "origin", "scope", "static_instructions", "calls", "first_cycle", "last_cycle",
            "cycle_share_ppm", "instruction_share_ppm"}) {
        EXPECT_EQ(rows[i].at(key), Shown(stage, key)) << key;
      }
      EXPECT_EQ(rows[i].at("inclusive_cycles"), Shown(stage["inclusive"], "cycles"));
      EXPECT_EQ(rows[i].at("inclusive_instructions"), Shown(stage["inclusive"], "instructions"));
      const std::string reason = TopReason(stage);
      EXPECT_EQ(rows[i].at("top_reason"), reason == "-" ? "" : reason);
    }
  }
}

// Tables with one row per entry of an inner map: every entry is there, and nothing but zeros else.
TEST(CsvReportTest, ReasonsAndUnits) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    for (const auto& [table, key, member, column] :
         {std::tuple("reasons", "reason", "reasons", "cycles"),
          std::tuple("units", "unit", "units", "busy_cycles")}) {
      std::map<std::pair<std::string, std::string>, std::uint64_t> shown;
      for (const auto& row : Csv(run, table)) {
        shown[{row.at("stage"), row.at(key)}] = std::stoull(row.at(column));
      }
      EXPECT_EQ(shown.size(), run.json["stages"].size() * run.json["model"][member].size());
      for (const Json& stage : run.json["stages"]) {
        for (const auto& [name, cycles] : stage[member].items()) {
          const auto at = shown.find({stage["name"], name});
          ASSERT_NE(at, shown.end()) << name;
          EXPECT_EQ(at->second, cycles) << name;
          shown.erase(at);
        }
      }
      for (const auto& [place, value] : shown) EXPECT_EQ(value, 0u) << place.second;
    }
  }
}

TEST(CsvReportTest, OpcodesAndHotRows) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 3 != 0);
    for (const char* table : {"opcodes", "hot"}) {
      const auto rows = Csv(run, table);
      ASSERT_EQ(rows.size(), run.json[table].size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& [column, cell] : rows[i]) {
          EXPECT_EQ(cell, Shown(run.json[table][i], column)) << table << " " << column;
        }
      }
    }
  }
}

TEST(CsvReportTest, PairsAndExperts) {
  std::size_t with_experts = 0;
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    for (const auto& [table, key] : {std::pair("pairs", "pair"), std::pair("experts", "expert")}) {
      if (!run.json.contains(table)) continue;
      const Json& json = run.json[table];
      const auto rows = Csv(run, table);
      ASSERT_EQ(rows.size(), json["rows"].size() + 1);
      for (std::size_t i = 0; i < json["rows"].size(); ++i) {
        EXPECT_EQ(rows[i].at(key), Shown(json["rows"][i], key));
        EXPECT_EQ(rows[i].at("expert"), Shown(json["rows"][i], "expert"));
        ExpectCounters(rows[i], json["rows"][i]);
      }
      EXPECT_EQ(rows.back().at(key), "");
      ExpectCounters(rows.back(), json["none"]);
      with_experts += table == std::string("experts");
    }
  }
  EXPECT_GT(with_experts, 10u);
}

TEST(CsvReportTest, Timeline) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    const Json& timeline = run.json["timeline"];
    const auto rows = Csv(run, "timeline");
    ASSERT_EQ(rows.size(), timeline["hbm_read_bytes"].size());
    for (std::size_t bin = 0; bin < rows.size(); ++bin) {
      const std::uint64_t begin = bin * timeline["bin_cycles"].get<std::uint64_t>();
      EXPECT_EQ(rows[bin].at("begin_cycle"), std::to_string(begin));
      const std::string end = bin + 1 < rows.size() ? rows[bin + 1].at("begin_cycle")
                                                    : run.json["totals"]["cycles"].dump();
      EXPECT_EQ(rows[bin].at("end_cycle"), end);
      EXPECT_EQ(rows[bin].at("hbm_read_bytes"), timeline["hbm_read_bytes"][bin].dump());
      EXPECT_EQ(rows[bin].at("hbm_write_bytes"), timeline["hbm_write_bytes"][bin].dump());
      for (const auto& [stage, cycles] : timeline["stage_cycles"].items()) {
        EXPECT_EQ(rows[bin].at(stage), cycles[bin].dump());
      }
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
