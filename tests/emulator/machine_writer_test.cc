#include "emulator/machine_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "emulator/machine_toml.h"

namespace moescope::emulator {
namespace {

void ExpectRoundTrip(const MachineDescription& machine) {
  const std::string text = WriteMachineFile(machine);
  const auto back = ParseMachine(text, machine.name + ".toml");
  ASSERT_TRUE(back.ok()) << back.status() << "\n" << text;
  EXPECT_EQ(back->machine, machine) << text;
  EXPECT_TRUE(back->warnings.empty());
}

TEST(MachineWriterTest, BuiltInMachinesRoundTrip) {
  for (const std::string_view name : BuiltinMachineNames()) {
    SCOPED_TRACE(name);
    const auto file = LoadMachine(std::string(name));
    ASSERT_TRUE(file.ok()) << file.status();
    ExpectRoundTrip(file->machine);
  }
}

TEST(MachineWriterTest, EveryKindOfValueRoundTrips) {
  MachineDescription machine;
  machine.name = "other";
  machine.shape = {16, 4, 16, 4, 4};
  machine.memory.hbm_bytes = std::uint64_t{64} << 30;
  machine.memory.fp_words = 4096;
  machine.rows = {16, 4, 4};
  machine.formats.matrix_weight = isa::Mx(isa::kE2M1, 16);
  machine.formats.matrix_kv = isa::Plain(isa::kBf16);
  machine.formats.vector_activation = isa::Plain(isa::kFp16);
  machine.formats.vector_kv = isa::Mx(isa::kInt8, 8);
  machine.dialect.scale_rule = isa::ScaleRule::kRceil;
  machine.dialect.bmm_scale = 0.1f;
  machine.dialect.strict_encoding = true;
  machine.max_loop_depth = 4;
  machine.dc_enabled = false;
  machine.costs.push_back({"M_MM", "2*M", "B+4", "assumed", "a \"quoted\" source"});
  ExpectRoundTrip(machine);
}

TEST(MachineWriterTest, TheReferenceDialectStatesNoScaleRule) {
  MachineDescription machine;
  machine.name = "reference";
  machine.formats.vector_kv = isa::Mx(isa::kE4M3, 8);
  UseReferenceDialect(machine.dialect);
  const std::string text = WriteMachineFile(machine);
  EXPECT_EQ(text.find("scale_rule"), std::string::npos);
  ExpectRoundTrip(machine);
}

}  // namespace
}  // namespace moescope::emulator
