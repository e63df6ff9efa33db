#include "profiler/log/commit_log.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/sha256.h"
#include "base/string_view.h"
#include "profiler/identity.h"

namespace moescope::profiler {

namespace {

using Kind = emulator::Effect::Kind;

constexpr std::size_t kBufferBytes = 1 << 16;

// First 16 hex digits of the SHA-256 of the bytes.
std::string ShortHash(std::span<const char> bytes) {
  constexpr std::size_t kPrefix = 7;  // "sha256:"
  return Sha256Name(std::string_view(bytes.data(), bytes.size())).substr(kPrefix, 16);
}

std::string PlaceOf(const emulator::Effect& event) {
  switch (event.kind) {
    case Kind::kIntegerRegister:
      return absl::StrCat("gp", event.first);
    case Kind::kFpRegister:
      return absl::StrCat("f", event.first);
    case Kind::kAddressRegister:
      return absl::StrCat("a", event.first);
    case Kind::kIntegerMemory:
      return absl::StrCat("int[", event.first, "]");
    case Kind::kFpMemory:
      return absl::StrCat("fp[", event.first, "]");
    case Kind::kVectorRows:
      return absl::StrCat("vram[", event.first, "..", event.last, "]");
    case Kind::kMatrixTiles:
      return absl::StrCat("mram[", event.first, "..", event.last, "]");
    case Kind::kHbmBytes:
      return absl::StrFormat("hbm[0x%x..0x%x]", event.first, event.last);
    case Kind::kLoopOpened:
      return "loop+";
    case Kind::kLoopClosed:
      return "loop-";
  }
  return "";
}

}  // namespace

std::string TextWithoutBlanks(std::string_view text) {
  text = text.substr(0, text.find(" ;"));
  std::string result;
  bool after_mnemonic = false;
  for (const char c : text) {
    if (c != ' ') {
      result += c;
    } else if (!after_mnemonic) {
      result += ':';
      after_mnemonic = true;
    }
  }
  return result;
}

CommitLog::CommitLog(ByteSink sink, CommitLogOptions options)
    : sink_(std::move(sink)), options_(std::move(options)) {}

void CommitLog::OnBegin(const emulator::RunDescription& description) {
  program_ = description.program;
  selected_ = SelectWords(options_.filter, *program_, *options_.instruction_set);
  places_.assign(program_->words.size(), "");
  for (const isa::StageRange& range : program_->ranges) {
    std::string stage = program_->names[range.name].name;
    if (range.pair) absl::StrAppend(&stage, "/", *range.pair);
    stage_of_range_.push_back(std::move(stage));
  }
  absl::StrAppend(&buffer_, "# moescope commit log ", kCommitLogVersion, "\n# program ",
                  program_->WordsHash(), "\n# machine ", MachineOf(description).sha256, "\n# isa ",
                  options_.isa_sha256, "\n# columns seq cycle pc word stage text effects\n");
}

const std::string& CommitLog::PlaceText(std::uint32_t pc) {
  std::string& place = places_[pc];
  if (!place.empty()) return place;
  const auto range =
      std::upper_bound(program_->ranges.begin(), program_->ranges.end(), pc,
                       [](std::uint32_t at, const isa::StageRange& r) { return at < r.end_pc; });
  const std::uint32_t word = program_->words[pc];
  place =
      absl::StrFormat(" %d %08X %s %s", pc, word,
                      stage_of_range_[static_cast<std::size_t>(range - program_->ranges.begin())],
                      TextWithoutBlanks(options_.instruction_set->LenientText(word)));
  return place;
}

void CommitLog::OnAccepted(const emulator::Accepted& event) {
  EndLine();
  if (!selected_[event.pc]) return;
  absl::StrAppend(&buffer_, event.sequence, " ", event.cycle, PlaceText(event.pc));
  in_line_ = true;
}

void CommitLog::OnEffect(const emulator::Effect& event) {
  if (!in_line_) return;
  absl::StrAppend(&buffer_, " ", PlaceOf(event));
  if (options_.values != CommitLogOptions::Values::kNone) AppendValue(event);
}

void CommitLog::AppendValue(const emulator::Effect& event) {
  switch (event.kind) {
    case Kind::kLoopOpened:
    case Kind::kLoopClosed:
      return;
    case Kind::kIntegerMemory:
      absl::StrAppend(&buffer_, "=", event.value);
      return;
    case Kind::kVectorRows:
    case Kind::kMatrixTiles:
    case Kind::kHbmBytes: {
      const bool full = options_.values == CommitLogOptions::Values::kFull;
      const absl::string_view bytes(event.bytes.data(), event.bytes.size());
      absl::StrAppend(&buffer_, "=", full ? absl::BytesToHexString(bytes) : ShortHash(event.bytes));
      return;
    }
    default:
      absl::StrAppendFormat(&buffer_, "=0x%x", event.value);
  }
}

void CommitLog::EndLine() {
  if (in_line_) buffer_ += '\n';
  in_line_ = false;
  if (buffer_.size() >= kBufferBytes) Flush();
}

void CommitLog::Flush() {
  if (status_.ok()) status_ = sink_(buffer_);
  buffer_.clear();
}

void CommitLog::OnEnd(const emulator::RunEnd&) {
  EndLine();
  Flush();
}

}  // namespace moescope::profiler
