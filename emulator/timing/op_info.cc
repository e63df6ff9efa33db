#include "emulator/timing/op_info.h"

#include <algorithm>
#include <functional>

#include "emulator/timing/unit_of.h"
#include "isa/instruction_set.h"
#include "isa/table.h"

namespace moescope::emulator {
namespace {

using isa::OperandKind;
using isa::TimingClass;

void AddOperand(OpInfo& info, const isa::Operand& operand, int& vram_addresses) {
  switch (operand.kind) {
    case OperandKind::kVectorSource:
    case OperandKind::kVectorDestination:
      ++vram_addresses;
      return;
    case OperandKind::kFpDestination:
      info.fp_destination = operand.field;
      break;
    case OperandKind::kFpAccumulator:
      info.fp_destination = operand.field;
      [[fallthrough]];
    case OperandKind::kFpSource:
      *std::find(info.fp_sources.begin(), info.fp_sources.end(), '\0') = operand.field;
      break;
    default:
      return;
  }
  info.has_fp_operand = true;
}

OpInfo MakeInfo(std::size_t index) {
  const isa::Instruction& row = isa::kInstructions[index];
  OpInfo info;
  info.index = static_cast<std::uint16_t>(index);
  info.timing = row.timing;
  info.has_unit = HasUnit(row.timing);
  if (info.has_unit) info.unit = UnitOf(row.timing);
  info.is_dma = row.timing >= TimingClass::kPrefetchMatrix;
  if (row.timing == TimingClass::kPrefetchVector) info.dma = DmaKind::kPrefetchVector;
  if (row.timing == TimingClass::kStoreVector) info.dma = DmaKind::kStoreVector;
  info.is_compute = info.has_unit && info.unit == Unit::kMxCompute;
  info.is_write_out = info.has_unit && info.unit == Unit::kMxWriteout;
  if (info.is_compute || info.is_write_out) {
    info.accumulator = static_cast<std::uint8_t>(static_cast<int>(row.timing) % 4);
  }
  info.is_element = info.has_unit && info.unit == Unit::kVxElem;
  info.is_topk = row.timing == TimingClass::kTopK;
  info.is_vector = info.has_unit && (info.is_element || info.unit == Unit::kVxRed);
  info.is_reduction = info.is_vector && !info.is_element && !info.is_topk;
  info.is_vector_scalar = row.timing == TimingClass::kVectorAddScalar ||
                          row.timing == TimingClass::kVectorMultiplyScalar ||
                          row.timing == TimingClass::kVectorMax;
  info.is_map = row.timing == TimingClass::kMap;
  info.is_scalar_fp = info.has_unit && row.timing >= TimingClass::kScalarAdd;
  info.is_scalar_arithmetic = info.is_scalar_fp && info.unit != Unit::kSxSram;
  info.uses_int_memory = row.mnemonic == "S_LD_INT" || row.mnemonic == "S_ST_INT";
  info.is_loop_end = row.timing == TimingClass::kLoopEnd;
  int vram_addresses = 0;
  for (const isa::Operand& operand : row.operands) AddOperand(info, operand, vram_addresses);
  info.is_three_address = info.is_element && vram_addresses == 3;
  return info;
}

std::array<OpInfo, isa::kInstructionCount> MakeInfos() {
  std::array<OpInfo, isa::kInstructionCount> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = MakeInfo(i);
  return infos;
}

static_assert(static_cast<int>(TimingClass::kMatrixMultiply) % 4 ==
              static_cast<int>(TimingClass::kMatrixWriteOut) % 4);

}  // namespace

const OpInfo& OpInfoOf(std::size_t index) {
  static const std::array<OpInfo, isa::kInstructionCount> infos = MakeInfos();
  return infos[index];
}

DmaRequest MakeRequest(const Executed& executed, const OpInfo& info, std::uint32_t rows_per_tile,
                       Cycle cycle) {
  const Access& access = *executed.access;
  DmaRequest request{.sequence = executed.sequence,
                     .pc = executed.pc,
                     .kind = info.dma,
                     .accepted = cycle,
                     .transfer = access.transfer};
  switch (info.dma) {
    case DmaKind::kPrefetchMatrix:
      request.first_row = access.mram_write.first * rows_per_tile;
      break;
    case DmaKind::kPrefetchVector:
      request.first_row = access.vram_write.first;
      break;
    case DmaKind::kStoreVector:
      request.first_row = access.vram_read[0].first;
      break;
  }
  return request;
}

const OpInfo* OpInfoCache::Find(const isa::Instruction* instruction) {
  const auto& builtin = isa::InstructionSet::Builtin().instructions();
  const std::less<const isa::Instruction*> before;
  if (!before(instruction, builtin.data()) &&
      before(instruction, builtin.data() + builtin.size())) {
    return &OpInfoOf(static_cast<std::size_t>(instruction - builtin.data()));
  }
  for (const auto& [known, info] : foreign_) {
    if (known == instruction) return info;
  }
  const auto index = BuiltinIndexOf(instruction->mnemonic);
  const OpInfo* info = index ? &OpInfoOf(*index) : nullptr;
  foreign_.emplace_back(instruction, info);
  return info;
}

}  // namespace moescope::emulator
