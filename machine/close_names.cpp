#include "machine/close_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cachescape::machine {

namespace {

constexpr std::size_t longest = 64;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b) {
  if (a.size() > longest || b.size() > longest) return std::max(a.size(), b.size());
  using Row = std::array<std::size_t, longest + 1>;
  Row before{};
  Row above{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::vector<std::string_view> close_names(std::string_view word, std::span<const std::string_view> known,
                                          std::size_t most) {
  const std::size_t limit = std::max<std::size_t>(2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::size_t>> close;  // distance, index in known
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::size_t distance = spelling_distance(word, known[i]);
    if (word.size() >= 2 && begins_with(known[i], word)) {
      close.emplace_back(std::min<std::size_t>(distance, 1), i);
    } else if (distance <= limit && distance < word.size()) {
      close.emplace_back(distance, i);
    }
  }
  std::sort(close.begin(), close.end());
  std::vector<std::string_view> names;
  for (const auto& [distance, index] : close) {
    if (names.size() == most) break;
    names.push_back(known[index]);
  }
  return names;
}

}  // namespace cachescape::machine
