#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emulator/machine.h"
#include "moe/emit/lowering.h"
#include "moe/layer.h"
#include "moe/routing.h"
#include "moe/stepwise_plan.h"

// Where a compiled layer keeps everything (moe.md, 15): the addresses that the emitters use and
// that images and checks read.

namespace moescope::moe {

// A matrix in VRAM as column blocks of M lanes: element (r, c) at base + (c / M * physical_rows +
// r)
// * M + c % M. Addresses are elements.
struct VramMatrix {
  std::uint32_t base = 0;
  std::uint32_t physical_rows = 0;
  std::uint32_t blocks = 0;
  std::uint32_t m = 0;

  std::uint32_t Row(std::uint32_t block, std::uint32_t row) const {
    return base + (block * physical_rows + row) * m;
  }
  std::uint32_t block_step() const { return physical_rows * m; }
  friend bool operator==(const VramMatrix&, const VramMatrix&) = default;
};

// Weight matrices of one shape in HBM: matrix i at base + i * stride, elements then scales. Tiles
// count along the contraction and along the output.
struct WeightTable {
  std::string name;  // "gate"
  std::uint64_t base = 0;
  std::uint32_t stride = 0;  // bytes between matrices
  std::uint64_t matrices = 1;
  std::uint32_t contraction_tiles = 0;
  std::uint32_t output_tiles = 0;
  std::uint32_t row_bytes = 0;       // element bytes of a stored row
  std::uint32_t scale_offset = 0;    // element bytes of a matrix; 0 = Plain
  std::uint32_t tile_row_bytes = 0;  // element bytes of M stored elements
  Orientation orientation = Orientation::kContractionMajor;
  bool second_precision = false;              // loaded through HBM_M_KV_TYPE
  std::optional<std::uint32_t> window_table;  // INT_MEM address of {low, high} per matrix

  std::uint64_t bytes() const { return matrices * stride; }
  // Byte offset of a tile inside its matrix.
  std::uint32_t TileOffset(std::uint32_t contraction, std::uint32_t output, std::uint32_t m) const {
    const bool output_major = orientation == Orientation::kOutputMajor;
    const std::uint32_t row = (output_major ? output : contraction) * m;
    const std::uint32_t column = output_major ? contraction : output;
    return row * row_bytes + column * tile_row_bytes;
  }
};

// Rows that go through an expert together. With reuse=none one pair, with reuse=group all pairs of
// an expert.
struct Slot {
  std::vector<std::int64_t> pairs;
  std::optional<std::int32_t> expert;  // known when compiling
  std::uint32_t rows = 0;              // pairs rounded up to BLEN
  VramMatrix gather, gate, up, scratch, temp, out, route;
};

// The dense expert's own places.
struct SharedPlaces {
  WeightTable gate, up, down;
  VramMatrix gate_rows, up_rows, scratch, temp, out;
  std::uint32_t gate_vector = 0;  // VRAM row of wg, H/M blocks of one row
  std::uint32_t sigma = 0;        // FP_MEM, one word per token
};

struct RouterPlaces {
  RouterPath path = RouterPath::kDot;
  VramMatrix weights;               // dot: E physical rows
  WeightTable table;                // matrix: [H, E] BF16
  VramMatrix matrix_logits;         // matrix: T rows, blocks of experts
  std::uint32_t scratch = 0;        // VRAM: one row
  std::uint32_t keys = 0;           // VRAM: logit_blocks rows of selection keys
  std::uint32_t logits = 0;         // VRAM: token t's blocks are consecutive rows
  std::uint32_t logit_blocks = 0;   // ceil(E / M)
  std::uint32_t bias = 0;           // VRAM: logit_blocks rows of br
  std::uint32_t correction = 0;     // VRAM: logit_blocks rows of bias_corr
  std::uint32_t fp_logits = 0;      // FP_MEM: logit_blocks * M words
  std::uint32_t fp_keys = 0;        // FP_MEM: c of every expert (groups)
  std::uint32_t fp_correction = 0;  // FP_MEM: bias_corr of every expert (groups)
  std::uint32_t fp_scratch = 0;     // FP_MEM: results of inner V_TOPKs
  std::uint32_t fp_groups = 0;      // FP_MEM: score of every group; shares the broadcast words
  std::uint32_t int_scratch = 0;    // INT_MEM: ids of inner V_TOPKs
};

struct ProgramMap {
  std::uint32_t m = 0;
  std::uint32_t b = 0;
  std::uint32_t tokens = 0;
  std::uint32_t token_rows = 0;  // tokens rounded up to BLEN
  // HBM
  std::uint64_t hbm_x = 0;      // [T, H] BF16
  std::uint64_t hbm_y = 0;      // [token_rows, H] BF16
  std::uint64_t hbm_bytes = 0;  // end of the last tensor
  WeightTable gate, up, down;
  // VRAM
  bool loads_x = false;            // x is brought to VRAM before the first stage
  VramMatrix x;                    // what the router and the shared expert read
  VramMatrix residual;             // residual != none
  std::uint32_t norm_weight = 0;   // residual=norm: H/M blocks of one row
  std::uint32_t norm_scratch = 0;  // residual=norm: one row
  std::uint32_t gate_bias = 0, up_bias = 0, down_bias = 0;  // [E] tables of one row per block
  VramMatrix accumulator;
  std::vector<Slot> slots;
  std::optional<RouterPlaces> router;
  std::optional<SharedPlaces> shared;
  std::uint32_t vram_image_elements = 0;  // the part that an image fills
  std::uint32_t vram_elements = 0;
  // FP_MEM
  std::uint32_t zero_row = 0;                        // M words
  std::uint32_t broadcast = 0;                       // M words
  std::uint32_t weights = 0;                         // [T, K]
  std::map<std::uint16_t, std::uint32_t> constants;  // BF16 bits to word
  std::uint32_t fp_words = 0;
  // INT_MEM
  std::uint32_t ids = 0;      // [T, K]
  std::uint32_t offsets = 0;  // [T] byte offsets of token rows
  std::uint32_t int_words = 0;
  // MRAM
  std::uint32_t mram_tiles = 0;    // of the machine
  std::uint32_t chunk_tiles = 0;   // tiles fetched together
  std::uint32_t buffer_tiles = 0;  // tiles of one buffer
  StepwisePlan plan;

  std::uint32_t Constant(float value) const;  // must have been reserved (CHECK)
};

// What a program is compiled for. `fixed` routing is known now; otherwise the program routes.
struct ProgramShape {
  const Layer& layer;
  const Lowering& lowering;
  const emulator::MachineDescription& machine;
  std::int64_t tokens = 0;
  const Routing* fixed = nullptr;
};

// Lays everything out and checks it against the machine. InvalidArgument: the layer does not suit
// tiles or blocks. FailedPrecondition: a memory is too small; the message names what is needed,
// what the machine has, and the option that asks for it.
absl::StatusOr<ProgramMap> MapProgram(const ProgramShape& shape);

}  // namespace moescope::moe
