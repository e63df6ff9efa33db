#include "emulator/timing/cost_table.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {
namespace {

constexpr std::uint32_t kMostExperts = (1u << 24) - 1;  // what the TOPK register can hold
constexpr std::int64_t kLongest = 0xFFFFFFFF;

void Set(CostValues& values, CostVariable variable, std::uint32_t value) {
  values[static_cast<std::size_t>(variable)] = value;
}

bool InFrontEnd(const isa::Instruction& instruction) {
  return instruction.timing >= isa::TimingClass::kInteger;
}

std::optional<CostClass> LabelNamed(std::string_view name) {
  for (const CostClass c : {CostClass::kMeasured, CostClass::kDerived, CostClass::kAssumed}) {
    if (Name(c) == name) return c;
  }
  return std::nullopt;
}

bool HasAny(std::string_view text, std::string_view characters) {
  return text.find_first_of(characters) != std::string_view::npos;
}

// What `text` must be to give 1..2^32-1 cycles for this instruction; empty when it does.
std::string FormulaProblem(const std::string& text, const isa::Instruction& instruction,
                           CostValues values) {
  const auto formula = CostFormula::Parse(text);
  if (!formula.ok()) return std::string(formula.status().message());
  const bool per_expert = formula->Uses(CostVariable::kN);
  if (per_expert && instruction.timing != isa::TimingClass::kTopK) {
    return "must not use N: only V_TOPK has an expert count";
  }
  if (per_expert && HasAny(text, "-/")) {
    return "with N must use +, *, clog2 and max only";
  }
  // Without - and / the value rises with N.
  for (const std::uint32_t experts : {1u, kMostExperts}) {
    Set(values, CostVariable::kN, experts);
    const auto value = formula->Evaluate(values);
    if (!value.ok()) return std::string(value.status().message());
    if (*value < 1 || (*value > kLongest && !per_expert)) {
      return absl::StrFormat("must give 1 to 4294967295 cycles, not %d", *value);
    }
    if (!per_expert) break;
  }
  return "";
}

}  // namespace

CostValues CostValuesOf(const MachineDescription& machine) {
  CostValues values{};
  Set(values, CostVariable::kB, machine.shape.blen);
  Set(values, CostVariable::kM, machine.shape.mlen);
  Set(values, CostVariable::kV, machine.shape.vlen);
  Set(values, CostVariable::kH, machine.shape.broadcast);
  constexpr std::pair<CostVariable, LatencyKey> kKeys[] = {
      {CostVariable::kOverhead, LatencyKey::kSystolicProcessingOverhead},
      {CostVariable::kAdd, LatencyKey::kVectorAdd},
      {CostVariable::kMul, LatencyKey::kVectorMul},
      {CostVariable::kExp, LatencyKey::kVectorExp},
      {CostVariable::kReci, LatencyKey::kVectorReci},
      {CostVariable::kMax, LatencyKey::kVectorMax},
      {CostVariable::kSum, LatencyKey::kVectorSum},
      {CostVariable::kShift, LatencyKey::kVectorShift},
      {CostVariable::kScalarBasic, LatencyKey::kScalarFpBasic},
      {CostVariable::kScalarExp, LatencyKey::kScalarFpExp},
      {CostVariable::kScalarReci, LatencyKey::kScalarFpReci},
      {CostVariable::kScalarSqrt, LatencyKey::kScalarFpSqrt}};
  for (const auto& [variable, key] : kKeys) {
    // The library's formulas are about its own column, whatever DC_EN says.
    const bool library = machine.profile == LatencyProfile::kLibrary;
    Set(values, variable,
        library ? machine.latency[static_cast<std::size_t>(key)].enabled : machine.Latency(key));
  }
  return values;
}

std::optional<std::size_t> BuiltinIndexOf(std::string_view mnemonic) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  const isa::Instruction* row = set.Find(mnemonic);
  if (row == nullptr) return std::nullopt;
  return set.IndexOf(row);
}

std::optional<CostProblem> CostTable::FindProblem(const MachineDescription& machine) {
  using Field = CostProblem::Field;
  const CostValues values = CostValuesOf(machine);
  for (std::size_t i = 0; i < machine.costs.size(); ++i) {
    const CostOverride& override = machine.costs[i];
    const auto index = BuiltinIndexOf(override.mnemonic);
    if (!index) return CostProblem{i, Field::kMnemonic, "is not an instruction", true};
    const isa::Instruction& instruction = isa::kInstructions[*index];
    if (!Has(instruction)) {
      return CostProblem{
          i, Field::kMnemonic,
          "has no cost of its own: see [MOESCOPE.timing.pipelined] and [MOESCOPE.hbm]"};
    }
    for (const auto& [field, text] : {std::pair{Field::kResult, &override.result},
                                      std::pair{Field::kInterval, &override.interval}}) {
      const std::string requirement = FormulaProblem(*text, instruction, values);
      if (!requirement.empty()) return CostProblem{i, field, requirement};
    }
    if (InFrontEnd(instruction) && override.result != override.interval) {
      return CostProblem{i, Field::kInterval,
                         "must equal result: the instruction executes in the front end"};
    }
    if (!LabelNamed(override.label)) {
      return CostProblem{i, Field::kLabel, "must be measured, derived or assumed"};
    }
  }
  return std::nullopt;
}

CostTable::CostTable(const MachineDescription& machine, const isa::InstructionSet& set)
    : values_(CostValuesOf(machine)), costs_(set.instructions().size()) {
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const isa::Instruction& instruction = set.instructions()[i];
    if (!Has(instruction)) continue;
    const ProfileEntry& entry = EntryOf(instruction.timing, machine.profile);
    OpCost& cost = costs_[i];
    cost.slots = entry.slots;
    cost.label = entry.label;
    cost.source = entry.source;
    cost.assumption = entry.assumption;
    cost.domain = entry.domain;
    if (cost.label == CostClass::kMeasured && !IsInside(cost.domain, machine.shape)) {
      cost.label = CostClass::kExtrapolated;
    }
    Fill(i, entry.result, entry.interval.empty() ? entry.result : entry.interval);
    if (!entry.first_of_tile.empty()) {
      const auto formula = CostFormula::Parse(entry.first_of_tile, CostNames::kBuiltin);
      cost.first_of_tile = static_cast<Cycle>(formula->Evaluate(values_).value());
    }
  }
  for (const CostOverride& override : machine.costs) Override(override, set);
}

void CostTable::Fill(std::size_t index, std::string_view result, std::string_view interval) {
  const auto result_formula = CostFormula::Parse(result, CostNames::kBuiltin);
  const auto interval_formula = CostFormula::Parse(interval, CostNames::kBuiltin);
  CHECK(result_formula.ok() && interval_formula.ok());
  OpCost& cost = costs_[index];
  cost.result_formula = result;
  cost.interval_formula = interval;
  cost.per_expert =
      result_formula->Uses(CostVariable::kN) || interval_formula->Uses(CostVariable::kN);
  if (cost.per_expert) {
    std::erase_if(per_expert_, [index](const PerExpert& entry) { return entry.index == index; });
    per_expert_.push_back({index, *result_formula, *interval_formula});
    return;
  }
  cost.result = Evaluate(*result_formula, 0);
  cost.interval = Evaluate(*interval_formula, 0);
}

void CostTable::Override(const CostOverride& override, const isa::InstructionSet& set) {
  const auto builtin = BuiltinIndexOf(override.mnemonic);
  const auto label = LabelNamed(override.label);
  CHECK(builtin.has_value() && label.has_value());
  const std::string_view meaning = isa::SemanticsOf(isa::kInstructions[*builtin]);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    const isa::Instruction& row = set.instructions()[i];
    if (isa::SemanticsOf(row) != meaning) continue;
    OpCost& cost = costs_[i];
    cost = {};
    cost.label = *label;
    cost.source = override.source;
    Fill(i, override.result, override.interval);
    if (InFrontEnd(row)) cost.slots = static_cast<std::uint32_t>(cost.interval);
  }
}

const CostTable::PerExpert& CostTable::FormulasOf(std::size_t index) const {
  const auto found = std::find_if(per_expert_.begin(), per_expert_.end(),
                                  [index](const PerExpert& entry) { return entry.index == index; });
  CHECK(found != per_expert_.end());
  return *found;
}

// A key of the LATENCY table may be 0; nothing takes less than a cycle.
Cycle CostTable::Evaluate(const CostFormula& formula, std::uint32_t experts) const {
  CostValues values = values_;
  Set(values, CostVariable::kN, experts);
  const auto value = formula.Evaluate(values);
  CHECK(value.ok());
  return static_cast<Cycle>(std::max<std::int64_t>(*value, 1));
}

Cycle CostTable::Result(std::size_t index, std::uint32_t experts) const {
  return Evaluate(FormulasOf(index).result, experts);
}

Cycle CostTable::Interval(std::size_t index, std::uint32_t experts) const {
  return Evaluate(FormulasOf(index).interval, experts);
}

}  // namespace moescope::emulator
