#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "emulator/machine.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

// Random whole programs: loops, all units, H_*; most run to their end. Few rows, tiles and lines,
// so that instructions meet each other.

namespace moescope::test {

class RandomProgram {
 public:
  // Registers by what they hold: gp1..gp5 VRAM rows, gp6..gp8 tiles, gp9 an HBM offset, gp10 a
  // small word index, gp11 a stride of rows, gp13 and gp14 loop counters, gp15 anything.
  RandomProgram(std::mt19937_64& random, const emulator::MachineDescription& machine)
      : random_(random), machine_(machine) {}

  isa::Program Make(std::size_t length) {
    words_.clear();
    for (std::uint8_t reg = 1; reg <= 11; ++reg) Load(reg);
    Add("C_SET_ADDR_REG", {.rd = 1, .rs1 = 0, .rs2 = 9});
    Set("C_SET_SCALE_REG", 2048 + 64 * Pick(8));
    Set("C_SET_STRIDE_REG", 8 * (1 + Pick(20)));
    if (Pick(3) == 0) Set("C_SET_V_MASK_REG", Pick(4));
    if (Pick(2) == 0) Set("C_SET_TOPK_REG", Topk());
    faults_ = Pick(12) == 0;
    Body(length, 2);
    if (Pick(8) == 0) Add("C_BREAK", {});
    return isa::ProgramFromWords(words_);
  }

 private:
  std::uint32_t Pick(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint8_t Row() { return static_cast<std::uint8_t>(1 + Pick(faults_ ? 15 : 5)); }
  std::uint8_t Tile() { return static_cast<std::uint8_t>(6 + Pick(faults_ ? 9 : 3)); }
  std::uint8_t Fp() { return static_cast<std::uint8_t>(Pick(Pick(2) == 0 ? 3 : 8)); }
  std::uint8_t Mask() { return Pick(6) == 0 ? 1 : 0; }
  std::uint32_t Topk() {
    const std::uint32_t experts = 1 + Pick(40);
    return experts << 8 | (1 + Pick(std::min<std::uint32_t>(experts, 6)));
  }

  void Add(std::string_view mnemonic, const isa::Operands& operands) {
    words_.push_back(isa::Encode(*isa::InstructionSet::Builtin().Find(mnemonic), operands));
  }
  void Immediate(std::uint8_t reg, std::uint32_t value) {
    Add("S_ADDI_INT", {.rd = reg, .rs1 = 0, .imm = value});
  }
  void Set(std::string_view mnemonic, std::uint32_t value) {
    Immediate(15, value);
    Add(mnemonic, {.rd = 15});
  }
  void Load(std::uint8_t reg) {
    const std::uint32_t mlen = machine_.shape.mlen;
    if (reg <= 5) {
      Immediate(reg, mlen * Pick(20));
    } else if (reg <= 8) {
      Immediate(reg, mlen * mlen * Pick(3));
    } else if (reg == 9) {
      Immediate(reg, 64 * Pick(12));
    } else {
      Immediate(reg, 1 + Pick(3));
    }
  }

  void Body(std::size_t length, int depth) {
    while (length > 0) {
      if (depth > 0 && length > 3 && Pick(8) == 0) {
        const std::size_t inside = 1 + Pick(length - 2);
        const auto reg = static_cast<std::uint8_t>(12 + depth);
        Add("C_LOOP_START", {.rd = reg, .imm = 1 + Pick(4)});
        Body(inside, depth - 1);
        Add("C_LOOP_END", {.rd = reg});
        length -= std::min(length, inside + 2);
      } else {
        One();
        --length;
      }
    }
  }

  void One() {
    switch (Pick(9)) {
      case 0:
        return Load(static_cast<std::uint8_t>(1 + Pick(11)));
      case 1:
        return Compute();
      case 2:
        return WriteOut();
      case 3:
      case 4:
        return Vector();
      case 5:
        return Scalar();
      case 6:
        return Transfer();
      case 7:
        return Reduce();
      default:
        return Integer();
    }
  }

  void Compute() {
    static constexpr const char* kNames[] = {"M_MM", "M_TMM", "M_BMM", "M_BTMM",
                                             "M_MV", "M_TMV", "M_BMV", "M_BTMV"};
    const std::size_t which = Pick(2) == 0 ? Pick(2) : Pick(8);
    isa::Operands o{.rd = 0, .rs1 = Tile(), .rs2 = Row()};
    if (which == 1 || which == 5) std::swap(o.rs1, o.rs2);  // M_TMM, M_TMV: the vector first
    Add(kNames[which], o);
  }
  void WriteOut() {
    const std::uint8_t stride = Pick(3) == 0 ? 11 : 0;
    switch (Pick(6)) {
      case 0:
        return Add("M_MV_WO", {.rd = Row()});
      case 1:
        return Add("M_BMM_WO", {.rd = Row()});
      case 2:
        return Add("M_BMV_WO", {.rd = Row()});
      default:
        return Add("M_MM_WO", {.rd = Row(), .rs1 = stride, .imm = machine_.shape.blen * Pick(2)});
    }
  }
  void Vector() {
    static constexpr const char* kTwo[] = {"V_ADD_VV", "V_SUB_VV", "V_MUL_VV"};
    static constexpr const char* kScalar[] = {"V_ADD_VF", "V_SUB_VF", "V_MUL_VF", "V_MAX_VF",
                                              "V_MIN_VF"};
    switch (Pick(5)) {
      case 0:
        return Add(kScalar[Pick(5)], {.rd = Row(), .rs1 = Row(), .rs2 = Fp(), .rs3 = Mask()});
      case 1:
        return Add(Pick(2) == 0 ? "V_EXP_V" : "V_RECI_V",
                   {.rd = Row(), .rs1 = Row(), .rs3 = Mask()});
      case 2:
        return Add("V_SHFT_V", {.rd = Row(), .rs1 = Row(), .rs2 = 10});
      default:
        return Add(kTwo[Pick(3)], {.rd = Row(), .rs1 = Row(), .rs2 = Row(), .rs3 = Mask()});
    }
  }
  void Reduce() {
    if (Pick(4) != 0) {
      return Add(Pick(2) == 0 ? "V_RED_SUM" : "V_RED_MAX",
                 {.rd = Fp(), .rs1 = Row(), .rs3 = Mask()});
    }
    const bool own = Pick(2) == 0;
    if (own) Set("C_SET_TOPK_REG", Topk());
    Add("V_TOPK",
        {.rd = 10, .rs1 = Row(), .rs2 = 10, .rs3 = static_cast<std::uint8_t>(own ? 15 : 0)});
  }
  void Scalar() {
    static constexpr const char* kNames[] = {"S_ADD_FP", "S_SUB_FP",  "S_MUL_FP", "S_MAX_FP",
                                             "S_EXP_FP", "S_RECI_FP", "S_SQRT_FP"};
    switch (Pick(5)) {
      case 0:
        return Add(Pick(2) == 0 ? "S_LD_FP" : "S_ST_FP", {.rd = Fp(), .rs1 = 10, .imm = Pick(8)});
      case 1:
        return Add("S_MAP_V_FP", {.rd = Row(), .rs1 = 10, .imm = Pick(8)});
      default:
        return Add(kNames[Pick(7)], {.rd = Fp(), .rs1 = Fp(), .rs2 = Fp()});
    }
  }
  void Transfer() {
    isa::Operands o{.rs1 = 9, .rs2 = static_cast<std::uint8_t>(Pick(2))};
    o.rs3 = static_cast<std::uint8_t>(Pick(2));     // rstride
    o.funct1 = static_cast<std::uint8_t>(Pick(2));  // precision
    const std::uint32_t which = Pick(4);
    o.rd = which == 0 ? Tile() : Row();
    Add(which == 0 ? "H_PREFETCH_M" : which < 3 ? "H_PREFETCH_V" : "H_STORE_V", o);
  }
  void Integer() {
    static constexpr const char* kNames[] = {"S_ADD_INT", "S_SUB_INT", "S_MUL_INT"};
    switch (Pick(4)) {
      case 0:
        return Add("S_LD_INT", {.rd = 15, .rs1 = 10, .imm = Pick(8)});
      case 1:
        return Add("S_ST_INT", {.rd = 15, .rs1 = 10, .imm = Pick(8)});
      case 2:
        return Add("S_LUI_INT", {.rd = 15, .imm = Pick(1 << 18)});
      default:
        return Add(kNames[Pick(3)], {.rd = 15,
                                     .rs1 = static_cast<std::uint8_t>(Pick(16)),
                                     .rs2 = static_cast<std::uint8_t>(Pick(16))});
    }
  }

  std::mt19937_64& random_;
  const emulator::MachineDescription& machine_;
  std::vector<std::uint32_t> words_;
  bool faults_ = false;
};

}  // namespace moescope::test
