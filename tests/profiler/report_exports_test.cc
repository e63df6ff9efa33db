// Exports for other tools, read back: stacks, speedscope files, annotated listings and the public
// stage profiles of random runs against the JSON text of the profile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "profiler/report/stage_profile.h"
#include "tests/profiler/report_runs.h"

namespace moescope::profiler {
namespace {

using test::NumberOf;
using test::ReportedRun;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t kRuns = 40;
constexpr const char* kWeights[] = {"cycles", "instructions", "bytes"};

std::uint64_t Bytes(const Json& block) {
  return block["hbm"]["read"]["physical_bytes"].get<std::uint64_t>() +
         block["hbm"]["write"]["physical_bytes"].get<std::uint64_t>();
}

std::uint64_t WeightOf(const Json& block, const std::string& weight) {
  return weight == "bytes" ? Bytes(block) : block[weight].get<std::uint64_t>();
}

// Lines "frame;frame weight".
std::map<std::string, std::uint64_t> Stacks(const std::string& collapsed) {
  std::map<std::string, std::uint64_t> stacks;
  std::istringstream in(collapsed);
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = line.rfind(' ');
    EXPECT_TRUE(stacks.emplace(line.substr(0, blank), std::stoull(line.substr(blank + 1))).second)
        << line << " stands there twice";
  }
  return stacks;
}

// The innermost frame of a stack that is a stage: neither a pair nor a mnemonic.
std::string StageOf(const std::string& stack) {
  std::string stage;
  for (const auto frame : absl::StrSplit(stack, ';')) {
    const bool is_pair = absl::StartsWith(frame, "pair ");
    const bool is_mnemonic = frame[0] >= 'A' && frame[0] <= 'Z';
    if (!is_pair && !is_mnemonic) stage = std::string(frame);
  }
  return stage;
}

TEST(StackReportTest, WeightsOfAStageSumToTheStage) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 2 == 0);
    for (const char* weight : kWeights) {
      for (const PcTable* table : {static_cast<const PcTable*>(nullptr), &run.table}) {
        std::map<std::string, std::uint64_t> stages;
        for (const auto& [stack, value] :
             Stacks(run.Report({.format = "collapsed", .weight = weight, .pc_table = table}))) {
          EXPECT_GT(value, 0u) << stack;
          stages[StageOf(stack)] += value;
        }
        for (const Json& stage : run.json["stages"]) {
          EXPECT_EQ(stages[stage["name"]], WeightOf(stage, weight)) << seed << " " << weight;
        }
        EXPECT_EQ(stages.size(), run.json["stages"].size());
      }
    }
  }
}

TEST(StackReportTest, PairsOfTheTableSumToThePairs) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    if (!run.json.contains("pairs")) continue;
    for (const char* weight : kWeights) {
      std::map<std::string, std::uint64_t> pairs;
      for (const auto& [stack, value] :
           Stacks(run.Report({.format = "collapsed", .weight = weight, .pc_table = &run.table}))) {
        for (const auto frame : absl::StrSplit(stack, ';')) {
          if (absl::StartsWith(frame, "pair ")) pairs[std::string(frame)] += value;
        }
      }
      for (const Json& row : run.json["pairs"]["rows"]) {
        EXPECT_EQ(pairs["pair " + row["pair"].dump()], WeightOf(row, weight)) << weight;
      }
    }
  }
}

TEST(SpeedscopeReportTest, HoldsTheStacksOfTheCollapsedReport) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    for (const char* weight : kWeights) {
      const ReportOptions options{.format = "speedscope", .weight = weight};
      const Json document = Json::parse(run.Report(options));
      const Json& frames = document["shared"]["frames"];
      const Json& sampled = document["profiles"][0];
      std::map<std::string, std::uint64_t> stacks;
      for (std::size_t i = 0; i < sampled["samples"].size(); ++i) {
        std::string stack;
        for (const Json& frame : sampled["samples"][i]) {
          absl::StrAppend(&stack, stack.empty() ? "" : ";",
                          frames[frame.get<std::size_t>()]["name"].get<std::string>());
        }
        stacks[stack] = sampled["weights"][i];
      }
      EXPECT_EQ(stacks, Stacks(run.Report({.format = "collapsed", .weight = weight})));
      EXPECT_EQ(sampled["unit"], weight == std::string("bytes") ? "bytes" : "none");
    }
  }
}

TEST(AnnotatedReportTest, HasEveryWordWithItsCounts) {
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed);
    std::istringstream in(run.Report({.format = "annotated", .pc_table = &run.table}));
    std::string line;
    std::getline(in, line);  // the header
    std::size_t pc = 0;
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    std::string marker;
    while (std::getline(in, line)) {
      std::istringstream columns(line);
      std::string first, second, reason, number, word;
      columns >> first;
      if (first == ";") {
        marker = std::string(absl::StripAsciiWhitespace(line));
        continue;
      }
      columns >> second >> reason >> number >> word;
      if (number != std::to_string(pc)) break;  // the line of totals
      const PcRow& row = run.table.rows[pc];
      EXPECT_EQ(NumberOf(first), row.instructions);
      EXPECT_EQ(NumberOf(second), row.cycles);
      EXPECT_EQ(reason, row.top_reason.empty() ? "-" : row.top_reason);
      EXPECT_EQ(std::stoul(word, nullptr, 16), row.word);
      EXPECT_NE(line.find(row.text), std::string::npos) << line;
      EXPECT_EQ(marker.find("; " + row.path), 0u) << marker;
      if (row.pair) {
        EXPECT_NE(marker.find(absl::StrCat(" pair=", *row.pair)), std::string::npos) << marker;
      }
      instructions += NumberOf(first);
      cycles += NumberOf(second);
      ++pc;
    }
    EXPECT_EQ(pc, run.table.rows.size());
    EXPECT_EQ(instructions, run.json["totals"]["instructions"]);
    EXPECT_EQ(cycles, run.json["totals"]["cycles"]);
  }
}

// ---- Public stage profiles ----------------------------------------------------------------------

constexpr std::array kRouted = {"router_topk",
                                "accumulator_init",
                                "gather",
                                "expert_weight_address",
                                "expert_weight_prefetch",
                                "expert_projection",
                                "expert_activation",
                                "expert_bias",
                                "expert_route_weight",
                                "scatter_combine"};

struct Sums {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;

  void Add(const Json& block) {
    instructions += block["instructions"].get<std::uint64_t>();
    cycles += block["cycles"].get<std::uint64_t>();
    read += block["hbm"]["read"]["physical_bytes"].get<std::uint64_t>();
    written += block["hbm"]["write"]["physical_bytes"].get<std::uint64_t>();
  }
};

// The stages of the JSON text under the names of the public file. A nested extension counts where
// it is nested; the runs here nest it in one stage only, or the export is refused.
std::map<std::string, Sums> Folded(const Json& json, bool all_stages) {
  std::map<std::string, std::string> parents;
  if (json.contains("paths")) {
    for (const Json& path : json["paths"]) {
      const std::vector<std::string> names = absl::StrSplit(path["path"].get<std::string>(), '/');
      if (names.size() > 1) parents[names.back()] = names[names.size() - 2];
    }
  }
  std::map<std::string, Sums> stages;
  for (const Json& stage : json["stages"]) {
    std::string name = stage["name"];
    if (stage["origin"] == "extension" && parents.contains(name)) name = parents[name];
    const bool is_routed = std::find(kRouted.begin(), kRouted.end(), name) != kRouted.end();
    const bool is_builtin = name != "unattributed" && name != "detail";
    stages[is_routed || (all_stages && is_builtin) ? name : "other"].Add(stage);
  }
  return stages;
}

double Seconds(std::uint64_t cycles, const Json& json) {
  return static_cast<double>(cycles) *
         static_cast<double>(json["machine"]["clock_period_ps"].get<std::uint64_t>()) / 1e12;
}

double Fraction(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

void ExpectStage(const Json& shown, const Sums& sums, const Json& json, int version) {
  const std::uint64_t instructions = json["totals"]["instructions"];
  const std::uint64_t cycles = json["totals"]["cycles"];
  EXPECT_EQ(shown["instructions"], sums.instructions);
  EXPECT_DOUBLE_EQ(shown["seconds"].get<double>(), Seconds(sums.cycles, json));
  EXPECT_DOUBLE_EQ(shown["instruction_fraction"].get<double>(),
                   Fraction(sums.instructions, instructions));
  EXPECT_DOUBLE_EQ(shown["time_fraction"].get<double>(), Fraction(sums.cycles, cycles));
  EXPECT_EQ(shown["hbm_bytes_read"], sums.read);
  EXPECT_EQ(shown["hbm_bytes_written"], sums.written);
  EXPECT_EQ(shown.size(), version == 1 ? 6u : 13u);
  if (version == 1) return;
  EXPECT_EQ(shown["wall_cycles"], sums.cycles);
  EXPECT_DOUBLE_EQ(shown["cycle_fraction"].get<double>(), Fraction(sums.cycles, cycles));
  EXPECT_EQ(shown["physical_hbm_bytes_read"], sums.read);
  EXPECT_EQ(shown["physical_hbm_bytes_written"], sums.written);
  std::uint64_t proxy = 0;
  for (const char* kind : {"matrix", "vector", "scalar", "dma", "other"}) {
    proxy += shown["resource_proxy_cycles"][kind].get<std::uint64_t>();
  }
  EXPECT_EQ(proxy, sums.cycles);
  EXPECT_EQ(shown["resource_proxy_cycles"]["ramulator_proxy"],
            shown["resource_proxy_cycles"]["dma"]);
}

void ExpectPublic(const Json& shown, const Json& json, int version, bool all_stages) {
  EXPECT_EQ(shown["schema_version"], version);
  EXPECT_EQ(shown["label_count"], json["program"]["words"]);
  EXPECT_EQ(shown["total_instructions_executed"], json["totals"]["instructions"]);
  EXPECT_EQ(shown["total_hbm_bytes_read"], json["totals"]["hbm"]["read"]["physical_bytes"]);
  EXPECT_EQ(shown["total_hbm_bytes_written"], json["totals"]["hbm"]["write"]["physical_bytes"]);
  std::map<std::string, Sums> expected = Folded(json, all_stages);
  EXPECT_EQ(shown["stages"].size(), all_stages ? 15u : 11u);
  for (const auto& [name, stage] : shown["stages"].items()) {
    SCOPED_TRACE(name);
    ExpectStage(stage, expected[name], json, version);
  }
  EXPECT_EQ(expected.size(), shown["stages"].size());
  if (!json.contains("pairs")) {
    EXPECT_TRUE(shown["pairs"].empty());
    return;
  }
  ASSERT_EQ(shown["pairs"].size(), json["pairs"]["rows"].size());
  for (const Json& row : json["pairs"]["rows"]) {
    const Json& pair = shown["pairs"][row["pair"].dump()];
    EXPECT_EQ(pair["instructions"], row["instructions"]);
    EXPECT_EQ(pair["hbm_bytes_read"], row["hbm"]["read"]["physical_bytes"]);
    std::uint64_t of_stages = 0;
    for (const auto& [name, stage] : pair["stages"].items()) {
      of_stages += stage["instructions"].get<std::uint64_t>();
    }
    EXPECT_EQ(of_stages, row["instructions"]);
  }
}

TEST(StageProfileReportTest, NumbersAreThoseOfTheJson) {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    const ReportedRun run(seed, seed % 3 != 0);
    if (!FoldStages(run.profile, false, nullptr).ok()) continue;  // ambiguous nesting
    for (const bool all_stages : {false, true}) {
      for (const int version : {1, 2}) {
        SCOPED_TRACE(absl::StrCat("seed ", seed, " version ", version));
        const std::string text = run.Report(
            {.format = absl::StrCat("stage_profile_v", version), .all_stages = all_stages});
        ExpectPublic(Json::parse(text), run.json, version, all_stages);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 60);
}

// Order and indent are part of the format: writing the parsed file again gives the same bytes,
// apart from numbers with a fraction.
TEST(StageProfileReportTest, IsTwoSpaceIndentedJsonInTheDocumentedOrder) {
  const ReportedRun run(1);
  for (const char* format : {"stage_profile_v1", "stage_profile_v2"}) {
    const std::string text = run.Report({.format = format});
    const std::vector<std::string> ours = absl::StrSplit(text, '\n');
    const std::vector<std::string> theirs = absl::StrSplit(Json::parse(text).dump(2), '\n');
    ASSERT_EQ(ours.size(), theirs.size()) << format;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].substr(0, ours[i].find(": ")), theirs[i].substr(0, theirs[i].find(": ")));
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
