#pragma once

#include <random>

#include "tests/emulator/timing/stream.h"

// Random programs as executed streams, dense in hazards: few rows, few registers, few HBM lines.

namespace moescope::test {

struct RandomKnobs {
  bool transfers = true;
  bool loops = true;
  std::uint32_t vram_rows = 24;
  std::uint32_t tiles = 3;
};

class RandomStream {
 public:
  RandomStream(std::mt19937_64& random, const emulator::MachineDescription& machine,
               const RandomKnobs& knobs)
      : random_(random), machine_(machine), knobs_(knobs) {}

  Stream Make(std::size_t length) {
    Stream stream;
    const std::uint64_t flavour = Pick(6);
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint64_t kind = Pick(2) == 0 ? flavour : Pick(6);
      if (kind == 0) {
        Matrix(stream);
      } else if (kind == 1) {
        Vector(stream);
      } else if (kind == 2) {
        Scalar(stream);
      } else if (kind == 3 && knobs_.transfers) {
        Transfer(stream);
      } else if (kind == 4) {
        Reduce(stream);
      } else {
        Control(stream);
      }
      // A pc that repeats, as in a loop.
      if (knobs_.loops && Pick(3) == 0) stream.At(static_cast<std::uint32_t>(i * Pick(8) / 8));
    }
    return stream;
  }

 private:
  using Rows = emulator::Rows;

  std::uint64_t Pick(std::uint64_t n) { return random_() % n; }
  std::uint8_t Reg() { return static_cast<std::uint8_t>(Pick(Pick(2) == 0 ? 3 : 8)); }
  std::uint32_t Row(std::uint32_t count = 1) {
    return static_cast<std::uint32_t>(Pick(knobs_.vram_rows - count + 1));
  }
  isa::Operands Operands() { return {.rd = Reg(), .rs1 = Reg(), .rs2 = Reg()}; }

  void Matrix(Stream& stream) {
    const std::uint32_t b = machine_.shape.blen;
    const std::uint32_t m = machine_.shape.mlen;
    const std::uint32_t h = machine_.shape.broadcast;
    const std::uint32_t tile = static_cast<std::uint32_t>(Pick(knobs_.tiles));
    const char* const compute[] = {"M_MM", "M_TMM", "M_BMM", "M_BTMM",
                                   "M_MV", "M_TMV", "M_BMV", "M_BTMV"};
    const std::size_t which = Pick(3) == 0 ? Pick(8) : Pick(2);
    const std::uint32_t rows = which < 2 ? b : which < 4 ? m : 1;
    switch (Pick(6)) {
      case 0:
        stream.Add("M_MM_WO", {}, Writes({Row(b), b, 1}));
        return;
      case 1:
        if (Pick(2) == 0) {
          const std::uint32_t stride = 2 + static_cast<std::uint32_t>(Pick(3));
          stream.Add("M_MM_WO", {}, Writes({Row((b - 1) * stride + 1), b, stride}));
        } else if (Pick(2) == 0) {
          stream.Add("M_MV_WO", {}, Writes({Row(), 1, 1}));
        } else if (Pick(2) == 0) {
          stream.Add("M_BMV_WO", {}, Writes({Row(h), h, 1}));
        } else {
          stream.Add("M_BMM_WO", {}, Writes({Row(h * m), h * m, 1}));
        }
        return;
      default:
        stream.Add(compute[which], {}, Multiply(tile, {Row(rows), rows, 1}));
    }
  }

  void Vector(Stream& stream) {
    const char* const two[] = {"V_ADD_VV", "V_SUB_VV", "V_MUL_VV"};
    const char* const scalar[] = {"V_ADD_VF", "V_SUB_VF", "V_MUL_VF", "V_MAX_VF", "V_MIN_VF"};
    const char* const one[] = {"V_EXP_V", "V_RECI_V", "V_SHFT_V"};
    switch (Pick(4)) {
      case 0:
      case 1:
        stream.Add(two[Pick(3)], Operands(), ReadsWrites({Row(), 1}, {Row(), 1}, {Row(), 1}));
        return;
      case 2:
        stream.Add(scalar[Pick(5)], Operands(), ReadsWrites({Row(), 1}, {}, {Row(), 1}));
        return;
      default:
        stream.Add(one[Pick(3)], Operands(), ReadsWrites({Row(), 1}, {}, {Row(), 1}));
    }
  }

  void Reduce(Stream& stream) {
    if (Pick(4) != 0) {
      stream.Add(Pick(2) == 0 ? "V_RED_SUM" : "V_RED_MAX", Operands(), Reads({Row(), 1}));
      return;
    }
    const std::uint32_t experts = 1 + static_cast<std::uint32_t>(Pick(40));
    const std::uint32_t rows = (experts + machine_.shape.vlen - 1) / machine_.shape.vlen;
    emulator::Access access = Reads({Row(rows), rows, 1});
    access.topk_experts = experts;
    stream.Add("V_TOPK", {.rs3 = 15}, access);
  }

  void Scalar(Stream& stream) {
    const char* const names[] = {"S_ADD_FP",  "S_SUB_FP",  "S_MUL_FP", "S_MAX_FP", "S_EXP_FP",
                                 "S_RECI_FP", "S_SQRT_FP", "S_LD_FP",  "S_ST_FP"};
    if (Pick(6) == 0) {
      stream.Add("S_MAP_V_FP", {}, Writes({Row(), 1, 1}));
    } else {
      stream.Add(names[Pick(9)], Operands());
    }
  }

  void Control(Stream& stream) {
    const char* const names[] = {"S_ADDI_INT", "S_MUL_INT",        "S_LD_INT",
                                 "S_ST_INT",   "C_SET_STRIDE_REG", "C_LOOP_END"};
    const std::size_t which = Pick(6);
    emulator::Access access;
    access.jumped = which == 5 && Pick(3) != 0;
    stream.Add(names[which], {.rd = 1}, access);
  }

  void Transfer(Stream& stream) {
    emulator::Access access;
    access.has_transfer = true;
    emulator::HbmTransfer& t = access.transfer;
    const std::uint32_t m = machine_.shape.mlen;
    // Rows of whole lines too: a store does not read the lines that it covers.
    const bool wide = Pick(4) == 0;
    t.element_bytes = wide ? 64 * static_cast<std::uint32_t>(1 + Pick(2)) : m;
    t.scale_bytes = Pick(4) == 0 ? 0 : std::max(1u, m / 8);
    const std::uint64_t spread = Pick(3) == 0 ? 1 << 20 : 1024;
    t.element_address = Pick(spread);
    if (Pick(3) == 0) t.element_address &= ~std::uint64_t{63};
    t.element_step = Pick(4) == 0 ? Pick(200) : t.element_bytes;
    t.scale_address = Pick(2) == 0 ? t.element_address + 2048 : Pick(spread);
    t.scale_step = t.scale_bytes;
    const std::uint64_t which = Pick(5);
    if (which < 2) {
      const std::uint32_t tile = static_cast<std::uint32_t>(Pick(knobs_.tiles));
      t.rows = m;
      access.mram_write = {tile, 1, 1};
      stream.Add("H_PREFETCH_M", {}, access);
      return;
    }
    t.rows = which < 4 ? machine_.rows.vector_prefetch : machine_.rows.vector_store;
    const Rows rows{Row(t.rows), t.rows, 1};
    if (which < 4) {
      access.vram_write = rows;
      stream.Add("H_PREFETCH_V", {}, access);
    } else {
      t.is_store = true;
      access.vram_read[0] = rows;
      stream.Add("H_STORE_V", {}, access);
    }
  }

  std::mt19937_64& random_;
  const emulator::MachineDescription& machine_;
  RandomKnobs knobs_;
};

}  // namespace moescope::test
