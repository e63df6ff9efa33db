#include "asm/program_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "asm/word_files.h"
#include "base/status.h"
#include "isa/container.h"

namespace moescope::assembler {

namespace {

constexpr std::size_t kExamined = 4096;

bool HasSuffix(const std::string& path, std::initializer_list<std::string_view> suffixes) {
  const std::string lower = absl::AsciiStrToLower(path);
  return std::any_of(suffixes.begin(), suffixes.end(), [&lower](std::string_view suffix) {
    return lower.size() >= suffix.size() &&
           lower.compare(lower.size() - suffix.size(), suffix.size(), suffix) == 0;
  });
}

bool IsText(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  });
}

// Whether the first token behind comments is a word in hex.
bool BeginsWithWord(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == ';') continue;
    if (line.substr(begin).starts_with("//")) continue;
    const std::string_view token = line.substr(begin, line.find_first_of(" \t\r;/", begin) - begin);
    return ReadMem(token, "").ok();
  }
  return false;
}

}  // namespace

ProgramFormat DetectProgramFormat(std::string_view bytes, const std::string& path) {
  if (isa::IsContainer(bytes)) return ProgramFormat::kContainer;
  if (HasSuffix(path, {".asm", ".s", ".inc"})) return ProgramFormat::kAssembly;
  if (HasSuffix(path, {".mem", ".hex"})) return ProgramFormat::kMem;
  if (HasSuffix(path, {".bin"})) return ProgramFormat::kBinary;
  const std::string_view examined = bytes.substr(0, kExamined);
  if (!IsText(examined)) return ProgramFormat::kBinary;
  return BeginsWithWord(examined) ? ProgramFormat::kMem : ProgramFormat::kAssembly;
}

absl::StatusOr<LoadedProgram> LoadProgram(std::string bytes, const std::string& path,
                                          ProgramFormat format, const AssembleOptions& options,
                                          bool force_isa) {
  LoadedProgram loaded;
  loaded.format = format;
  switch (format) {
    case ProgramFormat::kContainer: {
      const isa::ContainerReading reading{options.instruction_set, force_isa};
      ASSIGN_OR_RETURN(loaded.program, isa::ReadContainer(bytes, path, reading));
      break;
    }
    case ProgramFormat::kMem: {
      ASSIGN_OR_RETURN(std::vector<std::uint32_t> words, ReadMem(bytes, path));
      loaded.program = isa::ProgramFromWords(std::move(words));
      break;
    }
    case ProgramFormat::kBinary: {
      ASSIGN_OR_RETURN(std::vector<std::uint32_t> words, ReadBinary(bytes, path));
      loaded.program = isa::ProgramFromWords(std::move(words));
      break;
    }
    case ProgramFormat::kAssembly: {
      std::vector<SourceText> inputs;
      inputs.push_back({path, std::move(bytes)});
      ASSIGN_OR_RETURN(Assembly assembly, Assemble(std::move(inputs), options));
      loaded.program = std::move(assembly.program);
      loaded.findings = std::move(assembly.findings);
      break;
    }
  }
  return loaded;
}

}  // namespace moescope::assembler
