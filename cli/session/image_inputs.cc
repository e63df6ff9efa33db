#include "cli/session/image_inputs.h"

#include <optional>
#include <utility>

#include "base/status.h"
#include "emulator/images.h"

namespace moescope::session {

absl::StatusOr<std::vector<emulator::ImageRecord>> LoadImages(const ImagesRequest& images,
                                                              emulator::MachineState& state,
                                                              const ImageObserver& loaded) {
  using emulator::ImageTarget;
  const std::pair<ImageTarget, const std::optional<ImageRequest>*> all[] = {
      {ImageTarget::kHbm, &images.hbm},
      {ImageTarget::kVram, &images.vram},
      {ImageTarget::kFpSram, &images.fpsram},
      {ImageTarget::kIntSram, &images.intsram}};
  std::vector<emulator::ImageRecord> records;
  for (const auto& [target, image] : all) {
    if (!image->has_value()) continue;
    const emulator::ImageOptions options{.hbm_offset = (*image)->offset,
                                         .fp_format = images.fpsram_is_bf16
                                                          ? emulator::FpImageFormat::kBf16
                                                          : emulator::FpImageFormat::kFp16};
    ASSIGN_OR_RETURN(emulator::ImageRecord record,
                     emulator::LoadImage(target, (*image)->file, options, state));
    if (loaded) loaded(**image, record);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace moescope::session
