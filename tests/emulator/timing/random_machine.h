#pragma once

#include <random>

#include "emulator/machine.h"

namespace moescope::test {

// A small machine with every timing parameter drawn anew.
inline emulator::MachineDescription RandomMachine(std::mt19937_64& random) {
  const auto pick = [&random](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto flip = [&pick] { return pick(2) == 0; };
  emulator::MachineDescription m;
  m.timing = emulator::TimingModelKind::kPipelined;
  m.shape = {.mlen = 8, .blen = flip() ? 4u : 2u, .vlen = 8, .hlen = 4, .broadcast = 2};
  m.memory.hbm_bytes = 1 << 24;
  m.rows = {.matrix_prefetch = 8, .vector_prefetch = 1 + pick(4), .vector_store = 1 + pick(4)};
  m.profile = static_cast<emulator::LatencyProfile>(pick(4));
  m.dc_enabled = flip();
  const std::uint32_t periods[] = {1000, 1000, 1000, 2500, 700, 10000};
  m.core_ps = periods[pick(6)];
  m.hbm.model = pick(4) == 0 ? emulator::HbmModelKind::kFixed : emulator::HbmModelKind::kDram;
  m.hbm.channels = 1u << pick(5);
  m.hbm.fixed_latency = pick(30);
  m.hbm.fixed_rows_per_cycle = 1 + pick(3);
  emulator::PipelinedOptions& p = m.pipelined;
  if (flip()) {
    p.fill = pick(9);
    p.vv_slots = 1 + pick(2);
    p.recovery = pick(3);
    p.loop_redirect = pick(5);
    p.retire_in_order = pick(3) != 0;
    p.prefetch_v_blocks_vector = pick(5) == 0;
    p.matrix_load_blocks_all = pick(8) == 0;
    p.dma.queue = pick(3);
    p.dma.issue_overhead = 1 + pick(5);
    p.dma.merge_lines = pick(3) != 0;
    p.dma.lines_per_cycle = 1 + pick(3);
    p.dma.max_lines = 1 + pick(20);
    p.dma.convert_v = 1 + pick(4);
    p.dma.store_done_issued = pick(3) != 0;
  }
  return m;
}

}  // namespace moescope::test
