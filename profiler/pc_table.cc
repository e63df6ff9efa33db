#include "profiler/pc_table.h"

#include <array>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/program.h"
#include "profiler/csv.h"
#include "profiler/stage_tables.h"

namespace moescope::profiler {

namespace {

constexpr std::array<std::string_view, 15> kColumns = {"pc",
                                                       "word",
                                                       "text",
                                                       "file",
                                                       "line",
                                                       "path",
                                                       "pair",
                                                       "expert",
                                                       "instructions",
                                                       "cycles",
                                                       "top_reason",
                                                       "hbm_read_logical_bytes",
                                                       "hbm_read_physical_bytes",
                                                       "hbm_write_logical_bytes",
                                                       "hbm_write_physical_bytes"};

std::string PathText(const Recording& recording, std::uint32_t range) {
  return absl::StrJoin(
      recording.map.paths[recording.map.path_of_range[range]], "/",
      [&](std::string* out, std::uint32_t stage) {
        out->append(recording.program().names[recording.map.stage_names[stage]].name);
      });
}

PcRow MakeRow(const Recording& recording, const isa::InstructionSet& set, std::uint32_t pc) {
  const isa::Program& program = recording.program();
  PcRow row;
  row.word = program.words[pc];
  row.text = set.LenientText(row.word);
  if (pc < program.positions.size()) {
    row.file = DisplayFile(program.files[program.positions[pc].file]);
    row.line = program.positions[pc].line;
  }
  row.instructions = recording.instructions[pc];
  for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
    row.cycles += recording.CyclesOf(pc, static_cast<emulator::Reason>(i));
  }
  for (const emulator::Reason reason : recording.description.reasons) {
    row.reasons.push_back(recording.CyclesOf(pc, reason));
  }
  if (const auto reason = TopReason(recording, pc)) row.top_reason = std::string(Name(*reason));
  return row;
}

// Numbers of one row, with the place for messages.
class RowReader {
 public:
  RowReader(const std::vector<std::string>& fields, std::size_t line)
      : fields_(fields), line_(line) {}

  std::string Text() { return fields_[next_++]; }
  std::uint64_t Number(int base = 10) {
    std::string_view text = fields_[next_++];
    if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || value > kMaximum) {
      Fail(absl::StrCat("'", fields_[next_ - 1], "' is not a number"));
    }
    return value;
  }
  std::optional<std::uint64_t> Optional() {
    if (!fields_[next_].empty()) return Number();
    ++next_;
    return std::nullopt;
  }
  void Fail(const std::string& problem) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", problem));
    }
  }
  const absl::Status& status() const { return status_; }

 private:
  static constexpr std::uint64_t kMaximum = (std::uint64_t{1} << 53) - 1;

  const std::vector<std::string>& fields_;
  std::size_t line_;
  std::size_t next_ = 0;
  absl::Status status_;
};

absl::StatusOr<PcRow> ReadRow(const std::vector<std::string>& fields, std::size_t line,
                              std::uint64_t pc) {
  RowReader reader(fields, line);
  PcRow row;
  if (reader.Number() != pc) reader.Fail(absl::StrCat("pc ", pc, " was expected"));
  const std::uint64_t word = reader.Number(16);
  if (word > 0xFFFFFFFFu) reader.Fail("the word has more than 32 bits");
  row.word = static_cast<std::uint32_t>(word);
  row.text = reader.Text();
  row.file = reader.Text();
  row.line = reader.Optional().value_or(0);
  row.path = reader.Text();
  row.pair = reader.Optional();
  row.expert = reader.Optional();
  row.instructions = reader.Number();
  row.cycles = reader.Number();
  row.top_reason = reader.Text();
  row.read_logical_bytes = reader.Number();
  row.read_physical_bytes = reader.Number();
  row.write_logical_bytes = reader.Number();
  row.write_physical_bytes = reader.Number();
  for (std::size_t i = kColumns.size(); i < fields.size(); ++i) {
    row.reasons.push_back(reader.Number());
  }
  if (!reader.status().ok()) return reader.status();
  return row;
}

}  // namespace

PcTable MakePcTable(const Recording& recording, const isa::InstructionSet& set) {
  PcTable table;
  for (const emulator::Reason reason : recording.description.reasons) {
    table.reasons.emplace_back(Name(reason));
  }
  table.rows.reserve(recording.words());
  const std::vector<isa::StageRange>& ranges = recording.program().ranges;
  for (std::uint32_t range = 0; range < ranges.size(); ++range) {
    const std::string path = PathText(recording, range);
    for (std::uint32_t pc = ranges[range].begin_pc; pc < ranges[range].end_pc; ++pc) {
      PcRow& row = table.rows.emplace_back(MakeRow(recording, set, pc));
      row.path = path;
      row.pair = ranges[range].pair;
      row.expert = ranges[range].expert;
    }
  }
  for (const Recording::WordTraffic& traffic : recording.traffic) {
    PcRow& row = table.rows[traffic.pc];
    row.read_logical_bytes = traffic.read.logical_bytes;
    row.read_physical_bytes = traffic.read.physical_bytes;
    row.write_logical_bytes = traffic.write.logical_bytes;
    row.write_physical_bytes = traffic.write.physical_bytes;
  }
  return table;
}

std::string PcTableText(const PcTable& table) {
  CsvWriter csv;
  for (const std::string_view column : kColumns) csv.Field(column);
  for (const std::string& reason : table.reasons) csv.Field(reason);
  csv.EndRow();
  for (std::size_t pc = 0; pc < table.rows.size(); ++pc) {
    const PcRow& row = table.rows[pc];
    csv.Field(pc).Field(absl::StrFormat("0x%08X", row.word));
    csv.Field(row.text).Field(row.file);
    csv.Optional(row.line == 0 ? std::nullopt : std::optional(row.line));
    csv.Field(row.path).Optional(row.pair).Optional(row.expert);
    csv.Field(row.instructions).Field(row.cycles).Field(row.top_reason);
    csv.Field(row.read_logical_bytes).Field(row.read_physical_bytes);
    csv.Field(row.write_logical_bytes).Field(row.write_physical_bytes);
    for (const std::uint64_t cycles : row.reasons) csv.Field(cycles);
    csv.EndRow();
  }
  return csv.Take();
}

absl::StatusOr<PcTable> ReadPcTable(std::string_view text) {
  ASSIGN_OR_RETURN(const auto rows, ParseCsv(text));
  if (rows.empty() || rows[0].size() < kColumns.size() ||
      !std::equal(kColumns.begin(), kColumns.end(), rows[0].begin())) {
    return absl::InvalidArgumentError("line 1: this is not the header of a per-pc table");
  }
  PcTable table;
  table.reasons.assign(rows[0].begin() + kColumns.size(), rows[0].end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", i + 1, ": ", rows[i].size(),
                                                     " fields instead of ", rows[0].size()));
    }
    ASSIGN_OR_RETURN(PcRow row, ReadRow(rows[i], i + 1, i - 1));
    table.rows.push_back(std::move(row));
  }
  return table;
}

absl::Status CheckPcTable(const PcTable& table, const Profile& profile) {
  std::vector<std::uint32_t> words;
  Work sum;
  for (const PcRow& row : table.rows) {
    words.push_back(row.word);
    sum.instructions += row.instructions;
    sum.cycles += row.cycles;
  }
  if (isa::ProgramFromWords(std::move(words)).WordsHash() != profile.program.sha256) {
    return absl::InvalidArgumentError("the per-pc table is of another program than the profile");
  }
  if (sum.instructions != profile.totals.counters.instructions ||
      sum.cycles != profile.totals.counters.cycles) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the per-pc table is of another run than the profile: ", sum.instructions,
        " instructions and ", sum.cycles, " cycles instead of ",
        profile.totals.counters.instructions, " and ", profile.totals.counters.cycles));
  }
  return absl::OkStatus();
}

}  // namespace moescope::profiler
