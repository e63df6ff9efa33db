#include "asm/emit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "asm/listing.h"
#include "asm/program_json.h"
#include "asm/word_files.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "isa/container.h"

namespace moescope::assembler {

namespace {

constexpr std::string_view kNames[] = {"container", "mem",  "hex",    "bin",
                                       "readmemh",  "json", "listing"};
constexpr std::string_view kSuffixes[] = {".moe", ".mem", ".hex", ".bin", ".vmem", ".json", ".lst"};

}  // namespace

std::span<const std::string_view> OutputFormatNames() { return kNames; }

absl::StatusOr<OutputFormat> ParseOutputFormat(std::string_view name) {
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) {
    const std::string suggestion = DidYouMean(name, kNames);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown output format '", Absl(name), "'", suggestion,
                     suggestion.empty() ? "; known" : " Known",
                     ": container, mem, hex, bin, readmemh, json, listing"));
  }
  return static_cast<OutputFormat>(found - std::begin(kNames));
}

std::string_view FileSuffixOf(OutputFormat format) {
  return kSuffixes[static_cast<std::size_t>(format)];
}

std::string Emit(const Assembly& assembly, OutputFormat format, const isa::InstructionSet& set) {
  const isa::Program& program = assembly.program;
  switch (format) {
    case OutputFormat::kContainer:
      return isa::WriteContainer(program, set);
    case OutputFormat::kMem:
      return WriteMem(program.words);
    case OutputFormat::kHex:
      return WriteHex(program.words);
    case OutputFormat::kBin:
      return WriteBinary(program.words);
    case OutputFormat::kReadmemh:
      return WriteReadmemh(program.words);
    case OutputFormat::kJson:
      return WriteProgramJson(program, set);
    case OutputFormat::kListing:
      return WriteListing(assembly, set);
  }
  return "";
}

}  // namespace moescope::assembler
