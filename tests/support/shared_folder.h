#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/project_folders.h"

// Material that the repository does not carry (vectors, compiled programs) lies in a folder beside
// it, or where MOESCOPE_SHARED says. Tests that need it skip when it is absent:
//
//   const std::optional<std::string> shared = SharedFolder();
//   if (!shared) GTEST_SKIP() << kNoSharedFolder;

namespace moescope::test {

inline constexpr char kNoSharedFolder[] =
    "no shared folder: set MOESCOPE_SHARED or put it beside the repository";

inline std::optional<std::string> SharedFolder() {
  const char* named = std::getenv("MOESCOPE_SHARED");
  const std::string folder =
      named != nullptr && *named != '\0' ? named : SourceFolder() + "/../shared";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return folder;
}

}  // namespace moescope::test
