#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "moe/workload.h"

namespace moescope::moe {
namespace {

constexpr std::array<std::string_view, 9> kNames = {
    "balanced", "uniform", "hot", "ragged", "empty", "single", "rotating", "burst", "replay"};

absl::Status Malformed(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("workload '", Absl(text), "': ", Absl(why), " (--workload) [RC050]"));
}

// "name(a,b)" as name and {a, b}; "name" has no arguments.
struct Call {
  std::string name;
  std::vector<std::string> arguments;
};

absl::StatusOr<Call> ParseCall(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return Call{std::string(text), {}};
  if (text.back() != ')') return Malformed(text, "expected ')' at the end");
  Call call{std::string(text.substr(0, open)), {}};
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (!inside.empty()) call.arguments = absl::StrSplit(Absl(inside), ',');
  return call;
}

absl::Status ReadInteger(std::string_view text, std::string_view value, std::int64_t& target) {
  if (absl::SimpleAtoi(Absl(value), &target) && target >= 0) return absl::OkStatus();
  return Malformed(text, absl::StrCat("'", Absl(value), "' is not a count"));
}

absl::Status ReadProbability(std::string_view text, std::string_view value, double& target) {
  if (absl::SimpleAtod(Absl(value), &target) && target >= 0 && target <= 1) return absl::OkStatus();
  return Malformed(text, absl::StrCat("'", Absl(value), "' is not a probability from 0 to 1"));
}

// Which "key=" arguments a kind takes.
absl::Status ReadParameter(std::string_view text, std::string_view argument, Workload& workload) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(Absl(argument), absl::MaxSplits('=', 1));
  const auto& [key, value] = parts;
  const WorkloadKind kind = workload.kind;
  if (key == "p" && kind == WorkloadKind::kHot) {
    return ReadProbability(text, value, workload.probability);
  }
  if (key == "n" && (kind == WorkloadKind::kHot || kind == WorkloadKind::kRotating)) {
    std::int64_t count = 0;
    RETURN_IF_ERROR(ReadInteger(text, value, count));
    if (count > 65535) return Malformed(text, "n is above 65535");
    workload.hot_experts = static_cast<int>(count);
    return absl::OkStatus();
  }
  if (key == "period" && kind == WorkloadKind::kRotating) {
    return ReadInteger(text, value, workload.period);
  }
  if (kind == WorkloadKind::kBurst && key == "length") {
    return ReadInteger(text, value, workload.length);
  }
  if (kind == WorkloadKind::kBurst && key == "gap") return ReadInteger(text, value, workload.gap);
  return Malformed(text, absl::StrCat("unknown parameter '", Absl(argument), "'"));
}

absl::Status ReadArguments(std::string_view text, const Call& call, Workload& workload) {
  if (workload.kind == WorkloadKind::kEmpty) {
    workload.empty = call.arguments;
    if (workload.empty.empty()) workload.empty = {"first"};
    return absl::OkStatus();
  }
  if (workload.kind == WorkloadKind::kReplay) {
    workload.file = absl::StrJoin(call.arguments, ",");
    return workload.file.empty() ? Malformed(text, "expected replay(FILE)") : absl::OkStatus();
  }
  for (const std::string& argument : call.arguments) {
    RETURN_IF_ERROR(ReadParameter(text, argument, workload));
  }
  return absl::OkStatus();
}

std::string Arguments(const Workload& workload) {
  switch (workload.kind) {
    case WorkloadKind::kHot:
      return absl::StrCat("(p=", workload.probability, ",n=", workload.hot_experts, ")");
    case WorkloadKind::kRotating:
      return absl::StrCat("(n=", workload.hot_experts, ",period=", workload.period, ")");
    case WorkloadKind::kBurst:
      return absl::StrCat("(length=", workload.length, ",gap=", workload.gap, ")");
    case WorkloadKind::kEmpty:
      return absl::StrCat("(", absl::StrJoin(workload.empty, ","), ")");
    case WorkloadKind::kReplay:
      return absl::StrCat("(", workload.file, ")");
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<Workload> ParseWorkload(std::string_view text) {
  Workload workload;
  std::string_view base = text;
  if (const std::size_t plus = text.rfind("+masked"); plus != std::string_view::npos) {
    ASSIGN_OR_RETURN(const Call mask, ParseCall(text.substr(plus + 1)));
    if (mask.name != "masked" || mask.arguments.size() != 1) {
      return Malformed(text, "expected +masked(PROBABILITY)");
    }
    RETURN_IF_ERROR(ReadProbability(text, mask.arguments.front(), workload.masked));
    base = text.substr(0, plus);
  }
  ASSIGN_OR_RETURN(const Call call, ParseCall(base));
  std::size_t kind = 0;
  while (kind < kNames.size() && kNames[kind] != call.name) ++kind;
  if (kind == kNames.size()) {
    return Malformed(text,
                     absl::StrCat("unknown kind '", call.name, "'", DidYouMean(call.name, kNames)));
  }
  workload.kind = static_cast<WorkloadKind>(kind);
  RETURN_IF_ERROR(ReadArguments(text, call, workload));
  return workload;
}

std::string Format(const Workload& workload) {
  std::string text =
      absl::StrCat(Absl(kNames[static_cast<std::size_t>(workload.kind)]), Arguments(workload));
  if (workload.masked > 0) absl::StrAppend(&text, "+masked(", workload.masked, ")");
  return text;
}

}  // namespace moescope::moe
