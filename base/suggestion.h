#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moescope {

// Damerau-Levenshtein distance (insert, delete, substitute, swap of neighbours), in bytes.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Up to `limit` candidates within max(2, length of `name` / 4) of `name`, ignoring case; nearest
// first, ties in candidate order.
std::vector<std::string> Suggestions(std::string_view name,
                                     std::span<const std::string_view> candidates,
                                     std::size_t limit = 3);

// "; did you mean 'a'?", "; did you mean 'a', 'b' or 'c'?", or empty.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates,
                       std::size_t limit = 3);

}  // namespace moescope
