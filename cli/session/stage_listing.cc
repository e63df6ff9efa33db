#include "cli/session/stage_listing.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"

namespace moescope::session {

namespace {

std::string_view ScopeName(isa::StageScope scope) {
  return scope == isa::StageScope::kPair ? "pair" : "layer";
}

std::string NumberOr(const std::optional<std::uint32_t>& number, std::string_view otherwise) {
  return number ? absl::StrCat(*number) : std::string(otherwise);
}

std::string PlaceOf(const isa::Program& program, const isa::StageRange& range) {
  if (range.line == 0) return "";
  return absl::StrCat(program.files[range.file], ":", range.line);
}

// The stage of a range with the regions around it: "expert_projection/ksplit_add".
std::string PathOf(const isa::Program& program, const isa::StageRange& range) {
  const std::string& name = program.names[range.name].name;
  if (!range.parent) return name;
  return absl::StrCat(PathOf(program, program.ranges[*range.parent]), "/", name);
}

std::string WrappedTail(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (const absl::string_view word : absl::StrSplit(Absl(text), ' ', absl::SkipEmpty())) {
    if (column > indent && column + 1 + word.size() > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    absl::StrAppend(&out, word);
    column += word.size();
  }
  return out;
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string VocabularyText(const stages::Vocabulary& vocabulary, int width) {
  std::size_t name_width = 4;
  for (const isa::StageName& stage : vocabulary.names()) {
    name_width = std::max(name_width, stage.name.size());
  }
  const std::size_t indent = 3 + 2 + name_width + 2 + 5 + 2 + 9 + 2;
  std::string text = absl::StrFormat("%3s  %-*s  %-5s  %-9s  %s\n", "#", name_width, "name",
                                     "scope", "origin", "summary");
  std::uint32_t index = 0;
  for (const isa::StageName& stage : vocabulary.names()) {
    const bool extension = stage.origin == isa::StageOrigin::kExtension;
    std::string summary = vocabulary.rules(index).summary;
    if (!stage.parent.empty()) absl::StrAppend(&summary, " Inside ", stage.parent, ".");
    absl::StrAppendFormat(
        &text, "%3d  %-*s  %-5s  %-9s  %s\n", ++index, name_width, stage.name,
        Absl(ScopeName(stage.scope)), extension ? "extension" : "builtin",
        WrappedTail(summary, indent, std::max(static_cast<std::size_t>(width), indent + 30)));
  }
  return text;
}

std::string StageTableText(const isa::Program& program) {
  std::string text = absl::StrFormat("%-15s %8s  %-32s %6s %6s  %s\n", "pc", "words", "stage",
                                     "pair", "expert", "marker");
  std::vector<std::uint64_t> words(program.names.size());
  std::vector<bool> marked(program.names.size());
  for (const isa::StageRange& range : program.ranges) {
    const std::uint32_t count = range.end_pc - range.begin_pc;
    words[range.name] += count;
    marked[range.name] = true;
    absl::StrAppendFormat(&text, "%-15s %8d  %-32s %6s %6s  %s\n",
                          absl::StrCat(range.begin_pc, "..", range.end_pc), count,
                          PathOf(program, range), NumberOr(range.pair, "-"),
                          NumberOr(range.expert, "-"), PlaceOf(program, range));
  }
  absl::StrAppendFormat(&text, "\n%-32s %8s\n", "stage", "words");
  const auto row = [&](std::size_t name) {
    absl::StrAppendFormat(&text, "%-32s %8d\n", program.names[name].name, words[name]);
  };
  for (std::size_t name = 1; name < words.size(); ++name) {
    if (marked[name]) row(name);
  }
  row(0);
  absl::StrAppendFormat(&text, "%-32s %8d\n", "total", program.words.size());
  return text;
}

std::string StageTableCsv(const isa::Program& program) {
  std::string text = "begin_pc,end_pc,stage,pair,expert,file,line\r\n";
  for (const isa::StageRange& range : program.ranges) {
    absl::StrAppend(&text, range.begin_pc, ",", range.end_pc, ",", CsvField(PathOf(program, range)),
                    ",", NumberOr(range.pair, ""), ",", NumberOr(range.expert, ""), ",",
                    range.line == 0 ? "" : CsvField(program.files[range.file]), ",",
                    range.line == 0 ? "" : absl::StrCat(range.line), "\r\n");
  }
  return text;
}

}  // namespace moescope::session
