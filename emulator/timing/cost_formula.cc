#include "emulator/timing/cost_formula.h"

#include <algorithm>
#include <bit>
#include <string>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::emulator {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 48;
constexpr int kDeepest = 32;

// In the order of CostVariable.
constexpr std::array<std::string_view, kCostVariableCount> kNames = {
    "B",    "M",   "V",   "H",     "N",  "OVH",  "ADD",   "MUL",  "EXP",
    "RECI", "MAX", "SUM", "SHIFT", "SB", "SEXP", "SRECI", "SSQRT"};
constexpr std::size_t kMachineFileNames = 5;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

class CostFormulaParser {
 public:
  CostFormulaParser(std::string_view text, CostNames names)
      : text_(text), names_(names == CostNames::kBuiltin ? kNames.size() : kMachineFileNames) {}

  absl::StatusOr<CostFormula> Parse() {
    RETURN_IF_ERROR(Sum(0));
    if (At() != '\0') return Unexpected();
    return formula_;
  }

 private:
  using Kind = CostFormula::Kind;

  char At() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  absl::Status Error(std::string_view message, std::size_t position) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s at column %d of '%s'", Absl(message), position + 1, Absl(text_)));
  }

  absl::Status Unexpected() {
    const char c = At();
    if (c == '\0') return Error("the formula ends too early", position_);
    return Error(absl::StrFormat("unexpected '%c'", c), position_);
  }

  void Emit(Kind kind) { formula_.steps_.push_back({.kind = kind}); }

  absl::Status Sum(int depth) {
    RETURN_IF_ERROR(Product(depth));
    while (At() == '+' || At() == '-') {
      const Kind kind = text_[position_++] == '+' ? Kind::kAdd : Kind::kSubtract;
      RETURN_IF_ERROR(Product(depth));
      Emit(kind);
    }
    return absl::OkStatus();
  }

  absl::Status Product(int depth) {
    RETURN_IF_ERROR(Factor(depth));
    while (At() == '*' || At() == '/') {
      const Kind kind = text_[position_++] == '*' ? Kind::kMultiply : Kind::kDivide;
      RETURN_IF_ERROR(Factor(depth));
      Emit(kind);
    }
    return absl::OkStatus();
  }

  absl::Status Factor(int depth) {
    const char c = At();
    if (depth == kDeepest) return Error("the formula nests deeper than 32", position_);
    if (IsDigit(c)) return Number();
    if (IsLetter(c)) return Name(depth);
    if (c != '(') return Unexpected();
    ++position_;
    RETURN_IF_ERROR(Sum(depth + 1));
    return Take(')');
  }

  absl::Status Take(char c) {
    if (At() != c) return Unexpected();
    ++position_;
    return absl::OkStatus();
  }

  absl::Status Number() {
    const std::size_t begin = position_;
    std::int64_t value = 0;
    while (position_ < text_.size() && IsDigit(text_[position_])) {
      value = value * 10 + (text_[position_++] - '0');
      if (value > kLargest) return Error("a number above 2^48", begin);
    }
    formula_.steps_.push_back({.kind = Kind::kNumber, .number = value});
    return absl::OkStatus();
  }

  absl::Status Name(int depth) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && (IsLetter(text_[position_]) || IsDigit(text_[position_]))) {
      ++position_;
    }
    const std::string_view name = text_.substr(begin, position_ - begin);
    if (name == "clog2" || name == "max") return Call(name, depth);
    const auto known = kNames.begin() + static_cast<std::ptrdiff_t>(names_);
    const auto found = std::find(kNames.begin(), known, name);
    if (found == known) {
      return Error(absl::StrFormat("unknown name '%s' (known: B M V H N clog2 max)", Absl(name)),
                   begin);
    }
    formula_.steps_.push_back(
        {.kind = Kind::kVariable, .variable = static_cast<CostVariable>(found - kNames.begin())});
    return absl::OkStatus();
  }

  absl::Status Call(std::string_view name, int depth) {
    RETURN_IF_ERROR(Take('('));
    RETURN_IF_ERROR(Sum(depth + 1));
    if (name == "max") {
      RETURN_IF_ERROR(Take(','));
      RETURN_IF_ERROR(Sum(depth + 1));
    }
    Emit(name == "max" ? Kind::kMaximum : Kind::kCeilLog2);
    return Take(')');
  }

  std::string_view text_;
  std::size_t names_;
  std::size_t position_ = 0;
  CostFormula formula_;
};

absl::StatusOr<CostFormula> CostFormula::Parse(std::string_view text, CostNames names) {
  return CostFormulaParser(text, names).Parse();
}

bool CostFormula::Uses(CostVariable variable) const {
  return std::any_of(steps_.begin(), steps_.end(), [variable](const Step& step) {
    return step.kind == Kind::kVariable && step.variable == variable;
  });
}

absl::StatusOr<std::int64_t> CostFormula::Evaluate(const CostValues& values) const {
  std::vector<std::int64_t> stack;
  const auto pop = [&stack] {
    const std::int64_t value = stack.back();
    stack.pop_back();
    return value;
  };
  for (const Step& step : steps_) {
    std::int64_t result = 0;
    if (step.kind == Kind::kNumber) {
      result = step.number;
    } else if (step.kind == Kind::kVariable) {
      result = values[static_cast<std::size_t>(step.variable)];
    } else {
      const std::int64_t right = pop();
      if (step.kind == Kind::kCeilLog2) {
        if (right < 1) {
          return absl::InvalidArgumentError(
              absl::StrFormat("clog2 of %d, which is below 1", right));
        }
        result = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(right) - 1));
        stack.push_back(result);
        continue;
      }
      const std::int64_t left = pop();
      switch (step.kind) {
        case Kind::kAdd:
          result = left + right;
          break;
        case Kind::kSubtract:
          result = left - right;
          break;
        case Kind::kMultiply:
          if (__builtin_mul_overflow(left, right, &result)) result = kLargest + 1;
          break;
        case Kind::kDivide:
          if (right == 0 || left % right != 0) {
            return absl::InvalidArgumentError(
                absl::StrFormat("%d / %d does not divide exactly", left, right));
          }
          result = left / right;
          break;
        default:
          result = std::max(left, right);
      }
    }
    if (result > kLargest || result < -kLargest) {
      return absl::InvalidArgumentError("a value beyond 2^48");
    }
    stack.push_back(result);
  }
  return stack.back();
}

}  // namespace moescope::emulator
