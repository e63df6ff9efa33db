#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/machine.h"

// The words that files, options, profiles and messages use for the choices of a machine.

namespace moescope::emulator {

std::string_view MaskedReductionName(MaskedReduction value);  // "enabled", "reference"
std::optional<MaskedReduction> ParseMaskedReduction(std::string_view name);
std::string_view ScaleReadName(ScaleRead value);  // "complete", "single_block"
std::optional<ScaleRead> ParseScaleRead(std::string_view name);
std::string_view TimingModelName(TimingModelKind kind);  // "serial", "pipelined", "rtl"
std::optional<TimingModelKind> ParseTimingModel(std::string_view name);
std::string_view LatencyProfileName(LatencyProfile profile);  // "settings", "dse", ...
std::optional<LatencyProfile> ParseLatencyProfile(std::string_view name);
std::string_view HbmModelName(HbmModelKind kind);  // "dram", "fast", "fixed"
std::optional<HbmModelKind> ParseHbmModel(std::string_view name);

// The scale rule as runs report it: "reference" under that convention.
std::string_view EffectiveScaleRuleName(const Dialect& dialect);

// The shortest decimal text that reads back as the same f32.
std::string FloatText(float value);

}  // namespace moescope::emulator
