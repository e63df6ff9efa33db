#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "tests/support/project_folders.h"

// Golden files lie in tests/golden and hold the exact bytes of an output. To accept changed
// outputs, run the tests once with MOESCOPE_REGENERATE=1 in the environment and review the
// difference; such a run fails, so that it cannot pass for a check.

namespace moescope::test {

inline void ExpectGolden(const std::string& name, std::string_view actual) {
  const std::string path = SourceFolder() + "/tests/golden/" + name;
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    const absl::Status written = WriteFile(path, actual);
    ADD_FAILURE() << (written.ok() ? "regenerated " + path : std::string(written.message()));
    return;
  }
  const absl::StatusOr<std::string> expected = ReadFile(path);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  EXPECT_EQ(*expected, actual) << "in " << path;
}

}  // namespace moescope::test
