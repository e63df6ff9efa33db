#include "cli/session/run_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/diagnostic.h"
#include "base/file.h"

namespace moescope::session {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kHead[] = "\"schema\": \"moescope.run\", \"schema_version\": 1";

// A manifest whose further members are `members`.
std::string Manifest(std::string_view members) {
  return absl::StrCat("{", kHead, members.empty() ? "" : ",\n", std::string(members), "}");
}

RunRequest Parsed(const std::string& members, const std::string& path = "dir/run.json") {
  auto request = ParseManifest(Manifest(members), path);
  EXPECT_TRUE(request.ok()) << request.status();
  return request.ok() ? *std::move(request) : RunRequest{};
}

TEST(ManifestTest, AnEmptyOneAsksForNothing) {
  const RunRequest request = Parsed("");
  EXPECT_EQ(request.program.file, "");
  EXPECT_TRUE(request.expect.empty());
  EXPECT_EQ(request.outputs.dump_dir, ".");
}

TEST(ManifestTest, ReadsEveryKeyOfProgramAndMachine) {
  const RunRequest request = Parsed(R"(
    "program": {"file": "layer.asm", "stage_vocabulary": ["decoder.toml", "/v.toml", "decoder"],
                "stage_errors": "warn", "stages": "s.json", "include": ["inc", "/i"],
                "define": {"N": 4, "M": "N*2"}},
    "machine": {"file": "machine.toml", "set": {"MLEN": 64, "hbm.channels": 8, "bmm_scale": 0.17677669},
                "timing": "serial", "dialect": {"masked_reduction": "reference"},
                "strict_encoding": true, "allow_unknown_keys": true, "settings_fallback": "defaults"},
    "sanitize": true, "hot": 5, "labels": {"b": "2", "a": "1"})");
  EXPECT_EQ(request.program.file, "dir/layer.asm");
  EXPECT_THAT(request.program.stage_vocabulary,
              ElementsAre("dir/decoder.toml", "/v.toml", "decoder"));
  EXPECT_EQ(request.program.stage_errors, stages::UnknownStage::kWarning);
  EXPECT_EQ(request.program.stages, "dir/s.json");
  EXPECT_THAT(request.program.include_folders, ElementsAre("dir/inc", "/i"));
  EXPECT_THAT(request.program.definitions, ElementsAre(Pair("N", "4"), Pair("M", "N*2")));
  EXPECT_EQ(request.machine.file, "dir/machine.toml");
  EXPECT_THAT(request.machine.set, ElementsAre(Pair("MLEN", "64"), Pair("hbm.channels", "8"),
                                               Pair("bmm_scale", "0.17677669")));
  EXPECT_EQ(request.machine.timing, "serial");
  EXPECT_THAT(request.machine.dialect, ElementsAre(Pair("masked_reduction", "reference")));
  EXPECT_FALSE(request.machine.reference_dialect);
  EXPECT_TRUE(request.machine.strict_encoding);
  EXPECT_TRUE(request.machine.allow_unknown_keys);
  EXPECT_TRUE(request.machine.default_missing_keys);
  EXPECT_TRUE(request.sanitize);
  EXPECT_EQ(request.hot_rows, 5u);
  EXPECT_THAT(request.labels, ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(ManifestTest, ReadsImagesLimitsAndOutputs) {
  const RunRequest request = Parsed(R"(
    "machine": {"file": "rtl-8", "dialect": "reference"},
    "images": {"hbm": {"file": "hbm.bin", "offset": "1K"}, "vram": "v.bin", "fpsram": {"file": "-"},
               "intsram": "/i.bin", "fpsram_format": "bf16", "hbm_size": "16G"},
    "limits": {"max_cycles": 1000000000, "max_instructions": "1M", "timeout": 0.25},
    "outputs": {"profile": "p.json", "dumps": ["vram", "registers"], "dump_dir": "out",
                "dump_ranges": ["intsram:16..32", "hbm:5"], "sparse": true, "expect_report": "r.json",
                "host_stats": true})");
  EXPECT_EQ(request.machine.file, "rtl-8");
  EXPECT_TRUE(request.machine.reference_dialect);
  EXPECT_EQ(request.images.hbm->file, "dir/hbm.bin");
  EXPECT_EQ(request.images.hbm->offset, 1024u);
  EXPECT_EQ(request.images.vram->file, "dir/v.bin");
  EXPECT_EQ(request.images.fpsram->file, "-");
  EXPECT_EQ(request.images.intsram->file, "/i.bin");
  EXPECT_TRUE(request.images.fpsram_is_bf16);
  EXPECT_EQ(request.images.hbm_size, std::uint64_t{16} << 30);
  EXPECT_EQ(request.limits.max_cycles, 1000000000u);
  EXPECT_EQ(request.limits.max_instructions, std::uint64_t{1} << 20);
  EXPECT_EQ(request.limits.timeout_ms, 250u);
  EXPECT_EQ(request.outputs.profile, "dir/p.json");
  ASSERT_EQ(request.outputs.dumps.size(), 4u);
  EXPECT_EQ(request.outputs.dumps[0].target, Memory::kVram);
  EXPECT_EQ(request.outputs.dumps[0].range, std::nullopt);
  EXPECT_EQ(request.outputs.dumps[1].target, Memory::kRegisters);
  EXPECT_EQ(request.outputs.dumps[2].target, Memory::kIntSram);
  EXPECT_EQ(request.outputs.dumps[2].range, (emulator::IndexRange{16, 32}));
  EXPECT_EQ(request.outputs.dumps[3].range, (emulator::IndexRange{5, 5}));
  EXPECT_EQ(request.outputs.dump_dir, "dir/out");
  EXPECT_TRUE(request.outputs.sparse);
  EXPECT_EQ(request.outputs.expect_report, "dir/r.json");
  EXPECT_TRUE(request.outputs.host_stats);
}

TEST(ManifestTest, ReadsExpectations) {
  const RunRequest request = Parsed(R"(
    "expect": {"end": "break", "cycles": 196, "hbm_read_physical_bytes": 8192,
      "stages": {"gather": {"cycles": 194, "calls": 2}, "router_topk": {}},
      "memory": [{"space": "intsram", "address": 4, "values": [3, 1, -7, 0.5]},
                 {"space": "vram", "matrix": {"base": 4096, "rows": 4, "columns": 128,
                  "physical_rows": 64}, "file": "golden.f32", "compare": {"ulp": 2}},
                 {"space": "fpsram", "values": [1], "compare": {"rel_rms": "2%"}},
                 {"space": "hbm", "file": "h.bin", "compare": "exact"},
                 {"space": "mram", "values": [1], "compare": {"absolute": 0.5, "relative": 1e-3}}],
      "sha256": {"vram": "sha256:00"}})");
  const Expectations& expect = request.expect;
  EXPECT_FALSE(expect.empty());
  EXPECT_EQ(expect.end, "break");
  ASSERT_EQ(expect.totals.size(), 2u);
  EXPECT_EQ(expect.totals[0].name, "cycles");
  EXPECT_EQ(expect.totals[0].value, 196u);
  EXPECT_EQ(expect.totals[1].name, "hbm_read_physical_bytes");
  ASSERT_EQ(expect.stages.size(), 2u);
  EXPECT_EQ(expect.stages[0].first, "gather");
  EXPECT_EQ(expect.stages[0].second.size(), 2u);
  EXPECT_TRUE(expect.stages[1].second.empty());
  ASSERT_EQ(expect.memory.size(), 5u);
  EXPECT_THAT(expect.memory[0].values, ElementsAre(3, 1, -7, 0.5));
  EXPECT_EQ(expect.memory[0].address, 4u);
  EXPECT_EQ(expect.memory[0].compare.kind, Comparison::Kind::kExact);
  EXPECT_EQ(expect.memory[1].file, "dir/golden.f32");
  EXPECT_EQ(expect.memory[1].matrix->physical_rows, 64u);
  EXPECT_EQ(expect.memory[1].compare.kind, Comparison::Kind::kUlp);
  EXPECT_EQ(expect.memory[1].compare.ulp, 2u);
  EXPECT_EQ(expect.memory[2].compare.rel_rms_ppm, 20000u);
  EXPECT_EQ(expect.memory[3].space, Memory::kHbm);
  EXPECT_EQ(expect.memory[4].compare.kind, Comparison::Kind::kAbsolute);
  EXPECT_EQ(expect.memory[4].compare.relative, 1e-3);
  EXPECT_THAT(expect.sha256, ElementsAre(Pair(Memory::kVram, "sha256:00")));
}

struct Refused {
  const char* members;  // on the second line of the file
  const char* message;  // without the caret lines
};

TEST(ManifestTest, RefusesWithPlaceAndReason) {
  constexpr Refused kRefused[] = {
      {"\"progam\": {}",
       "dir/run.json:2:1: error: unknown key 'progam'; did you mean 'program'? [MF003]"},
      {"\"trace\": {}", "dir/run.json:2:1: error: unknown key 'trace' [MF003]"},
      {"\"program\": []", "dir/run.json:2:12: error: program: must be an object [MF004]"},
      {"\"program\": {\"file\": 3}",
       "dir/run.json:2:21: error: program.file = 3: must be a text [MF004]"},
      {"\"program\": {\"stage_errors\": \"eror\"}",
       "dir/run.json:2:29: error: program.stage_errors = \"eror\": allowed: error, warn; did you "
       "mean "
       "'error'? [MF005]"},
      {"\"program\": {\"include\": \"x\"}",
       "dir/run.json:2:24: error: program.include = \"x\": must be an array [MF004]"},
      {"\"program\": {\"include\": [1]}",
       "dir/run.json:2:25: error: program.include[0] = 1: must be a text [MF004]"},
      {"\"machine\": {\"set\": {\"MLEN\": [64]}}",
       "dir/run.json:2:29: error: machine.set.MLEN: must be a text, a number or a truth value "
       "[MF004]"},
      {"\"machine\": {\"dialect\": \"ocp\"}",
       "dir/run.json:2:24: error: machine.dialect = \"ocp\": must be an object or \"reference\" "
       "[MF004]"},
      {"\"machine\": {\"strict_encoding\": 1}",
       "dir/run.json:2:32: error: machine.strict_encoding = 1: must be true or false [MF004]"},
      {"\"images\": {\"hbm\": 3}",
       "dir/run.json:2:19: error: images.hbm = 3: must be a text or an object [MF004]"},
      {"\"images\": {\"vram\": {\"file\": \"x\", \"offset\": 1}}",
       "dir/run.json:2:34: error: unknown key 'images.vram.offset' [MF003]"},
      {"\"images\": {\"hbm\": {}}", "dir/run.json:2:19: error: images.hbm.file: missing [MF004]"},
      {"\"images\": {\"hbm_size\": -1}",
       "dir/run.json:2:24: error: images.hbm_size = -1: must be an integer from 0 to 2^64 - 1, or "
       "a "
       "text such as \"16G\" [MF005]"},
      {"\"limits\": {\"max_cycles\": 1.5}",
       "dir/run.json:2:26: error: limits.max_cycles = 1.5: must be an integer from 0 to 2^64 - 1, "
       "or "
       "a text such as \"16G\" [MF004]"},
      {"\"limits\": {\"timeout\": \"soon\"}",
       "dir/run.json:2:23: error: limits.timeout = \"soon\": must be seconds, with at most three "
       "digits behind the point [MF005]"},
      {"\"outputs\": {\"dumps\": [\"vrma\"]}",
       "dir/run.json:2:23: error: outputs.dumps[0] = \"vrma\": allowed: vram, mram, fpsram, "
       "intsram, "
       "hbm, registers; did you mean 'vram' or 'mram'? [MF005]"},
      {"\"outputs\": {\"dump_ranges\": [\"vram=5..4\"]}",
       "dir/run.json:2:29: error: outputs.dump_ranges[0] = \"vram=5..4\": must be "
       "\"MEMORY:FIRST..LAST\", such as \"vram:0..15\" [MF005]"},
      {"\"expect\": {\"sha256\": {\"registers\": \"x\"}}",
       "dir/run.json:2:23: error: unknown key 'expect.sha256.registers': allowed: vram, mram, "
       "fpsram, "
       "intsram, hbm [MF003]"},
      {"\"expect\": {\"end\": \"done\"}",
       "dir/run.json:2:19: error: expect.end = \"done\": allowed: end, break, fault, max_cycles, "
       "max_instructions, timeout, interrupt, deadlock [MF005]"},
      {"\"expect\": {\"stages\": {\"gather\": {\"cycle\": 1}}}",
       "dir/run.json:2:34: error: unknown key 'expect.stages.gather.cycle'; did you mean 'cycles'? "
       "[MF003]"},
      {"\"expect\": {\"memory\": [{\"space\": \"vram\"}]}",
       "dir/run.json:2:23: error: expect.memory[0].values: give either values or a file [MF007]"},
      {"\"expect\": {\"memory\": [{\"space\": \"hbm\", \"file\": \"x\", \"matrix\": {\"base\": 0, "
       "\"rows\": 1, \"columns\": 1}}]}",
       "dir/run.json:2:23: error: expect.memory[0].matrix: only vram holds matrices [MF007]"},
      {"\"expect\": {\"memory\": [{\"space\": \"vram\", \"file\": \"x\", \"matrix\": {\"base\": 0, "
       "\"rows\": 2, \"columns\": 1, \"physical_rows\": 1}}]}",
       "dir/run.json:2:64: error: expect.memory[0].matrix.rows: need 1 <= rows <= physical_rows, 1 "
       "<= "
       "columns, base below 2^32 and at most 2^24 elements [MF005]"},
      {"\"expect\": {\"memory\": [{\"space\": \"vram\", \"values\": [1], \"compare\": {\"ulp\": 1, "
       "\"rel_rms\": \"1%\"}}]}",
       "dir/run.json:2:67: error: expect.memory[0].compare: give one of ulp, rel_rms, or absolute "
       "with "
       "relative [MF007]"},
      {"\"expect\": {\"memory\": [{\"space\": \"vram\", \"values\": [1], \"compare\": "
       "{\"rel_rms\": "
       "\"1\"}}]}",
       "dir/run.json:2:79: error: expect.memory[0].compare.rel_rms = \"1\": must be a percentage "
       "[MF005]"},
      {"\"labels\": {\"a\": 1}", "dir/run.json:2:17: error: labels.a = 1: must be a text [MF004]"},
  };
  for (const Refused& refused : kRefused) {
    const auto request = ParseManifest(Manifest(refused.members), "dir/run.json");
    ASSERT_FALSE(request.ok()) << refused.members;
    std::string message(request.status().message());
    EXPECT_EQ(message.substr(0, message.find('\n')), refused.message);
  }
}

TEST(ManifestTest, DemandsSchemaAndVersion) {
  const auto message = [](const char* text) {
    const std::string all(ParseManifest(text, "r.json").status().message());
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(message("{\"schema_version\": 1}"), "r.json:1:1: error: schema: missing [MF004]");
  EXPECT_EQ(message("{\"schema\": \"moescope.run\"}"),
            "r.json:1:1: error: schema_version: missing [MF004]");
  EXPECT_EQ(message("{\"schema\": \"moescope.ran\", \"schema_version\": 1}"),
            "r.json:1:12: error: schema = \"moescope.ran\": must be \"moescope.run\" [MF002]");
  EXPECT_EQ(message("{\"schema\": \"moescope.run\", \"schema_version\": 2}"),
            "r.json:1:46: error: schema_version = 2: must be 1 [MF002]");
  EXPECT_EQ(message("[]"), "r.json:1:1: error: the manifest: must be an object [MF004]");
  EXPECT_EQ(DiagnosticsOf(ParseManifest("{", "r.json").status())[0].id, "MF001");
}

TEST(ManifestTest, CollectsAllFindingsInOrder) {
  const auto request = ParseManifest(
      Manifest("\"hot\": true,\n\"limits\": {\"max\": 1, \"max_cycles\": []}"), "r.json");
  const std::vector<Diagnostic> found = DiagnosticsOf(request.status());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].location.line, 2u);
  EXPECT_EQ(found[1].message, "unknown key 'limits.max'");
  EXPECT_EQ(found[2].source_line, "\"limits\": {\"max\": 1, \"max_cycles\": []}}");
}

TEST(ManifestTest, ReadsFilesAndNamesMissingOnes) {
  EXPECT_EQ(ReadManifest("/nonexistent/run.json").status().message(),
            "cannot open '/nonexistent/run.json': No such file or directory");
  const std::string path = ::testing::TempDir() + "/manifest_test.json";
  ASSERT_TRUE(WriteFile(path, Manifest("\"hot\": 3")).ok());
  EXPECT_EQ(ReadManifest(path)->hot_rows, 3u);
}

}  // namespace
}  // namespace moescope::session
