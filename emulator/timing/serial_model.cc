#include "emulator/timing/serial_model.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "emulator/machine_text.h"

namespace moescope::emulator {

SerialModel::SerialModel(const MachineDescription& machine, const isa::InstructionSet& set,
                         std::unique_ptr<TransferTimer> transfers)
    : machine_(machine),
      set_(set),
      costs_(machine),
      ratio_(machine.core_ps, machine.hbm.dram_ps),
      transfers_(std::move(transfers)),
      lines_read_(machine.memory.hbm_bytes) {}

// The cost table is read from the public emulator. Two of our own instructions follow its rules
// beyond what it has, and the HBM model `fast` is fitted.
CostClass SerialModel::ClassOf(const isa::Instruction& instruction,
                               const isa::Operands& operands) const {
  constexpr std::uint8_t kShapeFromRegister = 15;
  switch (instruction.timing) {
    case isa::TimingClass::kPrefetchMatrix:
    case isa::TimingClass::kPrefetchVector:
    case isa::TimingClass::kStoreVector:
      return machine_.hbm.model == HbmModelKind::kDram ? CostClass::kDerived
                                                       : CostClass::kExtrapolated;
    case isa::TimingClass::kTopK:
      return operands.rs3 == kShapeFromRegister ? CostClass::kExtrapolated : CostClass::kDerived;
    default:
      return instruction.since > isa::Version{1, 0} ? CostClass::kExtrapolated
                                                    : CostClass::kDerived;
  }
}

void SerialModel::Describe(const isa::Program& program, RunDescription& description) const {
  description.issue_model =
      absl::StrFormat("serial: one instruction at a time, H_* block, %s column of LATENCY, HBM %s",
                      machine_.dc_enabled ? "dc_lib_en" : "dc_lib_dis",
                      std::string(HbmModelName(machine_.hbm.model)));
  description.reasons = {Reason::kExecute, Reason::kDmaIssue,     Reason::kHbmQueue,
                         Reason::kHbmRow,  Reason::kHbmBandwidth, Reason::kHbmLatency};
  if (machine_.serial.drain_at_end) description.reasons.push_back(Reason::kDrainDma);
  description.laws = {{"serial cost table", "any shape: the public emulator computes it"}};
  description.cost_class.reserve(program.words.size());
  for (const std::uint32_t word : program.words) {
    const isa::Decoded decoded = set_.Decode(word);
    description.cost_class.push_back(decoded.problem == isa::DecodeProblem::kNone
                                         ? ClassOf(*decoded.instruction, decoded.operands)
                                         : CostClass::kUnsupported);
  }
}

Cycle SerialModel::Execute(const Executed& executed, EventSink& sink) {
  const Cycle accepted = now_;
  sink.Accept({executed.sequence, executed.pc, accepted});
  const Cycle cost =
      costs_.Of(*executed.instruction, executed.operands, executed.access->topk_experts);
  if (executed.access->has_transfer) [[unlikely]] {
    if (cost > 0) {
      sink.Attribute({executed.pc, Reason::kDmaIssue, now_, now_ + cost, executed.pc});
    }
    now_ += cost;
    Transfer(executed, sink);
  } else if (cost > 0) {
    sink.Attribute({executed.pc, Reason::kExecute, now_, now_ + cost});
    now_ += cost;
  }
  sink.Complete({executed.pc, now_});
  return accepted;
}

void SerialModel::Transfer(const Executed& executed, EventSink& sink) {
  transfers_->Run(executed.access->transfer, executed.sequence, ratio_.ClockAt(now_));
  for (const WaitPhase& phase : transfers_->phases()) {
    const Cycle end = ratio_.VisibleAt(phase.end);
    if (end <= now_) continue;
    sink.Attribute({executed.pc, phase.reason, now_, end, executed.pc});
    now_ = end;
  }
  if (executed.access->transfer.is_store) last_store_pc_ = executed.pc;
  AnnounceTraffic(executed.pc, sink);
}

void SerialModel::AnnounceTraffic(std::uint32_t pc, EventSink& sink) {
  const TransferBytes& bytes = transfers_->bytes();
  const bool is_store = bytes.written_lines > 0;
  std::uint64_t repeated = 0;
  if (bytes.read_lines > 0) {
    for (const PlannedLine& line : transfers_->plan().lines()) {
      if (lines_read_.Read(line.line)) ++repeated;
    }
  }
  Traffic read{.pc = pc, .cycle = now_};
  read.logical_bytes = is_store ? 0 : bytes.payload_bytes;
  read.lines = bytes.read_lines;
  read.burst_bytes = bytes.read_bursts * kBurstBytes;
  read.repeat_bytes = repeated * kLineBytes;
  sink.Move(read);
  if (!is_store) return;
  Traffic write{.pc = pc, .is_write = true, .cycle = now_};
  write.logical_bytes = bytes.payload_bytes;
  write.lines = bytes.written_lines;
  write.burst_bytes = bytes.written_bursts * kBurstBytes;
  write.rmw_read_bytes = bytes.read_lines * kLineBytes;
  sink.Move(write);
}

Cycle SerialModel::Drain(EventSink& sink) {
  if (!machine_.serial.drain_at_end || last_store_pc_ == kNoPc) return now_;
  const Cycle end = ratio_.VisibleAt(transfers_->Drain(ratio_.ClockAt(now_)));
  if (end > now_) {
    sink.Attribute({last_store_pc_, Reason::kDrainDma, now_, end, last_store_pc_});
    now_ = end;
  }
  return now_;
}

Cycle SerialModel::Cut(EventSink&) { return now_; }

void SerialModel::Close(RunEnd& end) const { end.channels = transfers_->Figures(); }

}  // namespace moescope::emulator
