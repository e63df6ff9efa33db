#pragma once

#include <cstddef>

namespace moescope::test {

// Calls of operator new in this process so far. Only for tests whose executable adds
// allocation_count.cc to its sources.
std::size_t AllocationCount();

}  // namespace moescope::test
