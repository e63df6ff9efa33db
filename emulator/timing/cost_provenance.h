#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/timing/cost_table.h"
#include "emulator/timing/op_info.h"
#include "isa/program.h"

namespace moescope::emulator {

// Where the costs of a program's instructions come from: the class of every word, the assumptions
// in force and the shapes behind each measured law (timing.md, 1.5 and 7.7). The class of an
// instruction is the weakest of the parameters that set its cost.
class CostProvenance {
 public:
  // `costs` and `infos` are of the same instruction set.
  CostProvenance(const MachineDescription& machine, const CostTable& costs,
                 const OpInfoTable& infos)
      : machine_(machine), costs_(costs), infos_(infos) {}

  // The slots of V ops with three addresses rest on this assumption.
  void AssumeThreeAddress(std::string_view id) { three_address_ = id; }
  // H_* are timed by engines with these options.
  void AssumeDma(const DmaOptions& options);
  // H_* rest on this assumption alone.
  void AssumeDma(std::string_view id) { dma_ = {std::string(id)}; }
  // The modelled hardware has no instruction with these meanings.
  void Unsupport(std::set<std::string_view> semantics) { unsupported_ = std::move(semantics); }
  // Masked V ops are not in the modelled hardware.
  void UnsupportMasks() { masks_unsupported_ = true; }

  // Fills cost_class, assumptions and laws, by the set of the tables.
  void Describe(const isa::Program& program, RunDescription& description) const;

 private:
  CostClass ClassOf(const isa::Instruction& row, const OpInfo& info,
                    const isa::Operands& operands) const;

  const MachineDescription& machine_;
  const CostTable& costs_;
  const OpInfoTable& infos_;
  std::string three_address_;
  std::vector<std::string> dma_;
  std::set<std::string_view> unsupported_;
  bool masks_unsupported_ = false;
};

}  // namespace moescope::emulator
