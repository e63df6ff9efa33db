#include "cli/session/output_file.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/gzip.h"

namespace moescope::session {

class OutputFile::Target {
 public:
  Target(AtomicFile file, std::unique_ptr<GzipWriter> gzip)
      : file_(std::move(file)), gzip_(std::move(gzip)) {}

  absl::Status Write(std::string_view bytes) {
    if (gzip_ == nullptr) return file_.Write(bytes);
    return gzip_->Write(bytes, [this](std::string_view packed) { return file_.Write(packed); });
  }

  absl::Status Commit() {
    if (gzip_ != nullptr) {
      RETURN_IF_ERROR(
          gzip_->Finish([this](std::string_view packed) { return file_.Write(packed); }));
    }
    return file_.Commit();
  }

 private:
  AtomicFile file_;
  std::unique_ptr<GzipWriter> gzip_;
};

OutputFile::OutputFile(std::unique_ptr<Target> target) : target_(std::move(target)) {}
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  std::unique_ptr<GzipWriter> gzip;
  if (absl::EndsWith(path, ".gz")) {
    ASSIGN_OR_RETURN(gzip, GzipWriter::Create(path));
  }
  ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  return OutputFile(std::make_unique<Target>(std::move(file), std::move(gzip)));
}

absl::Status OutputFile::Write(std::string_view bytes) { return target_->Write(bytes); }
absl::Status OutputFile::Commit() { return target_->Commit(); }

}  // namespace moescope::session
