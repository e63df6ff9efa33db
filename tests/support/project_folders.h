#pragma once

#include <string>

namespace moescope::test {

// Root of the source tree, and of the build tree, that these tests belong to. Functions, not
// macros: a test's object file then does not depend on where the tree lies, and compiler caches can
// share it.
std::string SourceFolder();
std::string BinaryFolder();

}  // namespace moescope::test
