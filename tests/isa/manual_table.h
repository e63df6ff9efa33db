#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// The encoding table of isa.md, section 2, as text, and a decoder that reads it character by
// character. Nothing here comes from the instruction rows.

namespace moescope::isa::test {

// Opcode, mnemonic, encoding from bit 31 to bit 0 ('.' = unused, 0 = must be 0), operands in the
// order of canonical text as KIND:FIELD.
inline constexpr char kManualTable[] = R"(
0x01 M_MM             ..............bbbbaaaa....000001 zero gp:a gp:b
0x02 M_TMM            ..............bbbbaaaa....000010 zero gp:a gp:b
0x03 M_BMM            ..............bbbbaaaa0000000011 zero gp:a gp:b
0x04 M_BTMM           ..............bbbbaaaa0000000100 zero gp:a gp:b
0x05 M_BMM_WO         iiiiiiiiiiiiiiiiii....dddd000101 gp:d imm:i
0x06 M_MM_WO          iiiiiiiiiiiiiiiiiiaaaadddd000110 gp:d gp:a imm:i
0x07 M_MV             ..............bbbbaaaa....000111 zero gp:a gp:b
0x08 M_TMV            ..............bbbbaaaa....001000 zero gp:a gp:b
0x09 M_BMV            ..............bbbbaaaadddd001001 gp:d gp:a gp:b
0x0A M_BTMV           ..............bbbbaaaadddd001010 gp:d gp:a gp:b
0x0B M_MV_WO          iiiiiiiiiiiiiiiiii....dddd001011 gp:d imm:i
0x0C M_BMV_WO         iiiiiiiiiiiiiiiiii....dddd001100 gp:d imm:i
0x0D V_ADD_VV         ..........ccccbbbbaaaadddd001101 gp:d gp:a gp:b mask:c
0x0E V_ADD_VF         ..........ccccbbbbaaaadddd001110 gp:d gp:a f:b mask:c
0x0F V_SUB_VV         ..........ccccbbbbaaaadddd001111 gp:d gp:a gp:b mask:c
0x10 V_SUB_VF         ......ffffccccbbbbaaaadddd010000 gp:d gp:a f:b mask:c bit:f
0x11 V_MUL_VV         ..........ccccbbbbaaaadddd010001 gp:d gp:a gp:b mask:c
0x12 V_MUL_VF         ..........ccccbbbbaaaadddd010010 gp:d gp:a f:b mask:c
0x13 V_EXP_V          ..........cccc....aaaadddd010011 gp:d gp:a mask:c
0x14 V_RECI_V         ..........cccc....aaaadddd010100 gp:d gp:a mask:c
0x15 V_RED_SUM        ..........cccc....aaaadddd010101 f:d gp:a mask:c
0x16 V_RED_MAX        ..........cccc....aaaadddd010110 f:d gp:a mask:c
0x17 S_ADD_FP         ..............bbbbaaaadddd010111 f:d f:a f:b
0x18 S_SUB_FP         ..............bbbbaaaadddd011000 f:d f:a f:b
0x19 S_MAX_FP         ..............bbbbaaaadddd011001 f:d f:a f:b
0x1A S_MUL_FP         ..............bbbbaaaadddd011010 f:d f:a f:b
0x1B S_EXP_FP         ..................aaaadddd011011 f:d f:a
0x1C S_RECI_FP        ..................aaaadddd011100 f:d f:a
0x1D S_SQRT_FP        ..................aaaadddd011101 f:d f:a
0x1E S_LD_FP          iiiiiiiiiiiiiiiiiiaaaadddd011110 f:d gp:a imm:i
0x1F S_ST_FP          iiiiiiiiiiiiiiiiiiaaaadddd011111 f:d gp:a imm:i
0x20 S_MAP_V_FP       iiiiiiiiiiiiiiiiiiaaaadddd100000 gp:d gp:a imm:i
0x21 S_ADD_INT        ..............bbbbaaaadddd100001 gp:d gp:a gp:b
0x22 S_ADDI_INT       iiiiiiiiiiiiiiiiiiaaaadddd100010 gp:d gp:a imm:i
0x23 S_SUB_INT        ..............bbbbaaaadddd100011 gp:d gp:a gp:b
0x24 S_MUL_INT        ..............bbbbaaaadddd100100 gp:d gp:a gp:b
0x25 S_LUI_INT        iiiiiiiiiiiiiiiiiiiiiidddd100101 gp:d imm:i
0x26 S_LD_INT         iiiiiiiiiiiiiiiiiiaaaadddd100110 gp:d gp:a imm:i
0x27 S_ST_INT         iiiiiiiiiiiiiiiiiiaaaadddd100111 gp:d gp:a imm:i
0x28 H_PREFETCH_M     ......ffffccccbbbbaaaadddd101000 gp:d gp:a a:b bit:c bit:f
0x29 H_PREFETCH_V     ......ffffccccbbbbaaaadddd101001 gp:d gp:a a:b bit:c bit:f
0x2A H_STORE_V        ......ffffccccbbbbaaaadddd101010 gp:d gp:a a:b bit:c bit:f
0x2B C_SET_ADDR_REG   ..............bbbbaaaadddd101011 a:d gp:a gp:b
0x2C C_SET_SCALE_REG  ......................dddd101100 gp:d
0x2D C_SET_STRIDE_REG ......................dddd101101 gp:d
0x2E C_SET_V_MASK_REG ......................dddd101110 gp:d
0x2F C_LOOP_START     iiiiiiiiiiiiiiiiiiiiiidddd101111 loop:d count:i
0x30 C_LOOP_END       ......................dddd110000 loop:d
0x32 V_SHFT_V         ..............bbbbaaaadddd110010 gp:d gp:a gp:b
0x34 C_BREAK          ..........................110100
0x35 V_MAX_VF         ..........ccccbbbbaaaadddd110101 gp:d gp:a f:b mask:c
0x36 V_MIN_VF         ..........ccccbbbbaaaadddd110110 gp:d gp:a f:b mask:c
0x37 V_TOPK           ..........ccccbbbbaaaadddd110111 gp:d gp:a gp:b policy:c
0x38 C_SET_TOPK_REG   ......................dddd111000 gp:d
)";

struct ManualRow {
  std::uint32_t opcode = 0;
  std::string mnemonic;
  std::string encoding;
  std::vector<std::string> operands;
};

inline const std::vector<ManualRow>& ManualRows() {
  static const auto* const kRows = [] {
    auto* rows = new std::vector<ManualRow>;
    std::istringstream table(kManualTable);
    for (std::string line; std::getline(table, line);) {
      if (line.empty()) continue;
      std::istringstream in(line);
      ManualRow& row = rows->emplace_back();
      std::string opcode;
      in >> opcode >> row.mnemonic >> row.encoding;
      row.opcode = static_cast<std::uint32_t>(std::stoul(opcode, nullptr, 16));
      for (std::string operand; in >> operand;) row.operands.push_back(operand);
    }
    return rows;
  }();
  return *kRows;
}

// What the manual says about a word.
struct ManualReading {
  const ManualRow* row = nullptr;  // null: no instruction
  bool has_unused_bits = false;
  bool is_reserved = false;              // a field holds a value that is not legal
  std::map<char, std::uint32_t> fields;  // by letter
  std::string text;                      // canonical, when nothing is wrong
};

inline bool IsLegalInManual(const std::string& kind, std::uint32_t value) {
  if (kind == "f" || kind == "a") return value <= 7;
  if (kind == "bit") return value <= 1;
  if (kind == "policy") return value == 0 || value == 1 || value == 15;
  if (kind == "loop" || kind == "count") return value != 0;
  return true;
}

inline ManualReading ReadByManual(std::uint32_t word) {
  ManualReading reading;
  for (const ManualRow& row : ManualRows()) {
    if (row.opcode != (word & 63)) continue;
    bool matches = true;
    for (std::size_t i = 0; i < 26; ++i) {
      const std::uint32_t bit = word >> (31 - i) & 1;
      const char c = row.encoding[i];
      if (c == '0' && bit == 1) matches = false;
      if (c == '.' && bit == 1) reading.has_unused_bits = true;
      if (c != '0' && c != '.') reading.fields[c] = reading.fields[c] << 1 | bit;
    }
    if (!matches) return {};
    reading.row = &row;
    std::string text = row.mnemonic;
    const char* separator = " ";
    for (const std::string& operand : row.operands) {
      text += separator;
      separator = ", ";
      if (operand == "zero") {
        text += "0";
        continue;
      }
      const std::string kind = operand.substr(0, operand.find(':'));
      const std::uint32_t value = reading.fields[operand.back()];
      if (!IsLegalInManual(kind, value)) reading.is_reserved = true;
      const bool is_register = kind == "gp" || kind == "loop" || kind == "f" || kind == "a";
      text += (is_register ? (kind == "loop" ? "gp" : kind) : "") + std::to_string(value);
    }
    if (!reading.is_reserved && !reading.has_unused_bits) reading.text = text;
    return reading;
  }
  return {};
}

}  // namespace moescope::isa::test
