#include "emulator/deadlock_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/string_view.h"

namespace moescope::emulator {
namespace {

// "pc 3 (V_ADD_VV gp1, gp2, gp3)".
std::string Place(std::uint32_t pc, const isa::Program& program, const isa::InstructionSet& set) {
  std::string text = absl::StrCat("pc ", pc);
  if (pc >= program.words.size()) return text;
  const isa::Decoded decoded = set.Decode(program.words[pc]);
  if (decoded.instruction == nullptr) return text;
  return absl::StrCat(text, " (", isa::FormatInstruction(*decoded.instruction, decoded.operands),
                      ")");
}

// Follows the holders from the first wait; the pcs of the cycle, or nothing.
std::vector<std::uint32_t> CycleOf(const std::vector<Deadlock::Wait>& waits) {
  std::vector<std::uint32_t> path;
  std::uint32_t pc = waits.empty() ? kNoPc : waits.front().pc;
  while (pc != kNoPc) {
    const auto seen = std::find(path.begin(), path.end(), pc);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      path.push_back(pc);
      return path;
    }
    path.push_back(pc);
    const auto next = std::find_if(waits.begin(), waits.end(),
                                   [pc](const Deadlock::Wait& wait) { return wait.pc == pc; });
    pc = next == waits.end() ? kNoPc : next->holder_pc;
  }
  return {};
}

std::string UnitText(const Deadlock::UnitState& state) {
  const std::string name(Name(state.unit));
  if (state.pc == kNoPc) return absl::StrCat(name, " idle");
  if (!state.until) return absl::StrCat(name, " with pc ", state.pc);
  return absl::StrCat(name, " with pc ", state.pc, " until cycle ", *state.until);
}

std::string EventText(const Deadlock::RecentEvent& event) {
  constexpr const char* kVerbs[] = {" accepted", " completed", " moved its bytes"};
  return absl::StrCat(event.cycle, " pc ", event.pc, kVerbs[static_cast<std::size_t>(event.kind)]);
}

}  // namespace

std::vector<std::string> DeadlockLines(const Deadlock& deadlock, const isa::Program& program,
                                       const isa::InstructionSet& set) {
  std::vector<std::string> lines;
  for (const Deadlock::Wait& wait : deadlock.waits) {
    std::string line =
        absl::StrCat(Place(wait.pc, program, set), " waits for ", wait.resource,
                     wait.holder_pc == kNoPc ? ", which nothing pending will give"
                                             : absl::StrCat(", held by pc ", wait.holder_pc));
    if (lines.empty()) absl::StrAppend(&line, ", since cycle ", deadlock.since);
    lines.push_back(std::move(line));
  }
  if (const std::vector<std::uint32_t> cycle = CycleOf(deadlock.waits); !cycle.empty()) {
    lines.push_back(absl::StrCat("cycle of waits: pc ", absl::StrJoin(cycle, " -> pc ")));
  }
  std::vector<std::string> parts;
  for (const Deadlock::UnitState& unit : deadlock.units) parts.push_back(UnitText(unit));
  lines.push_back(absl::StrCat("units: ", absl::StrJoin(parts, ", ")));
  parts.clear();
  for (const Deadlock::RecentEvent& event : deadlock.events) parts.push_back(EventText(event));
  lines.push_back(absl::StrCat("last events, by cycle: ", absl::StrJoin(parts, "; ")));
  return lines;
}

}  // namespace moescope::emulator
