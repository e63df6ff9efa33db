#pragma once

#include <string_view>

#include "cli/option.h"

namespace moescope::cli {

// Rows that the diff commands share in everything but the example.

constexpr Option ToleranceOption(std::string_view example) {
  return {.name = "tolerance",
          .value = "METRIC=LIMIT",
          .description =
              "How far a metric may move, as a number or as P% of A: cycles, reason:hbm_row, "
              "cycles:gather and so on, or '*'. With it, only the metrics named are judged.",
          .example = example,
          .repeatable = true};
}

constexpr Option DirectionOption(std::string_view example) {
  return {.name = "direction",
          .value = "WHICH",
          .description = "Judges every change, or only metrics that grew.",
          .example = example,
          .choices = "any|regress"};
}

constexpr Option AllowOption(std::string_view example) {
  return {.name = "allow",
          .value = "LIST",
          .description = "Compares all the same when these differ, or when a run is incomplete.",
          .example = example,
          .choices = "isa|model|machine|clock|incomplete",
          .list = true,
          .repeatable = true};
}

constexpr Option UnitOption(std::string_view example) {
  return {.name = "unit",
          .value = "UNIT",
          .description = "Compares cycles, or nanoseconds at each side's clock.",
          .example = example,
          .choices = "cycles|ns"};
}

constexpr Option StagesPairOption(std::string_view example) {
  return {.name = "stages",
          .value = "X Y",
          .description = "Compares stage X of A with stage Y of B; B may be left out.",
          .example = example,
          .pair = true};
}

constexpr Option StageOption(std::string_view example) {
  return {.name = "stage",
          .value = "PATTERN",
          .description = "Compares only the stages whose name matches; * and ? as in file names.",
          .example = example};
}

constexpr Option PairOption(std::string_view example) {
  return {.name = "pair",
          .value = "N",
          .description = "Compares only what belongs to this pair.",
          .example = example};
}

constexpr Option ExpertOption(std::string_view example) {
  return {.name = "expert",
          .value = "N",
          .description = "Compares only the pairs of this expert.",
          .example = example};
}

constexpr Option PairsOption(std::string_view example) {
  return {.name = "pairs", .description = "Compares every pair as well.", .example = example};
}

constexpr Option IgnoreOption(std::string_view example) {
  return {.name = "ignore",
          .value = "LIST",
          .description =
              "Columns of commit logs that may differ; cycle,stage leaves what the program did.",
          .example = example,
          .choices = "seq|cycle|pc|word|stage|text|effects",
          .list = true,
          .repeatable = true};
}

constexpr Option ContextOption(std::string_view example) {
  return {
      .name = "context",
      .value = "N",
      .description = "Lines of commit logs shown before the first difference; the default is 8.",
      .example = example};
}

constexpr Option ProgramOption(std::string_view example) {
  return {.name = "program",
          .value = "FILE",
          .description = "The program of the commit logs, to name the source line.",
          .example = example};
}

constexpr Option ElementOption(std::string_view example) {
  return {.name = "element",
          .value = "TYPE",
          .description = "Elements of dump files; a folder's dump_manifest.json says it itself.",
          .example = example,
          .choices = "bf16|u32|f32|bytes"};
}

}  // namespace moescope::cli
