#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "emulator/event.h"
#include "isa/instruction_set.h"
#include "profiler/byte_sink.h"
#include "profiler/log/log_filter.h"

namespace moescope::profiler {

// Format version of the log; a new column raises it.
inline constexpr int kCommitLogVersion = 1;

struct CommitLogOptions {
  enum class Values { kNone, kHash, kFull };
  Values values = Values::kHash;
  LogFilter filter;
  std::string isa_sha256;
  const isa::InstructionSet* instruction_set = &isa::InstructionSet::Builtin();
};

// Writes one line per executed instruction (tools.md, 3.6): sequence number, cycle of acceptance,
// pc, word, stage, text, effects. With values kNone an effect is its place alone, with kHash a
// block of memory is the first 16 digits of the SHA-256 of its bytes, with kFull all of them in
// hex.
class CommitLog : public emulator::Listener {
 public:
  CommitLog(ByteSink sink, CommitLogOptions options);

  bool WantsEffects() const override { return true; }
  void OnBegin(const emulator::RunDescription& description) override;
  void OnAccepted(const emulator::Accepted& event) override;
  void OnEffect(const emulator::Effect& event) override;
  void OnEnd(const emulator::RunEnd& end) override;

  // The first failure of the sink; nothing is written after it.
  const absl::Status& status() const { return status_; }

 private:
  void EndLine();
  void Flush();
  void AppendValue(const emulator::Effect& event);
  const std::string& PlaceText(std::uint32_t pc);

  ByteSink sink_;
  CommitLogOptions options_;
  absl::Status status_;
  const isa::Program* program_ = nullptr;
  std::vector<bool> selected_;
  std::vector<std::string> stage_of_range_;
  std::vector<std::string> places_;  // by pc: "pc word stage text", made when first needed
  std::string buffer_;
  bool in_line_ = false;
};

// "V_ADD_VV:gp1,gp2,gp3,0": a disassembly without blanks.
std::string TextWithoutBlanks(std::string_view text);

}  // namespace moescope::profiler
