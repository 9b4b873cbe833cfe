// The words for a machine's policies, the same in files, inline text and messages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "machine/machine.hpp"

namespace cachescape::machine {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

inline constexpr std::array replacement_names{
    Named{"lru", Replacement::lru},       Named{"plru", Replacement::plru},   Named{"fifo", Replacement::fifo},
    Named{"random", Replacement::random}, Named{"srrip", Replacement::srrip},
};
inline constexpr std::array write_names{Named{"back", WritePolicy::back}, Named{"through", WritePolicy::through}};
inline constexpr std::array inclusion_names{
    Named{"non-inclusive", Inclusion::non_inclusive},
    Named{"inclusive", Inclusion::inclusive},
    Named{"exclusive", Inclusion::exclusive},
};
inline constexpr std::array coherence_names{
    Named{"none", Coherence::none},
    Named{"msi", Coherence::msi},
    Named{"mesi", Coherence::mesi},
};

/// The value called `name` in one of the tables above.
template <class Names>
constexpr auto value_of(const Names& names, std::string_view name)
    -> std::optional<decltype(Names::value_type::value)> {
  for (const auto& n : names) {
    if (n.name == name) return n.value;
  }
  return std::nullopt;
}

/// The name of `value` in one of the tables above. Precondition: the table has it.
template <class Names>
constexpr std::string_view name_of(const Names& names, decltype(Names::value_type::value) value) {
  for (const auto& n : names) {
    if (n.value == value) return n.name;
  }
  return {};
}

/// "a, b or c", for messages that say what was expected.
template <class Names>
std::string choices(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i].name;
  }
  return text;
}

}  // namespace cachescape::machine
