#include "cli/session/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::session {

namespace {

// Hands the lines to the console, which knows whether anybody wants to see them.
class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(const Console& console) : console_(console) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    console_.Note(std::string_view(line.data(), line.size()));
  }
  void flush_() override {}

 private:
  const Console& console_;
};

// Fence: opening a log file throws.
absl::StatusOr<spdlog::sink_ptr> FileSink(const std::string& file) {
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file, /*truncate=*/true);
  } catch (const spdlog::spdlog_ex& error) {
    return absl::InvalidArgumentError(absl::StrCat("cannot write the log: ", error.what()));
  }
}

std::shared_ptr<spdlog::logger> MakeLogger(spdlog::sink_ptr sink, const std::string& level,
                                           bool with_time) {
  auto logger = std::make_shared<spdlog::logger>("moescope", std::move(sink));
  logger->set_pattern(with_time ? "%Y-%m-%dT%H:%M:%S.%e %l: %v" : "%l: %v");
  logger->set_level(spdlog::level::from_str(level == "warn" ? "warning" : level));
  return logger;
}

}  // namespace

Log Log::ToConsole(const std::string& level, bool with_time, const Console& console) {
  return Log(MakeLogger(std::make_shared<ConsoleSink>(console), level, with_time));
}

absl::StatusOr<Log> Log::ToFile(const std::string& level, const std::string& file, bool with_time) {
  ASSIGN_OR_RETURN(spdlog::sink_ptr sink, FileSink(file));
  return Log(MakeLogger(std::move(sink), level, with_time));
}

Log Log::None() {
  auto logger =
      std::make_shared<spdlog::logger>("moescope", std::make_shared<spdlog::sinks::null_sink_st>());
  logger->set_level(spdlog::level::off);
  return Log(std::move(logger));
}

void Log::Info(const std::string& text) const { logger_->info("{}", text); }
void Log::Debug(const std::string& text) const { logger_->debug("{}", text); }
void Log::Trace(const std::string& text) const { logger_->trace("{}", text); }
bool Log::WantsDebug() const { return logger_->should_log(spdlog::level::debug); }
bool Log::WantsTrace() const { return logger_->should_log(spdlog::level::trace); }

void LoggingListener::OnBegin(const emulator::RunDescription& description) {
  program_ = description.program;
  log_.Info(absl::StrCat("machine ", description.machine_name, ", timing ",
                         description.timing_model, ", latency ", description.latency_profile,
                         ", hbm ", description.hbm_model));
  for (const emulator::EffectiveValue& value : description.effective) {
    const bool text = value.kind == emulator::EffectiveValue::Kind::kText;
    log_.Info(
        absl::StrCat("  ", value.key, " = ", text ? value.text : absl::StrCat(value.integer)));
  }
}

void LoggingListener::OnAccepted(const emulator::Accepted& event) {
  if (!log_.WantsTrace()) return;
  log_.Trace(absl::StrFormat("%d cycle %d pc %d %s", event.sequence, event.cycle, event.pc,
                             set_.Text(program_->words[event.pc])));
}

void LoggingListener::OnTraffic(const emulator::Traffic& event) {
  if (!log_.WantsDebug()) return;
  log_.Debug(absl::StrFormat("pc %d %s hbm: %d bytes asked for, %d lines moved, until cycle %d",
                             event.pc, event.is_write ? "writes" : "reads", event.logical_bytes,
                             event.lines, event.cycle));
}

void LoggingListener::OnEnd(const emulator::RunEnd& end) {
  log_.Info(absl::StrCat("end: ", Absl(emulator::Name(end.reason)), ", ", end.instructions,
                         " instructions, ", end.cycles, " cycles"));
}

}  // namespace moescope::session
