#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/timing_model.h"

// What the tick-by-tick model of `pipelined` knows about an instruction: all of it follows from the
// mnemonic, not from the tables of the model that it checks.

namespace moescope::test {

struct TickOp {
  using Cycle = emulator::Cycle;

  TickOp(std::string_view mnemonic, const isa::Operands& registers)
      : name(mnemonic), operands(registers) {
    write_out = Is("M_") && Ends("_WO");
    compute = Is("M_") && !write_out;
    topk = name == "V_TOPK";
    reduce = Is("V_RED") || topk;
    element = Is("V_") && !reduce;
    map = name == "S_MAP_V_FP";
    scalar_fp = Is("S_") && Ends("_FP");
    fp_memory = name == "S_LD_FP" || name == "S_ST_FP" || map;
    arithmetic = scalar_fp && !fp_memory;
    dma = Is("H_");
    front_end = Ends("_INT") || Is("C_");
    vector_scalar = Is("V_") && Ends("_VF");
    three_address = Is("V_") && Ends("_VV");
    fp_sources = FpSources();
    if (arithmetic || name == "S_LD_FP" || Is("V_RED")) fp_destination = operands.rd;
    unit = Unit();
    if (write_out || compute) accumulator = Accumulator();
  }

  bool Is(std::string_view prefix) const { return name.rfind(prefix, 0) == 0; }
  bool Ends(std::string_view suffix) const {
    return name.size() >= suffix.size() &&
           name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
  }
  bool touches_fp() const { return !fp_sources.empty() || fp_destination.has_value(); }
  bool reads_ports() const { return compute || element || reduce; }

  std::string name;
  isa::Operands operands;
  bool write_out = false, compute = false, topk = false, reduce = false, element = false;
  bool map = false, scalar_fp = false, fp_memory = false, arithmetic = false, dma = false;
  bool front_end = false, vector_scalar = false, three_address = false;
  std::vector<std::uint32_t> fp_sources;
  std::optional<std::uint32_t> fp_destination;
  int unit = 0;          // 0: none; 1 compute, 2 write-out, 3 element, 4 reduction, 5 ALU, 6 SFU, 7
                         // FP memory
  int accumulator = -1;  // 0 macc, 1 hmacc, 2 vacc, 3 hvacc

  // Its life, filled in as the model goes.
  Cycle begin = 0, end = 0, result = 1;
  Cycle unit_free = 0;
  Cycle reading_until = 0;  // of VRAM rows

 private:
  std::vector<std::uint32_t> FpSources() const {
    const isa::Operands& o = operands;
    if (name == "S_ADD_FP" || name == "S_SUB_FP" || name == "S_MUL_FP" || name == "S_MAX_FP") {
      return {o.rs1, o.rs2};
    }
    if (name == "S_EXP_FP" || name == "S_RECI_FP" || name == "S_SQRT_FP") return {o.rs1};
    if (name == "S_ST_FP" || Is("V_RED")) return {o.rd};
    if (vector_scalar) return {o.rs2};
    return {};
  }
  int Unit() const {
    if (compute) return 1;
    if (write_out) return 2;
    if (element) return 3;
    if (reduce) return 4;
    if (fp_memory) return 7;
    const bool sfu = name == "S_EXP_FP" || name == "S_RECI_FP" || name == "S_SQRT_FP";
    return arithmetic ? (sfu ? 6 : 5) : 0;
  }
  int Accumulator() const {
    const std::string base = write_out ? name.substr(0, name.size() - 3) : name;
    if (base == "M_MM" || base == "M_TMM") return 0;
    if (base == "M_BMM" || base == "M_BTMM") return 1;
    return base == "M_MV" || base == "M_TMV" ? 2 : 3;
  }
};

inline std::vector<std::uint32_t> List(const emulator::Rows& rows) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < rows.count; ++k) list.push_back(rows.first + k * rows.stride);
  return list;
}

// Whether two row sets share a row: row by row.
inline bool Meet(const emulator::Rows& a, const emulator::Rows& b) {
  for (std::uint32_t i = 0; i < a.count; ++i) {
    for (std::uint32_t j = 0; j < b.count; ++j) {
      if (a.first + i * a.stride == b.first + j * b.stride) return true;
    }
  }
  return false;
}

}  // namespace moescope::test
