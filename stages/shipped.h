#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace moescope::stages {

// A vocabulary that is part of the binary, as the text of its file.
struct ShippedVocabulary {
  std::string_view name;  // "plena_detail"
  std::string_view toml;
};

std::span<const ShippedVocabulary> ShippedVocabularies();
// The text of a shipped vocabulary, or nothing.
std::optional<std::string_view> FindShippedVocabulary(std::string_view name);

// The text of the shipped annotate rules.
std::string_view ShippedAnnotateRules();

}  // namespace moescope::stages
