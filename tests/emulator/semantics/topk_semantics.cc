#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// VLEN 64 and room for 1,024 experts; ids go to INT_MEM[10], weights to FP_MEM[20].
class TopKSemantics : public MachineFixture {
 protected:
  TopKSemantics() : MachineFixture(emulator::MachineDescription{}) {
    state->registers.gp[1] = 20;
    state->registers.gp[2] = 64;  // row 1
    state->registers.gp[3] = 10;
  }
  void SetLogits(const std::vector<float>& logits) {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      state->vram.Write(1 + i / 64)[i % 64] = Bits(logits[i]);
    }
  }
  std::vector<std::uint32_t> Ids(std::size_t k) const {
    std::vector<std::uint32_t> ids;
    for (std::size_t j = 0; j < k; ++j) ids.push_back(state->int_mem.Read(10 + j));
    return ids;
  }
  std::vector<isa::Bf16> Weights(std::size_t k) const {
    std::vector<isa::Bf16> weights;
    for (std::size_t j = 0; j < k; ++j) weights.push_back(state->fp_mem.Read(20 + j));
    return weights;
  }
};

// (executed) in isa.md, 5.3.
TEST_F(TopKSemantics, GivesTheTabulatedExample) {
  std::vector<float> logits(32, -1);
  logits[3] = logits[7] = 4;
  logits[9] = 2;
  logits[0] = 1;
  SetLogits(logits);
  Execute("V_TOPK gp1, gp2, gp3, 0");
  EXPECT_EQ(Ids(4), (std::vector<std::uint32_t>{3, 7, 9, 0}));
  EXPECT_EQ(Weights(4), (std::vector<isa::Bf16>{0x3EEA, 0x3EEA, 0x3D7E, 0x3CBB}));
}

TEST_F(TopKSemantics, PolicyOneLooksAt128ExpertsInTwoRows) {
  std::vector<float> logits(128);
  std::iota(logits.begin(), logits.end(), 0.0f);
  logits[127] = -5;
  SetLogits(logits);
  Execute("V_TOPK gp1, gp2, gp3, 1");
  EXPECT_EQ(Ids(8), (std::vector<std::uint32_t>{126, 125, 124, 123, 122, 121, 120, 119}));
}

TEST_F(TopKSemantics, PolicyFifteenTakesTheRegister) {
  std::vector<float> logits(70, 0);
  logits[69] = 1;
  SetLogits(logits);
  state->vram.Write(2)[6] = Bits(9);  // expert 70 does not exist
  Execute("S_ADDI_INT gp4, gp0, 70 << 8 | 2\nC_SET_TOPK_REG gp4\nV_TOPK gp1, gp2, gp3, 15");
  EXPECT_EQ(Ids(2), (std::vector<std::uint32_t>{69, 0}));
}

TEST_F(TopKSemantics, TheRegisterIsSticky) {
  SetLogits(std::vector<float>(64, 0));
  Execute(
      "S_ADDI_INT gp4, gp0, 64 << 8 | 3\nC_SET_TOPK_REG gp4\nV_TOPK gp1, gp2, gp3, 15\n"
      "V_TOPK gp1, gp2, gp3, 0\nV_TOPK gp1, gp2, gp3, 15");
  EXPECT_EQ(state->registers.topk, 64u << 8 | 3);
  EXPECT_EQ(Ids(3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST_F(TopKSemantics, ZerosAreEqualAndNanComesLast) {
  std::vector<float> logits(32, -kInfinity);
  logits[5] = -0.0f;
  logits[6] = 0.0f;
  SetLogits(logits);
  state->vram.Write(1)[0] = 0x7FC1;
  Execute("V_TOPK gp1, gp2, gp3, 0");
  EXPECT_EQ(Ids(4), (std::vector<std::uint32_t>{5, 6, 0, 1}));
  EXPECT_EQ(Weights(4), (std::vector<isa::Bf16>{0x3F00, 0x3F00, 0, 0}));
}

TEST_F(TopKSemantics, WithoutAFiniteSumAllWeightsAreZero) {
  for (const float all : {-kInfinity, kInfinity}) {
    SetLogits(std::vector<float>(32, all));
    Execute("V_TOPK gp1, gp2, gp3, 0");
    EXPECT_EQ(Ids(4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(Weights(4), (std::vector<isa::Bf16>(4, 0)));
  }
}

TEST_F(TopKSemantics, DoesNotClampTheExponential) {
  std::vector<float> logits(32, -1000);
  logits[8] = 1000;
  SetLogits(logits);
  Execute("V_TOPK gp1, gp2, gp3, 0");
  EXPECT_EQ(Weights(4), (std::vector<isa::Bf16>{0x3F80, 0, 0, 0}));
}

TEST_F(TopKSemantics, AnnouncesTheChoice) {
  SetLogits(std::vector<float>(32, 0));
  CountingListener counts;
  emulator::Listener* listeners[] = {&counts};
  emulator::Run(AssembleText("V_TOPK gp1, gp2, gp3, 0\nS_ADDI_INT gp4, gp0, 1"), machine, *state,
                listeners);
  EXPECT_EQ(counts.routed, (std::vector<std::vector<std::uint32_t>>{{0, 1, 2, 3}}));
}

}  // namespace
}  // namespace moescope::test
