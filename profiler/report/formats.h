#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "profiler/pc_table.h"
#include "profiler/profile.h"

// One function per format of profile.md 7; report.h chooses among them.

namespace moescope::profiler {

// The stage table fits `width` columns.
std::string TextReport(const Profile& profile, std::size_t width = 100);
std::string MarkdownReport(const Profile& profile);

// A table as RFC 4180 text: stages reasons units opcodes pairs experts hot timeline.
// InvalidArgument for another name, FailedPrecondition when the profile does not hold the table.
absl::StatusOr<std::string> CsvReport(const Profile& profile, std::string_view table);

// Stacks stage / regions / [pair] / mnemonic with their weight: cycles, instructions or bytes. A
// profile alone does not tell which pair executed which mnemonic, nor the mnemonics of a stage that
// occurs on several paths: its stacks then end above them. With the per-pc table all levels are
// there.
absl::StatusOr<std::string> CollapsedReport(const Profile& profile, std::string_view weight,
                                            const PcTable* table);
absl::StatusOr<std::string> SpeedscopeReport(const Profile& profile, std::string_view weight,
                                             const PcTable* table);

// The listing with instructions, cycles and top reason of every word. InvalidArgument when the
// table is of another program or run.
absl::StatusOr<std::string> AnnotatedReport(const Profile& profile, const PcTable& table);

// One self-contained page without script: tables, and plots as inline SVG drawn from the integers
// of the profile. `source` is the text of the program's source file, for the hot instructions; with
// `compare`, a second run is drawn below the first in every section.
std::string HtmlReport(const Profile& profile, const std::optional<std::string>& source,
                       const Profile* compare);

// The public stage profiles (profile.md, 5.9). `all_stages` writes the fourteen built-in stages and
// `other`, else the ten routed ones and `other`. What a profile does not hold is null unless the
// per-pc table is given: logical bytes and proxy cycles of a stage within a pair, and proxy cycles
// of a pair. FailedPrecondition when an extension stage is nested in several stages and there is no
// per-pc table to tell them apart.
absl::StatusOr<std::string> StageProfileV1(const Profile& profile, bool all_stages,
                                           const PcTable* table);
absl::StatusOr<std::string> StageProfileV2(const Profile& profile, bool all_stages,
                                           const PcTable* table);

}  // namespace moescope::profiler
