#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cuda/element_type.h"
#include "cuda/plan.h"

namespace moescope::cuda {

enum class Buffer : std::uint8_t { kWorkspace, kPackedWeights };

// A part of a buffer. `writer` and `reader` name kernels; no slice needs clearing before a launch.
struct Slice {
  std::string_view name;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  ElementType type = ElementType::kUint8;
  std::string_view writer;
  std::string_view reader;  // first reader
};

struct BufferLayout {
  std::int64_t bytes = 0;
  std::vector<Slice> slices;  // ascending, disjoint, offsets multiples of 256

  // The slice must exist (CHECK).
  const Slice& Find(std::string_view name) const;
  bool Has(std::string_view name) const;
};

// The only function that computes bytes: allocation, slicing and launches all use it.
BufferLayout LayoutOf(const Plan& plan, Buffer buffer);

}  // namespace moescope::cuda
