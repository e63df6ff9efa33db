#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope::cuda {

// What a plan needs to know about a device. Read from the device, never assumed.
struct DeviceTraits {
  std::string name;
  int major = 0;  // compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::int64_t shared_bytes_per_block = 0;  // opt-in maximum
  std::int64_t l2_bytes = 0;

  friend bool operator==(const DeviceTraits&, const DeviceTraits&) = default;
};

// Design figures of the card that the kernels were written for: 132 SMs, 227 KiB, 60 MB. Plans on a
// host without a device are made for these.
DeviceTraits DesignTraits();

struct Device {
  int ordinal = 0;
  DeviceTraits traits;
};

// Devices of this host; 0 without a driver. Unimplemented in a build without CUDA.
absl::StatusOr<int> DeviceCount();

// FailedPrecondition when the compute capability is not 9.0: "device 0 (<name>) has compute
// capability 8.9; this build needs 9.0".
absl::Status CheckCapability(const Device& device);

// Selects the device for the calling thread and reads its traits. NotFound when there is none with
// this ordinal; FailedPrecondition when its compute capability is not 9.0.
absl::StatusOr<Device> OpenDevice(int ordinal);

}  // namespace moescope::cuda
