// "Did you mean …": the known names nearest to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace cachescape::machine {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`,
/// ignoring ASCII letter case (optimal string alignment). O(|a|·|b|) time; names longer than 64
/// characters count as entirely different.
std::size_t spelling_distance(std::string_view a, std::string_view b);

/// Up to `most` of `known` that `word` may have meant, nearest first: those it is a prefix of, and
/// those within a third of its length (at least two changes). Ties keep the order of `known`.
std::vector<std::string_view> close_names(std::string_view word, std::span<const std::string_view> known,
                                          std::size_t most);

}  // namespace cachescape::machine
