#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/run.h"
#include "isa/program.h"

namespace moescope::session {

// The progress line of a run: instructions, cycles, host speed, stage and percentage, redrawn at
// most ten times a second.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `draw` writes to the terminal. Without `live` the line is printed only on SIGUSR1. `total` is
  // the number of instructions that the run will have, when known.
  ProgressLine(const isa::Program& program, bool live, std::optional<std::uint64_t> total,
               std::function<void(std::string_view)> draw,
               Clock clock = std::chrono::steady_clock::now);

  void Update(const emulator::Progress& progress);
  // Erases the line.
  void Finish();

  std::string Text(const emulator::Progress& progress, double seconds) const;

 private:
  const isa::Program& program_;
  bool live_;
  std::optional<std::uint64_t> total_;
  std::function<void(std::string_view)> draw_;
  Clock clock_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_;
  bool visible_ = false;
};

// "12,345,678".
std::string Thousands(std::uint64_t number);

}  // namespace moescope::session
