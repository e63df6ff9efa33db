#include "isa/names.h"

#include <array>
#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kTimingClassNames[] = {"matrix_multiply",
                                                  "broadcast_multiply",
                                                  "matrix_vector",
                                                  "broadcast_vector",
                                                  "matrix_write_out",
                                                  "broadcast_write_out",
                                                  "vector_write_out",
                                                  "broadcast_vector_write_out",
                                                  "vector_add_vector",
                                                  "vector_add_scalar",
                                                  "vector_multiply_vector",
                                                  "vector_multiply_scalar",
                                                  "vector_exp",
                                                  "vector_reciprocal",
                                                  "vector_max",
                                                  "vector_shift",
                                                  "reduce_sum",
                                                  "reduce_max",
                                                  "topk",
                                                  "scalar_add",
                                                  "scalar_multiply",
                                                  "scalar_max",
                                                  "scalar_exp",
                                                  "scalar_reciprocal",
                                                  "scalar_square_root",
                                                  "scalar_memory",
                                                  "map",
                                                  "integer",
                                                  "control",
                                                  "loop_start",
                                                  "loop_end",
                                                  "prefetch_matrix",
                                                  "prefetch_vector",
                                                  "store_vector"};
static_assert(std::size(kTimingClassNames) == kTimingClassCount);

constexpr std::string_view kKindNames[] = {"gp_source",      "gp_destination",
                                           "loop_register",  "fp_source",
                                           "fp_destination", "fp_accumulator",
                                           "vector_source",  "vector_destination",
                                           "matrix_source",  "matrix_destination",
                                           "hbm_base",       "address_destination",
                                           "mask",           "order",
                                           "row_stride",     "precision",
                                           "policy",         "immediate18",
                                           "immediate22",    "loop_count",
                                           "placeholder"};
static_assert(std::size(kKindNames) == static_cast<std::size_t>(OperandKind::kPlaceholder) + 1);

constexpr std::string_view kPresenceNames[] = {"required", "optional", "pad"};

template <typename Enum, std::size_t kSize>
std::optional<Enum> Parse(const std::string_view (&names)[kSize], std::string_view name) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::optional<int> SmallNumber(std::string_view digits) {
  int value = 0;
  const bool is_plain = !digits.empty() && digits.size() <= 4 &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos &&
                        (digits.size() == 1 || digits[0] != '0');
  if (!is_plain || !absl::SimpleAtoi(Absl(digits), &value)) return std::nullopt;
  return value;
}

}  // namespace

std::string_view TimingClassName(TimingClass timing) {
  return kTimingClassNames[static_cast<std::size_t>(timing)];
}

std::string_view OperandKindName(OperandKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::string_view PresenceName(Presence presence) {
  return kPresenceNames[static_cast<std::size_t>(presence)];
}

std::string_view FieldName(char letter) {
  switch (letter) {
    case 'd':
      return "rd";
    case 'a':
      return "rs1";
    case 'b':
      return "rs2";
    case 'c':
      return "rs3";
    case 'f':
      return "funct1";
    case 'i':
      return "imm";
    default:
      return "";
  }
}

std::string VersionText(Version version) { return absl::StrCat(version.major, ".", version.minor); }

std::optional<OperandKind> ParseOperandKind(std::string_view name) {
  return Parse<OperandKind>(kKindNames, name);
}

std::optional<Presence> ParsePresence(std::string_view name) {
  return Parse<Presence>(kPresenceNames, name);
}

std::optional<Group> ParseGroup(std::string_view name) {
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    if (GroupName(static_cast<Group>(i)) == name) return static_cast<Group>(i);
  }
  return std::nullopt;
}

std::optional<TimingClass> ParseTimingClass(std::string_view name) {
  return Parse<TimingClass>(kTimingClassNames, name);
}

std::optional<Version> ParseVersion(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<int> major = SmallNumber(text.substr(0, dot));
  const std::optional<int> minor = SmallNumber(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return Version{*major, *minor};
}

}  // namespace moescope::isa
