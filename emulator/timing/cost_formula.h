#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::emulator {

// What a cost may depend on: tile parameters, the expert count of V_TOPK, and (in the built-in
// latency profiles only) keys of the LATENCY table.
enum class CostVariable : std::uint8_t {
  kB,  // BLEN
  kM,  // MLEN
  kV,  // VLEN
  kH,  // BROADCAST_AMOUNT
  kN,  // experts of V_TOPK
  kOverhead,
  kAdd,
  kMul,
  kExp,
  kReci,
  kMax,
  kSum,
  kShift,
  kScalarBasic,
  kScalarExp,
  kScalarReci,
  kScalarSqrt,
};
inline constexpr std::size_t kCostVariableCount =
    static_cast<std::size_t>(CostVariable::kScalarSqrt) + 1;

// Which names a formula may use: those of a machine file are B M V H N.
enum class CostNames : std::uint8_t { kMachineFile, kBuiltin };

using CostValues = std::array<std::int64_t, kCostVariableCount>;

// A number of cycles as a formula: integers, variables, + - * /, parentheses, clog2(x) (the least n
// with 2^n >= x) and max(x, y). Division must be exact.
class CostFormula {
 public:
  // InvalidArgument names the problem and the column, counted from 1, in the formula. A formula
  // nests at most 32 deep.
  static absl::StatusOr<CostFormula> Parse(std::string_view text,
                                           CostNames names = CostNames::kMachineFile);

  // InvalidArgument for a division that leaves a remainder, a clog2 of a number below 1, and a
  // value or intermediate value beyond 2^48.
  absl::StatusOr<std::int64_t> Evaluate(const CostValues& values) const;

  bool Uses(CostVariable variable) const;

 private:
  friend class CostFormulaParser;
  enum class Kind : std::uint8_t {
    kNumber,
    kVariable,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kCeilLog2,
    kMaximum,
  };
  struct Step {
    Kind kind = Kind::kNumber;
    std::int64_t number = 0;  // kNumber
    CostVariable variable = CostVariable::kB;
  };

  std::vector<Step> steps_;  // operands before their operator
};

}  // namespace moescope::emulator
