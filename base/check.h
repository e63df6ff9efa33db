#pragma once

// Assertions about our own code. A failed CHECK is a defect of moescope, never of its input: it
// prints the place and the condition and ends the process with exit code 70.

#include <string_view>

namespace moescope {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line,
                              const char* explanation = "");

// A line that CheckFailed prints for the report of a defect: version, command line, the hash of an
// input. Lines add up; safe to call from several threads.
void AddFailureContext(std::string_view line);

}  // namespace moescope

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      ::moescope::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)

#define CHECK_BECAUSE(condition, explanation)                               \
  do {                                                                      \
    if (!(condition)) [[unlikely]]                                          \
      ::moescope::CheckFailed(#condition, __FILE__, __LINE__, explanation); \
  } while (false)

// Only in loops where CHECK was measured to cost something.
#ifdef NDEBUG
#define DCHECK(condition) \
  do {                    \
  } while (false)
#else
#define DCHECK(condition) CHECK(condition)
#endif
