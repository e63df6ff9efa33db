#include "base/json.h"
#include "cli/session/expectation.h"

namespace moescope::session {

std::string ExpectationsJson(std::span<const ExpectationResult> results) {
  Json list = Json::array();
  for (const ExpectationResult& result : results) {
    list.push_back({{"name", result.name}, {"passed", result.passed}, {"detail", result.detail}});
  }
  return JsonText(list);
}

}  // namespace moescope::session
