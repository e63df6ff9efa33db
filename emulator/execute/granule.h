#pragma once

#include <bit>
#include <cstdint>

namespace moescope::emulator {

// Division by a fixed number, without a division where it is a power of two.
class Granule {
 public:
  explicit Granule(std::uint64_t size)
      : size_(size), shift_(std::has_single_bit(size) ? std::countr_zero(size) : -1) {}

  std::uint64_t size() const { return size_; }
  std::uint64_t Quotient(std::uint64_t value) const {
    return shift_ >= 0 ? value >> shift_ : value / size_;
  }
  std::uint64_t Remainder(std::uint64_t value) const {
    return shift_ >= 0 ? value & (size_ - 1) : value % size_;
  }

 private:
  std::uint64_t size_;
  int shift_;
};

}  // namespace moescope::emulator
