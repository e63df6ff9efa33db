#include "emulator/timing/pipelined/row_uses.h"

namespace moescope::emulator {
namespace {

bool Contains(const Rows& rows, std::uint64_t row) {
  if (row < rows.first) return false;
  const std::uint64_t distance = row - rows.first;
  if (rows.stride == 0) return distance == 0;
  return distance % rows.stride == 0 && distance / rows.stride < rows.count;
}

}  // namespace

bool ShareARow(const Rows& a, const Rows& b) {
  if (a.count == 0 || b.count == 0) return false;
  if (a.stride == 1 && b.stride == 1) {
    return a.first < std::uint64_t{b.first} + b.count && b.first < std::uint64_t{a.first} + a.count;
  }
  const Rows& few = a.count <= b.count ? a : b;
  const Rows& many = a.count <= b.count ? b : a;
  for (std::uint64_t k = 0; k < few.count; ++k) {
    if (Contains(many, few.first + k * few.stride)) return true;
  }
  return false;
}

}  // namespace moescope::emulator
