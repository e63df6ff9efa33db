#pragma once

#include <cstdint>
#include <string_view>

namespace moescope::isa {

// What an operand means. The kind decides the register file, the width of its field, the values
// that decode, and whether the register is read or written.
enum class OperandKind : std::uint8_t {
  kGpSource,
  kGpDestination,
  kLoopRegister,  // gp, read and written; gp0 does not decode
  kFpSource,
  kFpDestination,
  kFpAccumulator,       // f, read and written
  kVectorSource,        // gp that holds a VRAM element address which is read
  kVectorDestination,   // gp that holds a VRAM element address which is written
  kMatrixSource,        // gp that holds an MRAM element address which is read
  kMatrixDestination,   // gp that holds an MRAM element address which is written
  kHbmBase,             // a, read
  kAddressDestination,  // a, written
  kMask,
  kOrder,
  kRowStride,
  kPrecision,
  kPolicy,
  kImmediate18,
  kImmediate22,
  kLoopCount,    // 22 bits, at least 1
  kPlaceholder,  // a literal 0 that is not encoded
};

enum class RegisterFile : std::uint8_t { kNone, kGp, kFp, kAddress };

struct OperandTraits {
  std::string_view
      name;  // as messages and the reference page say it: "gp register", "18-bit immediate"
  RegisterFile file = RegisterFile::kNone;
  int width = 0;              // bits of the field; 0 = not encoded
  std::uint32_t largest = 0;  // largest legal value (15 for gp, 7 for f and a)
  bool reads = false;         // the register is read
  bool writes = false;        // the register is written
};

constexpr OperandTraits TraitsOf(OperandKind kind) {
  constexpr auto kGp = RegisterFile::kGp;
  constexpr auto kFp = RegisterFile::kFp;
  constexpr auto kA = RegisterFile::kAddress;
  constexpr auto kNone = RegisterFile::kNone;
  switch (kind) {
    case OperandKind::kGpSource:
      return {"gp register", kGp, 4, 15, true, false};
    case OperandKind::kGpDestination:
      return {"gp register", kGp, 4, 15, false, true};
    case OperandKind::kLoopRegister:
      return {"loop register", kGp, 4, 15, true, true};
    case OperandKind::kFpSource:
      return {"f register", kFp, 4, 7, true, false};
    case OperandKind::kFpDestination:
      return {"f register", kFp, 4, 7, false, true};
    case OperandKind::kFpAccumulator:
      return {"f register", kFp, 4, 7, true, true};
    case OperandKind::kVectorSource:
    case OperandKind::kVectorDestination:
      return {"gp register (VRAM address)", kGp, 4, 15, true, false};
    case OperandKind::kMatrixSource:
    case OperandKind::kMatrixDestination:
      return {"gp register (MRAM address)", kGp, 4, 15, true, false};
    case OperandKind::kHbmBase:
      return {"a register", kA, 4, 7, true, false};
    case OperandKind::kAddressDestination:
      return {"a register", kA, 4, 7, false, true};
    case OperandKind::kMask:
      return {"mask", kNone, 4, 15, false, false};
    case OperandKind::kOrder:
      return {"order", kNone, 4, 1, false, false};
    case OperandKind::kRowStride:
      return {"rstride", kNone, 4, 1, false, false};
    case OperandKind::kPrecision:
      return {"precision", kNone, 4, 1, false, false};
    case OperandKind::kPolicy:
      return {"policy", kNone, 4, 15, false, false};
    case OperandKind::kImmediate18:
      return {"18-bit immediate", kNone, 18, (1u << 18) - 1, false, false};
    case OperandKind::kImmediate22:
      return {"22-bit immediate", kNone, 22, (1u << 22) - 1, false, false};
    case OperandKind::kLoopCount:
      return {"loop count", kNone, 22, (1u << 22) - 1, false, false};
    case OperandKind::kPlaceholder:
      return {"placeholder 0", kNone, 0, 0, false, false};
  }
  return {};
}

// Whether `value` may stand in a field of this kind; other values decode to illegal_operand.
constexpr bool IsLegalValue(OperandKind kind, std::uint32_t value) {
  if (value > TraitsOf(kind).largest) return false;
  if (kind == OperandKind::kPolicy) return value == 0 || value == 1 || value == 15;
  if (kind == OperandKind::kLoopCount || kind == OperandKind::kLoopRegister) return value != 0;
  return true;
}

enum class Presence : std::uint8_t {
  kRequired,
  kOptional,  // may be left out at the end of the line and then means 0
  kPad,       // placeholder that may be left out; canonical text leaves it out
};

// One operand of an instruction: `field` is its letter in the encoding string ('\0' for a
// placeholder).
struct Operand {
  OperandKind kind = OperandKind::kPlaceholder;
  char field = '\0';
  Presence presence = Presence::kRequired;
  bool accepts_zero = false;  // a literal 0 may stand for gp0
  // Bit v set: value v is legal, whatever the kind says; 0 = as the kind says. For fields of at
  // most five bits, of loaded ISA documents.
  std::uint32_t values = 0;
};

constexpr bool IsLegalValue(const Operand& operand, std::uint32_t value) {
  if (operand.values == 0) return IsLegalValue(operand.kind, value);
  return value < 32 && (operand.values >> value & 1) != 0;
}

// Fields whose values are enumerated one by one.
constexpr bool IsEnumerated(OperandKind kind) {
  return kind == OperandKind::kOrder || kind == OperandKind::kRowStride ||
         kind == OperandKind::kPrecision || kind == OperandKind::kPolicy;
}

// The legal values of an enumerated operand, as in Operand::values.
constexpr std::uint32_t LegalValues(const Operand& operand) {
  std::uint32_t values = 0;
  for (std::uint32_t v = 0; v < 16; ++v) {
    if (IsLegalValue(operand, v)) values |= std::uint32_t{1} << v;
  }
  return values;
}

// The vocabulary of instruction rows.
constexpr Operand GpSource(char field) { return {OperandKind::kGpSource, field}; }
constexpr Operand GpDestination(char field) { return {OperandKind::kGpDestination, field}; }
constexpr Operand LoopRegister(char field) { return {OperandKind::kLoopRegister, field}; }
constexpr Operand FpSource(char field) { return {OperandKind::kFpSource, field}; }
constexpr Operand FpDestination(char field) { return {OperandKind::kFpDestination, field}; }
constexpr Operand FpAccumulator(char field) { return {OperandKind::kFpAccumulator, field}; }
constexpr Operand VectorSource(char field) { return {OperandKind::kVectorSource, field}; }
constexpr Operand VectorDestination(char field) { return {OperandKind::kVectorDestination, field}; }
constexpr Operand MatrixSource(char field) { return {OperandKind::kMatrixSource, field}; }
constexpr Operand MatrixDestination(char field) { return {OperandKind::kMatrixDestination, field}; }
constexpr Operand HbmBase(char field) { return {OperandKind::kHbmBase, field}; }
constexpr Operand AddressDestination(char field) {
  return {OperandKind::kAddressDestination, field};
}
constexpr Operand Immediate18(char field) { return {OperandKind::kImmediate18, field}; }
constexpr Operand Immediate22(char field) { return {OperandKind::kImmediate22, field}; }
constexpr Operand LoopCount(char field) { return {OperandKind::kLoopCount, field}; }
constexpr Operand Mask(char field) { return {OperandKind::kMask, field, Presence::kOptional}; }
constexpr Operand Order(char field) { return {OperandKind::kOrder, field, Presence::kOptional}; }
constexpr Operand RowStride(char field) {
  return {OperandKind::kRowStride, field, Presence::kOptional};
}
constexpr Operand Precision(char field) {
  return {OperandKind::kPrecision, field, Presence::kOptional};
}
constexpr Operand Policy(char field) { return {OperandKind::kPolicy, field, Presence::kOptional}; }
// The literal 0 that must be written (`M_MM 0, gp2, gp1`).
constexpr Operand Placeholder() {
  return {OperandKind::kPlaceholder, '\0', Presence::kRequired, true};
}
// A literal 0 that may be written.
constexpr Operand Pad() { return {OperandKind::kPlaceholder, '\0', Presence::kPad}; }
// As Pad, where gp0 is accepted too.
constexpr Operand GpPad() { return {OperandKind::kPlaceholder, '\0', Presence::kPad, true}; }
// A gp operand that may be written as the literal 0.
constexpr Operand OrZero(Operand operand) {
  operand.accepts_zero = true;
  return operand;
}

}  // namespace moescope::isa
