#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/event.h"
#include "isa/program.h"
#include "profiler/profile_builder.h"

// Programs and event streams that need no assembler and no emulator.

namespace moescope::profiler::test {

// Builds a program word by word.
class ProgramBuilder {
 public:
  // The fourteen built-in stages are known.
  ProgramBuilder();

  // As the markers of profile.md 2.
  ProgramBuilder& Stage(std::string_view name, std::optional<std::uint32_t> pair = std::nullopt,
                        std::optional<std::uint32_t> expert = std::nullopt);
  ProgramBuilder& Push(std::string_view name);
  ProgramBuilder& Pop();
  ProgramBuilder& Unattributed();
  ProgramBuilder& Emit(std::string_view mnemonic, int count = 1);
  // Adds an extension stage to the vocabulary.
  ProgramBuilder& Extension(const std::string& name, isa::StageScope scope);

  isa::Program Build();

 private:
  struct Region {
    std::uint32_t name = 0;
    std::optional<std::uint32_t> pair, expert, parent;
  };
  void Open(Region region);
  std::uint32_t IndexOf(std::string_view name) const;

  isa::Program program_;
  Region current_;
  std::vector<Region> outer_;
};

// A machine of the shape of plena-64 with fixed texts.
emulator::RunDescription Describe(const isa::Program& program);
// The same, of a model that measures everything.
emulator::RunDescription DescribeRich(const isa::Program& program);
// Tool, ISA and labels that never change.
ProfileOptions FixedOptions();

// Runs the words `trace` one after the other, one cycle each.
void RunSerially(const isa::Program& program, const std::vector<std::uint32_t>& trace,
                 Recorder& recorder);

// A random program and a random, consistent stream of every kind of event, cut after `cut` executed
// instructions (nullopt: it runs to its end).
struct RandomRun {
  isa::Program program;
  emulator::RunDescription description;

  RandomRun(std::uint32_t seed, bool rich);
  void Play(std::uint32_t seed, std::optional<std::uint64_t> cut, emulator::Listener& listener);
};

// The worked example of profile.md 5.7: the program and the order of its words.
isa::Program WorkedExample();
std::vector<std::uint32_t> WorkedExampleTrace();

// A program and what was recorded of its run.
struct RecordedRun {
  std::unique_ptr<isa::Program> program;
  std::unique_ptr<Recorder> recorder = std::make_unique<Recorder>();

  Profile profile() const { return MakeProfile(recorder->recording(), FixedOptions()); }
};

// A small rich run with regions, pairs, experts, routing, units, waits and channels.
RecordedRun RichRun();
RecordedRun SerialRun();  // of the worked example
Profile RichProfile();
Profile SerialProfile();

}  // namespace moescope::profiler::test
