#include "moe/emit/gather.h"

#include <cstdint>
#include <vector>

#include "moe/emit/rows.h"

namespace moescope::moe {
namespace {

std::uint32_t TokenOf(const Emission& emission, std::int64_t pair) {
  return static_cast<std::uint32_t>(pair / emission.layer.shape.top_k);
}

std::vector<std::uint32_t> RowsBetween(std::size_t first, std::uint32_t last) {
  std::vector<std::uint32_t> rows;
  for (auto row = static_cast<std::uint32_t>(first); row < last; ++row) rows.push_back(row);
  return rows;
}

// Stride, base address of x, and the rows of one pair, block by block.
void PrefetchRow(Emission& emission, const Slot& slot, std::size_t row) {
  Writer w = emission.builder.In(OfPair(stages::kGather, slot, row));
  const std::uint32_t token = TokenOf(emission, slot.pairs[row]);
  const auto base = emission.builder.ar().Take();
  const GpLoan table = emission.TakeGp();
  const GpLoan offset = emission.TakeGp();
  const GpLoan column = emission.TakeGp();
  const GpLoan target = emission.TakeGp();
  w.LoadConstant(table, emission.map.offsets + token);
  w.LoadConstant(column, static_cast<std::uint32_t>(emission.layer.shape.hidden) * 2);
  w.Emit<"C_SET_STRIDE_REG">(column);
  w.LoadAddress(base, emission.map.hbm_x, column, target);
  for (std::uint32_t block = 0; block < slot.gather.blocks; ++block) {
    w.Emit<"S_LD_INT">(offset, table, 0);
    w.LoadConstant(column, block * emission.m() * 2);
    w.Emit<"S_ADD_INT">(offset, offset, column);
    w.LoadConstant(target, slot.gather.Row(block, static_cast<std::uint32_t>(row)));
    w.Emit<"H_PREFETCH_V">(target, offset, base, 1, 0);
  }
}

void AddRow(Emission& emission, const Slot& slot, std::size_t row) {
  Writer w = emission.builder.In(OfPair(stages::kGather, slot, row));
  const std::uint32_t token = TokenOf(emission, slot.pairs[row]);
  const GpLoan target = emission.TakeGp();
  const GpLoan source = emission.TakeGp();
  for (std::uint32_t block = 0; block < slot.gather.blocks; ++block) {
    w.LoadConstant(target, slot.gather.Row(block, static_cast<std::uint32_t>(row)));
    w.LoadConstant(source, emission.map.x.Row(block, token));
    w.Emit<"V_ADD_VV">(target, target, source, 0);
  }
}

}  // namespace

void EmitGatherHbm(Emission& emission, const Slot& slot) {
  for (std::size_t row = 0; row < slot.pairs.size(); ++row) PrefetchRow(emission, slot, row);
  if (emission.lowering.gather_padding == GatherPadding::kSkip) return;
  EmitZeroRows(emission, {slot.gather, RowsBetween(slot.pairs.size(), slot.rows)},
               OfSlot(stages::kGather, slot));
}

void EmitGatherVram(Emission& emission, const Slot& slot) {
  const bool skip = emission.lowering.gather_padding == GatherPadding::kSkip;
  const auto live = static_cast<std::uint32_t>(slot.pairs.size());
  EmitZeroRows(emission, {slot.gather, RowsBetween(0, skip ? live : slot.rows)},
               OfSlot(stages::kGather, slot));
  for (std::size_t row = 0; row < slot.pairs.size(); ++row) AddRow(emission, slot, row);
}

}  // namespace moescope::moe
