#include "absl/strings/str_format.h"
#include "cuda/device.h"

namespace moescope::cuda {

DeviceTraits DesignTraits() {
  return {.name = "design figures of compute capability 9.0",
          .major = 9,
          .minor = 0,
          .multiprocessors = 132,
          .shared_bytes_per_block = 232448,
          .l2_bytes = std::int64_t{60} << 20};
}

absl::Status CheckCapability(const Device& device) {
  const DeviceTraits& traits = device.traits;
  if (traits.major == 9 && traits.minor == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("device %d (%s) has compute capability %d.%d; this build needs 9.0",
                      device.ordinal, traits.name, traits.major, traits.minor));
}

}  // namespace moescope::cuda
