#include <algorithm>
#include <limits>

#include "isa/bfloat16.h"
#include "moe/emit/mapper.h"
#include "moe/emit/program_constants.h"

namespace moescope::moe {

void Mapper::Reserve(float value) {
  const auto [place, added] =
      map_.constants.try_emplace(isa::FloatToBf16(value), static_cast<std::uint32_t>(fp_next_));
  if (added) ++fp_next_;
}

void Mapper::ReserveConstants() {
  for (const float value : ActivationConstants(layer_.activation, layer_.clamp)) Reserve(value);
  if (map_.router.has_value()) {
    for (const float value : RouterConstants(layer_.router)) Reserve(value);
  }
  if (layer_.shared.has_value() && layer_.shared->gate) Reserve(1);
  if (lowering_.residual == Residual::kNorm) {
    Reserve(kNormEpsilon);
    Reserve(InverseWidth(layer_.shape.hidden));
  }
}

// The keys of groups come first: mapping the last group to a row reads a whole row of words.
void Mapper::MapFpMemory() {
  const auto experts = static_cast<std::uint64_t>(layer_.shape.experts);
  const auto take = [&](std::uint64_t words) {
    const auto place = static_cast<std::uint32_t>(fp_next_);
    fp_next_ += words;
    return place;
  };
  if (map_.router.has_value()) {
    RouterPlaces& router = *map_.router;
    if (layer_.router.groups > 1) {
      router.fp_keys = take(experts);
      if (layer_.router.correction_bias) router.fp_correction = take(experts);
    }
    if (router.path == RouterPath::kDot) {
      router.fp_logits = take(std::uint64_t{router.logit_blocks} * map_.m);
    }
  }
  map_.zero_row = take(map_.m);
  const bool grouped = map_.router.has_value() && layer_.router.groups > 1;
  if (grouped || lowering_.route_weight == RouteWeight::kBroadcast) {
    map_.broadcast = take(std::uint64_t{grouped ? GroupBlocks() : 1} * map_.m);
  }
  if (grouped) {
    map_.router->fp_groups = map_.broadcast;
    map_.router->fp_scratch = take(static_cast<std::uint64_t>(layer_.router.groups) + 2);
  }
  map_.weights = take(static_cast<std::uint64_t>(shape_.tokens * layer_.shape.top_k));
  if (map_.shared.has_value() && layer_.shared->gate) map_.shared->sigma = take(map_.tokens);
  ReserveConstants();
  map_.fp_words = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(fp_next_, std::numeric_limits<std::uint32_t>::max()));
}

void Mapper::MapIntMemory() {
  const auto take = [&](std::uint64_t words) {
    const auto place = static_cast<std::uint32_t>(int_next_);
    int_next_ += words;
    return place;
  };
  map_.ids = take(static_cast<std::uint64_t>(shape_.tokens * layer_.shape.top_k));
  if (lowering_.gather == GatherSource::kHbm) map_.offsets = take(map_.tokens);
  if (map_.router.has_value() && layer_.router.groups > 1) {
    map_.router->int_scratch = take(static_cast<std::uint64_t>(layer_.router.groups) + 2);
  }
  for (WeightTable* table : {&map_.gate, &map_.up, &map_.down}) {
    const std::uint64_t last = table->base + table->bytes() - 1;
    if (table->base >> 32 != last >> 32) table->window_table = take(2 * table->matrices);
  }
  map_.int_words = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(int_next_, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace moescope::moe
