#include "asm/sources.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace moescope::assembler {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kMostShownBytes = 1000;

std::vector<std::size_t> LineBegins(std::string_view text) {
  std::vector<std::size_t> begins{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    begins.push_back(at + 1);
  }
  return begins;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::uint32_t CountCodePoints(std::string_view text) {
  return static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::uint32_t Sources::Add(std::string path, std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  files_.push_back({std::move(path), std::move(text)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string Sources::LineText(std::uint32_t file, std::uint32_t line) {
  const std::string_view text = files_[file].text;
  std::vector<std::size_t>& begins = line_begins_[file];
  if (begins.empty()) begins = LineBegins(text);
  if (line == 0 || line > begins.size()) return "";
  const std::size_t begin = begins[line - 1];
  std::string_view shown = text.substr(begin, text.find('\n', begin) - begin);
  if (shown.ends_with('\r')) shown.remove_suffix(1);
  if (shown.size() > kMostShownBytes) {
    std::size_t end = kMostShownBytes;
    while (end > 0 && IsContinuation(shown[end])) --end;
    shown = shown.substr(0, end);
  }
  return std::string(shown);
}

std::string Sources::LineAt(const SourceLocation& location) {
  const auto file = std::find_if(files_.begin(), files_.end(), [&location](const SourceText& f) {
    return f.path == location.file;
  });
  if (file == files_.end()) return "";
  return LineText(static_cast<std::uint32_t>(file - files_.begin()), location.line);
}

SourceLocation Sources::LocationOf(const Place& place) const {
  return {files_[place.at.file].path, place.at.line, place.at.column, place.length};
}

std::uint32_t Sources::Intern(const Origin& origin) {
  const auto next = static_cast<std::uint32_t>(origins_.size());
  const std::array<std::uint32_t, 6> key{static_cast<std::uint32_t>(origin.kind),
                                         origin.parent,
                                         origin.name,
                                         origin.at.file,
                                         origin.at.line,
                                         origin.at.column};
  const auto [entry, is_new] = origin_numbers_.try_emplace(key, next);
  if (is_new) origins_.push_back(origin);
  return entry->second;
}

std::uint32_t Sources::InternMacroName(const std::string& name) {
  const auto [entry, is_new] =
      macro_numbers_.try_emplace(name, static_cast<std::uint32_t>(macro_names_.size()));
  if (is_new) macro_names_.push_back(name);
  return entry->second;
}

std::vector<DiagnosticNote> Sources::NotesOf(std::uint32_t origin) const {
  std::vector<DiagnosticNote> notes;
  for (std::uint32_t i = origin; i != 0; i = origins_[i].parent) {
    const Origin& from = origins_[i];
    std::string text;
    switch (from.kind) {
      case Origin::Kind::kMacro:
        text = absl::StrCat("in the expansion of macro '", macro_names_[from.name], "'");
        break;
      case Origin::Kind::kRepetition:
        text = "in the body of this '.rept'";
        break;
      case Origin::Kind::kInclude:
      case Origin::Kind::kInput:
        text = "included from here";
        break;
    }
    notes.push_back({std::move(text), LocationOf({.at = from.at})});
  }
  return notes;
}

std::vector<SourceText> Sources::TakeFiles() {
  return {std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end())};
}

}  // namespace moescope::assembler
