#include "stages/shipped.h"

#include <array>

#include "stages/annotate_data.h"
#include "stages/vocabulary_data.h"

namespace moescope::stages {

namespace {

constexpr std::array<ShippedVocabulary, 2> kVocabularies = {{
    {"decoder", data::kDecoder},
    {"plena_detail", data::kPlenaDetail},
}};

}  // namespace

std::span<const ShippedVocabulary> ShippedVocabularies() { return kVocabularies; }

std::optional<std::string_view> FindShippedVocabulary(std::string_view name) {
  for (const ShippedVocabulary& vocabulary : kVocabularies) {
    if (vocabulary.name == name) return vocabulary.toml;
  }
  return std::nullopt;
}

std::string_view ShippedAnnotateRules() { return data::kPlenaProse; }

}  // namespace moescope::stages
