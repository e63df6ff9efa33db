#include "emulator/machine_override.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/number.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "emulator/machine_keys.h"

namespace moescope::emulator {

namespace {

std::optional<isa::ElementType> ParseElementText(std::string_view name) {
  if (name == "BF16") return isa::kBf16;
  if (name == "FP16") return isa::kFp16;
  if (name == "INT8") return isa::kInt8;
  const std::size_t m = name.find('M');
  int exponent = 0;
  int mantissa = 0;
  if (!name.starts_with('E') || m == std::string_view::npos ||
      !absl::SimpleAtoi(Absl(name.substr(1, m - 1)), &exponent) ||
      !absl::SimpleAtoi(Absl(name.substr(m + 1)), &mantissa) || exponent < 0 || exponent > 16 ||
      mantissa < 0 || mantissa > 16) {
    return std::nullopt;
  }
  return isa::Fp(true, exponent, mantissa);
}

std::string Named(const MachineKey& key, std::string_view value, std::string_view problem) {
  return absl::StrCat(key.FilePath(), " = ", Absl(value), ": ", Absl(problem));
}

std::optional<OverrideProblem> SetInteger(MachineDescription& machine, const MachineKey& key,
                                          std::string_view value) {
  const absl::StatusOr<std::uint64_t> number = ParseNumber(value);
  if (!number.ok()) return OverrideProblem{Named(key, value, "must be an integer"), "CF004"};
  if (*number > key.largest) {
    return OverrideProblem{Named(key, value, absl::StrCat("must be at most ", key.largest)),
                           "CF013"};
  }
  key.set_integer(machine, *number);
  return std::nullopt;
}

std::optional<OverrideProblem> SetBoolean(MachineDescription& machine, const MachineKey& key,
                                          std::string_view value) {
  if (value != "true" && value != "false") {
    return OverrideProblem{Named(key, value, "must be true or false"), "CF004"};
  }
  key.set_integer(machine, value == "true" ? 1 : 0);
  return std::nullopt;
}

std::optional<OverrideProblem> SetText(MachineDescription& machine, const MachineKey& key,
                                       std::string_view value) {
  if (std::find(key.choices.begin(), key.choices.end(), value) == key.choices.end()) {
    return OverrideProblem{
        Named(
            key, value,
            absl::StrCat("must be one of ",
                         absl::StrJoin(key.choices, ", ",
                                       [](std::string* out, auto choice) { out->append(choice); }),
                         DidYouMean(value, key.choices))),
        "CF007"};
  }
  key.set_text(machine, value);
  return std::nullopt;
}

std::optional<OverrideProblem> SetFloat(MachineDescription& machine, const MachineKey& key,
                                        std::string_view value) {
  float number = 0;
  const std::from_chars_result result =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (result.ec != std::errc() || result.ptr != value.data() + value.size()) {
    return OverrideProblem{Named(key, value, "must be a number"), "CF004"};
  }
  key.set_float(machine, number);
  return std::nullopt;
}

std::optional<OverrideProblem> SetFormat(MachineDescription& machine, const MachineKey& key,
                                         std::string_view value) {
  const std::optional<isa::TensorFormat> format = ParseTensorFormatText(value);
  if (!format) {
    return OverrideProblem{Named(key, value, "must be like \"Plain BF16\" or \"Mx E4M3 block 8\""),
                           "CF004"};
  }
  if (key.bf16_only && *format != isa::Plain(isa::kBf16)) {
    return OverrideProblem{Named(key, value, "must be Plain BF16"), "CF016"};
  }
  key.set_format(machine, *format);
  return std::nullopt;
}

OverrideProblem NoSuchKey(std::string_view name, const KeyMatch& match) {
  if (!match.candidates.empty()) {
    return {absl::StrCat("key '", Absl(name), "' is ambiguous: ",
                         absl::StrJoin(match.candidates, ", ",
                                       [](std::string* out, std::string_view candidate) {
                                         out->append(candidate);
                                       })),
            "CF010"};
  }
  std::vector<std::string> tails;
  for (const MachineKey& key : MachineKeys()) {
    tails.push_back(key.path.substr(key.path.rfind('.') + 1));
    tails.push_back(key.path);
  }
  const std::vector<std::string_view> candidates(tails.begin(), tails.end());
  return {absl::StrCat("unknown key '", Absl(name), "'", DidYouMean(name, candidates)), "CF009"};
}

}  // namespace

std::optional<isa::TensorFormat> ParseTensorFormatText(std::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(Absl(text), ' ');
  if (words.size() < 2) return std::nullopt;
  const std::optional<isa::ElementType> element = ParseElementText(words[1]);
  if (!element) return std::nullopt;
  if (words.size() == 2 && words[0] == "Plain") return isa::Plain(*element);
  std::uint32_t block = 0;
  if (words.size() != 4 || words[0] != "Mx" || words[2] != "block" ||
      !absl::SimpleAtoi(words[3], &block) || block == 0) {
    return std::nullopt;
  }
  return isa::Mx(*element, block);
}

std::optional<OverrideProblem> SetMachineKey(MachineDescription& machine, std::string_view name,
                                             std::string_view value, std::string& path) {
  const KeyMatch match = FindMachineKey(name);
  if (match.key == nullptr) return NoSuchKey(name, match);
  const MachineKey& key = *match.key;
  path = key.path;
  switch (key.kind) {
    case KeyKind::kInteger:
      return SetInteger(machine, key, value);
    case KeyKind::kBoolean:
      return SetBoolean(machine, key, value);
    case KeyKind::kText:
      return SetText(machine, key, value);
    case KeyKind::kFloat:
      return SetFloat(machine, key, value);
    case KeyKind::kFormat:
      return SetFormat(machine, key, value);
  }
  return std::nullopt;
}

}  // namespace moescope::emulator
