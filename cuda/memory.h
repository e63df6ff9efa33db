#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cuda/tensor.h"

// Device memory, copies and streams for callers that do not include CUDA headers.

namespace moescope::cuda {

// Owns device memory, aligned to 256 bytes.
class Memory {
 public:
  Memory() = default;
  Memory(Memory&& other) noexcept : span_(other.span_) { other.span_ = {}; }
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  // ResourceExhausted with the bytes asked for when the device has not enough.
  static absl::StatusOr<Memory> Allocate(std::int64_t bytes);

  void* data() const { return span_.data; }
  std::int64_t bytes() const { return span_.bytes; }
  Span span() const { return span_; }

 private:
  Span span_;
};

// Copies wait until the data has arrived.
absl::Status CopyToDevice(void* device, const void* host, std::int64_t bytes);
absl::Status CopyToHost(void* host, const void* device, std::int64_t bytes);
absl::Status FillBytes(void* device, std::uint8_t value, std::int64_t bytes);

// Owns a stream that does not synchronise with the default stream.
class OwnedStream {
 public:
  OwnedStream(OwnedStream&& other) noexcept : stream_(other.stream_) { other.stream_ = {}; }
  OwnedStream& operator=(OwnedStream&&) = delete;
  ~OwnedStream();
  static absl::StatusOr<OwnedStream> Create();
  Stream get() const { return stream_; }

 private:
  OwnedStream() = default;
  Stream stream_;
};

}  // namespace moescope::cuda
