#pragma once

#include <cstdint>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/stream.h"

// Single instructions made by hand, and pairs of them under `pipelined`.

namespace moescope::test {

// One instruction: what it is, its registers and its rows.
struct Act {
  const char* mnemonic;
  isa::Operands operands;
  emulator::Access access;
};

inline Act Compute(const char* mnemonic, std::uint32_t row, std::uint32_t count) {
  return {mnemonic, {}, Multiply(0, {row, count, 1})};
}
inline Act WriteOut(const char* mnemonic, std::uint32_t row, std::uint32_t count) {
  return {mnemonic, {}, Writes({row, count, 1})};
}
// A vector op of rows a and b (kNone: one source) to row `to`; the f register for V_*_VF.
inline constexpr std::uint32_t kNone = ~0u;
inline Act Element(const char* mnemonic, std::uint32_t a, std::uint32_t b, std::uint32_t to,
                   std::uint8_t f = 0) {
  const emulator::Rows second = b == kNone ? emulator::Rows{} : emulator::Rows{b, 1, 1};
  return {mnemonic, {.rs2 = f}, ReadsWrites({a, 1, 1}, second, {to, 1, 1})};
}
inline Act Reduce(const char* mnemonic, std::uint8_t f, std::uint32_t row) {
  return {mnemonic, {.rd = f}, Reads({row, 1, 1})};
}
inline Act TopK(std::uint32_t experts, std::uint32_t row) {
  Act act{"V_TOPK", {.rs3 = 15}, Reads({row, (experts + 63) / 64, 1})};
  act.access.topk_experts = experts;
  return act;
}
inline Act Scalar(const char* mnemonic, std::uint8_t rd, std::uint8_t rs1 = 0,
                  std::uint8_t rs2 = 0) {
  return {mnemonic, {.rd = rd, .rs1 = rs1, .rs2 = rs2}, {}};
}
inline Act Map(std::uint32_t row) { return {"S_MAP_V_FP", {}, Writes({row, 1, 1})}; }

// The first instruction is accepted at 7, the end of `fill`.
inline constexpr emulator::Cycle kFirst = 7;

inline Announced Probe(const Act& producer, const Act& consumer, emulator::Cycle base,
                       const emulator::MachineDescription& machine) {
  Stream stream;
  stream.Add(producer.mnemonic, producer.operands, producer.access);
  for (emulator::Cycle at = kFirst + 1; at < base; ++at) stream.Add("C_SET_SCALE_REG");
  stream.Add(consumer.mnemonic, consumer.operands, consumer.access);
  emulator::PipelinedModel model(machine);
  return Feed(model, stream);
}

}  // namespace moescope::test
