#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope::session {

// A file that is written piece by piece and appears under its name when it is complete
// (base/file.h). One whose name ends in ".gz" is compressed, with equal bytes for equal content.
class OutputFile {
 public:
  // Unimplemented for a ".gz" in a build without zlib.
  static absl::StatusOr<OutputFile> Create(const std::string& path);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  absl::Status Write(std::string_view bytes);
  absl::Status Commit();

 private:
  class Target;
  explicit OutputFile(std::unique_ptr<Target> target);

  std::unique_ptr<Target> target_;
};

}  // namespace moescope::session
