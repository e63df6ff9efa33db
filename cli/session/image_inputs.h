#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/event.h"
#include "emulator/state/machine_state.h"

namespace moescope::session {

// Hears of every image that was loaded.
using ImageObserver =
    std::function<void(const ImageRequest& image, const emulator::ImageRecord& record)>;

// Loads the images that a request names into a machine, hbm, vram, fpsram and intsram in this
// order, and tells what was loaded. Errors are those of emulator::LoadImage.
absl::StatusOr<std::vector<emulator::ImageRecord>> LoadImages(const ImagesRequest& images,
                                                              emulator::MachineState& state,
                                                              const ImageObserver& loaded = {});

}  // namespace moescope::session
