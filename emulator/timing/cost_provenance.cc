#include "emulator/timing/cost_provenance.h"

#include <algorithm>

#include "isa/instruction_set.h"

namespace moescope::emulator {
namespace {

CostClass Weaker(CostClass a, CostClass b) { return std::max(a, b); }

bool IsMasked(const isa::Instruction& row, const isa::Operands& operands) {
  return operands.rs3 != 0 &&
         std::any_of(row.operands.begin(), row.operands.end(), [](const isa::Operand& operand) {
           return operand.kind == isa::OperandKind::kMask;
         });
}

}  // namespace

void CostProvenance::AssumeDma(const DmaOptions& options) {
  dma_.clear();
  if (machine_.hbm.model == HbmModelKind::kFixed) {
    dma_.push_back("A10");
    return;
  }
  if (options.merge_lines) dma_.push_back("A08");
  dma_.push_back("A09");
  if (machine_.hbm.model == HbmModelKind::kFast) dma_.push_back("A11");
}

CostClass CostProvenance::ClassOf(const isa::Instruction& row, const OpInfo& info,
                                  const isa::Operands& operands) const {
  if (unsupported_.contains(isa::SemanticsOf(row))) return CostClass::kUnsupported;
  if (masks_unsupported_ && IsMasked(row, operands)) return CostClass::kUnsupported;
  if (info.is_dma) return dma_.empty() ? CostClass::kDerived : CostClass::kAssumed;
  const CostClass own = costs_.Of(info.index).label;
  if (info.is_three_address && !three_address_.empty()) return Weaker(own, CostClass::kAssumed);
  return own;
}

void CostProvenance::Describe(const isa::Program& program, RunDescription& description) const {
  const isa::InstructionSet& set = infos_.set();
  std::set<std::string> assumptions;
  std::vector<bool> present(set.instructions().size(), false);
  description.cost_class.clear();
  description.cost_class.reserve(program.words.size());
  for (const std::uint32_t word : program.words) {
    const isa::Decoded decoded = set.Decode(word);
    if (decoded.problem != isa::DecodeProblem::kNone) {
      description.cost_class.push_back(CostClass::kUnsupported);
      continue;
    }
    const OpInfo& info = infos_.Of(decoded.instruction);
    description.cost_class.push_back(ClassOf(*decoded.instruction, info, decoded.operands));
    present[info.index] = true;
    if (info.is_dma) {
      assumptions.insert(dma_.begin(), dma_.end());
      continue;
    }
    const std::string& own = costs_.Of(info.index).assumption;
    if (!own.empty()) assumptions.insert(own);
    if (info.is_three_address && !three_address_.empty()) assumptions.insert(three_address_);
  }
  description.assumptions.assign(assumptions.begin(), assumptions.end());
  for (std::size_t i = 0; i < present.size(); ++i) {
    const OpCost& cost = costs_.Of(i);
    const bool measured =
        cost.label == CostClass::kMeasured || cost.label == CostClass::kExtrapolated;
    if (!present[i] || infos_.At(i).is_dma || !measured || cost.domain == Domain::kAny) continue;
    description.laws.emplace_back(std::string(set.instructions()[i].mnemonic),
                                  std::string(DomainText(cost.domain)));
  }
}

}  // namespace moescope::emulator
