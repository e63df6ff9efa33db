#include "cli/session/isa_corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/session/run_manifest.h"

namespace moescope::session {

namespace {

namespace fs = std::filesystem;

bool IsManifest(const fs::path& path) {
  if (path.extension() != ".json") return false;
  const absl::StatusOr<std::string> text = ReadFile(path.string());
  return text.ok() && absl::StrContains(*text, "\"moescope.run\"");
}

bool IsWords(const fs::path& path) {
  const std::string suffix = path.extension().string();
  return suffix == ".mem" || suffix == ".bin" || suffix == ".moe";
}

bool IsText(const std::string& path) { return !IsWords(path) && path != "-"; }

class Finder {
 public:
  absl::Status Add(const std::string& place) {
    std::error_code error;
    const fs::file_status status = fs::status(place, error);
    if (!fs::exists(status)) return absl::NotFoundError(place + ": no such file or folder");
    const std::size_t before = entries_.size();
    if (fs::is_directory(status)) {
      RETURN_IF_ERROR(AddFolder(place, ""));
    } else {
      RETURN_IF_ERROR(AddFile(place, place));
    }
    if (entries_.size() > before) return absl::OkStatus();
    return absl::NotFoundError(place + ": holds no run manifest and no program");
  }

  std::vector<CorpusEntry> Take() { return std::move(entries_); }

 private:
  // `name` is how the folder is called in the names of its entries.
  absl::Status AddFolder(const fs::path& folder, const std::string& name) {
    std::vector<fs::path> files;
    std::vector<fs::path> folders;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      (entry.is_directory(error) ? folders : files).push_back(entry.path());
    }
    if (error) {
      return absl::NotFoundError(
          absl::StrCat(folder.string(), ": cannot be read: ", error.message()));
    }
    std::sort(files.begin(), files.end());
    std::sort(folders.begin(), folders.end());
    const bool has_manifest = std::any_of(files.begin(), files.end(), IsManifest);
    for (const fs::path& file : files) {
      if (has_manifest ? IsManifest(file) : IsProgram(file)) {
        RETURN_IF_ERROR(AddFile(file.string(), name + file.filename().string()));
      }
    }
    for (const fs::path& inner : folders) {
      RETURN_IF_ERROR(AddFolder(inner, absl::StrCat(name, inner.filename().string(), "/")));
    }
    return absl::OkStatus();
  }

  static bool IsProgram(const fs::path& path) {
    if (path.extension() == ".asm") return true;
    std::error_code ignored;
    return IsWords(path) && !fs::exists(fs::path(path).replace_extension(".asm"), ignored) &&
           !absl::EndsWith(path.filename().string(), "_dump.bin");
  }

  absl::Status AddFile(const std::string& path, const std::string& name) {
    CorpusEntry entry;
    entry.name = name;
    if (IsManifest(path)) {
      ASSIGN_OR_RETURN(entry.request, ReadManifest(path));
      entry.can_run = true;
    } else {
      entry.request.program.file = path;
    }
    if (entry.request.program.file.empty()) {
      return absl::InvalidArgumentError(path + ": the manifest names no program");
    }
    entry.has_text = IsText(entry.request.program.file) && !entry.request.program.is_raw;
    // Both sides are given a set; a container names the one it was assembled for.
    entry.request.program.force_isa = true;
    entry.request.program.isa.clear();
    entries_.push_back(std::move(entry));
    return absl::OkStatus();
  }

  std::vector<CorpusEntry> entries_;
};

}  // namespace

absl::StatusOr<std::vector<CorpusEntry>> FindCorpus(std::span<const std::string> places) {
  Finder finder;
  for (const std::string& place : places) RETURN_IF_ERROR(finder.Add(place));
  return finder.Take();
}

}  // namespace moescope::session
