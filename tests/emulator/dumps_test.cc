#include "emulator/dumps.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"

namespace moescope::test {
namespace {

using emulator::DumpRequest;
using emulator::DumpTarget;
using emulator::IndexRange;
using emulator::MachineDescription;
using emulator::MachineState;
using emulator::WriteDumps;

class Dumps : public testing::Test {
 protected:
  Dumps() : state(Machine()), folder(testing::TempDir() + "moescope_dumps_test") {
    std::filesystem::create_directories(folder);
  }
  ~Dumps() override { std::filesystem::remove_all(folder); }
  static MachineDescription Machine() {
    MachineDescription machine;
    machine.shape = {4, 2, 4, 2, 2};
    machine.memory = {
        .hbm_bytes = 16384, .matrix_rows = 8, .vector_rows = 6, .int_words = 3, .fp_words = 5};
    machine.formats.matrix_weight = machine.formats.matrix_kv = isa::Mx(isa::kE4M3, 4);
    machine.formats.vector_activation = machine.formats.vector_kv = isa::Mx(isa::kE4M3, 4);
    return machine;
  }
  std::string Content(const std::string& name) { return ReadFile(folder + "/" + name).value(); }
  std::vector<emulator::DumpRecord> Write(const std::vector<DumpRequest>& requests,
                                          bool sparse = false) {
    auto records = WriteDumps(state, machine, requests, {folder, sparse});
    EXPECT_TRUE(records.ok()) << records.status().message();
    return records.ok() ? *records : std::vector<emulator::DumpRecord>{};
  }
  MachineDescription machine = Machine();
  MachineState state;
  std::string folder;
};

TEST_F(Dumps, HoldTheWholeDepthInLittleEndian) {
  state.vram.Write(1)[2] = 0x1234;
  state.fp_mem.Write(4, 0xABCD);
  state.int_mem.Write(0, 0x04030201);
  const std::uint8_t byte = 9;
  state.hbm.Write(16383, {&byte, 1});
  Write({{DumpTarget::kVram}, {DumpTarget::kFpSram}, {DumpTarget::kIntSram}, {DumpTarget::kHbm}});
  std::string vram(48, '\0');
  vram[12] = '\x34';
  vram[13] = '\x12';
  EXPECT_EQ(Content("vram_dump.bin"), vram);
  EXPECT_EQ(Content("fpsram_dump.bin"), std::string(8, '\0') + "\xCD\xAB");
  EXPECT_EQ(Content("intsram_dump.bin"), "\x01\x02\x03\x04" + std::string(8, '\0'));
  EXPECT_EQ(Content("hbm_dump.bin"), std::string(16383, '\0') + "\x09");
}

TEST_F(Dumps, TilesAreRoundedToTheirType) {
  state.mram.Write(1)[3] = 1.00390625f;  // a tie of bf16
  state.mram.Write(1)[4] = 3.0f;
  Write({{DumpTarget::kMram}});
  std::string expected(64, '\0');
  expected[32 + 6] = '\x80';
  expected[32 + 7] = '\x3F';
  expected[32 + 8] = '\x40';
  expected[32 + 9] = '\x40';
  EXPECT_EQ(Content("mram_dump.bin"), expected);
  machine.formats.matrix_sram = isa::Plain(isa::kE4M3);
  const auto records = Write({{DumpTarget::kMram}});
  EXPECT_EQ(Content("mram_dump.bin").size(), 32u);
  EXPECT_EQ(Content("mram_dump.bin")[16 + 3], '\x38');
  EXPECT_EQ(records[0].element, "E4M3");
}

TEST_F(Dumps, RangesCutBothEndsInclusive) {
  for (std::uint16_t row = 0; row < 6; ++row) state.vram.Write(row)[0] = row;
  state.int_mem.Write(1, 7);
  Write({{DumpTarget::kVram, IndexRange{2, 3}},
         {DumpTarget::kIntSram, IndexRange{1, 1}},
         {DumpTarget::kHbm, IndexRange{4090, 4100}}});
  EXPECT_EQ(Content("vram_dump.bin"), std::string("\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(Content("intsram_dump.bin"), std::string("\7\0\0\0", 4));
  EXPECT_EQ(Content("hbm_dump.bin"), std::string(11, '\0'));
}

TEST_F(Dumps, ManifestListsHashElementAndRanges) {
  state.vram.Write(4)[0] = 1;
  state.vram.Write(2)[0] = 1;
  Write({{DumpTarget::kVram}, {DumpTarget::kIntSram}, {DumpTarget::kRegisters}});
  const Json manifest = *ParseJson(Content("dump_manifest.json"), "m", "IM000");
  EXPECT_EQ(manifest["schema"], "moescope.dump_manifest");
  const Json& vram = manifest["dumps"][0];
  EXPECT_EQ(vram["target"], "vram");
  EXPECT_EQ(vram["file"], "vram_dump.bin");
  EXPECT_EQ(vram["bytes"], 48);
  EXPECT_EQ(vram["sha256"], Sha256Name(Content("vram_dump.bin")));
  EXPECT_EQ(vram["element"], "bf16");
  EXPECT_EQ(vram["range"], (Json{{"first", 0}, {"last", 5}}));
  EXPECT_EQ(vram["written"], (Json{{"first", 2}, {"last", 4}}));
  EXPECT_EQ(manifest["dumps"][1]["written"], nullptr);
  EXPECT_EQ(manifest["dumps"][2]["file"], "registers.json");
}

TEST_F(Dumps, RegistersAreJson) {
  state.registers.gp[3] = 7;
  state.registers.fp[1] = 0x3F80;
  state.registers.address[2] = 0x1000;
  state.registers.topk = 32u << 8 | 4;
  state.loops.push_back({5, 3});
  state.pc = 9;
  Write({{DumpTarget::kRegisters}});
  const Json json = *ParseJson(Content("registers.json"), "r", "IM000");
  EXPECT_EQ(json["pc"], 9);
  EXPECT_EQ(json["gp"][3], 7);
  EXPECT_EQ(json["f"][1], "0x3F80");
  EXPECT_EQ(json["a"][2], "0x0000000000001000");
  EXPECT_EQ(json["stride"], 1);
  EXPECT_EQ(json["topk"], (Json{{"experts", 32}, {"k", 4}}));
  EXPECT_EQ(json["loops"][0], (Json{{"start_pc", 5}, {"register", "gp3"}}));
}

TEST_F(Dumps, SparseFilesReadTheSameAndTakeLessSpace) {
  machine.memory.vector_rows = 1 << 20;
  state = MachineState(machine);
  state.vram.Write(5)[0] = 1;
  const auto full =
      emulator::DescribeDump(state, machine, {DumpTarget::kVram, IndexRange{0, 99999}});
  const auto sparse = Write({{DumpTarget::kVram, IndexRange{0, 99999}}}, /*sparse=*/true);
  EXPECT_EQ(sparse[0].sha256, full->sha256);
  EXPECT_EQ(Sha256Name(Content("vram_dump.bin")), full->sha256);
  struct stat info {};
  ASSERT_EQ(::stat((folder + "/vram_dump.bin").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 800000);
  EXPECT_LT(info.st_blocks * 512, 400000);
}

TEST_F(Dumps, BadRangesAndFoldersAreErrors) {
  EXPECT_EQ(
      WriteDumps(state, machine, std::vector<DumpRequest>{{DumpTarget::kVram, IndexRange{0, 6}}},
                 {folder, false})
          .status()
          .message(),
      "error: dump range vram:0..6: must lie in 0..5 [IM011]");
  EXPECT_FALSE(std::filesystem::exists(folder + "/vram_dump.bin"));
  EXPECT_EQ(emulator::DescribeDump(state, machine, {DumpTarget::kMram, IndexRange{1, 0}})
                .status()
                .message(),
            "error: dump range mram:1..0: must lie in 0..1 [IM011]");
  const std::string message(
      WriteDumps(state, machine, std::vector<DumpRequest>{{DumpTarget::kVram}}, {"/nowhere", false})
          .status()
          .message());
  EXPECT_EQ(message.find("/nowhere/vram_dump.bin: error: cannot write the dump: "), 0u) << message;
  EXPECT_TRUE(message.ends_with("[IM012]")) << message;
}

TEST(DumpRanges, AreParsed) {
  const auto range = emulator::ParseDumpRange("vram:4..7");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->target, DumpTarget::kVram);
  EXPECT_EQ(range->range, (IndexRange{4, 7}));
  EXPECT_EQ(emulator::ParseDumpRange("hbm:5")->range, (IndexRange{5, 5}));
  for (const char* bad : {"vram", "vram:", "vram:a..b", "vram:1..", "vrma:1..2", "registers:0..0",
                          "vram:-1..2", "vram:1...2"}) {
    EXPECT_EQ(emulator::ParseDumpRange(bad).status().message(),
              std::string("error: dump range '") + bad +
                  "': must be MEMORY:FIRST..LAST with vram, mram, fpsram, intsram or hbm [IM011]");
  }
}

TEST(DumpTargets, HaveTheirNames) {
  for (const char* name : {"vram", "mram", "fpsram", "intsram", "hbm", "registers"}) {
    EXPECT_EQ(emulator::DumpTargetName(*emulator::ParseDumpTarget(name)), name);
  }
  EXPECT_FALSE(emulator::ParseDumpTarget("ram").has_value());
}

}  // namespace
}  // namespace moescope::test
