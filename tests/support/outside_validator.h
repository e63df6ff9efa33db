#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "tests/support/project_folders.h"

namespace moescope::test {

// Judges JSON texts by an independent implementation of JSON Schema (python3-jsonschema). Tests
// that need it skip, and say so, when it is not installed:
//
//   if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
class OutsideValidator {
 public:
  static constexpr char kNotInstalled[] = "python3-jsonschema is not installed";
  static bool IsInstalled() {
    return std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") == 0;
  }

  // `name` tells the folders of concurrent tests apart.
  explicit OutsideValidator(const std::string& name)
      : folder_(::testing::TempDir() + "/moescope_validator_" + name) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/good");
    std::filesystem::create_directories(folder_ + "/bad");
  }
  OutsideValidator(const OutsideValidator&) = delete;
  OutsideValidator& operator=(const OutsideValidator&) = delete;
  ~OutsideValidator() { std::filesystem::remove_all(folder_); }

  void AddGood(std::string_view text) { Write("good", text); }
  void AddBad(std::string_view text) { Write("bad", text); }

  // Whether every text is judged as announced; the wrong ones are printed. `schema` lies below the
  // source folder.
  bool Agrees(const std::string& schema) const {
    const std::string root = SourceFolder();
    const std::string command = "python3 " + root + "/tests/support/validate_schema.py " + root +
                                "/" + schema + " " + folder_;
    return std::system(command.c_str()) == 0;
  }

 private:
  void Write(const std::string& verdict, std::string_view text) {
    const std::string path = folder_ + "/" + verdict + "/" + std::to_string(count_++) + ".json";
    EXPECT_TRUE(WriteFile(path, text).ok());
  }

  std::string folder_;
  int count_ = 0;
};

}  // namespace moescope::test
