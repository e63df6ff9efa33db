#include "profiler/trace/trace.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/json_text.h"

namespace moescope::profiler {

namespace {

constexpr std::size_t kStageLane = emulator::kUnitCount;
constexpr std::size_t kDmaLane = kStageLane + 1;
constexpr std::size_t kSpanLanes = kStageLane + 1;

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Lanes are the threads of one process; viewers show them in the order of their numbers.
std::string LaneName(std::size_t lane) {
  if (lane == kStageLane) return "stages";
  if (lane == kDmaLane) return "DMA transactions";
  return std::string(emulator::kUnitNames[lane]);
}

// Stages first, then the units in their order, then transactions.
std::size_t ThreadOf(std::size_t lane) {
  if (lane == kStageLane) return 1;
  return lane == kDmaLane ? kSpanLanes + 1 : lane + 2;
}

}  // namespace

absl::StatusOr<TraceWindow> ParseTraceWindow(std::string_view text) {
  TraceWindow window;
  if (text.starts_with("stage=") && text.size() > 6) {
    window.stage = text.substr(6);
    return window;
  }
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto first = Number(text.substr(0, dots));
    const auto last = Number(text.substr(dots + 2));
    if (first && last && *first <= *last) {
      window.cycles = {*first, *last};
      return window;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("trace window '", Absl(text), "': expected CYCLE..CYCLE or stage=NAME"));
}

Trace::Trace(TraceOptions options, const isa::InstructionSet& set)
    : options_(std::move(options)), set_(set), spans_(kSpanLanes, options_.max_events) {}

void Trace::OnBegin(const emulator::RunDescription& description) {
  program_ = description.program;
  map_ = MakeStageMap(*program_);
  stage_of_pc_.clear();
  for (std::size_t i = 0; i < program_->ranges.size(); ++i) {
    stage_of_pc_.resize(program_->ranges[i].end_pc, map_.stage_of_range[i]);
  }
  accepted_.assign(program_->words.size(), 0);
  bytes_ = Timeline(1);
  if (!options_.window.stage) return;
  for (std::uint32_t stage = 0; stage < map_.stage_names.size(); ++stage) {
    if (program_->names[map_.stage_names[stage]].name == *options_.window.stage) {
      only_stage_ = stage;
    }
  }
  stage_is_unknown_ = !only_stage_;
}

bool Trace::Clip(std::uint32_t stage, emulator::Cycle& begin, emulator::Cycle& end) const {
  if (stage_is_unknown_ || (only_stage_ && *only_stage_ != stage)) return false;
  if (options_.window.cycles) {
    const auto& [first, last] = *options_.window.cycles;
    begin = std::max(begin, first);
    if (last < end) end = last + 1;
  }
  return begin < end;
}

void Trace::OnAccepted(const emulator::Accepted& event) { accepted_[event.pc] = event.cycle; }

void Trace::OnAttributed(const emulator::Attributed& event) {
  Span span{event.begin, event.end, emulator::kNoPc, stage_of_pc_[event.pc]};
  if (Clip(span.stage, span.begin, span.end)) spans_.Add(kStageLane, span);
}

void Trace::OnBusy(const emulator::Busy& event) {
  Span span{event.begin, event.end, event.pc, stage_of_pc_[event.pc]};
  if (Clip(span.stage, span.begin, span.end)) {
    spans_.Add(static_cast<std::size_t>(event.unit), span);
  }
}

void Trace::OnTraffic(const emulator::Traffic& event) {
  bytes_.AddBytes(event.is_write, event.cycle, 64 * event.lines);
  Transfer transfer{accepted_[event.pc],      event.cycle,    event.pc,
                    64 * event.lines,         event.is_write, event.deepest_queue,
                    event.deepest_queue_cycle};
  if (!Clip(stage_of_pc_[event.pc], transfer.begin, transfer.end)) return;
  // Transactions are few beside everything else; a tenth of the events is theirs.
  if (transfers_.size() < options_.max_events / 10) {
    transfers_.push_back(transfer);
  } else {
    ++dropped_transfers_;
  }
}

void Trace::OnEnd(const emulator::RunEnd& end) { total_ = end.cycles; }

std::string Trace::SpanText(std::size_t lane, const Span& span) const {
  std::string text = absl::StrCat(
      "{\"name\":\"", program_->names[map_.stage_names[span.stage]].name, "\",\"cat\":\"",
      lane == kStageLane ? "stage" : "unit", "\",\"ph\":\"X\",\"ts\":", span.begin,
      ",\"dur\":", span.end - span.begin, ",\"pid\":1,\"tid\":", ThreadOf(lane));
  if (span.pc != emulator::kNoPc) {
    absl::StrAppend(&text, ",\"args\":{\"pc\":", span.pc,
                    ",\"text\":", JsonString(set_.LenientText(program_->words[span.pc])), "}");
  }
  return text + "}";
}

void Trace::EachName(const std::function<void(const std::string&)>& line) const {
  line(R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"moescope: 1 us is one cycle"}})");
  for (std::size_t lane = 0; lane <= kDmaLane; ++lane) {
    const bool used = lane == kDmaLane ? !transfers_.empty() : !spans_.lane(lane).empty();
    if (!used) continue;
    const std::string thread = absl::StrCat(ThreadOf(lane));
    line(absl::StrCat("{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":", thread,
                      ",\"args\":{\"name\":\"", LaneName(lane), "\"}}"));
    line(absl::StrCat("{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":", thread,
                      ",\"args\":{\"sort_index\":", thread, "}}"));
  }
}

void Trace::EachCounter(const std::function<void(const std::string&)>& line) const {
  const std::vector<std::uint64_t> read = bytes_.Bytes(false, total_);
  const std::vector<std::uint64_t> written = bytes_.Bytes(true, total_);
  for (std::size_t bin = 0; bin < read.size(); ++bin) {
    // A counter keeps its value until the next event.
    const bool same = bin > 0 && read[bin] == read[bin - 1] && written[bin] == written[bin - 1];
    if (same) continue;
    line(absl::StrCat("{\"name\":\"HBM bytes per ", bytes_.bin_cycles(),
                      " cycles\",\"ph\":\"C\",\"ts\":", bin * bytes_.bin_cycles(),
                      ",\"pid\":1,\"args\":{\"read\":", read[bin], ",\"written\":", written[bin],
                      "}}"));
  }
}

// How many of the transactions that are shown were in flight, wherever that changes.
void Trace::EachDepth(const std::function<void(const std::string&)>& line) const {
  struct Change {
    emulator::Cycle cycle = 0;
    bool is_write = false;
    bool is_begin = false;
  };
  std::vector<Change> changes;
  for (const Transfer& t : transfers_) {
    changes.push_back({t.begin, t.is_write, true});
    changes.push_back({t.end, t.is_write, false});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.cycle < b.cycle; });
  std::uint64_t depth[2] = {0, 0};
  std::uint64_t shown[2] = {0, 0};
  for (std::size_t i = 0; i < changes.size();) {
    const emulator::Cycle cycle = changes[i].cycle;
    // Unsigned arithmetic: within a cycle an end may stand before the begin that makes up for it.
    for (; i < changes.size() && changes[i].cycle == cycle; ++i) {
      depth[changes[i].is_write ? 1 : 0] += changes[i].is_begin ? 1 : ~std::uint64_t{0};
    }
    if (depth[0] == shown[0] && depth[1] == shown[1]) continue;
    line(absl::StrCat("{\"name\":\"DMA transactions in flight\",\"ph\":\"C\",\"ts\":", cycle,
                      ",\"pid\":1,\"args\":{\"read\":", depth[0], ",\"written\":", depth[1], "}}"));
    std::copy(depth, depth + 2, shown);
  }
}

// The fullest HBM channel that each transaction shown met, in the cycle in which it met it; nothing
// while none is in flight.
void Trace::EachQueue(const std::function<void(const std::string&)>& line) const {
  std::map<emulator::Cycle, std::uint64_t> depth;
  std::vector<std::pair<emulator::Cycle, emulator::Cycle>> spans;
  for (const Transfer& t : transfers_) {
    const bool shown = t.begin <= t.deepest_queue_cycle && t.deepest_queue_cycle < t.end;
    if (t.deepest_queue == 0 || !shown) continue;
    std::uint64_t& at = depth[t.deepest_queue_cycle];
    at = std::max(at, t.deepest_queue);
    spans.emplace_back(t.begin, t.end);
  }
  std::sort(spans.begin(), spans.end());
  emulator::Cycle end = 0;
  for (const auto& [begin, last] : spans) {
    if (end != 0 && end < begin) depth.emplace(end, 0);
    end = std::max(end, last);
  }
  if (end != 0) depth.emplace(end, 0);
  std::uint64_t last_shown = 0;
  for (const auto& [cycle, bursts] : depth) {
    if (bursts == last_shown) continue;
    line(absl::StrCat("{\"name\":\"HBM queue, fullest channel\",\"ph\":\"C\",\"ts\":", cycle,
                      ",\"pid\":1,\"args\":{\"bursts\":", bursts, "}}"));
    last_shown = bursts;
  }
}

void Trace::EachEvent(const std::function<void(const std::string&)>& line) const {
  EachName(line);
  EachCounter(line);
  EachDepth(line);
  EachQueue(line);
  for (std::size_t lane = 0; lane < spans_.lanes(); ++lane) {
    for (Span span : spans_.lane(lane)) {
      span.end = std::min(span.end, total_);  // the last period of a sampled lane may be shorter
      line(SpanText(lane, span));
    }
  }
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    const Transfer& t = transfers_[i];
    const std::string common =
        absl::StrCat("{\"name\":\"", t.is_write ? "write" : "read", "\",\"cat\":\"dma\",\"id\":", i,
                     ",\"pid\":1,\"tid\":", ThreadOf(kDmaLane));
    line(absl::StrCat(common, ",\"ph\":\"b\",\"ts\":", t.begin, ",\"args\":{\"pc\":", t.pc,
                      ",\"bytes\":", t.bytes, "}}"));
    line(absl::StrCat(common, ",\"ph\":\"e\",\"ts\":", t.end, "}"));
  }
}

std::uint64_t Trace::CountBytes() const {
  std::uint64_t bytes = 0;
  EachEvent([&](const std::string& line) { bytes += line.size() + 2; });
  return bytes;
}

absl::Status Trace::Write(const ByteSink& sink) {
  constexpr std::uint64_t kFrameBytes = 2000;  // around the events
  spans_.Settle();
  while (CountBytes() + kFrameBytes > options_.max_bytes) {
    if (spans_.size() > 4 * spans_.lanes()) {
      spans_.Compact();
    } else if (!transfers_.empty()) {
      dropped_transfers_ += transfers_.size() - transfers_.size() / 2;
      transfers_.resize(transfers_.size() / 2);
    } else {
      break;
    }
  }
  std::string buffer = "{\"traceEvents\":[\n";
  absl::Status status;
  bool is_first = true;
  EachEvent([&](const std::string& line) {
    absl::StrAppend(&buffer, is_first ? "" : ",\n", line);
    is_first = false;
    if (buffer.size() < (1 << 16) || !status.ok()) return;
    status = sink(buffer);
    buffer.clear();
  });
  if (!status.ok()) return status;
  absl::StrAppend(&buffer,
                  "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"schema\":"
                  "\"moescope.trace\",\"schema_version\":1,\"time\":\"1 us is one core "
                  "cycle\",\"cycles\":",
                  total_, ",\"left_out\":", JsonString(Summary()), "}}\n");
  return sink(buffer);
}

std::string Trace::Summary() const {
  if (stage_is_unknown_) {
    return absl::StrCat("the program has no stage '", *options_.window.stage, "'");
  }
  std::string text;
  if (!spans_.is_complete()) {
    absl::StrAppend(&text, spans_.merged(),
                    " events were merged into neighbours of the same lane and stage");
    if (spans_.period() > 0) {
      absl::StrAppend(&text, ", and lanes show one stage per ", spans_.period(), " cycles");
    }
  }
  if (dropped_transfers_ > 0) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", dropped_transfers_,
                    dropped_transfers_ == 1 ? " DMA transaction is" : " DMA transactions are",
                    " left out");
  }
  return text;
}

}  // namespace moescope::profiler
