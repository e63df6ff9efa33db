#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "emulator/execute/executor.h"

namespace moescope::emulator {

namespace {

std::string Range(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? absl::StrCat(first) : absl::StrCat(first, "..", first + count - 1);
}

// "INT_MEM words 1022..1025 do not exist: the memory has 1024 words, 2 too few"
std::string TooFar(std::string_view memory, std::string_view unit, std::uint64_t first,
                   std::uint64_t count, std::uint64_t size) {
  return absl::StrFormat("%s %s%s %s not exist: there are %d, %d too few", memory, unit,
                         absl::StrCat(count == 1 ? " " : "s ", Range(first, count)),
                         count == 1 ? "does" : "do", size, first + count - size);
}

std::string Unwritten(std::string_view memory, std::string_view unit, std::uint64_t index) {
  return absl::StrFormat("%s %s %d is read, but nothing wrote it", memory, unit, index);
}

}  // namespace

bool Executor::Align(RowRequest& request) {
  request.row = vlen_.Quotient(request.address);
  if (vlen_.Remainder(request.address) == 0) [[likely]]
    return true;
  Fail(fault::kVramAlignment,
       absl::StrFormat("VRAM address %d (%s) is not a multiple of VLEN %d", request.address,
                       AddressText(request.reg, request.immediate), vlen_.size()));
  return false;
}

bool Executor::InBounds(const RowRequest& request) {
  const std::uint64_t rows = state_.vram.rows();
  const std::uint64_t end = request.row + request.count;
  if (end <= rows) [[likely]] {
    usage_.Reach(Resource::kVramRows, end);
    return true;
  }
  Fail(fault::kVramRange,
       absl::StrCat(TooFar("VRAM", "row", request.row, request.count, rows), " (",
                    AddressText(request.reg, request.immediate), " = ", request.address, ")"));
  return false;
}

bool Executor::InBounds(const TileRequest& request) {
  const std::uint64_t tiles = state_.mram.rows();
  const std::uint64_t end = request.tile + request.count;
  if (end <= tiles) [[likely]] {
    usage_.Reach(Resource::kMramTiles, end);
    return true;
  }
  Fail(fault::kMramRange, absl::StrCat(TooFar("MRAM", "tile", request.tile, request.count, tiles),
                                       " (element address ", request.address, ")"));
  return false;
}

bool Executor::CheckIntWindow(std::uint64_t first, std::uint64_t count) {
  const std::uint64_t end = first + count;
  if (end <= state_.int_mem.size()) [[likely]] {
    usage_.Reach(Resource::kIntMemWords, end);
    return true;
  }
  Fail(fault::kIntMemRange, TooFar("INT_MEM", "word", first, count, state_.int_mem.size()));
  return false;
}

bool Executor::CheckFpWindow(std::uint64_t first, std::uint64_t count) {
  const std::uint64_t end = first + count;
  if (end <= state_.fp_mem.size()) [[likely]] {
    usage_.Reach(Resource::kFpMemWords, end);
    return true;
  }
  Fail(fault::kFpMemRange, TooFar("FP_MEM", "word", first, count, state_.fp_mem.size()));
  return false;
}

bool Executor::CheckMask(std::uint8_t mask) {
  if (mask == 0 || heads_ <= 32) [[likely]]
    return true;
  Fail(fault::kTooManyHeads,
       absl::StrFormat("a masked instruction needs at most 32 heads; VLEN %d / HLEN %d gives %d",
                       vlen_.size(), hlen_, heads_));
  return false;
}

bool Executor::CheckBroadcastShape() {
  if (broadcast_ * hlen_ == mlen_) [[likely]]
    return true;
  Fail(fault::kBroadcastShape,
       absl::StrFormat("a broadcast instruction needs BROADCAST_AMOUNT * HLEN == MLEN; this "
                       "machine has %d * %d = %d and MLEN %d",
                       broadcast_, hlen_, broadcast_ * hlen_, mlen_));
  return false;
}

bool Executor::LanesInitialised(const RowRequest& request, std::uint64_t lanes) {
  if (!shadow_.enabled()) [[likely]]
    return true;
  const auto hole = shadow_.UnwrittenVram(request.row, lanes);
  if (!hole) return true;
  Fail(fault::kVramUninitialised,
       absl::StrCat(Unwritten("VRAM", "element", *hole), " (row ", *hole / vlen_.size(), ", lane ",
                    *hole % vlen_.size(), ")"));
  return false;
}

bool Executor::Initialised(const TileRequest& request) {
  if (!shadow_.enabled() || shadow_.TileWritten(request.tile)) [[likely]]
    return true;
  Fail(fault::kMramUninitialised, Unwritten("MRAM", "tile", request.tile));
  return false;
}

bool Executor::IntInitialised(std::uint64_t first, std::uint64_t count) {
  if (!shadow_.enabled()) [[likely]]
    return true;
  const auto hole = shadow_.UnwrittenInt(first, count);
  if (!hole) return true;
  Fail(fault::kIntMemUninitialised, Unwritten("INT_MEM", "word", *hole));
  return false;
}

bool Executor::FpInitialised(std::uint64_t first, std::uint64_t count) {
  if (!shadow_.enabled()) [[likely]]
    return true;
  const auto hole = shadow_.UnwrittenFp(first, count);
  if (!hole) return true;
  Fail(fault::kFpMemUninitialised, Unwritten("FP_MEM", "word", *hole));
  return false;
}

std::string AddressText(std::uint8_t reg, std::uint32_t immediate) {
  return immediate == 0 ? absl::StrFormat("gp%d", reg)
                        : absl::StrFormat("gp%d + %d", reg, immediate);
}

}  // namespace moescope::emulator
