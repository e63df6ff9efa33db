#include "stages/stage_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/string_view.h"

namespace moescope::stages {

namespace {

// Computing suggestions for every one of many unknown names is what would take long.
constexpr std::size_t kMaximumSuggestedNames = 100;

std::uint32_t CodePoints(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The place of a part of the comment's text.
SourceLocation PlaceIn(const Comment& comment, std::size_t offset, std::size_t length) {
  SourceLocation place = comment.location;
  place.column += (comment.is_semicolon ? 1 : 2) + CodePoints(comment.text.substr(0, offset));
  place.length = CodePoints(comment.text.substr(offset, length));
  return place;
}

SourceLocation PlaceOfName(const Comment& comment, const Marker& marker) {
  return PlaceIn(comment, static_cast<std::size_t>(marker.name.data() - comment.text.data()),
                 marker.name.size());
}

std::string Opened(std::string_view name, const SourceLocation& at) {
  return absl::StrCat("region '", Absl(name), "' opened at line ", at.line);
}

}  // namespace

StageTableBuilder::StageTableBuilder(const Vocabulary& vocabulary, UnknownStage unknown)
    : vocabulary_(vocabulary), unknown_(unknown), ranges_(1) {}

void StageTableBuilder::OnComment(const Comment& comment, std::uint32_t pc) {
  const ParsedComment parsed =
      ParseMarker(comment.text, comment.is_semicolon, comment.stands_alone);
  if (const auto* problem = std::get_if<MarkerProblem>(&parsed)) {
    Report(problem->id, problem->message, PlaceIn(comment, problem->offset, problem->length),
           comment.source_line);
  } else if (const auto* marker = std::get_if<Marker>(&parsed)) {
    Apply(*marker, comment, pc);
  }
}

void StageTableBuilder::OnLoopStart(const SourceLocation& location, std::uint32_t /*pc*/) {
  loops_.push_back(location);
}

void StageTableBuilder::OnLoopEnd(const SourceLocation& location, std::uint32_t /*pc*/) {
  if (loops_.empty()) return;
  const Triple* inside = &current_;
  for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
    if (region->loops < loops_.size()) break;
    if (!region->is_reported) {
      Diagnostic& diagnostic =
          Report("MS010",
                 absl::StrCat(Opened(inside->written_name, inside->location),
                              " crosses the loop boundary at line ", location.line),
                 location, "");
      NoteOpened(diagnostic, *inside);
      region->is_reported = true;
    }
    inside = &region->outside;
  }
  loops_.pop_back();
}

void StageTableBuilder::Apply(const Marker& marker, const Comment& comment, std::uint32_t pc) {
  has_markers_ = true;
  switch (marker.kind) {
    case MarkerKind::kStage:
    case MarkerKind::kEnd:
      return ApplySticky(marker, comment, pc);
    case MarkerKind::kPush:
      return ApplyPush(marker, comment, pc);
    case MarkerKind::kPop:
      return ApplyPop(comment, pc);
  }
}

void StageTableBuilder::ApplySticky(const Marker& marker, const Comment& comment,
                                    std::uint32_t pc) {
  if (!regions_.empty()) {
    Diagnostic& diagnostic = Report(
        "MS008",
        absl::StrCat(marker.kind == MarkerKind::kEnd ? "'@stage_end' inside " : "'@stage=' inside ",
                     Opened(current_.written_name, current_.location),
                     "; close it or use '@stage_push='"),
        comment.location, comment.source_line);
    return NoteOpened(diagnostic, current_);
  }
  Triple triple;
  if (marker.kind == MarkerKind::kStage) triple = TripleOf(marker, comment);
  triple.location = comment.location;
  CheckParent(triple, marker, comment);
  SetTriple(std::move(triple), comment, pc);
}

void StageTableBuilder::ApplyPush(const Marker& marker, const Comment& comment, std::uint32_t pc) {
  if (regions_.size() == kMaximumRegionDepth) {
    Report("MS009", absl::StrCat("regions nest deeper than ", kMaximumRegionDepth),
           comment.location, comment.source_line);
    ++excess_depth_;
    return;
  }
  Triple triple = TripleOf(marker, comment);
  triple.location = comment.location;
  if (const Triple* open = FindOpen(marker.name)) {
    Diagnostic& diagnostic =
        Report("MS009",
               absl::StrCat("stage '", Absl(marker.name), "' is already open (line ",
                            open->location.line, ")"),
               PlaceOfName(comment, marker), comment.source_line);
    NoteOpened(diagnostic, *open);
  }
  CheckParent(triple, marker, comment);
  if (triple.name > 0) Inherit(triple);
  const bool is_outside_every_stage = current_.name == 0 && !current_.parent;
  if (!is_outside_every_stage) {
    triple.parent = static_cast<std::uint32_t>(ranges_.size() - 1);
  }
  regions_.push_back({current_, loops_.size()});
  SetTriple(std::move(triple), comment, pc);
}

void StageTableBuilder::CheckParent(const Triple& triple, const Marker& marker,
                                    const Comment& comment) {
  if (triple.name == 0) return;
  const isa::StageName& stage = vocabulary_.names()[triple.name - 1];
  if (stage.parent.empty()) return;
  if (marker.kind == MarkerKind::kPush && FindOpen(stage.parent) != nullptr) return;
  Report("MS012",
         absl::StrCat("stage '", stage.name, "' may only be used inside a region of '",
                      stage.parent, "'"),
         PlaceOfName(comment, marker), comment.source_line);
}

// What is known about the caller's pair holds for the region unless that names another pair.
void StageTableBuilder::Inherit(Triple& region) const {
  if (!region.expert && (!region.pair || region.pair == current_.pair)) {
    region.expert = current_.expert;
  }
  if (!region.pair) region.pair = current_.pair;
}

void StageTableBuilder::ApplyPop(const Comment& comment, std::uint32_t pc) {
  if (excess_depth_ > 0) {
    --excess_depth_;
    return;
  }
  if (regions_.empty()) {
    Report("MS006", "'@stage_pop' closes nothing", comment.location, comment.source_line);
    return;
  }
  Region region = std::move(regions_.back());
  regions_.pop_back();
  if (region.loops < loops_.size() && !region.is_reported) {
    Diagnostic& diagnostic =
        Report("MS010",
               absl::StrCat(Opened(current_.written_name, current_.location),
                            " crosses the loop boundary at line ", loops_[region.loops].line),
               comment.location, comment.source_line);
    NoteOpened(diagnostic, current_);
  }
  SetTriple(std::move(region.outside), comment, pc);
}

void StageTableBuilder::SetTriple(Triple triple, const Comment& marker, std::uint32_t pc) {
  CHECK(pc >= ranges_.back().begin_pc);
  // Code in front of the first marker has a range of its own only if there is any.
  const bool replaces_leading_range = ranges_.size() == 1 && ranges_[0].line == 0 && pc == 0;
  ranges_.back().end_pc = pc;
  if (replaces_leading_range) {
    ranges_.pop_back();
    range_origins_.pop_back();
  }
  ranges_.push_back({.begin_pc = pc,
                     .end_pc = pc,
                     .name = triple.name,
                     .pair = triple.pair,
                     .expert = triple.expert,
                     .parent = triple.parent,
                     .file = FileIndex(marker.location.file),
                     .line = marker.location.line});
  range_origins_.push_back(marker.origin);
  current_ = std::move(triple);
}

StageTableBuilder::Triple StageTableBuilder::TripleOf(const Marker& marker,
                                                      const Comment& comment) {
  Triple triple;
  triple.name = Resolve(marker, comment);
  triple.written_name = std::string(marker.name);
  if (triple.name == 0) return triple;  // the bucket has neither pair nor expert
  triple.pair = marker.pair;
  triple.expert = marker.expert;
  return triple;
}

std::uint32_t StageTableBuilder::Resolve(const Marker& marker, const Comment& comment) {
  if (marker.name == isa::kUnattributed) {
    Report("MS003",
           "'unattributed' is a bucket, not a stage; write '; @stage_end' to stop attribution",
           PlaceOfName(comment, marker), comment.source_line);
    return 0;
  }
  if (const std::optional<std::uint32_t> index = vocabulary_.Index(marker.name)) {
    return *index + 1;
  }
  Diagnostic& diagnostic =
      Report("MS001", UnknownText(marker.name), PlaceOfName(comment, marker), comment.source_line);
  if (unknown_ == UnknownStage::kWarning) diagnostic.severity = Severity::kWarning;
  return 0;
}

const std::string& StageTableBuilder::UnknownText(std::string_view name) {
  const auto [position, is_new] = unresolved_texts_.try_emplace(std::string(name));
  if (is_new) {
    unresolved_.emplace_back(name);
    position->second =
        unresolved_.size() <= kMaximumSuggestedNames
            ? std::string(vocabulary_.Find(name).status().message())
            : absl::StrCat("unknown stage '", Absl(name), "'; run 'moescope stages list'");
  }
  return position->second;
}

const StageTableBuilder::Triple* StageTableBuilder::FindOpen(std::string_view name) const {
  if (current_.written_name == name) return &current_;
  for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
    if (region->outside.written_name == name) return &region->outside;
  }
  return nullptr;
}

std::uint32_t StageTableBuilder::FileIndex(const std::string& file) {
  if (last_file_ >= files_.size() || files_[last_file_] != file) {
    const auto found = std::find(files_.begin(), files_.end(), file);
    last_file_ = static_cast<std::uint32_t>(found - files_.begin());
    if (found == files_.end()) files_.push_back(file);
  }
  return last_file_;
}

Diagnostic& StageTableBuilder::Report(std::string_view id, std::string message,
                                      const SourceLocation& location,
                                      std::string_view source_line) {
  Diagnostic& diagnostic = diagnostics_.emplace_back();
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location = location;
  diagnostic.source_line = std::string(source_line);
  return diagnostic;
}

void StageTableBuilder::NoteOpened(Diagnostic& diagnostic, const Triple& opened) {
  diagnostic.notes.push_back({"opened here", opened.location});
}

void StageTableBuilder::Finish(isa::Program& program) {
  const auto end = static_cast<std::uint32_t>(program.words.size());
  CHECK(end >= ranges_.back().begin_pc);
  ranges_.back().end_pc = end;
  for (const Triple* open = &current_; !regions_.empty(); regions_.pop_back()) {
    Diagnostic& diagnostic = Report(
        "MS007",
        Opened(open->written_name, open->location) + " is not closed before the end of the file",
        open->location, "");
    NoteOpened(diagnostic, *open);
    current_ = std::move(regions_.back().outside);
  }
  program.names.resize(1);
  program.names.insert(program.names.end(), vocabulary_.names().begin(), vocabulary_.names().end());
  std::vector<std::uint32_t> file_indices;
  for (const std::string& file : files_) {
    const auto found = std::find(program.files.begin(), program.files.end(), file);
    file_indices.push_back(static_cast<std::uint32_t>(found - program.files.begin()));
    if (found == program.files.end()) program.files.push_back(file);
  }
  for (isa::StageRange& range : ranges_) {
    if (range.line > 0) range.file = file_indices[range.file];
  }
  program.ranges = std::move(ranges_);
  program.attribution =
      has_markers_ ? isa::AttributionSource::kMarkers : isa::AttributionSource::kNone;
  program.unresolved_markers = std::move(unresolved_);
}

}  // namespace moescope::stages
