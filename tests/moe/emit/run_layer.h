#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/images.h"
#include "emulator/run.h"
#include "emulator/state/machine_state.h"
#include "moe/compare.h"
#include "moe/emit/compile.h"
#include "moe/emit/images.h"
#include "moe/layer_names.h"
#include "moe/presets.h"
#include "moe/reference/reference.h"
#include "moe/reference/stepwise.h"
#include "moe/seeded_layer.h"
#include "moe/workload.h"

namespace moescope::moe {

// Remembers what it loaded: the image and the twin ask for the same matrices.
class CachedExperts : public ExpertSource {
 public:
  explicit CachedExperts(std::unique_ptr<ExpertSource> source) : source_(std::move(source)) {}
  absl::StatusOr<ExpertMatrices> Load(int expert) const override {
    const auto [place, added] = loaded_.try_emplace(expert);
    if (added) place->second = *source_->Load(expert);
    return place->second;
  }

 private:
  std::unique_ptr<ExpertSource> source_;
  mutable std::map<int, ExpertMatrices> loaded_;
};

// One layer with generated inputs, compiled, run on the emulator and computed by the twin.
struct LayerCase {
  Layer layer;
  std::int64_t tokens = 1;
  std::optional<std::string> workload;  // fixed routing; otherwise the program routes
  std::optional<Routing> routing;       // fixed routing that is already there
  Lowering lowering = PublicLowering();
  emulator::MachineDescription machine{};
  std::uint64_t seed = 1;
  Values values = Values::kRandom;
};

// The ids of fixed routing; absent where the program routes.
inline std::optional<Routing> FixedRoutingOf(const LayerCase& c) {
  if (c.routing.has_value()) return c.routing;
  if (!c.workload.has_value()) return std::nullopt;
  return *GenerateRouting(*ParseWorkload(*c.workload),
                          {c.tokens, c.layer.shape.top_k, c.layer.shape.experts}, c.seed);
}

inline absl::StatusOr<CompiledLayer> CompileCase(const LayerCase& c) {
  const std::optional<Routing> fixed = FixedRoutingOf(c);
  return Compile(c.layer, {c.tokens, fixed.has_value() ? &*fixed : nullptr}, c.machine, c.lowering);
}

class RunLayer {
 public:
  explicit RunLayer(LayerCase c) : case_(std::move(c)), fixed_(FixedRoutingOf(case_)) {
    if (fixed_.has_value()) {
      case_.layer.router = {.mode = RouterMode::kGiven};
      if (case_.values == Values::kSaturated) {
        for (std::size_t pair = 0; pair < fixed_->topk_w.size(); ++pair) {
          if (fixed_->topk_idx[pair] >= 0) fixed_->topk_w[pair] = 1.0f;
        }
      }
    }
    absl::StatusOr<CompiledLayer> compiled =
        Compile(case_.layer, {case_.tokens, fixed_.has_value() ? &*fixed_ : nullptr}, case_.machine,
                case_.lowering);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    if (!compiled.ok()) return;
    compiled_ = *std::move(compiled);
    tensors_ = SeededTensors(compiled_->layer, case_.seed, case_.values);
    x_ = SeededHidden(compiled_->layer, case_.tokens, case_.seed, case_.values);
    norm_ = NormalMatrix(case_.seed, Stream::kNormWeight, 0, 1, compiled_->layer.shape.hidden, 1.0f)
                .values;
    experts_ = std::make_unique<CachedExperts>(std::make_unique<SeededExperts>(
        compiled_->layer, case_.seed, case_.lowering.orientation,
        NumberRules{compiled_->machine.dialect.convention, compiled_->machine.dialect.scale_rule},
        case_.values));
  }

  bool ok() const { return compiled_.has_value(); }
  const CompiledLayer& compiled() const { return *compiled_; }
  const LayerTensors& tensors() const { return tensors_; }
  const Bf16Matrix& x() const { return x_; }
  Bf16Matrix& ChangeX() { return x_; }  // before the images are made
  const ExpertSource& experts() const { return *experts_; }
  const std::optional<Routing>& fixed() const { return fixed_; }
  const emulator::MachineState& state() const { return *state_; }

  ImageInputs images() const { return {tensors_, *experts_, x_, norm()}; }

  // Loads the images and executes the program. The image holds the experts that the filter keeps.
  emulator::RunEnd Execute(const ExpertFilter& filter = nullptr) {
    LoadImages(filter);
    return Ended(
        emulator::Run(compiled_->built.program, compiled_->machine, *state_, nullptr, {}, {}));
  }
  // The same under the timing model of `machine`, announced to a listener.
  emulator::RunEnd ExecuteTimed(const emulator::MachineDescription& machine,
                                emulator::Listener& listener) {
    LoadImages(nullptr);
    emulator::Listener* const listeners[] = {&listener};
    return Ended(emulator::Run(compiled_->built.program, machine, *state_, listeners));
  }

  reference::StepwiseOutputs Twin() const {
    absl::StatusOr<reference::StepwiseOutputs> outputs =
        reference::Stepwise({compiled_->layer, compiled_->map.plan, tensors_, *experts_, x_,
                             fixed_.has_value() ? &*fixed_ : nullptr, &norm_});
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *std::move(outputs);
  }

  // Rows [0, rows) of a matrix in VRAM.
  Bf16Matrix Read(const VramMatrix& place, std::int64_t rows) const {
    Bf16Matrix matrix(rows, std::int64_t{place.blocks} * place.m);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::uint32_t block = 0; block < place.blocks; ++block) {
        const std::uint32_t row = place.Row(block, static_cast<std::uint32_t>(r)) / place.m;
        const isa::Bf16* lanes = state_->vram.Read(row);
        for (std::uint32_t lane = 0; lane < place.m; ++lane) {
          matrix.At(r, std::int64_t{block} * place.m + lane) = lanes[lane];
        }
      }
    }
    return matrix;
  }

  // Every output that the twin names, bit for bit.
  void ExpectEqualToTwin() {
    const reference::StepwiseOutputs twin = Twin();
    const std::vector<std::int64_t> used = CountPerExpert(twin.routing);
    Execute([&](int expert) { return used[static_cast<std::size_t>(expert)] > 0; });
    const ProgramMap& map = compiled_->map;
    ExpectRouting(twin);
    for (const Slot& slot : map.slots) {
      for (std::size_t row = 0; row < slot.pairs.size(); ++row) {
        ExpectRow("gate", slot.gate, row, twin.gate, slot.pairs[row]);
        ExpectRow("hidden", slot.up, row, twin.hidden, slot.pairs[row]);
        ExpectRow("slot", slot.out, row, twin.slot, slot.pairs[row]);
      }
    }
    if (map.shared.has_value()) {
      Expect("shared", Read(map.shared->out, case_.tokens), twin.shared);
      for (std::size_t t = 0; t < twin.sigma.size(); ++t) {
        EXPECT_EQ(state_->fp_mem.Read(map.shared->sigma + t), twin.sigma[t]) << "sigma " << t;
      }
    }
    Expect("y", Read(map.accumulator, case_.tokens), twin.y);
    ExpectStored(twin.y);
  }

 private:
  const std::vector<std::uint16_t>* norm() const {
    return case_.lowering.residual == Residual::kNorm ? &norm_ : nullptr;
  }
  static emulator::RunEnd Ended(emulator::RunEnd end) {
    EXPECT_EQ(end.reason, emulator::EndReason::kEnd)
        << (end.fault ? end.fault->text : std::string());
    return end;
  }
  void LoadImages(const ExpertFilter& filter) {
    state_.emplace(compiled_->machine);
    Load(emulator::ImageTarget::kVram, Bytes(VramImage(*compiled_, images())));
    Load(emulator::ImageTarget::kFpSram, Bytes(FpImage(*compiled_, images())));
    Load(emulator::ImageTarget::kIntSram, Bytes(IntImage(*compiled_)));
    const absl::Status streamed = StreamHbm(
        *compiled_, images(),
        [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
          state_->hbm.Write(offset, bytes);
          return absl::OkStatus();
        },
        filter);
    EXPECT_TRUE(streamed.ok()) << streamed;
  }
  void Load(emulator::ImageTarget target, const std::string& bytes) {
    const auto record = emulator::LoadImageBytes(
        target, bytes, "image", {.fp_format = emulator::FpImageFormat::kBf16}, *state_);
    EXPECT_TRUE(record.ok()) << record.status();
  }
  static void Expect(const char* name, const Bf16Matrix& actual, const Bf16Matrix& expected) {
    const Metrics metrics = Compare(actual, expected);
    EXPECT_EQ(metrics.equal, metrics.count) << name << ": " << Summary(metrics);
  }
  void ExpectRow(const char* name, const VramMatrix& place, std::size_t row,
                 const Bf16Matrix& expected, std::int64_t pair) const {
    VramMatrix one = place;
    one.base = place.Row(0, static_cast<std::uint32_t>(row));
    Bf16Matrix expected_row(1, expected.columns);
    std::copy(expected.Row(pair).begin(), expected.Row(pair).end(), expected_row.Row(0).begin());
    const Metrics metrics = Compare(Read(one, 1), expected_row);
    EXPECT_EQ(metrics.equal, metrics.count) << name << " pair " << pair << ": " << Summary(metrics);
  }
  void ExpectRouting(const reference::StepwiseOutputs& twin) const {
    const ProgramMap& map = compiled_->map;
    if (!map.router.has_value()) return;
    for (std::size_t pair = 0; pair < twin.routing.topk_idx.size(); ++pair) {
      EXPECT_EQ(state_->int_mem.Read(map.ids + pair),
                static_cast<std::uint32_t>(twin.routing.topk_idx[pair]))
          << "id of pair " << pair;
      EXPECT_EQ(state_->fp_mem.Read(map.weights + pair),
                isa::FloatToBf16(twin.routing.topk_w[pair]))
          << "weight of pair " << pair;
    }
    const VramMatrix logits{map.router->logits, 1, map.router->logit_blocks, map.m};
    for (std::int64_t t = 0; t < twin.logits.rows; ++t) {
      VramMatrix row = logits;
      row.base += static_cast<std::uint32_t>(t) * logits.blocks * map.m;
      const Bf16Matrix lanes = Read(row, 1);
      for (std::int64_t e = 0; e < twin.logits.columns; ++e) {
        EXPECT_EQ(lanes.At(0, e), twin.logits.At(t, e)) << "logit " << t << "," << e;
      }
    }
  }
  void ExpectStored(const Bf16Matrix& y) const {
    std::vector<std::uint8_t> bytes(y.values.size() * 2);
    state_->hbm.Read(compiled_->map.hbm_y, bytes);
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const int stored = bytes[2 * i] | bytes[2 * i + 1] << 8;
      ASSERT_EQ(stored, y.values[i]) << "stored element " << i;
    }
  }

  LayerCase case_;
  std::optional<Routing> fixed_;
  std::optional<CompiledLayer> compiled_;
  LayerTensors tensors_;
  Bf16Matrix x_;
  std::vector<std::uint16_t> norm_;
  std::unique_ptr<CachedExperts> experts_;
  std::optional<emulator::MachineState> state_;
};

// A preset at reduced width: hidden and intermediate near 128 to 320.
inline Layer ReducedPreset(const std::string& name, int tile = 64) {
  const Layer full = *FindPreset(name);
  const int widest = std::max(full.shape.hidden, full.shape.intermediate);
  Layer layer = Scaled(full, (widest + 319) / 320, tile);
  if (layer.shared.has_value()) {
    layer.shared->intermediate = std::min(layer.shared->intermediate, 3 * tile);
  }
  layer.weights = WeightFormat::kMxfp8B8;
  return layer;
}

}  // namespace moescope::moe
