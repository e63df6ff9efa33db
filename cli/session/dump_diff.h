#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/input_file.h"

namespace moescope::session {

// How the elements of a dump are read.
enum class DumpElement : std::uint8_t { kBytes, kBf16, kU32, kF32, kJson };

// Nothing for a type whose elements are compared byte by byte ("E4M3").
std::optional<DumpElement> ParseDumpElement(std::string_view name);

// What is known about a dump file.
struct DumpShape {
  std::string name;                    // "vram_dump.bin"
  std::string element = "bytes";       // as the manifest calls it
  std::uint64_t first = 0;             // row, tile, word or byte that the file begins with
  std::optional<std::uint64_t> units;  // rows, tiles, words or bytes in the file, when known
  std::uint64_t bytes = 0;

  friend bool operator==(const DumpShape&, const DumpShape&) = default;
};

// The dumps that a folder's dump_manifest.json lists.
absl::StatusOr<std::vector<DumpShape>> ReadDumpManifest(const std::string& folder);

// How two files of one shape differ.
struct DumpDifference {
  DumpShape shape;
  std::uint64_t bytes_a = 0;
  std::uint64_t bytes_b = 0;
  std::uint64_t elements = 0;   // compared; of registers.json its lines
  std::uint64_t differing = 0;  // of those
  std::string place;            // of the first that differs: "row 5, element 3"
  std::string a;                // its values
  std::string b;
  double largest = 0;  // |a - b| of the numeric types, over all pairs of finite values

  bool is_equal() const { return differing == 0 && bytes_a == bytes_b; }
};

struct DumpDiff {
  std::string a;
  std::string b;
  std::vector<DumpDifference> files;
  std::vector<std::pair<std::string, char>> one_sided;  // file and the side that has it

  bool is_equal() const;
};

// Compares two open files; constant memory.
absl::StatusOr<DumpDifference> CompareDumps(InputFile& a, InputFile& b, const DumpShape& shape,
                                            DumpElement element);
// Two folders with a dump_manifest.json each. FailedPrecondition when a file holds other elements
// or another range on the two sides.
absl::StatusOr<DumpDiff> DiffDumpFolders(const std::string& a, const std::string& b);

std::string DumpDiffText(const DumpDiff& diff);
std::string DumpDiffMarkdown(const DumpDiff& diff);
// `moescope.dump_diff` v1.
std::string DumpDiffJson(const DumpDiff& diff);

}  // namespace moescope::session
