#include "isa/format_text.h"

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace moescope::isa {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kConventions = {"ocp", "reference"};
constexpr std::array<std::string_view, 4> kScaleRules = {"floor", "ceil", "even", "rceil"};

template <typename Enum, std::size_t kCount>
std::optional<Enum> Find(const std::array<std::string_view, kCount>& names, std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string ElementTypeName(ElementType type) {
  if (type == kBf16) return "BF16";
  if (type == kFp16) return "FP16";
  if (type.kind == ElementType::Kind::kInt) {
    return absl::StrCat(type.is_signed ? "INT" : "UINT", type.Bits());
  }
  return absl::StrCat(type.is_signed ? "E" : "UE", type.exponent, "M", type.mantissa);
}

std::string TensorFormatName(const TensorFormat& format) {
  const std::string element = ElementTypeName(format.element);
  if (!format.is_mx()) return absl::StrCat("Plain ", element);
  return absl::StrCat("Mx ", element, " block ", format.block);
}

std::string_view ConventionName(Convention convention) {
  return kConventions[static_cast<std::size_t>(convention)];
}

std::optional<Convention> ParseConvention(std::string_view name) {
  return Find<Convention>(kConventions, name);
}

std::string_view ScaleRuleName(ScaleRule rule) {
  return kScaleRules[static_cast<std::size_t>(rule)];
}

std::optional<ScaleRule> ParseScaleRule(std::string_view name) {
  return Find<ScaleRule>(kScaleRules, name);
}

}  // namespace moescope::isa
