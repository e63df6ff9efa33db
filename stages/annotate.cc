#include "stages/annotate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "isa/program.h"
#include "stages/marker.h"
#include "stages/prose_segments.h"
#include "stages/strip.h"

namespace moescope::stages {

namespace {

using Segments = std::vector<ProseSegment>;

// Whether every loop that begins in [begin, end) ends there and the other way round.
bool HasWholeLoops(const Segments& all, std::size_t begin, std::size_t end) {
  std::int64_t balance = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (balance + all[i].loop_lowest < 0) return false;
    balance += all[i].loop_balance;
  }
  return balance == 0;
}

// Copies the text and puts markers in front of the segments that need one.
class MarkerWriter {
 public:
  MarkerWriter(std::string_view text, Annotated& out) : text_(text), out_(out) {}

  void Write(const Segments& all, bool with_detail) {
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && !all[end].must_restate && all[end].detail == all[begin].detail &&
             all[end].HasSameTriple(all[begin])) {
        ++end;
      }
      WriteRun(all, begin, end, with_detail);
      begin = end;
    }
    out_.text += text_.substr(copied_);
  }

 private:
  void WriteRun(const Segments& all, std::size_t begin, std::size_t end, bool with_detail) {
    const ProseSegment& segment = all[begin];
    const bool is_change =
        begin == 0 || segment.must_restate || !segment.HasSameTriple(all[begin - 1]);
    Marker marker{segment.stage.empty() ? MarkerKind::kEnd : MarkerKind::kStage, segment.stage,
                  segment.pair, segment.expert};
    if (is_change) Insert(segment, marker);
    // The last run has no line behind it that its pop could go in front of.
    const bool has_region = with_detail && !segment.detail.empty() && end < all.size() &&
                            HasWholeLoops(all, begin, end);
    if (!has_region) return;
    Insert(segment, {MarkerKind::kPush, segment.detail});
    Insert(all[end], {MarkerKind::kPop});
  }

  void Insert(const ProseSegment& at, const Marker& marker) {
    out_.text += text_.substr(copied_, at.offset - copied_);
    copied_ = at.offset;
    absl::StrAppend(&out_.text, MarkerText(marker), Absl(at.line_end));
    ++out_.report.markers;
  }

  std::string_view text_;
  Annotated& out_;
  std::size_t copied_ = 0;  // bytes of the text written so far
};

void CountStages(const Segments& segments, AnnotateReport& report) {
  std::map<std::string_view, std::size_t> index;
  std::uint64_t bucket = 0;
  for (const ProseSegment& segment : segments) {
    if (segment.stage.empty()) {
      bucket += segment.words;
      continue;
    }
    const auto [position, is_new] = index.try_emplace(segment.stage, report.stages.size());
    if (is_new) report.stages.push_back({segment.stage, 0});
    report.stages[position->second].words += segment.words;
  }
  if (bucket > 0) report.stages.push_back({std::string(isa::kUnattributed), bucket});
}

}  // namespace

std::uint64_t AnnotateReport::CoveragePpm() const {
  return words == 0 ? 1'000'000 : decided_words * 1'000'000 / words;
}

absl::StatusOr<Annotated> Annotate(std::string_view text, const std::string& path,
                                   const AnnotateRules& rules, const AnnotateOptions& options) {
  Annotated annotated;
  Stripped stripped;
  if (options.replace) {
    stripped = StripMarkers(text);
    annotated.report.removed_markers = stripped.markers;
    text = stripped.text;
  }
  if (const std::size_t line = FirstMarkerLine(text); line > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ":", line, ": error: the file has stage markers",
                     options.replace ? " that do not parse" : "; use --replace to make them anew"));
  }
  const ProseSegments segments = SegmentProse(text, rules, annotated.report);
  MarkerWriter(text, annotated).Write(segments.segments, options.detail && segments.is_flat);
  CountStages(segments.segments, annotated.report);
  return annotated;
}

}  // namespace moescope::stages
