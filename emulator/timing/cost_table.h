#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/timing/cost_formula.h"
#include "emulator/timing/latency_profile.h"
#include "isa/instruction_set.h"
#include "isa/table.h"

namespace moescope::emulator {

// What one instruction costs in the chosen latency profile, overrides applied.
struct OpCost {
  Cycle result = 1;                       // after it a consumer may be accepted
  Cycle interval = 1;                     // after it the next independent operation of the unit
  Cycle first_of_tile = 0;                // added to both for the first operation of a tile
  std::uint32_t slots = 1;                // of the front end
  CostClass label = CostClass::kDerived;  // extrapolated when used outside its domain
  std::string source;
  std::string assumption;        // id, or empty
  Domain domain = Domain::kAny;  // of a measured law
  std::string result_formula;    // as written
  std::string interval_formula;
  bool per_expert = false;  // the two depend on the expert count
};

// Where an override is wrong, and what it must be.
struct CostProblem {
  enum class Field : std::uint8_t { kMnemonic, kResult, kInterval, kLabel };
  std::size_t index = 0;  // into MachineDescription::costs
  Field field = Field::kMnemonic;
  std::string requirement;
  bool is_unknown = false;  // of kMnemonic: no such instruction
};

class CostTable {
 public:
  // The first problem of the machine's overrides.
  static std::optional<CostProblem> FindProblem(const MachineDescription& machine);

  // The costs of every instruction of `set`, by its timing class. An override of the machine names
  // a built-in instruction and holds for the row that has its meaning. The overrides must be
  // without problem.
  explicit CostTable(const MachineDescription& machine,
                     const isa::InstructionSet& set = isa::InstructionSet::Builtin());

  // H_* have no entry: their cost is the DMA engine's.
  static bool Has(const isa::Instruction& instruction) {
    return instruction.timing < isa::TimingClass::kPrefetchMatrix;
  }
  // Entry of row `index` of the set.
  const OpCost& Of(std::size_t index) const { return costs_[index]; }

  // Cycles for an expert count, of an entry with per_expert.
  Cycle Result(std::size_t index, std::uint32_t experts) const;
  Cycle Interval(std::size_t index, std::uint32_t experts) const;

 private:
  struct PerExpert {
    std::size_t index = 0;
    CostFormula result;
    CostFormula interval;
  };
  const PerExpert& FormulasOf(std::size_t index) const;
  Cycle Evaluate(const CostFormula& formula, std::uint32_t experts) const;
  void Fill(std::size_t index, std::string_view result, std::string_view interval);
  void Override(const CostOverride& override, const isa::InstructionSet& set);

  CostValues values_{};
  std::vector<OpCost> costs_;
  std::vector<PerExpert> per_expert_;
};

// The values of the names that formulas of this machine use; N is 0.
CostValues CostValuesOf(const MachineDescription& machine);

// Row of the built-in table with this mnemonic, in any case, or none.
std::optional<std::size_t> BuiltinIndexOf(std::string_view mnemonic);

}  // namespace moescope::emulator
