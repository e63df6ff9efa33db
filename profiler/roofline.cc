#include "profiler/roofline.h"

#include <algorithm>
#include <array>

#include "profiler/ratio.h"

namespace moescope::profiler {

namespace {

// Below this utilisation of its highest roof, a block is bound by latency.
constexpr std::uint64_t kBoundPpm = 600'000;

}  // namespace

std::optional<Roofline> Roofs(const emulator::RunDescription& run) {
  if (run.hbm_peak_bytes_per_kcycle == 0 || run.mlen == 0 || run.vlen == 0) return std::nullopt;
  Roofline roofs;
  roofs.peak_matrix_flops_per_cycle = 2 * std::uint64_t{run.mlen} * run.blen;
  roofs.peak_vector_flops_per_cycle = run.vlen;
  roofs.hbm_peak_bytes_per_kcycle = run.hbm_peak_bytes_per_kcycle;
  roofs.ridge_milli = RidgeMilli(roofs);
  return roofs;
}

std::uint64_t RidgeMilli(const Roofline& roofs) {
  return Scaled(Wide{roofs.peak_matrix_flops_per_cycle} * 1000, 1000,
                roofs.hbm_peak_bytes_per_kcycle);
}

RooflinePoint PointOf(const CounterBlock& counters, const Roofline& roofs) {
  RooflinePoint point;
  const std::uint64_t bytes = counters.read.physical_bytes + counters.write.physical_bytes;
  point.intensity_milli = Milli(counters.flops.matrix, bytes);
  point.achieved_milli = Milli(counters.flops.matrix, counters.cycles);
  if (counters.cycles == 0) return point;

  const Wide cycles = counters.cycles;
  const std::array<std::uint64_t, 3> used = {
      Scaled(Wide{bytes} * 1000, 1'000'000, cycles * roofs.hbm_peak_bytes_per_kcycle),
      Scaled(counters.flops.matrix, 1'000'000, cycles * roofs.peak_matrix_flops_per_cycle),
      Scaled(counters.flops.vector, 1'000'000, cycles * roofs.peak_vector_flops_per_cycle)};
  constexpr std::array kNames = {"memory", "matrix", "vector"};
  const auto highest = std::max_element(used.begin(), used.end());
  point.bound =
      *highest >= kBoundPpm ? kNames[static_cast<std::size_t>(highest - used.begin())] : "latency";
  return point;
}

}  // namespace moescope::profiler
