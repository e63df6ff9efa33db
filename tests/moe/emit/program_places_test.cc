#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/moe/emit/sweep.h"

// Where a program keeps things, over seeded points of the whole product: nothing overlaps that is
// alive at the same time, everything is inside its memory, and the sizes are what moe.md says.

namespace moescope::moe {
namespace {

// [begin, end) of a named place in one memory.
struct Place {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Places {
 public:
  void Add(std::string name, std::uint64_t begin, std::uint64_t size) {
    if (size > 0) places_.push_back({std::move(name), begin, begin + size});
  }
  void Add(std::string name, const VramMatrix& matrix) {
    Add(std::move(name), matrix.base,
        std::uint64_t{matrix.physical_rows} * matrix.blocks * matrix.m);
  }
  void Add(const WeightTable& table) { Add(table.name, table.base, table.bytes()); }

  void ExpectDisjointWithin(std::uint64_t size) {
    std::sort(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < places_.size(); ++i) {
      EXPECT_LE(places_[i].end, size) << places_[i].name;
      if (i > 0) {
        EXPECT_LE(places_[i - 1].end, places_[i].begin)
            << places_[i - 1].name << " and " << places_[i].name;
      }
    }
  }

 private:
  std::vector<Place> places_;
};

std::vector<CompiledLayer> CompiledPoints() {
  std::vector<CompiledLayer> compiled;
  for (const Variant& variant : RandomSweep(400, 7)) {
    if (RefusalOf(variant).has_value()) continue;
    absl::StatusOr<CompiledLayer> layer = CompileCase(CaseOf(variant));
    EXPECT_TRUE(layer.ok()) << NameOf(variant) << layer.status();
    if (layer.ok()) compiled.push_back(*std::move(layer));
    if (compiled.size() == 40) break;
  }
  return compiled;
}

class ProgramPlacesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { points_ = new std::vector<CompiledLayer>(CompiledPoints()); }
  static void TearDownTestSuite() { delete points_; }
  static const std::vector<CompiledLayer>& points() { return *points_; }

 private:
  static std::vector<CompiledLayer>* points_;
};

std::vector<CompiledLayer>* ProgramPlacesTest::points_ = nullptr;

TEST_F(ProgramPlacesTest, ThereAreEnoughPoints) { EXPECT_EQ(points().size(), 40u); }

TEST_F(ProgramPlacesTest, VramPlacesAreDisjoint) {
  for (const CompiledLayer& c : points()) {
    const ProgramMap& map = c.map;
    const std::uint64_t m = map.m;
    const auto experts = static_cast<std::uint64_t>(c.layer.shape.experts);
    const std::uint64_t hidden = static_cast<std::uint64_t>(c.layer.shape.hidden) / m;
    const std::uint64_t intermediate = static_cast<std::uint64_t>(c.layer.shape.intermediate) / m;
    Places places;
    if (map.loads_x) places.Add("x", map.x);
    if (c.lowering.residual != Residual::kNone) places.Add("residual", map.residual);
    if (c.lowering.residual == Residual::kNorm) {
      places.Add("norm weight", map.norm_weight, hidden * m);
      places.Add("norm scratch", map.norm_scratch, m);
    }
    if (c.layer.expert_bias) {
      places.Add("gate bias", map.gate_bias, experts * intermediate * m);
      places.Add("up bias", map.up_bias, experts * intermediate * m);
      places.Add("down bias", map.down_bias, experts * hidden * m);
    }
    places.Add("accumulator", map.accumulator);
    if (map.router.has_value()) {
      const RouterPlaces& router = *map.router;
      if (router.path == RouterPath::kDot) places.Add("router weights", router.weights);
      if (router.path == RouterPath::kMatrix) places.Add("matrix logits", router.matrix_logits);
      places.Add("router scratch", router.scratch, m);
      places.Add("keys", router.keys, router.logit_blocks * m);
      places.Add("logits", router.logits, map.tokens * router.logit_blocks * m);
      if (c.layer.router.logit_bias) places.Add("br", router.bias, router.logit_blocks * m);
      if (c.layer.router.correction_bias) {
        places.Add("bias_corr", router.correction, router.logit_blocks * m);
      }
    }
    for (const Slot& slot : map.slots) {
      places.Add("gather", slot.gather);
      places.Add("gate rows", slot.gate);
      places.Add("up rows", slot.up);
      places.Add("scratch", slot.scratch);
      places.Add("temp", slot.temp);
      places.Add("out", slot.out);
      places.Add("route", slot.route);
    }
    if (map.shared.has_value()) {
      const SharedPlaces& shared = *map.shared;
      if (c.layer.shared->gate) places.Add("wg", shared.gate_vector, hidden * m);
      places.Add("shared gate rows", shared.gate_rows);
      places.Add("shared up rows", shared.up_rows);
      places.Add("shared scratch", shared.scratch);
      places.Add("shared temp", shared.temp);
      places.Add("shared out", shared.out);
    }
    places.ExpectDisjointWithin(map.vram_elements);
    EXPECT_LE(map.vram_image_elements, map.vram_elements);
  }
}

TEST_F(ProgramPlacesTest, FpMemoryPlacesAreDisjoint) {
  for (const CompiledLayer& c : points()) {
    const ProgramMap& map = c.map;
    const std::uint64_t m = map.m;
    const auto experts = static_cast<std::uint64_t>(c.layer.shape.experts);
    Places places;
    places.Add("zero row", map.zero_row, m);
    if (c.lowering.route_weight == RouteWeight::kBroadcast) {
      places.Add("broadcast", map.broadcast, m);
    }
    places.Add("weights", map.weights,
               map.tokens * static_cast<std::uint64_t>(c.layer.shape.top_k));
    if (map.router.has_value()) {
      const RouterPlaces& router = *map.router;
      if (router.path == RouterPath::kDot) {
        places.Add("logits", router.fp_logits, router.logit_blocks * m);
      }
      if (c.layer.router.groups > 1) {
        places.Add("keys", router.fp_keys, experts);
        if (c.layer.router.correction_bias) {
          places.Add("correction", router.fp_correction, experts);
        }
        places.Add("group results", router.fp_scratch,
                   static_cast<std::uint64_t>(c.layer.router.groups) + 2);
      }
    }
    if (map.shared.has_value() && c.layer.shared->gate) {
      places.Add("sigma", map.shared->sigma, map.tokens);
    }
    for (const auto& [bits, word] : map.constants) places.Add("constant", word, 1);
    places.ExpectDisjointWithin(map.fp_words);
    EXPECT_LE(map.fp_words, c.machine.memory.fp_words);
  }
}

TEST_F(ProgramPlacesTest, IntMemoryPlacesAreDisjoint) {
  for (const CompiledLayer& c : points()) {
    const ProgramMap& map = c.map;
    Places places;
    places.Add("ids", map.ids, map.tokens * static_cast<std::uint64_t>(c.layer.shape.top_k));
    if (c.lowering.gather == GatherSource::kHbm) places.Add("offsets", map.offsets, map.tokens);
    if (map.router.has_value() && c.layer.router.groups > 1) {
      places.Add("group ids", map.router->int_scratch,
                 static_cast<std::uint64_t>(c.layer.router.groups) + 2);
    }
    for (const WeightTable* table : {&map.gate, &map.up, &map.down}) {
      if (table->window_table.has_value()) {
        places.Add(table->name, *table->window_table, 2 * table->matrices);
      }
    }
    places.ExpectDisjointWithin(map.int_words);
  }
}

TEST_F(ProgramPlacesTest, HbmTensorsAreDisjointAndAligned) {
  for (const CompiledLayer& c : points()) {
    const ProgramMap& map = c.map;
    const std::uint64_t row = static_cast<std::uint64_t>(c.layer.shape.hidden) * 2;
    Places places;
    places.Add("x", map.hbm_x, map.tokens * row);
    places.Add("y", map.hbm_y, map.token_rows * row);
    std::vector<const WeightTable*> tables = {&map.gate, &map.up, &map.down};
    if (map.router.has_value() && map.router->path == RouterPath::kMatrix) {
      tables.push_back(&map.router->table);
    }
    if (map.shared.has_value()) {
      for (const WeightTable* t : {&map.shared->gate, &map.shared->up, &map.shared->down}) {
        tables.push_back(t);
      }
    }
    for (const WeightTable* table : tables) {
      places.Add(*table);
      EXPECT_EQ(table->base % 64, 0u) << table->name;
      EXPECT_EQ(table->stride % 64, 0u) << table->name;
    }
    places.ExpectDisjointWithin(map.hbm_bytes);
  }
}

// Elements and scales of one matrix fill its stride, and every tile lies inside the elements.
TEST_F(ProgramPlacesTest, MatricesHoldTheirFormat) {
  for (const CompiledLayer& c : points()) {
    const isa::TensorFormat format = FormatOf(c.layer.weights);
    for (const WeightTable* table : {&c.map.gate, &c.map.up, &c.map.down}) {
      const std::uint64_t m = c.map.m;
      const std::uint64_t elements = table->contraction_tiles * m * table->output_tiles * m;
      const std::uint64_t bytes = elements * static_cast<std::uint64_t>(format.element.Bits()) / 8;
      const std::uint64_t scales = format.is_mx() ? elements / format.block : 0;
      EXPECT_GE(table->stride, bytes + scales) << table->name;
      EXPECT_LT(table->stride, bytes + scales + 64) << table->name;
      EXPECT_EQ(table->scale_offset, format.is_mx() ? bytes : 0) << table->name;
      const std::uint64_t last =
          table->TileOffset(table->contraction_tiles - 1, table->output_tiles - 1, c.map.m);
      EXPECT_EQ(last + (m - 1) * table->row_bytes + table->tile_row_bytes, bytes) << table->name;
    }
  }
}

TEST_F(ProgramPlacesTest, ChunksCoverTheContraction) {
  for (const CompiledLayer& c : points()) {
    const ProgramMap& map = c.map;
    const auto sum = [](const std::vector<int>& chunks) {
      int total = 0;
      for (const int chunk : chunks) {
        EXPECT_GT(chunk, 0);
        total += chunk;
      }
      return total;
    };
    const int m = static_cast<int>(map.m);
    EXPECT_EQ(map.plan.tile, m);
    EXPECT_EQ(sum(map.plan.hidden_chunks), c.layer.shape.hidden / m);
    EXPECT_EQ(sum(map.plan.intermediate_chunks), c.layer.shape.intermediate / m);
    if (c.layer.shared.has_value()) {
      EXPECT_EQ(sum(map.plan.shared_intermediate_chunks), c.layer.shared->intermediate / m);
    }
    const auto buffers = static_cast<std::uint32_t>(c.lowering.buffers);
    EXPECT_LE(map.buffer_tiles * buffers, map.mram_tiles);
    EXPECT_LE(map.chunk_tiles, map.buffer_tiles);
    if (c.lowering.k_add == KAdd::kAccumulate) {
      EXPECT_EQ(map.plan.hidden_chunks.size(), 1u);
    }
  }
}

// Every live pair is in exactly one slot; grouped slots hold the pairs of one expert.
TEST_F(ProgramPlacesTest, SlotsPartitionTheLivePairs) {
  for (const CompiledLayer& c : points()) {
    std::vector<std::int64_t> pairs;
    for (const Slot& slot : c.map.slots) {
      EXPECT_EQ(slot.rows % c.map.b, 0u);
      EXPECT_GE(slot.rows, slot.pairs.size());
      EXPECT_LT(slot.rows, slot.pairs.size() + c.map.b);
      EXPECT_TRUE(std::is_sorted(slot.pairs.begin(), slot.pairs.end()));
      for (const std::int64_t pair : slot.pairs) {
        pairs.push_back(pair);
        if (c.fixed.has_value()) {
          EXPECT_EQ(c.fixed->topk_idx[static_cast<std::size_t>(pair)], slot.expert);
        }
      }
      if (c.lowering.reuse == Reuse::kNone) {
        EXPECT_EQ(slot.pairs.size(), 1u);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::int64_t> live;
    for (std::int64_t pair = 0; pair < c.map.tokens * c.layer.shape.top_k; ++pair) {
      const bool masked =
          c.fixed.has_value() && c.fixed->topk_idx[static_cast<std::size_t>(pair)] < 0;
      if (!masked) live.push_back(pair);
    }
    EXPECT_EQ(pairs, live);
  }
}

// Constants are BF16 numbers that the program reads; each is there once.
TEST_F(ProgramPlacesTest, ConstantsAreInTheImage) {
  for (const CompiledLayer& c : points()) {
    const LayerTensors tensors = SeededTensors(c.layer, 1);
    const Bf16Matrix x = SeededHidden(c.layer, c.map.tokens, 1);
    const SeededExperts experts(c.layer, 1, c.lowering.orientation, {});
    const std::vector<std::uint16_t> image = FpImage(c, {tensors, experts, x});
    ASSERT_EQ(image.size(), c.map.fp_words);
    for (const auto& [bits, word] : c.map.constants) EXPECT_EQ(image[word], bits);
    for (std::uint32_t i = 0; i < c.map.m; ++i) EXPECT_EQ(image[c.map.zero_row + i], 0);
  }
}

}  // namespace
}  // namespace moescope::moe
