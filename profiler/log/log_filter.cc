#include "profiler/log/log_filter.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "profiler/diff/side.h"

namespace moescope::profiler {

namespace {

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

absl::Status SetCondition(std::string_view key, std::string_view value, LogFilter& filter) {
  if (key == "stage" && !value.empty()) {
    filter.stage = value;
    return absl::OkStatus();
  }
  if (key == "pc") {
    const std::size_t dots = value.find("..");
    const auto first = Number(value.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : Number(value.substr(dots + 2));
    if (first && last && *first <= *last) {
      filter.pc = {*first, *last};
      return absl::OkStatus();
    }
  }
  if (key == "group") {
    for (std::size_t i = 0; i < isa::kGroupCount; ++i) {
      if (isa::GroupName(static_cast<isa::Group>(i)) != value) continue;
      filter.group = value;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log filter '", Absl(key), "=", Absl(value),
                   "': expected stage=PATTERN, pc=N, pc=N..N or group=GROUP"));
}

}  // namespace

absl::StatusOr<LogFilter> ParseLogFilter(std::string_view text) {
  LogFilter filter;
  for (const auto condition : absl::StrSplit(Absl(text), ';', absl::SkipEmpty())) {
    const std::string_view view(condition.data(), condition.size());
    const std::size_t equals = view.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : view.substr(equals + 1);
    if (absl::Status status = SetCondition(view.substr(0, equals), value, filter); !status.ok()) {
      return status;
    }
  }
  return filter;
}

std::vector<bool> SelectWords(const LogFilter& filter, const isa::Program& program,
                              const isa::InstructionSet& set) {
  std::vector<bool> selected(program.words.size(), true);
  for (const isa::StageRange& range : program.ranges) {
    const bool stage = !filter.stage || MatchesGlob(*filter.stage, program.names[range.name].name);
    for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
      const bool in_range = !filter.pc || (filter.pc->first <= pc && pc <= filter.pc->second);
      bool group = true;
      if (filter.group) {
        const isa::Instruction* instruction = set.Decode(program.words[pc]).instruction;
        group = instruction != nullptr && isa::GroupName(instruction->group) == *filter.group;
      }
      selected[pc] = stage && in_range && group;
    }
  }
  return selected;
}

}  // namespace moescope::profiler
