#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/session/console.h"
#include "emulator/event.h"
#include "isa/instruction_set.h"

namespace spdlog {
class logger;
}

namespace moescope::session {

// The one logger of a command. Levels: files with hash and effective configuration at info, HBM
// transfers at debug, executed instructions at trace. What it writes has no influence on any other
// output.
class Log {
 public:
  // `level` is trace, debug, info, warn, error or off. Lines start with the wall-clock time only
  // with `with_time`. ToConsole prints what -q lets through.
  static Log ToConsole(const std::string& level, bool with_time, const Console& console);
  static absl::StatusOr<Log> ToFile(const std::string& level, const std::string& file,
                                    bool with_time);
  // A log that drops everything.
  static Log None();

  void Info(const std::string& text) const;
  void Debug(const std::string& text) const;
  void Trace(const std::string& text) const;
  bool WantsDebug() const;
  bool WantsTrace() const;

 private:
  explicit Log(std::shared_ptr<spdlog::logger> logger) : logger_(std::move(logger)) {}
  std::shared_ptr<spdlog::logger> logger_;
};

// Writes the events of a run to the log.
class LoggingListener : public emulator::Listener {
 public:
  // The run decodes with `set`.
  LoggingListener(const Log& log, const isa::InstructionSet& set) : log_(log), set_(set) {}
  void OnBegin(const emulator::RunDescription& description) override;
  void OnAccepted(const emulator::Accepted& event) override;
  void OnTraffic(const emulator::Traffic& event) override;
  void OnEnd(const emulator::RunEnd& end) override;

 private:
  const Log& log_;
  const isa::InstructionSet& set_;
  const isa::Program* program_ = nullptr;
};

}  // namespace moescope::session
