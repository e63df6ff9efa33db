#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/trace/trace.h"

namespace moescope::profiler {

// All that a trace writes.
inline std::string TextOf(Trace& trace) {
  std::string text;
  const absl::Status status = trace.Write([&](std::string_view bytes) {
    text += bytes;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok());
  return text;
}

}  // namespace moescope::profiler
