#include "moe/emit/weights_emit.h"

#include "moe/emit/rows.h"

namespace moescope::moe {
namespace {

void SetScaleAndStride(Emission& emission, Writer writer, const WeightTable& table) {
  const GpLoan value = emission.TakeGp();
  if (table.scale_offset != 0) {
    writer.LoadConstant(value, table.scale_offset);
    writer.Emit<"C_SET_SCALE_REG">(value);
  }
  writer.LoadConstant(value, table.row_bytes);
  writer.Emit<"C_SET_STRIDE_REG">(value);
}

// base = table + id * stride, all of it inside one window of 4 GiB.
void AddressByProduct(Emission& emission, Writer writer, const ExpertAddressRequest& request,
                      Gp id) {
  const WeightTable& table = request.table;
  const GpLoan product = emission.TakeGp();
  const GpLoan low = emission.TakeGp();
  writer.LoadConstant(product, table.stride);
  writer.Emit<"S_MUL_INT">(product, id, product);
  writer.LoadConstant(low, static_cast<std::uint32_t>(table.base));
  writer.Emit<"S_ADD_INT">(low, low, product);
  const auto upper = static_cast<std::uint32_t>(table.base >> 32);
  if (upper != 0) writer.LoadConstant(product, upper);
  writer.Emit<"C_SET_ADDR_REG">(request.base, upper != 0 ? product.get() : kGp0, low);
}

// base = the two words of the expert in INT_MEM.
void AddressByTable(Emission& emission, Writer writer, const ExpertAddressRequest& request, Gp id) {
  const GpLoan entry = emission.TakeGp();
  const GpLoan low = emission.TakeGp();
  writer.LoadConstant(low, *request.table.window_table);
  writer.Emit<"S_ADD_INT">(entry, id, id);
  writer.Emit<"S_ADD_INT">(entry, entry, low);
  writer.Emit<"S_LD_INT">(low, entry, 0);
  writer.Emit<"S_LD_INT">(entry, entry, 1);
  writer.Emit<"C_SET_ADDR_REG">(request.base, entry, low);
}

}  // namespace

void EmitExpertAddress(Emission& emission, const ExpertAddressRequest& request) {
  Writer writer = emission.builder.In(OfSlot(stages::kExpertWeightAddress, request.slot));
  const GpLoan id = emission.TakeGp();
  writer.LoadConstant(id,
                      emission.map.ids + static_cast<std::uint32_t>(request.slot.pairs.front()));
  writer.Emit<"S_LD_INT">(id, id, 0);
  if (request.table.window_table.has_value()) {
    AddressByTable(emission, writer, request, id);
  } else {
    AddressByProduct(emission, writer, request, id);
  }
  SetScaleAndStride(emission, writer, request.table);
}

void EmitStaticAddress(Emission& emission, const StaticAddressRequest& request,
                       const stages::Attribution& at) {
  CheckStage(at, {stages::kSharedExpert, stages::kSharedGate, stages::kRouterTopk});
  Writer writer = emission.builder.In(at);
  {
    const GpLoan high = emission.TakeGp();
    const GpLoan low = emission.TakeGp();
    writer.LoadAddress(request.base, request.table.base, high, low);
  }
  SetScaleAndStride(emission, writer, request.table);
}

void EmitWeightPrefetch(Emission& emission, const PrefetchRequest& request,
                        const stages::Attribution& at) {
  CheckStage(at, {stages::kExpertWeightPrefetch, stages::kSharedExpert, stages::kRouterTopk});
  Writer writer = emission.builder.In(at);
  const std::uint32_t m = emission.m();
  const std::uint32_t precision = request.table.second_precision ? 1 : 0;
  const GpLoan tile = emission.TakeGp();
  const GpLoan offset = emission.TakeGp();
  for (std::uint32_t i = 0; i < request.count; ++i) {
    writer.LoadConstant(tile, (request.mram_tile + i) * m * m);
    writer.LoadConstant(offset, request.table.TileOffset(request.first + i, request.output, m));
    writer.Emit<"H_PREFETCH_M">(tile, offset, request.base, 1, precision);
  }
}

}  // namespace moescope::moe
