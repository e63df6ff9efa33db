#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

// The operand forms of isa.md 3.2 and the fields of section 2, written from these pages and without
// the instruction table, and a generator of operands that they allow.

namespace moescope::assembler::test {

struct Spec {
  const char* mnemonic;
  std::uint32_t opcode;
  const char* form;  // KIND:FIELD, '?' = may be left out
};

inline constexpr Spec kSpecs[] = {
    {"M_MM", 0x01, "zero gp:a gp:b"},
    {"M_TMM", 0x02, "zero gp:a gp:b"},
    {"M_BMM", 0x03, "zero gp:a gp:b"},
    {"M_BTMM", 0x04, "zero gp:a gp:b"},
    {"M_BMM_WO", 0x05, "gp:d zero? imm18:i"},
    {"M_MM_WO", 0x06, "gp:d gpor0:a imm18:i"},
    {"M_MV", 0x07, "zero gp:a gp:b"},
    {"M_TMV", 0x08, "zero gp:a gp:b"},
    {"M_BMV", 0x09, "gpor0:d gp:a gp:b"},
    {"M_BTMV", 0x0A, "gpor0:d gp:a gp:b"},
    {"M_MV_WO", 0x0B, "gp:d zero? imm18:i"},
    {"M_BMV_WO", 0x0C, "gp:d zero? imm18:i"},
    {"V_ADD_VV", 0x0D, "gp:d gp:a gp:b mask:c?"},
    {"V_ADD_VF", 0x0E, "gp:d gp:a f:b mask:c?"},
    {"V_SUB_VV", 0x0F, "gp:d gp:a gp:b mask:c?"},
    {"V_SUB_VF", 0x10, "gp:d gp:a f:b mask:c? bit:f?"},
    {"V_MUL_VV", 0x11, "gp:d gp:a gp:b mask:c?"},
    {"V_MUL_VF", 0x12, "gp:d gp:a f:b mask:c?"},
    {"V_EXP_V", 0x13, "gp:d gp:a mask:c? pad?"},
    {"V_RECI_V", 0x14, "gp:d gp:a mask:c? pad?"},
    {"V_RED_SUM", 0x15, "f:d gp:a mask:c? pad?"},
    {"V_RED_MAX", 0x16, "f:d gp:a mask:c? pad?"},
    {"S_ADD_FP", 0x17, "f:d f:a f:b"},
    {"S_SUB_FP", 0x18, "f:d f:a f:b"},
    {"S_MAX_FP", 0x19, "f:d f:a f:b"},
    {"S_MUL_FP", 0x1A, "f:d f:a f:b"},
    {"S_EXP_FP", 0x1B, "f:d f:a pad?"},
    {"S_RECI_FP", 0x1C, "f:d f:a pad?"},
    {"S_SQRT_FP", 0x1D, "f:d f:a pad?"},
    {"S_LD_FP", 0x1E, "f:d gp:a imm18:i"},
    {"S_ST_FP", 0x1F, "f:d gp:a imm18:i"},
    {"S_MAP_V_FP", 0x20, "gp:d gp:a imm18:i"},
    {"S_ADD_INT", 0x21, "gp:d gp:a gp:b"},
    {"S_ADDI_INT", 0x22, "gp:d gp:a imm18:i"},
    {"S_SUB_INT", 0x23, "gp:d gp:a gp:b"},
    {"S_MUL_INT", 0x24, "gp:d gp:a gp:b"},
    {"S_LUI_INT", 0x25, "gp:d imm22:I"},
    {"S_LD_INT", 0x26, "gp:d gp:a imm18:i"},
    {"S_ST_INT", 0x27, "gp:d gp:a imm18:i"},
    {"H_PREFETCH_M", 0x28, "gp:d gp:a a:b bit:c? bit:f? pad?"},
    {"H_PREFETCH_V", 0x29, "gp:d gp:a a:b bit:c? bit:f? pad?"},
    {"H_STORE_V", 0x2A, "gp:d gp:a a:b bit:c? bit:f? pad?"},
    {"C_SET_ADDR_REG", 0x2B, "a:d gp:a gp:b"},
    {"C_SET_SCALE_REG", 0x2C, "gp:d"},
    {"C_SET_STRIDE_REG", 0x2D, "gp:d"},
    {"C_SET_V_MASK_REG", 0x2E, "gp:d"},
    {"C_LOOP_START", 0x2F, "loop:d count:I"},
    {"C_LOOP_END", 0x30, "loop:d pad?"},
    {"V_SHFT_V", 0x32, "gp:d gp:a gp:b"},
    {"C_BREAK", 0x34, "pad? pad? pad?"},
    {"V_MAX_VF", 0x35, "gp:d gp:a f:b mask:c?"},
    {"V_MIN_VF", 0x36, "gp:d gp:a f:b mask:c?"},
    {"V_TOPK", 0x37, "gp:d gp:a gp:b policy:c?"},
    {"C_SET_TOPK_REG", 0x38, "gp:d"},
};

struct Piece {
  std::string kind;
  char field = 0;
  bool optional = false;
};

inline std::vector<Piece> PiecesOf(const Spec& spec) {
  std::vector<Piece> pieces;
  for (const auto& token : absl::StrSplit(spec.form, ' ')) {
    std::string text(token);
    Piece piece;
    piece.optional = text.ends_with('?');
    if (piece.optional) text.pop_back();
    const std::size_t colon = text.find(':');
    piece.kind = text.substr(0, colon);
    if (colon != std::string::npos) piece.field = text[colon + 1];
    pieces.push_back(piece);
  }
  return pieces;
}

inline int ShiftOf(char field) {
  switch (field) {
    case 'd':
      return 6;
    case 'a':
    case 'I':
      return 10;
    case 'b':
    case 'i':
      return 14;
    case 'c':
      return 18;
    default:
      return 22;
  }
}

struct Written {
  std::string text;
  std::uint32_t value = 0;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed = 7) : random_(seed) {}
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  Written Legal(const std::string& kind) {
    if (kind == "gp") return Register("gp", Below(16));
    if (kind == "loop") return Register("gp", 1 + Below(15));
    if (kind == "f") return Register("f", Below(8));
    if (kind == "a") return Register("a", Below(8));
    if (kind == "gpor0") return Below(3) == 0 ? Written{"0", 0} : Register("gp", Below(16));
    if (kind == "zero") return {Below(2) == 0 ? "0" : "gp0", 0};
    if (kind == "pad") return {"0", 0};
    if (kind == "mask") return Number(Below(16));
    if (kind == "bit") return Number(Below(2));
    if (kind == "policy") return Number(std::vector<std::uint32_t>{0, 1, 15}[Below(3)]);
    if (kind == "imm18") return Number(Edge(1u << 18, 0));
    if (kind == "imm22") return Number(Edge(1u << 22, 0));
    return Number(Edge(1u << 22, 1));
  }

 private:
  std::uint32_t Edge(std::uint32_t end, std::uint32_t first) {
    const std::uint32_t choice = Below(4);
    if (choice == 0) return first;
    if (choice == 1) return end - 1;
    return first + Below(end - first);
  }
  Written Register(const char* prefix, std::uint32_t index) {
    return {absl::StrCat(prefix, index), index};
  }
  Written Number(std::uint32_t value) {
    if (Below(3) > 0) return {absl::StrCat(value), value};
    return {absl::StrCat("0x", absl::Hex(value)), value};
  }

  std::mt19937 random_;
};

}  // namespace moescope::assembler::test
