#include <numeric>

#include "base/string_view.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

std::uint64_t Sum(const Split& split) {
  return std::accumulate(split.begin(), split.end(), std::uint64_t{0});
}

std::uint64_t ListedReasons(const Profile& profile) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
    for (const std::string& name : profile.model.reasons) {
      if (name == emulator::kReasonNames[i]) bits |= std::uint64_t{1} << i;
    }
  }
  return bits;
}

void CheckBlock(const std::string& name, const CounterBlock& block, std::uint64_t listed,
                Findings& findings) {
  if (block.reasons.empty() != (listed == 0)) {
    return findings.Fail(
        "PV04",
        absl::StrCat(name, ": reasons are ", listed == 0 ? "present but" : "absent although",
                     " model.reasons is ", listed == 0 ? "" : "not ", "empty"));
  }
  if (listed == 0) return;
  findings.Equal("PV04", absl::StrCat(name, ": reasons sum != cycles"), Sum(block.reasons),
                 block.cycles);
  for (std::size_t i = 0; i < block.reasons.size(); ++i) {
    if (block.reasons[i] != 0 && (listed >> i & 1) == 0) {
      findings.Fail("PV04", absl::StrCat(name, ": reason '", Absl(emulator::kReasonNames[i]),
                                         "' is not in model.reasons"));
    }
  }
}

void CheckWaits(const StageEntry& stage, Findings& findings) {
  if (!stage.waits_on) return;
  std::uint64_t waits = 0;
  for (const NamedCount& entry : *stage.waits_on) waits += entry.count;
  findings.Equal("PV04",
                 absl::StrCat("stage '", stage.name, "': waits_on sum != its reasons of waiting"),
                 waits, SumOf(stage.counters.reasons, kWaitsOnReasons));
}

}  // namespace

void CheckReasons(const Profile& profile, Findings& findings) {
  const std::uint64_t listed = ListedReasons(profile);
  CheckBlock("totals", profile.totals.counters, listed, findings);
  Split sum;
  for (const StageEntry& stage : profile.stages) {
    CheckBlock(absl::StrCat("stage '", stage.name, "'"), stage.counters, listed, findings);
    CheckWaits(stage, findings);
    Add(sum, stage.counters.reasons);
  }
  const Split& totals = profile.totals.counters.reasons;
  if (totals.empty() || sum.size() != totals.size()) return;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    findings.Equal(
        "PV04",
        absl::StrCat("reason '", Absl(emulator::kReasonNames[i]), "': stages sum != totals"),
        sum[i], totals[i]);
  }
  findings.Equal("PV04", "reason 'other' != 0",
                 totals[static_cast<std::size_t>(emulator::Reason::kOther)], std::uint64_t{0});
}

}  // namespace moescope::profiler
