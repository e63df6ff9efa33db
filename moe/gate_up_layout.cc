#include "moe/gate_up_layout.h"

#include "absl/strings/str_format.h"
#include "base/string_view.h"
#include "moe/layer_names.h"

namespace moescope::moe {

absl::Status CheckGateUpRows(GateUpLayout layout, std::int64_t rows) {
  if (rows < 0 || rows % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("a gate/up tensor of %d rows: the count must be even [RC030]", rows));
  }
  if (layout == GateUpLayout::kGranule8 && rows / 2 % 8 != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("layout %s needs an intermediate width that is a multiple of 8, got %d "
                        "[RC031]",
                        Absl(Name(layout)), rows / 2));
  }
  return absl::OkStatus();
}

}  // namespace moescope::moe
