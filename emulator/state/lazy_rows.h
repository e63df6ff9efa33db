#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/check.h"

namespace moescope::emulator {

// First and last index of something, both inclusive.
struct IndexRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

// Grows a range, absent = empty, by one index.
inline void Include(std::optional<IndexRange>& range, std::uint64_t index) {
  if (!range) {
    range = IndexRange{index, index};
    return;
  }
  range->first = std::min(range->first, index);
  range->last = std::max(range->last, index);
}

// `rows` rows of `width` elements that are zero until written. Memory is taken only for chunks of
// neighbouring rows of which one was written, so a capacity of gigabytes costs nothing by itself.
// Row numbers must be below rows().
template <typename Element>
class LazyRows {
 public:
  LazyRows(std::uint64_t rows, std::uint64_t width)
      : rows_(rows), width_(width), zero_row_(Allocate(width)) {
    const std::uint64_t per_chunk =
        std::bit_floor(std::max<std::uint64_t>(1, kChunkElements / width));
    shift_ = std::countr_zero(per_chunk);
    chunks_.resize(static_cast<std::size_t>((rows + per_chunk - 1) >> shift_));
  }
  LazyRows(const LazyRows& other) : LazyRows(other.rows_, other.width_) {
    written_ = other.written_;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (other.chunks_[i] == nullptr) continue;
      chunks_[i] = Allocate(ChunkElements());
      std::memcpy(chunks_[i].get(), other.chunks_[i].get(), ChunkElements() * sizeof(Element));
    }
  }
  LazyRows& operator=(const LazyRows& other) { return *this = LazyRows(other); }
  LazyRows(LazyRows&&) noexcept = default;
  LazyRows& operator=(LazyRows&&) noexcept = default;

  std::uint64_t rows() const { return rows_; }
  std::uint64_t width() const { return width_; }

  // The `width` elements of a row. Stays valid as long as the object, also across writes of others;
  // a row that was never written may move when it is written first.
  const Element* Read(std::uint64_t row) const {
    DCHECK(row < rows_);
    const Element* chunk = chunks_[static_cast<std::size_t>(row >> shift_)].get();
    return chunk == nullptr ? zero_row_.get() : chunk + InChunk(row);
  }
  Element* Write(std::uint64_t row) {
    DCHECK(row < rows_);
    std::unique_ptr<Element[], Free>& chunk = chunks_[static_cast<std::size_t>(row >> shift_)];
    if (chunk == nullptr) [[unlikely]]
      chunk = Allocate(ChunkElements());
    Include(written_, row);
    return chunk.get() + InChunk(row);
  }

  // The rows that Write was ever called for lie in this range.
  const std::optional<IndexRange>& written() const { return written_; }
  // False only for rows that are zero because nothing near them was written.
  bool IsStored(std::uint64_t row) const {
    return chunks_[static_cast<std::size_t>(row >> shift_)] != nullptr;
  }
  // Rows that IsStored answers for together.
  std::uint64_t rows_per_chunk() const { return std::uint64_t{1} << shift_; }

  // Equal contents; what is stored and what was written does not matter.
  friend bool operator==(const LazyRows& a, const LazyRows& b) {
    if (a.rows_ != b.rows_ || a.width_ != b.width_) return false;
    for (std::uint64_t row = 0; row < a.rows_; ++row) {
      if (!a.IsStored(row) && !b.IsStored(row)) {
        row |= a.rows_per_chunk() - 1;
        continue;
      }
      if (std::memcmp(a.Read(row), b.Read(row), a.width_ * sizeof(Element)) != 0) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kChunkElements = 32768;

  struct Free {
    void operator()(Element* elements) const { std::free(elements); }
  };

  // calloc leaves untouched pages of a large block to the system's shared zero page.
  static std::unique_ptr<Element[], Free> Allocate(std::uint64_t elements) {
    void* block = std::calloc(static_cast<std::size_t>(elements), sizeof(Element));
    CHECK_BECAUSE(block != nullptr, "out of memory");
    return std::unique_ptr<Element[], Free>(static_cast<Element*>(block));
  }

  std::uint64_t ChunkElements() const { return width_ << shift_; }
  std::size_t InChunk(std::uint64_t row) const {
    return static_cast<std::size_t>((row & (rows_per_chunk() - 1)) * width_);
  }

  std::uint64_t rows_;
  std::uint64_t width_;
  int shift_ = 0;
  std::vector<std::unique_ptr<Element[], Free>> chunks_;
  std::unique_ptr<Element[], Free> zero_row_;
  std::optional<IndexRange> written_;
};

}  // namespace moescope::emulator
