#include <algorithm>

#include "moe/emit/mapper.h"

namespace moescope::moe {

VramMatrix Mapper::Rows(std::uint32_t physical_rows, std::uint32_t blocks) {
  const VramMatrix matrix{static_cast<std::uint32_t>(vram_next_), physical_rows, blocks, map_.m};
  vram_next_ += std::uint64_t{physical_rows} * blocks * map_.m;
  return matrix;
}

// Physical rows of a projection's output: the K-chunk add of `tile` runs over all M rows. The other
// kinds keep them, so that the option changes the projection and nothing else.
std::uint32_t Mapper::OutputRows(std::uint32_t rows) const { return std::max(map_.m, rows); }

// Rows that hold the keys of one group, or the scores of all groups.
std::uint32_t Mapper::GroupBlocks() const {
  const auto groups = static_cast<std::uint32_t>(layer_.router.groups);
  if (groups == 1) return 1;
  const std::uint32_t size = static_cast<std::uint32_t>(layer_.shape.experts) / groups;
  return (std::max(size, groups) + map_.m - 1) / map_.m;
}

void Mapper::MapVramImage() {
  const auto experts = static_cast<std::uint32_t>(layer_.shape.experts);
  const std::uint32_t hidden = static_cast<std::uint32_t>(layer_.shape.hidden) / map_.m;
  const std::uint32_t intermediate = static_cast<std::uint32_t>(layer_.shape.intermediate) / map_.m;
  if (map_.router.has_value()) {
    RouterPlaces& router = *map_.router;
    router.logit_blocks = (experts + map_.m - 1) / map_.m;
    if (router.path == RouterPath::kDot) router.weights = Rows(experts, hidden);
    if (layer_.router.logit_bias) router.bias = Rows(router.logit_blocks, 1).base;
    if (layer_.router.correction_bias) router.correction = Rows(router.logit_blocks, 1).base;
  }
  if (layer_.expert_bias) {
    map_.gate_bias = Rows(experts, intermediate).base;
    map_.up_bias = Rows(experts, intermediate).base;
    map_.down_bias = Rows(experts, hidden).base;
  }
  if (map_.shared.has_value() && layer_.shared->gate) {
    map_.shared->gate_vector = Rows(1, hidden).base;
  }
  if (lowering_.residual == Residual::kNorm) map_.norm_weight = Rows(1, hidden).base;
  map_.vram_image_elements = static_cast<std::uint32_t>(vram_next_);
}

void Mapper::MapVramWork() {
  const std::uint32_t hidden = static_cast<std::uint32_t>(layer_.shape.hidden) / map_.m;
  if (map_.loads_x) map_.x = Rows(map_.token_rows, hidden);
  if (lowering_.residual != Residual::kNone) map_.residual = Rows(map_.token_rows, hidden);
  if (lowering_.residual == Residual::kNorm) map_.norm_scratch = Rows(1, 1).base;
  if (map_.router.has_value()) {
    RouterPlaces& router = *map_.router;
    router.scratch = Rows(GroupBlocks(), 1).base;
    router.keys = Rows(router.logit_blocks, 1).base;
    router.logits = Rows(map_.tokens * router.logit_blocks, 1).base;
    if (router.path == RouterPath::kMatrix) {
      router.matrix_logits = Rows(map_.token_rows, router.logit_blocks);
    }
  }
  map_.accumulator = Rows(map_.token_rows, hidden);
  for (Slot& slot : map_.slots) MapSlotRows(slot);
  if (map_.shared.has_value()) MapSharedRows();
  map_.vram_elements = static_cast<std::uint32_t>(vram_next_);
}

void Mapper::MapSlotRows(Slot& slot) {
  const std::uint32_t hidden = static_cast<std::uint32_t>(layer_.shape.hidden) / map_.m;
  const std::uint32_t intermediate = static_cast<std::uint32_t>(layer_.shape.intermediate) / map_.m;
  const std::uint32_t output_rows = OutputRows(slot.rows);
  // A prefetch brings B rows, of which the first is wanted: with several rows in a slot the others
  // need room, or they would overwrite live rows of the next column block.
  const bool one_row = slot.pairs.size() == 1 || lowering_.gather == GatherSource::kVram;
  slot.gather = Rows(one_row ? slot.rows : slot.rows + map_.b, hidden);
  slot.gate = Rows(output_rows, intermediate);
  slot.up = Rows(output_rows, intermediate);
  slot.scratch = Rows(slot.rows, intermediate);
  slot.temp = Rows(output_rows, 1);
  slot.out = Rows(output_rows, hidden);
  const bool pre = lowering_.weighting == ProgramWeighting::kPre;
  slot.route = Rows(slot.rows, pre ? intermediate : hidden);
}

void Mapper::MapSharedRows() {
  SharedPlaces& shared = *map_.shared;
  const std::uint32_t output_rows = OutputRows(map_.token_rows);
  const std::uint32_t width = shared.down.contraction_tiles;
  shared.gate_rows = Rows(output_rows, width);
  shared.up_rows = Rows(output_rows, width);
  shared.scratch = Rows(map_.token_rows, width);
  shared.temp = Rows(output_rows, 1);
  shared.out = Rows(output_rows, shared.down.output_tiles);
}

}  // namespace moescope::moe
