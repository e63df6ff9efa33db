// HBM transfers (isa.md, 5.6): rows of element bytes with their scale bytes, decoded on the way in
// and encoded on the way out.

#include <algorithm>
#include <bit>

#include "absl/strings/str_format.h"
#include "emulator/execute/executor.h"

namespace moescope::emulator {

using isa::Operands;
using isa::RowCodec;
using isa::Step;

namespace {

constexpr std::uint64_t kLineBytes = 64;

std::span<std::uint8_t> AsBytes(std::span<isa::Bf16> lanes) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<std::uint8_t*>(lanes.data()), lanes.size_bytes()};
}
std::span<const std::uint8_t> AsBytes(std::span<const isa::Bf16> lanes) {
  return {reinterpret_cast<const std::uint8_t*>(lanes.data()), lanes.size_bytes()};
}

}  // namespace

// Addresses and strides are bytes, in u64 arithmetic.
bool Executor::LocateTransfer(const Operands& o, const RowCodec& codec, std::uint32_t rows,
                              bool is_store, HbmTransfer& transfer) {
  const isa::TensorFormat& format = codec.format();
  const std::uint64_t offset = Gp(o.rs1);
  const std::uint64_t row_bytes = format.ElementBytes(mlen_);
  const std::uint64_t stride = o.rs3 != 0 ? state_.registers.stride : row_bytes;
  const std::uint64_t base = state_.registers.address[o.rs2];
  const std::uint64_t granule = format.BytesPerScale();
  if (format.is_mx() && offset % granule != 0) {
    Fail(fault::kMxOffsetAlignment,
         absl::StrFormat("HBM offset %d (gp%d) is not a multiple of the %d element bytes that "
                         "share a scale",
                         offset, o.rs1, granule));
    return false;
  }
  if (format.is_mx() && stride % granule != 0) {
    Fail(fault::kMxStrideAlignment,
         absl::StrFormat("STRIDE %d is not a multiple of the %d element bytes that share a scale",
                         stride, granule));
    return false;
  }
  transfer.is_store = is_store;
  transfer.rows = rows;
  transfer.element_address = base + offset;
  transfer.element_step = stride;
  transfer.element_bytes = static_cast<std::uint32_t>(row_bytes);
  if (format.is_mx()) {
    transfer.scale_address = base + state_.registers.scale + offset / granule;
    transfer.scale_step = stride / granule;
    transfer.scale_bytes = static_cast<std::uint32_t>(format.ScaleBytes(mlen_));
  }
  return true;
}

bool Executor::HbmRangeExists(std::uint64_t address, std::uint64_t count) {
  const std::uint64_t size = state_.hbm.size();
  if (address <= size && count <= size - address) [[likely]] {
    usage_.Reach(Resource::kHbmAddress, count == 0 ? 0 : address + count);
    return true;
  }
  const std::uint64_t first = std::max(address, size);
  Fail(fault::kHbmRange,
       absl::StrFormat("HBM bytes from %d on (%d bytes): byte %d is %d beyond the last, the memory "
                       "has %d bytes",
                       address, count, first, first - size + 1, size));
  return false;
}

bool Executor::InBounds(const HbmTransfer& transfer) {
  for (std::uint64_t i = 0; i < transfer.rows; ++i) {
    if (!HbmRangeExists(transfer.element_address + i * transfer.element_step,
                        transfer.element_bytes)) {
      return false;
    }
    const std::uint64_t scale = transfer.scale_address + i * transfer.scale_step;
    if (!HbmRangeExists(scale, MovedScaleBytes(transfer, scale))) return false;
  }
  return true;
}

// Of the scale bytes of one row, those that move: all, or under scale_read = "single_block" what a
// prefetch finds up to the end of their first line.
std::uint64_t Executor::MovedScaleBytes(const HbmTransfer& transfer, std::uint64_t address) const {
  if (transfer.is_store || machine_.dialect.scale_read == ScaleRead::kComplete) {
    return transfer.scale_bytes;
  }
  return std::min<std::uint64_t>(transfer.scale_bytes, kLineBytes - address % kLineBytes);
}

void Executor::ReadRow(const HbmTransfer& transfer, std::uint64_t i, const RowCodec& codec,
                       std::span<float> values) {
  const std::uint64_t element = transfer.element_address + i * transfer.element_step;
  const std::uint64_t scale = transfer.scale_address + i * transfer.scale_step;
  const std::uint64_t scale_count = MovedScaleBytes(transfer, scale);
  // Zero bytes are +0.0 in every format, under every scale byte that goes with them.
  if (state_.hbm.IsUnstored(element, transfer.element_bytes) &&
      state_.hbm.IsUnstored(scale, scale_count)) {
    std::fill(values.begin(), values.end(), 0.0f);
    return;
  }
  element_bytes_.resize(transfer.element_bytes);
  scale_bytes_.assign(transfer.scale_bytes, 0);
  state_.hbm.Read(element, element_bytes_);
  state_.hbm.Read(scale, std::span(scale_bytes_).first(static_cast<std::size_t>(scale_count)));
  codec.Decode(element_bytes_, scale_bytes_, values);
}

Step Executor::PrefetchMatrix(const Operands& o) {
  const RowCodec& codec = matrix_codecs_[o.funct1];
  const std::uint64_t tiles = (machine_.rows.matrix_prefetch + mlen_ - 1) / mlen_;
  TileRequest to{.address = Gp(o.rd), .count = tiles};
  to.tile = tile_elements_.Quotient(to.address);
  if (tile_elements_.Remainder(to.address) != 0) {
    return Fail(fault::kMramTileAlignment,
                absl::StrFormat("MRAM address %d (gp%d) is not a multiple of MLEN * MLEN = %d",
                                to.address, o.rd, tile_elements_.size()));
  }
  HbmTransfer transfer;
  if (!LocateTransfer(o, codec, static_cast<std::uint32_t>(tiles * mlen_), false, transfer) ||
      !InBounds(to) || !InBounds(transfer)) {
    return Step::kFault;
  }
  for (std::uint64_t i = 0; i < transfer.rows; ++i) {
    float* row = state_.mram.Write(to.tile + i / mlen_) + i % mlen_ * mlen_;
    ReadRow(transfer, i, codec, std::span(row, static_cast<std::size_t>(mlen_)));
  }
  RecordTransfer(transfer);
  Touch().mram_write = {static_cast<std::uint32_t>(to.tile), static_cast<std::uint32_t>(tiles), 1};
  effects_.NoteRange(Effect::Kind::kMatrixTiles, to.tile, to.tile + tiles - 1);
  for (std::uint64_t i = 0; shadow_.enabled() && i < tiles; ++i) shadow_.WriteTile(to.tile + i);
  return Step::kNext;
}

Step Executor::PrefetchVector(const Operands& o) {
  const RowCodec& codec = vector_codecs_[o.funct1];
  const std::uint32_t rows = machine_.rows.vector_prefetch;
  RowRequest to = RowAt(o.rd, rows);
  HbmTransfer transfer;
  if (!Align(to) || !LocateTransfer(o, codec, rows, false, transfer) || !InBounds(to) ||
      !InBounds(transfer)) {
    return Step::kFault;
  }
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::span<isa::Bf16> row(state_.vram.Write(to.row + i), vlen_.size());
    if (codec.format() == isa::Plain(isa::kBf16)) {
      state_.hbm.Read(transfer.element_address + i * transfer.element_step, AsBytes(row));
      continue;
    }
    ReadRow(transfer, i, codec, lanes_);
    isa::FloatToBf16(lanes_, row);
  }
  RecordTransfer(transfer);
  RecordWrite(to.row, rows);
  MarkRowsWritten(to.row, rows);
  return Step::kNext;
}

Step Executor::StoreVector(const Operands& o) {
  const RowCodec& codec = vector_codecs_[o.funct1];
  const std::uint32_t rows = machine_.rows.vector_store;
  RowRequest from = RowAt(o.rd, rows);
  HbmTransfer transfer;
  if (!Align(from) || !LocateTransfer(o, codec, rows, true, transfer) || !InBounds(from) ||
      !InBounds(transfer) || !Initialised(from)) {
    return Step::kFault;
  }
  for (std::uint64_t i = 0; i < rows; ++i) WriteRow(transfer, i, codec, Row(from.row + i));
  RecordRead(0, from);
  RecordTransfer(transfer);
  return Step::kNext;
}

// Elements, then scales of row `i`. A Plain bf16 row keeps its bits, NaN payloads included.
void Executor::WriteRow(const HbmTransfer& transfer, std::uint64_t i, const RowCodec& codec,
                        const isa::Bf16* row) {
  element_bytes_.resize(transfer.element_bytes);
  scale_bytes_.resize(transfer.scale_bytes);
  const std::span<const isa::Bf16> lanes(row, vlen_.size());
  if (codec.format() == isa::Plain(isa::kBf16)) {
    std::ranges::copy(AsBytes(lanes), element_bytes_.begin());
  } else {
    isa::Bf16ToFloat(lanes, lanes_);
    codec.Encode(lanes_, element_bytes_, scale_bytes_);
  }
  WriteHbm(transfer.element_address + i * transfer.element_step, element_bytes_);
  WriteHbm(transfer.scale_address + i * transfer.scale_step, scale_bytes_);
}

void Executor::WriteHbm(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  state_.hbm.Write(address, bytes);
  effects_.NoteRange(Effect::Kind::kHbmBytes, address, address + bytes.size() - 1);
}

void Executor::RecordTransfer(const HbmTransfer& transfer) {
  Touch().has_transfer = true;
  Touch().transfer = transfer;
}

}  // namespace moescope::emulator
