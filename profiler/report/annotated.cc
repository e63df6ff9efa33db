#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "profiler/report/formats.h"
#include "profiler/report/number_text.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

namespace {

std::string Marker(const PcRow& row) {
  std::string text = absl::StrCat("; ", row.path);
  if (row.pair) absl::StrAppend(&text, " pair=", *row.pair);
  if (row.expert) absl::StrAppend(&text, " expert=", *row.expert);
  return text;
}

constexpr char kRow[] = "%14s %16s  %-13s  %7s  %-8s  %s\n";
constexpr std::size_t kTextColumn = 14 + 1 + 16 + 2 + 13 + 2 + 7 + 2 + 8 + 2;

}  // namespace

absl::StatusOr<std::string> AnnotatedReport(const Profile& profile, const PcTable& table) {
  RETURN_IF_ERROR(CheckPcTable(table, profile));
  std::string text =
      absl::StrFormat(kRow, "instructions", "cycles", "top reason", "pc", "word", "text");
  std::string marker;
  for (std::size_t pc = 0; pc < table.rows.size(); ++pc) {
    const PcRow& row = table.rows[pc];
    if (std::string next = Marker(row); next != marker) {
      marker = std::move(next);
      absl::StrAppend(&text, std::string(kTextColumn, ' '), marker, "\n");
    }
    const std::string place = row.file.empty() ? "" : absl::StrCat("  ; ", row.file, ":", row.line);
    absl::StrAppendFormat(&text, kRow, Thousands(row.instructions), Thousands(row.cycles),
                          row.top_reason.empty() ? "-" : row.top_reason, absl::StrCat(pc),
                          absl::StrFormat("%08X", row.word), row.text + place);
  }
  absl::StrAppend(&text, TotalsText(profile), "\n");
  return text;
}

}  // namespace moescope::profiler
