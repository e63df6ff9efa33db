#include "tests/support/project_folders.h"

namespace moescope::test {

std::string SourceFolder() { return MOESCOPE_SOURCE_DIR; }
std::string BinaryFolder() { return MOESCOPE_BINARY_DIR; }

}  // namespace moescope::test
