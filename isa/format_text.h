#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/number_format.h"

// The words that files, options and messages use for formats.

namespace moescope::isa {

// "BF16", "FP16", "E4M3", "INT8", "UE8M0"; a type without a usual name is "E<e>M<m>", with "U" in
// front when it has no sign.
std::string ElementTypeName(ElementType type);
// "Plain BF16", "Mx E4M3 block 8".
std::string TensorFormatName(const TensorFormat& format);

// "ocp", "reference".
std::string_view ConventionName(Convention convention);
std::optional<Convention> ParseConvention(std::string_view name);
// "floor", "ceil", "even", "rceil".
std::string_view ScaleRuleName(ScaleRule rule);
std::optional<ScaleRule> ParseScaleRule(std::string_view name);

}  // namespace moescope::isa
