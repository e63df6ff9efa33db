#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "asm/sources.h"
#include "base/diagnostic.h"
#include "base/rule.h"

namespace moescope::assembler {

// Collects the findings of one assembly: severities by rule, each finding once, a limited number of
// them, in text order whatever the order of arrival.
class Reporter {
 public:
  Reporter(Sources& sources, const RuleLevels& rules, std::size_t max_errors);

  // A finding at `place`; notes about macros and includes are added after `notes`. AS1xx are rules
  // and warnings unless set otherwise, everything else is an error.
  void Report(std::string_view id, std::string message, const Place& place,
              std::vector<DiagnosticNote> notes = {});
  // A finding made elsewhere about a statement with this order and origin.
  void Adopt(Diagnostic diagnostic, std::uint64_t order, std::uint32_t origin);
  // An error about a whole input or the command line.
  void ReportWithoutPlace(std::string_view id, std::string message, const std::string& file,
                          std::uint64_t order);

  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }

  // All findings in order, with a note that counts those that were left out.
  std::vector<Diagnostic> Take();

 private:
  struct Finding {
    std::uint64_t order;
    Diagnostic diagnostic;
  };
  using Key = std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::string>;

  bool HasRoomFor(Severity severity);

  Sources& sources_;
  const RuleLevels& rules_;
  std::size_t max_errors_;
  std::size_t errors_ = 0;  // met, shown or not
  std::size_t others_ = 0;  // warnings and notes met
  std::vector<Finding> findings_;
  std::set<Key> seen_;
  std::set<std::string> adopted_;
};

}  // namespace moescope::assembler
