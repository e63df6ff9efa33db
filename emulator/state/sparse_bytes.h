#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/state/lazy_rows.h"

namespace moescope::emulator {

// A byte memory of up to 4 TiB that is zero until written. Pages of 4 KiB are stored once a
// nonzero byte was written to them; all other pages cost nothing.
class SparseBytes {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 42;

  // `size` is at most kLargest.
  explicit SparseBytes(std::uint64_t size);
  SparseBytes(const SparseBytes& other);
  SparseBytes& operator=(const SparseBytes& other) { return *this = SparseBytes(other); }
  SparseBytes(SparseBytes&&) noexcept = default;
  SparseBytes& operator=(SparseBytes&&) noexcept = default;

  std::uint64_t size() const { return size_; }

  // The range [address, address + count) must lie below size().
  void Read(std::uint64_t address, std::span<std::uint8_t> out) const;
  void Write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  // True when every byte of the range is on a page that is not stored.
  bool IsUnstored(std::uint64_t address, std::uint64_t count) const;

  // Numbers of the stored pages (byte address / kPageBytes), ascending.
  std::vector<std::uint64_t> StoredPages() const;
  // The bytes of a page, or null when it is not stored.
  const std::uint8_t* Page(std::uint64_t page) const;
  // Every byte that was ever written lies in this range.
  const std::optional<IndexRange>& written() const { return written_; }

  // Equal contents; what is stored does not matter.
  friend bool operator==(const SparseBytes& a, const SparseBytes& b);

 private:
  using PageBytes = std::array<std::uint8_t, kPageBytes>;
  static constexpr std::uint64_t kPagesPerGroup = 1024;
  using Group = std::array<std::unique_ptr<PageBytes>, kPagesPerGroup>;

  std::uint8_t* MutablePage(std::uint64_t page);

  std::uint64_t size_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::optional<IndexRange> written_;
};

}  // namespace moescope::emulator
