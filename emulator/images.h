#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emulator/event.h"
#include "emulator/state/machine_state.h"

// Memory images: raw, little-endian, no header (numerics.md, 8).

namespace moescope::emulator {

enum class ImageTarget : std::uint8_t { kHbm, kVram, kFpSram, kIntSram };

std::string_view ImageTargetName(ImageTarget target);  // "hbm", "vram", "fpsram", "intsram"
std::optional<ImageTarget> ParseImageTarget(std::string_view name);

// Elements of an fpsram image.
enum class FpImageFormat : std::uint8_t { kFp16, kBf16 };

struct ImageOptions {
  std::uint64_t hbm_offset = 0;  // byte address of the first byte; hbm only
  FpImageFormat fp_format = FpImageFormat::kFp16;
};

// Reads a file ("-" is standard input) into a memory from its start on. Streams: a large image is
// never held as a whole, and pages of zeros cost nothing. Errors: IM001 unreadable, IM002 more data
// than the memory holds (both sizes), IM003 a last element that is cut off. After an error the
// memory holds what was read before it.
absl::StatusOr<ImageRecord> LoadImage(ImageTarget target, const std::string& path,
                                      const ImageOptions& options, MachineState& state);

// The same from bytes; `name` is what messages call them.
absl::StatusOr<ImageRecord> LoadImageBytes(ImageTarget target, std::string_view bytes,
                                           const std::string& name, const ImageOptions& options,
                                           MachineState& state);

}  // namespace moescope::emulator
