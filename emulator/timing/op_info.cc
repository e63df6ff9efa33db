#include "emulator/timing/op_info.h"

#include <algorithm>
#include <string_view>

#include "emulator/timing/unit_of.h"

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

OpInfo MakeInfo(const isa::Instruction& row, std::size_t index) {
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
  const std::string_view semantics = isa::SemanticsOf(row);
  info.uses_int_memory = semantics == "S_LD_INT" || semantics == "S_ST_INT";
  info.is_break = semantics == "C_BREAK";
  info.is_add_immediate_int = semantics == "S_ADDI_INT";
  info.is_multiply_int = semantics == "S_MUL_INT";
  info.is_loop_end = row.timing == TimingClass::kLoopEnd;
  int vram_addresses = 0;
  for (const isa::Operand& operand : row.operands) AddOperand(info, operand, vram_addresses);
  info.is_three_address = info.is_element && vram_addresses == 3;
  return info;
}

static_assert(static_cast<int>(TimingClass::kMatrixMultiply) % 4 ==
              static_cast<int>(TimingClass::kMatrixWriteOut) % 4);

}  // namespace

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

OpInfoTable::OpInfoTable(const isa::InstructionSet& set) : set_(set) {
  infos_.reserve(set.instructions().size());
  for (const isa::Instruction& row : set.instructions()) {
    infos_.push_back(MakeInfo(row, infos_.size()));
  }
}

}  // namespace moescope::emulator
