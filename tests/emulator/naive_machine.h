#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "isa/instruction_set.h"

namespace moescope::test {

// The instruction manual once more, written for reading: one operand at a time, std::fma, plain
// vectors, no tricks. The executor must agree with it on everything.
class NaiveMachine {
 public:
  using Category = emulator::FaultCategory;
  using Bf16 = isa::Bf16;

  explicit NaiveMachine(const emulator::MachineDescription& machine)
      : m_(machine),
        vlen_(machine.shape.vlen),
        mlen_(machine.shape.mlen),
        blen_(machine.shape.blen),
        hlen_(machine.shape.hlen),
        b_(machine.shape.broadcast),
        tiles_(machine.memory.matrix_rows / machine.shape.mlen),
        vram(machine.memory.vector_rows * vlen_),
        mram(tiles_ * mlen_ * mlen_),
        int_mem(machine.memory.int_words),
        fp_mem(machine.memory.fp_words),
        macc(blen_ * blen_),
        vacc(blen_),
        hmacc(b_ * mlen_ * mlen_),
        hvacc(b_ * mlen_) {}

  // Executes one instruction that is no loop instruction; the category of its fault, if any.
  std::optional<Category> Execute(const isa::Instruction& row, const isa::Operands& o);

  bool Agrees(const emulator::MachineState& s) const;

 private:
  const emulator::MachineDescription& m_;
  std::uint64_t vlen_, mlen_, blen_, hlen_, b_, tiles_;
  std::optional<Category> fault_;

 public:
  emulator::Registers r;
  std::vector<Bf16> vram;
  std::vector<float> mram;
  std::vector<std::uint32_t> int_mem;
  std::vector<Bf16> fp_mem;
  std::vector<float> macc, vacc, hmacc, hvacc;
  std::map<std::uint64_t, std::uint8_t> hbm;

 private:
  // NaN as a class: inside accumulators and MRAM its bits are free.
  static bool Same(float a, float b) {
    return std::isnan(a) ? std::isnan(b)
                         : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
  static bool Same(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.empty()) return std::all_of(b.begin(), b.end(), [](float x) { return Same(x, 0.0f); });
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](float x, float y) { return Same(x, y); });
  }
  static float F(Bf16 x) { return isa::Bf16ToFloat(x); }
  static Bf16 Bf(float x) { return isa::FloatToBf16(x); }
  bool Fail(bool condition, Category category) {
    if (condition && !fault_) fault_ = category;
    return condition;
  }
  bool HeadOn(std::uint64_t lane) const { return (r.vector_mask >> (lane / hlen_) & 1) != 0; }

  void Integer(const std::string& name, const isa::Operands& o);

  static Bf16 Max(Bf16 a, Bf16 b) {
    if (std::isnan(F(a)) || std::isnan(F(b))) return 0x7FC0;
    return F(b) > F(a) ? b : a;
  }
  static Bf16 Min(Bf16 a, Bf16 b) {
    if (std::isnan(F(a)) || std::isnan(F(b))) return 0x7FC0;
    return F(b) < F(a) ? b : a;
  }

  void Scalar(const std::string& name, const isa::Operands& o);
  void Vector(const std::string& name, const isa::Operands& o);
  void Reduce(const std::string& name, const isa::Operands& o, std::uint32_t a, bool masked);
  void TopK(const isa::Operands& o);

  void Matrix(const std::string& name, const isa::Operands& o);
  void WriteOut(const std::string& name, const isa::Operands& o);
  void Transfer(const std::string& name, const isa::Operands& o);
  std::uint8_t Byte(std::uint64_t address) const {
    const auto at = hbm.find(address);
    return at == hbm.end() ? std::uint8_t{0} : at->second;
  }

  void Set(const std::string& name, const isa::Operands& o);
};

}  // namespace moescope::test
