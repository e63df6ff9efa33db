#include "isa/program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/string_view.h"

namespace moescope::isa {

namespace {

void AppendLittleEndian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}

void AppendOptional(std::string& out, const std::optional<std::uint32_t>& value) {
  out += value.has_value() ? '\1' : '\0';
  AppendLittleEndian(out, value.value_or(0));
}

constexpr std::uint32_t kLargestAttribute = 2147483647;
constexpr std::size_t kLongestName = 64;

// [a-z][a-z0-9_]{0,63}: names are written into text files.
bool IsName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || name.size() > kLongestName || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

absl::Status ValidateNames(const Program& program) {
  if (program.names.empty() || program.names[0].name != kUnattributed) {
    return absl::InvalidArgumentError("name 0 is not 'unattributed'");
  }
  std::set<std::string_view> seen;
  for (const StageName& name : program.names) {
    if (!IsName(name.name)) return absl::InvalidArgumentError("a stage has no legal name");
    if (!seen.insert(name.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("stage '", name.name, "' is named twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status RangeError(std::size_t index, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("stage range ", index, " ", Absl(problem)));
}

// Regions nest at most this deep (profile.md, 2.3).
constexpr std::size_t kMaximumRegionDepth = 16;

// Depth of every range: 0 outside all regions. Parents precede their children.
absl::Status ValidateDepth(const Program& program) {
  std::vector<std::size_t> depth(program.ranges.size(), 0);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const std::optional<std::uint32_t>& parent = program.ranges[i].parent;
    if (parent) depth[i] = depth[*parent] + 1;
    if (depth[i] > kMaximumRegionDepth) {
      return RangeError(i, absl::StrCat("nests deeper than ", kMaximumRegionDepth));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateRange(const Program& program, std::size_t index,
                           std::uint32_t expected_begin) {
  const StageRange& range = program.ranges[index];
  if (range.begin_pc != expected_begin) {
    return RangeError(
        index, absl::StrCat("begins at pc ", range.begin_pc, " instead of ", expected_begin));
  }
  if (range.end_pc < range.begin_pc) return RangeError(index, "ends before it begins");
  if (range.name >= program.names.size()) return RangeError(index, "has an unknown name");
  if (range.pair.value_or(0) > kLargestAttribute || range.expert.value_or(0) > kLargestAttribute) {
    return RangeError(index, "has a pair or expert above 2147483647");
  }
  if (range.parent && *range.parent >= index)
    return RangeError(index, "has a parent that does not precede it");
  if (range.line > 0 && range.file >= program.files.size())
    return RangeError(index, "has an unknown file");
  return absl::OkStatus();
}

}  // namespace

std::string Program::WordsHash() const {
  std::string bytes;
  bytes.reserve(words.size() * 4);
  for (const std::uint32_t word : words) AppendLittleEndian(bytes, word);
  return Sha256Name(bytes);
}

std::string Program::StageTableHash() const {
  std::string bytes;
  for (const StageName& name : names) {
    AppendLittleEndian(bytes, static_cast<std::uint32_t>(name.name.size()));
    bytes += name.name;
  }
  for (const StageRange& range : ranges) {
    AppendLittleEndian(bytes, range.begin_pc);
    AppendLittleEndian(bytes, range.end_pc);
    AppendLittleEndian(bytes, range.name);
    AppendOptional(bytes, range.pair);
    AppendOptional(bytes, range.expert);
    AppendOptional(bytes, range.parent);
  }
  return Sha256Name(bytes);
}

std::string Program::PlaceOf(std::uint32_t pc) const {
  if (pc >= positions.size()) return "";
  const SourcePosition& at = positions[pc];
  return absl::StrCat(files[at.file], ":", at.line, ":", at.column);
}

Program ProgramFromWords(std::vector<std::uint32_t> words) {
  Program program;
  program.words = std::move(words);
  program.ranges.push_back({.end_pc = static_cast<std::uint32_t>(program.words.size())});
  return program;
}

absl::Status Validate(const Program& program) {
  if (program.words.size() > 0xFFFFFFFEu)
    return absl::InvalidArgumentError("more than 2^32 - 2 words");
  if (absl::Status status = ValidateNames(program); !status.ok()) return status;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    if (absl::Status status = ValidateRange(program, i, next); !status.ok()) return status;
    next = program.ranges[i].end_pc;
  }
  if (absl::Status status = ValidateDepth(program); !status.ok()) return status;
  if (next != program.words.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the stage table covers ", next, " of ", program.words.size(), " words"));
  }
  if (!program.positions.empty() && program.positions.size() != program.words.size()) {
    return absl::InvalidArgumentError("source positions and words differ in number");
  }
  for (const SourcePosition& position : program.positions) {
    if (position.file >= program.files.size())
      return absl::InvalidArgumentError("a source position names an unknown file");
  }
  return absl::OkStatus();
}

}  // namespace moescope::isa
