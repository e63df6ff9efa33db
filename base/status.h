#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Early return for absl::Status and absl::StatusOr; Debian's Abseil ships no such macros.

#define MOESCOPE_CONCATENATE_(a, b) a##b
#define MOESCOPE_CONCATENATE(a, b) MOESCOPE_CONCATENATE_(a, b)

// RETURN_IF_ERROR(Parse(text));
#define RETURN_IF_ERROR(expression)                                         \
  do {                                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// ASSIGN_OR_RETURN(Program program, Assemble(text));
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_(MOESCOPE_CONCATENATE(status_or_, __LINE__), declaration, expression)

#define ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                              \
  if (!result.ok()) return std::move(result).status();     \
  declaration = *std::move(result)
