#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "moe/emit/program_map.h"

namespace moescope::moe {

// Lays out one program; the implementation of MapProgram, one method per memory.
class Mapper {
 public:
  explicit Mapper(const ProgramShape& shape);
  absl::StatusOr<ProgramMap> Run();

 private:
  // program_checks.cc
  absl::Status CheckLayer() const;
  absl::Status CheckTiles() const;
  absl::Status CheckSupport() const;
  absl::Status CheckOptions() const;
  absl::Status CheckFixed() const;
  absl::Status CheckMemories() const;

  // program_map.cc
  void MapRouterPath();
  absl::Status MapMatrixSram();
  void MapSlots();
  void MapHbm();
  WeightTable Table(std::string_view name, std::int64_t contraction, std::int64_t output,
                    WeightFormat format, std::uint64_t matrices) const;
  void PlaceTable(WeightTable& table, std::uint64_t& next) const;

  // map_vram.cc
  void MapVramImage();
  void MapVramWork();
  std::uint32_t GroupBlocks() const;
  void MapSlotRows(Slot& slot);
  void MapSharedRows();
  VramMatrix Rows(std::uint32_t physical_rows, std::uint32_t blocks);
  std::uint32_t OutputRows(std::uint32_t rows) const;

  // map_scalars.cc
  void MapFpMemory();
  void MapIntMemory();
  void ReserveConstants();
  void Reserve(float value);

  std::uint32_t RoundUpToB(std::int64_t rows) const;
  bool needs_scores() const;

  const ProgramShape& shape_;
  const Layer& layer_;
  const Lowering& lowering_;
  ProgramMap map_;
  std::uint64_t vram_next_ = 0;  // elements; 64 bits, so that an overflow is seen
  std::uint64_t fp_next_ = 0;
  std::uint64_t int_next_ = 0;
};

// Whether the program turns chosen logits into scores itself, which needs them in FP_MEM.
bool NeedsScores(const Router& router);

}  // namespace moescope::moe
