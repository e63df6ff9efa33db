#include "moe/emit/program_map.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/status.h"
#include "isa/bfloat16.h"
#include "moe/dispatch.h"
#include "moe/emit/mapper.h"

namespace moescope::moe {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kWindow = std::uint64_t{1} << 32;

std::uint64_t Align(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

// `tiles` cut into pieces of at most `largest`.
std::vector<int> Chunks(int tiles, int largest) {
  std::vector<int> chunks;
  for (int left = tiles; left > 0; left -= largest) chunks.push_back(std::min(left, largest));
  return chunks;
}

}  // namespace

bool NeedsScores(const Router& router) {
  switch (router.mode) {
    case RouterMode::kSoftmaxAll:
      return !router.norm;
    case RouterMode::kSigmoidGroup:
    case RouterMode::kSigmoidInput:
      return true;
    default:
      return false;
  }
}

std::uint32_t ProgramMap::Constant(float value) const {
  const auto place = constants.find(isa::FloatToBf16(value));
  CHECK(place != constants.end());
  return place->second;
}

Mapper::Mapper(const ProgramShape& shape)
    : shape_(shape), layer_(shape.layer), lowering_(shape.lowering) {
  map_.m = shape.machine.shape.mlen;
  map_.b = shape.machine.shape.blen;
}

std::uint32_t Mapper::RoundUpToB(std::int64_t rows) const {
  return (static_cast<std::uint32_t>(rows) + map_.b - 1) / map_.b * map_.b;
}

bool Mapper::needs_scores() const { return NeedsScores(layer_.router); }

absl::StatusOr<ProgramMap> Mapper::Run() {
  RETURN_IF_ERROR(CheckLayer());
  map_.tokens = static_cast<std::uint32_t>(shape_.tokens);
  map_.token_rows = RoundUpToB(shape_.tokens);
  map_.plan.tile = static_cast<int>(map_.m);
  map_.plan.gather_adds = lowering_.gather == GatherSource::kVram;
  map_.plan.residual = lowering_.residual;
  MapRouterPath();
  RETURN_IF_ERROR(MapMatrixSram());
  MapSlots();
  MapHbm();
  MapVramImage();
  MapVramWork();
  MapFpMemory();
  MapIntMemory();
  RETURN_IF_ERROR(CheckMemories());
  return std::move(map_);
}

void Mapper::MapRouterPath() {
  if (shape_.fixed == nullptr) {
    const bool matrix =
        lowering_.router == RouterChoice::kMatrix ||
        (lowering_.router == RouterChoice::kAuto && !needs_scores() && !layer_.router.logit_bias);
    map_.router = RouterPlaces{.path = matrix ? RouterPath::kMatrix : RouterPath::kDot};
    map_.plan.router = map_.router->path;
  }
  if (layer_.shared.has_value()) map_.shared = SharedPlaces{};
  map_.loads_x = map_.router.has_value() || map_.shared.has_value() ||
                 lowering_.gather == GatherSource::kVram || lowering_.residual != Residual::kNone;
}

// The chunk plan: how many tiles are fetched together and how often a sum is rounded.
absl::Status Mapper::MapMatrixSram() {
  const int m = static_cast<int>(map_.m);
  const int hidden = layer_.shape.hidden / m;
  const int intermediate = layer_.shape.intermediate / m;
  const int shared = layer_.shared.has_value() ? layer_.shared->intermediate / m : 0;
  const int longest = std::max({hidden, intermediate, shared});
  map_.mram_tiles = shape_.machine.memory.matrix_rows / map_.m;
  const int room = static_cast<int>(map_.mram_tiles) / lowering_.buffers;
  const int wanted = lowering_.k_tiles == 0 ? std::min(longest, room) : lowering_.k_tiles;
  const bool accumulate = lowering_.k_add == KAdd::kAccumulate;
  const int chunk = std::min(wanted, longest);
  const int buffer = accumulate ? longest : chunk;
  if (chunk < 1 || buffer > room) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "MRAM tiles: the program needs %d, MATRIX_SRAM_SIZE holds %d (--set k_tiles, k_add, "
        "buffers) [RC080]",
        std::max(buffer, 1) * lowering_.buffers, map_.mram_tiles));
  }
  map_.chunk_tiles = static_cast<std::uint32_t>(chunk);
  map_.buffer_tiles = static_cast<std::uint32_t>(buffer);
  map_.plan.hidden_chunks = Chunks(hidden, accumulate ? hidden : chunk);
  map_.plan.intermediate_chunks = Chunks(intermediate, accumulate ? intermediate : chunk);
  map_.plan.shared_intermediate_chunks = Chunks(shared, accumulate ? std::max(shared, 1) : chunk);
  return absl::OkStatus();
}

void Mapper::MapSlots() {
  if (lowering_.reuse == Reuse::kGroup) {
    const DispatchMap dispatch = Dispatch(*shape_.fixed);
    for (const std::int32_t expert : dispatch.active) {
      const auto e = static_cast<std::size_t>(expert);
      const auto first = dispatch.row_src.begin() + dispatch.base[e];
      map_.slots.push_back({{first, first + dispatch.count[e]}, expert});
    }
  } else {
    for (std::int64_t pair = 0; pair < shape_.tokens * layer_.shape.top_k; ++pair) {
      std::optional<std::int32_t> expert;
      if (shape_.fixed != nullptr) {
        expert = shape_.fixed->topk_idx[static_cast<std::size_t>(pair)];
        if (*expert < 0) continue;
      }
      map_.slots.push_back({{pair}, expert});
    }
  }
  for (Slot& slot : map_.slots) {
    slot.rows = RoundUpToB(static_cast<std::int64_t>(slot.pairs.size()));
  }
}

WeightTable Mapper::Table(std::string_view name, std::int64_t contraction, std::int64_t output,
                          WeightFormat format, std::uint64_t matrices) const {
  const isa::TensorFormat tensor = FormatOf(format);
  WeightTable table{.name = std::string(name),
                    .matrices = matrices,
                    .contraction_tiles = static_cast<std::uint32_t>(contraction / map_.m),
                    .output_tiles = static_cast<std::uint32_t>((output + map_.m - 1) / map_.m),
                    .orientation = lowering_.orientation};
  const bool output_major = table.orientation == Orientation::kOutputMajor;
  const std::uint64_t width =
      (output_major ? table.contraction_tiles : table.output_tiles) * std::uint64_t{map_.m};
  const std::uint64_t rows =
      (output_major ? table.output_tiles : table.contraction_tiles) * std::uint64_t{map_.m};
  const std::uint64_t elements = rows * tensor.ElementBytes(width);
  table.row_bytes = static_cast<std::uint32_t>(tensor.ElementBytes(width));
  table.tile_row_bytes = static_cast<std::uint32_t>(tensor.ElementBytes(map_.m));
  table.scale_offset = tensor.is_mx() ? static_cast<std::uint32_t>(elements) : 0;
  table.stride = static_cast<std::uint32_t>(Align(elements + rows * tensor.ScaleBytes(width)));
  return table;
}

// A table that fits into a window of 4 GiB does not cross into the next one, so that the upper half
// of an address is a constant.
void Mapper::PlaceTable(WeightTable& table, std::uint64_t& next) const {
  table.base = Align(next);
  const std::uint64_t last = table.base + table.bytes() - 1;
  if (table.bytes() <= kWindow && table.base / kWindow != last / kWindow) {
    table.base = last / kWindow * kWindow;
  }
  next = table.base + table.bytes();
}

void Mapper::MapHbm() {
  const std::int64_t h = layer_.shape.hidden;
  const std::int64_t i = layer_.shape.intermediate;
  const auto experts = static_cast<std::uint64_t>(layer_.shape.experts);
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(h) * 2;
  map_.hbm_x = 0;
  map_.hbm_y = Align(map_.tokens * row_bytes);
  std::uint64_t next = map_.hbm_y + map_.token_rows * row_bytes;
  if (map_.router.has_value() && map_.router->path == RouterPath::kMatrix) {
    map_.router->table = Table("router", h, layer_.shape.experts, WeightFormat::kBf16, 1);
    PlaceTable(map_.router->table, next);
  }
  map_.gate = Table("gate", h, i, layer_.weights, experts);
  map_.up = Table("up", h, i, layer_.weights, experts);
  map_.down = Table("down", i, h, layer_.weights, experts);
  for (WeightTable* table : {&map_.gate, &map_.up, &map_.down}) PlaceTable(*table, next);
  if (map_.shared.has_value()) {
    const std::int64_t width = layer_.shared->intermediate;
    map_.shared->gate = Table("shared gate", h, width, WeightFormat::kBf16, 1);
    map_.shared->up = Table("shared up", h, width, WeightFormat::kBf16, 1);
    map_.shared->down = Table("shared down", width, h, WeightFormat::kBf16, 1);
    for (WeightTable* table : {&map_.shared->gate, &map_.shared->up, &map_.shared->down}) {
      PlaceTable(*table, next);
    }
  }
  // Prefetches of whole rows of B may read past the last tensor.
  map_.hbm_bytes = Align(next + map_.b * row_bytes);
  if (map_.router.has_value()) map_.router->table.second_precision = true;
  if (map_.shared.has_value()) {
    for (WeightTable* table : {&map_.shared->gate, &map_.shared->up, &map_.shared->down}) {
      table->second_precision = true;
    }
  }
}

absl::StatusOr<ProgramMap> MapProgram(const ProgramShape& shape) { return Mapper(shape).Run(); }

}  // namespace moescope::moe
