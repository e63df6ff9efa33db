#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "asm/assembler.h"
#include "asm/problem.h"

namespace moescope::assembler {

// A part of a line of a source file, how that line came to be assembled, and when.
struct Place {
  isa::SourcePosition at;
  std::uint32_t length = 0;  // code points
  std::uint32_t origin = 0;
  std::uint64_t order = 0;  // of its statement in the text after expansion

  friend auto operator<=>(const Place& a, const Place& b) { return a.order <=> b.order; }
};

// The texts that are assembled, by number, and the origins of their lines.
class Sources {
 public:
  Sources() : origins_(1) {}

  // A leading byte-order mark is dropped.
  std::uint32_t Add(std::string path, std::string text);

  const std::string& PathOf(std::uint32_t file) const { return files_[file].path; }
  std::string_view TextOf(std::uint32_t file) const { return files_[file].text; }
  std::size_t size() const { return files_.size(); }

  // A line without its line end; at most about a thousand bytes of it.
  std::string LineText(std::uint32_t file, std::uint32_t line);
  // The line at a location of the first file of its name; empty when unknown.
  std::string LineAt(const SourceLocation& location);
  SourceLocation LocationOf(const Place& place) const;

  // Equal origins get the same number.
  std::uint32_t Intern(const Origin& origin);
  std::uint32_t InternMacroName(const std::string& name);
  // One note per enclosing macro, repetition and include, innermost first.
  std::vector<DiagnosticNote> NotesOf(std::uint32_t origin) const;

  std::vector<SourceText> TakeFiles();
  std::vector<Origin> TakeOrigins() { return std::move(origins_); }
  std::vector<std::string> TakeMacroNames() { return std::move(macro_names_); }

 private:
  std::deque<SourceText> files_;                                   // texts must not move
  std::map<std::uint32_t, std::vector<std::size_t>> line_begins_;  // per file, made on demand
  std::vector<Origin> origins_;
  absl::flat_hash_map<std::array<std::uint32_t, 6>, std::uint32_t> origin_numbers_;
  std::vector<std::string> macro_names_;
  std::map<std::string, std::uint32_t> macro_numbers_;
};

// Number of code points that begin in `text`.
std::uint32_t CountCodePoints(std::string_view text);

}  // namespace moescope::assembler
