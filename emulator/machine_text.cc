#include "emulator/machine_text.h"

#include <array>
#include <charconv>
#include <cstddef>

#include "isa/format_text.h"

namespace moescope::emulator {

namespace {

template <std::size_t Count>
using Names = std::array<std::string_view, Count>;

constexpr Names<2> kMaskedReductionNames = {"enabled", "reference"};
constexpr Names<2> kScaleReadNames = {"complete", "single_block"};
constexpr Names<3> kTimingModelNames = {"serial", "pipelined", "rtl"};
constexpr Names<4> kLatencyProfileNames = {"settings", "dse", "library", "released"};
constexpr Names<3> kHbmModelNames = {"dram", "fast", "fixed"};

template <typename Enum, std::size_t Count>
std::optional<Enum> Parse(const Names<Count>& names, std::string_view name) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <typename Enum, std::size_t Count>
std::string_view NameOf(const Names<Count>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view MaskedReductionName(MaskedReduction value) {
  return NameOf(kMaskedReductionNames, value);
}
std::optional<MaskedReduction> ParseMaskedReduction(std::string_view name) {
  return Parse<MaskedReduction>(kMaskedReductionNames, name);
}
std::string_view ScaleReadName(ScaleRead value) { return NameOf(kScaleReadNames, value); }
std::optional<ScaleRead> ParseScaleRead(std::string_view name) {
  return Parse<ScaleRead>(kScaleReadNames, name);
}
std::string_view TimingModelName(TimingModelKind kind) { return NameOf(kTimingModelNames, kind); }
std::optional<TimingModelKind> ParseTimingModel(std::string_view name) {
  return Parse<TimingModelKind>(kTimingModelNames, name);
}
std::string_view LatencyProfileName(LatencyProfile profile) {
  return NameOf(kLatencyProfileNames, profile);
}
std::optional<LatencyProfile> ParseLatencyProfile(std::string_view name) {
  return Parse<LatencyProfile>(kLatencyProfileNames, name);
}
std::string_view HbmModelName(HbmModelKind kind) { return NameOf(kHbmModelNames, kind); }
std::optional<HbmModelKind> ParseHbmModel(std::string_view name) {
  return Parse<HbmModelKind>(kHbmModelNames, name);
}

std::string_view EffectiveScaleRuleName(const Dialect& dialect) {
  return dialect.convention == isa::Convention::kReference ? std::string_view("reference")
                                                           : isa::ScaleRuleName(dialect.scale_rule);
}

std::string FloatText(float value) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

}  // namespace moescope::emulator
