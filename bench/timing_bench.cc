// How fast whole runs are, function, timing and profile together, and how much memory they take
// (timing.md, 8): each in a process of its own. Seconds are those of the processor, so that other
// work on the machine does not count.
//
//   timing_bench [--corpus=FOLDER] [--filter=TEXT] [--min-speed=PERCENT]
//
// FOLDER is that of one compiled program (program.mem[.gz], machine.toml). With --min-speed a
// figure below that share of its target fails (exit 1).

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asm/assembler.h"
#include "base/check.h"
#include "emulator/machine_toml.h"
#include "emulator/run.h"
#include "isa/isa_hash.h"
#include "profiler/profile_builder.h"
#include "profiler/profile_json.h"
#include "profiler/recorder.h"
#include "tests/support/gzip_file.h"

namespace moescope::bench {
namespace {

using emulator::HbmModelKind;
using emulator::MachineDescription;
using emulator::TimingModelKind;

struct Figures {
  double seconds = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t bursts = 0;
  std::uint64_t peak_kib = 0;
  bool complete = false;
};

struct Work {
  isa::Program program;
  MachineDescription machine;
};

isa::Program Assembled(const std::string& text) {
  const absl::StatusOr<assembler::Assembly> assembly = assembler::Assemble(text, "bench.asm");
  CHECK(assembly.ok());
  return assembly->program;
}

// Scalar and control code: `iterations` times 64 integer instructions.
Work Scalar(std::uint64_t iterations) {
  std::string text = "C_LOOP_START gp1, " + std::to_string(iterations) + "\n";
  for (int i = 0; i < 64; ++i) text += "S_ADDI_INT gp2, gp2, 1\n";
  return {Assembled(text + "C_LOOP_END gp1\n"), emulator::LoadMachine("plena-64")->machine};
}

// All on-chip units, no HBM.
Work Compute(std::uint64_t iterations) {
  return {Assembled("S_ADDI_INT gp4, gp0, 4096\nS_ADDI_INT gp5, gp0, 8192\n"
                    "C_LOOP_START gp1, " +
                    std::to_string(iterations) +
                    "\nM_MM 0, gp0, gp4\nM_MM 0, gp0, gp4\nM_MM_WO gp5, gp0, 0\n"
                    "V_ADD_VV gp5, gp4, gp4\nV_MUL_VV gp4, gp5, gp5\nV_EXP_V gp5, gp4\n"
                    "V_RED_SUM f1, gp5\nS_RECI_FP f2, f1\nV_MUL_VF gp4, gp4, f2\n"
                    "S_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\n"),
          emulator::LoadMachine("plena-64")->machine};
}

// A tile of 72 lines and four rows per iteration, loaded into two buffers in turn, beside compute.
Work PrefetchHeavy(std::uint64_t iterations) {
  return {Assembled("S_ADDI_INT gp4, gp0, 4096\nS_ADDI_INT gp6, gp0, 4096\n"
                    "S_LUI_INT gp3, 1024\nC_SET_SCALE_REG gp3\n"
                    "C_LOOP_START gp1, " +
                    std::to_string(iterations / 2) +
                    "\nH_PREFETCH_M gp0, gp2, a0\nH_PREFETCH_V gp4, gp2, a0\nM_MM 0, gp6, gp4\n"
                    "M_MM_WO gp4, gp0, 0\nS_ADDI_INT gp2, gp2, 4096\n"
                    "H_PREFETCH_M gp6, gp2, a0\nH_STORE_V gp4, gp2, a0\nM_MM 0, gp0, gp4\n"
                    "M_MM_WO gp4, gp0, 0\nS_ADDI_INT gp2, gp2, 4096\nC_LOOP_END gp1\n"),
          emulator::LoadMachine("plena-64")->machine};
}

Work Corpus(const std::string& folder) {
  std::istringstream text(test::ReadPlainOrGzipped(folder + "/program.mem").value());
  std::vector<std::uint32_t> words;
  for (std::string word; text >> word;) {
    words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return {isa::ProgramFromWords(std::move(words)),
          emulator::LoadMachine(folder + "/machine.toml")->machine};
}

Figures Measure(Work work, TimingModelKind timing, HbmModelKind hbm) {
  work.machine.timing = timing;
  work.machine.hbm.model = hbm;
  work.machine.max_loop_instructions = 0;
  const std::clock_t started = std::clock();
  emulator::MachineState state(work.machine);
  profiler::Recorder recorder;
  emulator::Listener* listeners[] = {&recorder};
  const emulator::RunEnd end = emulator::Run(work.program, work.machine, state, listeners);
  profiler::ProfileOptions options;
  options.tool = {"moescope", "bench", ""};
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  options.isa = {"moescope", "1.1", isa::IsaHash(set)};
  const auto text = profiler::WriteProfile(profiler::MakeProfile(recorder.recording(), options));
  const std::clock_t ended = std::clock();
  Figures figures;
  figures.seconds = static_cast<double>(ended - started) / CLOCKS_PER_SEC;
  figures.instructions = end.instructions;
  figures.cycles = end.cycles;
  for (const emulator::HbmChannelFigures& channel : end.channels) {
    figures.bursts += channel.bursts_read + channel.bursts_written;
  }
  figures.complete = end.complete() && text.ok();
  return figures;
}

// The same in a child process, with the memory that it took.
Figures MeasureAlone(const std::function<Figures()>& measure) {
  int ends[2];
  CHECK(::pipe(ends) == 0);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    const Figures figures = measure();
    const bool sent = ::write(ends[1], &figures, sizeof figures) == sizeof figures;
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  Figures figures;
  const bool received = ::read(ends[0], &figures, sizeof figures) == sizeof figures;
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  CHECK(::wait4(child, &status, 0, &usage) == child);
  CHECK(received && status == 0);
  figures.peak_kib = static_cast<std::uint64_t>(usage.ru_maxrss);
  return figures;
}

// What a target counts, in millions per second, or seconds.
enum class Target { kNone, kInstructions, kBursts, kSeconds };

struct Case {
  std::string name;
  std::function<Work()> make;
  TimingModelKind timing;
  HbmModelKind hbm;
  Target target;
  double least;  // or the most seconds
};

constexpr const char* kTimings[] = {"serial", "pipelined", "rtl"};
constexpr const char* kHbms[] = {"dram", "fast", "fixed"};

std::vector<Case> Cases(const std::string& corpus) {
  std::vector<Case> cases;
  const auto scalar = [] { return Scalar(160'000); };
  const auto compute = [] { return Compute(400'000); };
  const auto prefetch = [] { return PrefetchHeavy(20'000); };
  using T = TimingModelKind;
  using H = HbmModelKind;
  cases.push_back({"scalar", scalar, T::kSerial, H::kDram, Target::kInstructions, 20});
  cases.push_back({"compute", compute, T::kPipelined, H::kDram, Target::kInstructions, 5});
  cases.push_back({"compute", compute, T::kRtl, H::kDram, Target::kInstructions, 5});
  cases.push_back({"prefetch-heavy", prefetch, T::kSerial, H::kDram, Target::kBursts, 3});
  cases.push_back({"prefetch-heavy", prefetch, T::kPipelined, H::kDram, Target::kBursts, 3});
  cases.push_back({"prefetch-heavy", prefetch, T::kRtl, H::kDram, Target::kBursts, 3});
  // Pairs that must take the same memory.
  for (const T timing : {T::kPipelined, T::kRtl}) {
    for (const bool large : {false, true}) {
      const char* size = large ? "-large" : "-small";
      cases.push_back({std::string("memory") + size,
                       [large] { return Scalar(large ? 1'600'000 : 16'000); }, timing, H::kDram,
                       Target::kNone, 0});
      cases.push_back({std::string("transfers") + size,
                       [large] { return PrefetchHeavy(large ? 20'000 : 1'000); }, timing, H::kDram,
                       Target::kNone, 0});
    }
  }
  if (corpus.empty()) return cases;
  for (const T timing : {T::kSerial, T::kPipelined, T::kRtl}) {
    for (const H hbm : {H::kFast, H::kDram}) {
      cases.push_back(
          {"corpus", [corpus] { return Corpus(corpus); }, timing, hbm, Target::kSeconds, 10});
    }
  }
  return cases;
}

bool MeetsTarget(const Case& c, const Figures& f, double share) {
  switch (c.target) {
    case Target::kNone:
      return true;
    case Target::kInstructions:
      return static_cast<double>(f.instructions) / f.seconds * 1e-6 >= share * c.least;
    case Target::kBursts:
      return static_cast<double>(f.bursts) / f.seconds * 1e-6 >= share * c.least;
    case Target::kSeconds:
      return f.seconds * share <= c.least;
  }
  return false;
}

int Main(int argc, char** argv) {
  std::string corpus;
  std::string filter;
  std::optional<double> share;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--corpus=")) {
      corpus = argument.substr(9);
    } else if (argument.starts_with("--filter=")) {
      filter = argument.substr(9);
    } else if (argument.starts_with("--min-speed=")) {
      share = std::atof(argv[i] + 12) / 100;
    } else {
      std::fprintf(stderr, "usage: %s [--corpus=FOLDER] [--filter=TEXT] [--min-speed=PERCENT]\n",
                   argv[0]);
      return 2;
    }
  }
  std::printf("%-15s %-9s %-5s %12s %12s %11s %8s %9s %9s %8s\n", "program", "timing", "hbm",
              "instructions", "cycles", "bursts", "CPU s", "M instr/s", "M burst/s", "peak MiB");
  bool failed = false;
  std::map<std::string, std::uint64_t> memory;  // KiB, of the small runs
  for (const Case& c : Cases(corpus)) {
    if (c.name.find(filter) == std::string::npos) continue;
    const Figures f = MeasureAlone([&c] { return Measure(c.make(), c.timing, c.hbm); });
    std::printf("%-15s %-9s %-5s %12llu %12llu %11llu %8.2f %9.1f %9.1f %8llu\n", c.name.c_str(),
                kTimings[static_cast<int>(c.timing)], kHbms[static_cast<int>(c.hbm)],
                static_cast<unsigned long long>(f.instructions),
                static_cast<unsigned long long>(f.cycles),
                static_cast<unsigned long long>(f.bursts), f.seconds,
                static_cast<double>(f.instructions) / f.seconds * 1e-6,
                static_cast<double>(f.bursts) / f.seconds * 1e-6,
                static_cast<unsigned long long>(f.peak_kib / 1024));
    std::fflush(stdout);
    bool met = f.complete && (!share || MeetsTarget(c, f, *share));
    // The larger one of a pair takes no more memory; a quarter of a MiB is noise.
    const std::string pair =
        c.name.substr(0, c.name.rfind('-')) + kTimings[static_cast<int>(c.timing)];
    if (c.name.ends_with("-small")) memory[pair] = f.peak_kib;
    if (c.name.ends_with("-large")) met = met && f.peak_kib <= memory[pair] + 256;
    if (!met) std::fprintf(stderr, "FAILED: %s misses its target\n", c.name.c_str());
    failed = failed || !met;
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace moescope::bench

int main(int argc, char** argv) { return moescope::bench::Main(argc, argv); }
