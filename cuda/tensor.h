#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/element_type.h"

namespace moescope::cuda {

// Bytes of device memory.
struct Span {
  void* data = nullptr;
  std::int64_t bytes = 0;
};

// A row-major tensor in device memory; a vector has one row. An absent tensor has data == nullptr.
struct Tensor {
  void* data = nullptr;
  ElementType type = ElementType::kBf16;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;  // elements between rows; must equal columns

  static Tensor Dense(void* data, ElementType type, std::int64_t rows, std::int64_t columns) {
    return {data, type, rows, columns, columns};
  }
  bool present() const { return data != nullptr; }
  std::int64_t bytes() const { return rows * columns * BytesOf(type); }
};

// A stream of the device (a cudaStream_t); null is the default stream.
struct Stream {
  void* handle = nullptr;
};

}  // namespace moescope::cuda
