#pragma once

#include "cli/option.h"

namespace moescope::cli {

// Rows that several commands share in everything but the example.

constexpr Option StageVocabularyOption(std::string_view example) {
  return {.name = "stage-vocabulary",
          .value = "FILE",
          .description = "Adds the stages of a vocabulary file, or of a shipped one by its name.",
          .example = example,
          .repeatable = true};
}

constexpr Option StageErrorsOption(std::string_view example) {
  return {.name = "stage-errors",
          .value = "LEVEL",
          .description =
              "Treats an unknown stage name as an error, or warns and leaves its code "
              "unattributed.",
          .example = example,
          .choices = "error|warn"};
}

constexpr Option IncludeOption(std::string_view example) {
  return {.name = "include",
          .letter = 'I',
          .value = "FOLDER",
          .description = "Looks for .include files here too.",
          .example = example,
          .repeatable = true};
}

constexpr Option DefineOption(std::string_view example) {
  return {.name = "define",
          .letter = 'D',
          .value = "NAME=VALUE",
          .description = "Defines a symbol as .equ does; without a value it is 1.",
          .example = example,
          .repeatable = true};
}

constexpr Option OutputOption(std::string_view description, std::string_view example) {
  return {.name = "output",
          .letter = 'o',
          .value = "FILE",
          .description = description,
          .example = example};
}

constexpr Option FormatOption(std::string_view choices, std::string_view example) {
  return {.name = "format",
          .value = "FORMAT",
          .description = "Form of the output.",
          .example = example,
          .choices = choices};
}

constexpr Option MaxErrorsOption(std::string_view example) {
  return {.name = "max-errors",
          .value = "N",
          .description = "Reports at most N errors; 0 = all.",
          .example = example};
}

constexpr Option WerrorOption(std::string_view example) {
  return {.name = "werror", .description = "Treats warnings as errors.", .example = example};
}

constexpr Option IsaOption(std::string_view example) {
  return {.name = "isa",
          .value = "FILE",
          .description = "Takes the instruction set from an ISA document instead of the built-in.",
          .example = example};
}

constexpr Option ForceIsaOption(std::string_view example) {
  return {.name = "force-isa",
          .description = "Reads a container that was assembled for another instruction set.",
          .example = example};
}

constexpr Option RuleOption(std::string_view example) {
  return {.name = "rule",
          .value = "ID=LEVEL",
          .description = "Sets the level of a finding: error, warning, note or off.",
          .example = example,
          .repeatable = true};
}

}  // namespace moescope::cli
