#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "profiler/verify.h"

namespace moescope::profiler {

// Collects what one family of invariants finds.
class Findings {
 public:
  explicit Findings(Verification& result) : result_(result) {}

  void Fail(std::string_view id, std::string text) {
    result_.failures.push_back({std::string(id), std::move(text)});
  }
  void Warn(std::string text) { result_.warnings.push_back(std::move(text)); }

  // "`what` (left != right)" unless they are equal.
  template <typename L, typename R>
  void Equal(std::string_view id, std::string_view what, const L& left, const R& right) {
    if (left == right) return;
    Fail(id,
         absl::StrCat(absl::string_view(what.data(), what.size()), " (", left, " != ", right, ")"));
  }
  // "`what` (left > right)" unless left <= right.
  template <typename L, typename R>
  void AtMost(std::string_view id, std::string_view what, const L& left, const R& right) {
    if (left <= right) return;
    Fail(id,
         absl::StrCat(absl::string_view(what.data(), what.size()), " (", left, " > ", right, ")"));
  }
  void Demand(std::string_view id, bool condition, std::string text) {
    if (!condition) Fail(id, std::move(text));
  }

 private:
  Verification& result_;
};

}  // namespace moescope::profiler
