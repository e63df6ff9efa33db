#include "profiler/counters.h"

namespace moescope::profiler {

void Add(TrafficCounters& sum, const TrafficCounters& part) {
  sum.logical_bytes += part.logical_bytes;
  sum.physical_bytes += part.physical_bytes;
  sum.lines += part.lines;
  sum.burst_bytes += part.burst_bytes;
  sum.extra_bytes += part.extra_bytes;
}

void Add(Flops& sum, const Flops& part) {
  sum.matrix += part.matrix;
  sum.vector += part.vector;
  sum.scalar += part.scalar;
}

void Add(Split& sum, const Split& part) {
  if (sum.size() < part.size()) sum.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

void AddScalars(CounterBlock& sum, const CounterBlock& part) {
  sum.instructions += part.instructions;
  sum.cycles += part.cycles;
  Add(sum.read, part.read);
  Add(sum.write, part.write);
  Add(sum.flops, part.flops);
}

void Add(CounterBlock& sum, const CounterBlock& part) {
  AddScalars(sum, part);
  Add(sum.reasons, part.reasons);
  Add(sum.units, part.units);
}

std::uint64_t SumOf(const Split& split, std::span<const emulator::Reason> reasons) {
  if (split.empty()) return 0;
  std::uint64_t sum = 0;
  for (const emulator::Reason reason : reasons) sum += split[static_cast<std::size_t>(reason)];
  return sum;
}

}  // namespace moescope::profiler
