#pragma once

#include <string_view>

namespace moescope::cli {

// "0.1.0".
std::string_view Version();

// The commit this binary was built from: 12 hex digits, with '+' when the tree had changes;
// "unknown" when it was built outside a repository.
std::string_view Commit();

}  // namespace moescope::cli
