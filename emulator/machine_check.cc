#include "emulator/machine_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "emulator/machine_text.h"
#include "emulator/state/sparse_bytes.h"
#include "emulator/timing/cost_table.h"
#include "isa/format_check.h"
#include "isa/format_text.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {

namespace {

// SRAM addresses are u32 element indices.
constexpr std::uint64_t kAddressableElements = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargestTile = 8192;
constexpr std::uint64_t kLargestWordMemory = std::uint64_t{1} << 24;
constexpr std::uint64_t kLargestTransfer = std::uint64_t{1} << 20;  // rows
constexpr std::uint64_t kLargestLatency = 1'000'000;
constexpr std::uint64_t kLargestQueue = 1 << 16;
constexpr std::uint64_t kLargestAccumulator = std::uint64_t{1} << 28;  // elements
constexpr std::uint64_t kLargestPeriod = 1'000'000'000;                // picoseconds

class Finder {
 public:
  explicit Finder(const MachineDescription& machine) : m_(machine) {}

  std::vector<MachineProblem> Find() {
    Ranges();
    Latencies();
    if (!problems_.empty()) return problems_;
    Relations();
    Formats();
    Costs();
    return problems_;
  }

 private:
  static std::string Config(std::string_view key) {
    return absl::StrCat("TRANSACTIONAL.CONFIG.", Absl(key), ".value");
  }

  void Add(std::string key, std::string value, std::string requirement, std::string_view id) {
    problems_.push_back(
        {std::move(key), std::move(value), std::move(requirement), std::string(id)});
  }

  void Between(std::string key, std::uint64_t value, std::uint64_t least, std::uint64_t largest) {
    if (value < least) {
      Add(std::move(key), absl::StrCat(value), absl::StrCat("must be at least ", least), "CF012");
    } else if (value > largest) {
      Add(std::move(key), absl::StrCat(value), absl::StrCat("must be at most ", largest), "CF013");
    }
  }

  void Ranges() {
    const Shape& s = m_.shape;
    Between(Config("MLEN"), s.mlen, 1, kLargestTile);
    Between(Config("VLEN"), s.vlen, 1, kLargestTile);
    Between(Config("BLEN"), s.blen, 1, kLargestTile);
    Between(Config("HLEN"), s.hlen, 1, kLargestTile);
    Between(Config("BROADCAST_AMOUNT"), s.broadcast, 1, kLargestTile);
    Between(Config("HBM_SIZE"), m_.memory.hbm_bytes, 64, SparseBytes::kLargest);
    if (m_.memory.hbm_bytes % 64 != 0) {
      Add(Config("HBM_SIZE"), absl::StrCat(m_.memory.hbm_bytes), "must be a multiple of 64",
          "CF014");
    }
    Between(Config("VECTOR_SRAM_SIZE"), m_.memory.vector_rows, 1,
            kAddressableElements / std::max(1u, s.vlen));
    Between(Config("MATRIX_SRAM_SIZE"), m_.memory.matrix_rows, std::max(1u, s.mlen),
            kAddressableElements / std::max(1u, s.mlen));
    Between(Config("HBM_M_Prefetch_Amount"), m_.rows.matrix_prefetch, 1, kLargestTransfer);
    Between(Config("HBM_V_Prefetch_Amount"), m_.rows.vector_prefetch, 1, kLargestTransfer);
    Between(Config("HBM_V_Writeback_Amount"), m_.rows.vector_store, 1, kLargestTransfer);
    Between("MOESCOPE.int_sram_words", m_.memory.int_words, 1, kLargestWordMemory);
    Between("MOESCOPE.fp_sram_words", m_.memory.fp_words, 1, kLargestWordMemory);
    Between("MOESCOPE.clock.core_ps", m_.core_ps, 1, kLargestPeriod);
    Between("MOESCOPE.hbm.dram_ps", m_.hbm.dram_ps, 1, kLargestPeriod);
    Between("MOESCOPE.timing.serial.wo_cycles", m_.serial.wo_cycles, 0, kLargestLatency);
    Between("MOESCOPE.timing.serial.dma_issue_cycles", m_.serial.dma_issue_cycles, 0,
            kLargestLatency);
    ModelRanges();
    const std::uint32_t channels = m_.hbm.channels;
    if (!std::has_single_bit(channels) || channels > 64) {
      Add("MOESCOPE.hbm.channels", absl::StrCat(channels), "must be a power of two from 1 to 64",
          "CF014");
    }
    if (m_.dialect.bmm_scale && !std::isfinite(*m_.dialect.bmm_scale)) {
      Add("MOESCOPE.bmm_scale", FloatText(*m_.dialect.bmm_scale), "must be a finite f32", "CF013");
    }
  }

  void ModelRanges() {
    const std::string pipelined = "MOESCOPE.timing.pipelined.";
    const PipelinedOptions& p = m_.pipelined;
    Between(pipelined + "fill", p.fill, 0, kLargestLatency);
    Between(pipelined + "vv_slots", p.vv_slots, 1, kLargestLatency);
    Between(pipelined + "recovery", p.recovery, 0, kLargestLatency);
    Between(pipelined + "loop_redirect", p.loop_redirect, 0, kLargestLatency);
    Between(pipelined + "queue", p.dma.queue, 0, kLargestQueue);
    Between(pipelined + "issue_overhead", p.dma.issue_overhead, 1, kLargestLatency);
    Between(pipelined + "lines_per_cycle", p.dma.lines_per_cycle, 1, kLargestQueue);
    Between(pipelined + "max_lines", p.dma.max_lines, 1, kLargestQueue);
    Between(pipelined + "convert_v", p.dma.convert_v, 0, kLargestLatency);
    Between("MOESCOPE.timing.rtl.ibuf_words", m_.rtl.ibuf_words, 1, kLargestQueue);
    Between("MOESCOPE.timing.rtl.ibuf_latency", m_.rtl.ibuf_latency, 0, kLargestLatency);
    Between("MOESCOPE.hbm.fixed_latency", m_.hbm.fixed_latency, 0, kLargestLatency);
    Between("MOESCOPE.hbm.fixed_rows_per_cycle", m_.hbm.fixed_rows_per_cycle, 1, kLargestQueue);
  }

  void Latencies() {
    for (std::size_t i = 0; i < kLatencyKeyCount; ++i) {
      const std::string key =
          absl::StrCat("TRANSACTIONAL.LATENCY.", Absl(LatencyKeyName(static_cast<LatencyKey>(i))));
      Between(key + ".dc_lib_en", m_.latency[i].enabled, 0, kLargestLatency);
      Between(key + ".dc_lib_dis", m_.latency[i].disabled, 0, kLargestLatency);
    }
  }

  void Divides(std::string_view key, std::uint32_t value, std::string_view whole,
               std::uint32_t whole_value) {
    if (whole_value % value == 0) return;
    Add(Config(key), absl::StrCat(value),
        absl::StrCat("must divide ", Absl(whole), ", which is ", whole_value), "CF015");
  }

  void Relations() {
    const Shape& s = m_.shape;
    if (s.vlen != s.mlen) {
      Add(Config("VLEN"), absl::StrCat(s.vlen), absl::StrCat("must equal MLEN, which is ", s.mlen),
          "CF015");
    }
    Divides("BLEN", s.blen, "MLEN", s.mlen);
    Divides("HLEN", s.hlen, "VLEN", s.vlen);
    // hmacc holds B tiles of f32.
    const std::uint64_t accumulator = std::uint64_t{s.broadcast} * s.mlen * s.mlen;
    if (accumulator > kLargestAccumulator) {
      Add(Config("BROADCAST_AMOUNT"), absl::StrCat(s.broadcast),
          absl::StrCat("times MLEN * MLEN accumulator elements is ", accumulator,
                       ", must be at most ", kLargestAccumulator),
          "CF013");
    }
    if (m_.dialect.convention == isa::Convention::kReference &&
        m_.dialect.scale_rule != isa::ScaleRule::kFloor) {
      Add("MOESCOPE.scale_rule",
          absl::StrCat("\"", Absl(isa::ScaleRuleName(m_.dialect.scale_rule)), "\""),
          "cannot be set under convention = \"reference\", which has its own rule", "CF018");
    }
  }

  void Format(std::string_view slot, const isa::TensorFormat& format, isa::FormatSlot kind) {
    const absl::Status status =
        isa::CheckTensorFormat(format, kind, m_.dialect.convention, m_.shape.mlen);
    if (status.ok()) return;
    Add(absl::StrCat("TRANSACTIONAL.PRECISION.", Absl(slot)), isa::TensorFormatName(format),
        std::string(status.message()), "CF016");
  }

  void Formats() {
    Format("MATRIX_SRAM_TYPE", m_.formats.matrix_sram, isa::FormatSlot::kMatrixSram);
    Format("HBM_M_WEIGHT_TYPE", m_.formats.matrix_weight, isa::FormatSlot::kHbm);
    Format("HBM_M_KV_TYPE", m_.formats.matrix_kv, isa::FormatSlot::kHbm);
    Format("HBM_V_ACT_TYPE", m_.formats.vector_activation, isa::FormatSlot::kHbm);
    Format("HBM_V_KV_TYPE", m_.formats.vector_kv, isa::FormatSlot::kHbm);
  }

  void Costs() {
    if (m_.timing == TimingModelKind::kRtl && !m_.costs.empty()) {
      Add(absl::StrCat("MOESCOPE.timing.cost.", m_.costs[0].mnemonic), "{...}",
          "is not used by model \"rtl\", whose costs are rules", "CF021");
    }
    const std::optional<CostProblem> problem = CostTable::FindProblem(m_);
    if (!problem) return;
    const CostOverride& cost = m_.costs[problem->index];
    const std::string path = absl::StrCat("MOESCOPE.timing.cost.", cost.mnemonic);
    switch (problem->field) {
      case CostProblem::Field::kMnemonic:
        Add(path, "{...}", problem->requirement, problem->is_unknown ? "CF020" : "CF021");
        break;
      case CostProblem::Field::kResult:
        Add(path + ".result", absl::StrCat("\"", cost.result, "\""), problem->requirement, "CF021");
        break;
      case CostProblem::Field::kInterval:
        Add(path + ".interval", absl::StrCat("\"", cost.interval, "\""), problem->requirement,
            "CF021");
        break;
      case CostProblem::Field::kLabel:
        Add(path + ".label", absl::StrCat("\"", cost.label, "\""), problem->requirement, "CF007");
        break;
    }
  }

  const MachineDescription& m_;
  std::vector<MachineProblem> problems_;
};

}  // namespace

std::vector<MachineProblem> FindProblems(const MachineDescription& machine) {
  return Finder(machine).Find();
}

absl::Status CheckMachine(const MachineDescription& machine) {
  const std::vector<MachineProblem> problems = FindProblems(machine);
  if (problems.empty()) return absl::OkStatus();
  const MachineProblem& first = problems.front();
  return absl::InvalidArgumentError(
      absl::StrCat(first.key, " = ", first.value, ": ", first.requirement, " [", first.id, "]"));
}

}  // namespace moescope::emulator
