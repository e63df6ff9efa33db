#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace moescope::session {

// How findings are written (--diagnostics-format).
enum class DiagnosticsFormat { kText, kJson, kSarif, kGithub };

// Where a command writes: data to standard output, what people read to standard error. Everything
// that a command prints goes through here, so that -q, -qq and colour hold everywhere and tests can
// look at it.
class Console {
 public:
  using Sink = std::function<void(std::string_view)>;

  // The process's own streams. A reader that goes away is no error: the rest is dropped.
  static Console Standard();
  Console(Sink out, Sink err) : out_(std::move(out)), err_(std::move(err)) {}

  // Data, on standard output.
  void Out(std::string_view text) const { out_(text); }
  // Summaries and notes, on standard error unless -q.
  void Note(std::string_view text) const;
  // Errors, on standard error unless -qq. `text` ends with a newline.
  void Error(std::string_view text) const;
  // "moescope: " and the status's message, or its diagnostics in the chosen format.
  void Error(const absl::Status& status) const;
  // Errors unless -qq, warnings and notes unless -q.
  void Report(std::span<const Diagnostic> diagnostics) const;

  // The same settings with other sinks, and what such a console printed, unfiltered, here.
  Console WithSinks(Sink out, Sink err) const;
  void Replay(bool is_out, std::string_view text) const { (is_out ? out_ : err_)(text); }

  // 0; 1 after -q: only errors; 2 after -qq: nothing on standard error.
  void set_quiet(int level) { quiet_ = level; }
  int quiet() const { return quiet_; }
  void set_colour(bool out, bool err) {
    colour_out_ = out;
    colour_err_ = err;
  }
  bool colour_out() const { return colour_out_; }
  bool colour_err() const { return colour_err_; }
  void set_diagnostics_format(DiagnosticsFormat format) { format_ = format; }

 private:
  Sink out_;
  Sink err_;
  int quiet_ = 0;
  bool colour_out_ = false;
  bool colour_err_ = false;
  DiagnosticsFormat format_ = DiagnosticsFormat::kText;
};

// Whether --color=`choice` (auto, always, never) means colour on the stream `descriptor`: auto asks
// for a terminal, NO_COLOR unset or empty, and TERM other than "dumb".
bool UseColour(std::string_view choice, int descriptor);

// Columns of tables and texts that do not go to a terminal.
inline constexpr int kTextWidth = 100;
// Columns of the terminal at `descriptor`, or kTextWidth when it is none; never more.
int TextWidth(int descriptor);

// Findings as text; in colour the severity stands out.
std::string RenderFindings(std::span<const Diagnostic> diagnostics, bool colour);

}  // namespace moescope::session
