#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/instruction.h"

// Names of the parts of an instruction row, as ISA documents and the reference page write them.

namespace moescope::isa {

std::string_view OperandKindName(OperandKind kind);  // "gp_source", ...
std::string_view PresenceName(Presence presence);    // "required", "optional", "pad"
std::string_view FieldName(char letter);             // "rd" for 'd', ...; empty for no field letter
std::string VersionText(Version version);            // "1.1"

std::optional<OperandKind> ParseOperandKind(std::string_view name);
std::optional<Presence> ParsePresence(std::string_view name);
std::optional<Group> ParseGroup(std::string_view name);
std::optional<TimingClass> ParseTimingClass(std::string_view name);
std::optional<Version> ParseVersion(std::string_view text);  // "<major>.<minor>", below 10,000

}  // namespace moescope::isa
