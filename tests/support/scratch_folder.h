#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"

namespace moescope::test {

// A folder of its own for one test, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = ::testing::TempDir() + "/moescope.XXXXXX";
    path_ = ::mkdtemp(pattern.data()) == nullptr ? ::testing::TempDir() : pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Writes a file and gives its path.
  std::string Write(const std::string& name, std::string_view content) const {
    const absl::Status written = WriteFile(Path(name), content);
    EXPECT_TRUE(written.ok()) << written;
    return Path(name);
  }
  // The content of a file; a failure of the test when it cannot be read.
  std::string Read(const std::string& name) const {
    const absl::StatusOr<std::string> content = ReadFile(Path(name));
    EXPECT_TRUE(content.ok()) << content.status();
    return content.ok() ? *content : "";
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(Path(name)); }

 private:
  std::string path_;
};

}  // namespace moescope::test
