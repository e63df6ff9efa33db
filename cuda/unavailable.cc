#include "cuda/device.h"
#include "cuda/forward.h"
#include "cuda/graph.h"
#include "cuda/memory.h"

// The device side of the API in a build without nvcc. Plans, layouts and packing are host code and
// work in every build.

namespace moescope::cuda {
namespace {

absl::Status Unavailable() { return absl::UnimplementedError("built without CUDA"); }

}  // namespace

absl::StatusOr<int> DeviceCount() { return Unavailable(); }
absl::StatusOr<Device> OpenDevice(int) { return Unavailable(); }

absl::Status Route(const Plan&, const RouteTensors&, Span, Stream) { return Unavailable(); }
absl::Status Forward(const Plan&, const ForwardTensors&, Span, Stream) { return Unavailable(); }
absl::StatusOr<DeviceReport> Finish(const Plan&, Span, Stream) { return Unavailable(); }

Memory& Memory::operator=(Memory&& other) noexcept {
  span_ = other.span_;
  other.span_ = {};
  return *this;
}
Memory::~Memory() = default;
absl::StatusOr<Memory> Memory::Allocate(std::int64_t) { return Unavailable(); }
absl::Status CopyToDevice(void*, const void*, std::int64_t) { return Unavailable(); }
absl::Status CopyToHost(void*, const void*, std::int64_t) { return Unavailable(); }
absl::Status FillBytes(void*, std::uint8_t, std::int64_t) { return Unavailable(); }

absl::StatusOr<Graph> Graph::Capture(const std::function<absl::Status(Stream)>&) {
  return Unavailable();
}
Graph::~Graph() = default;
absl::Status Graph::Replay(Stream) const { return Unavailable(); }

OwnedStream::~OwnedStream() = default;
absl::StatusOr<OwnedStream> OwnedStream::Create() { return Unavailable(); }

}  // namespace moescope::cuda
