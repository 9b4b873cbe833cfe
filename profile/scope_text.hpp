// Scopes, kinds and degrees of sharing in words, for messages.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cachescape/profile.hpp"

namespace cachescape::profile {

inline constexpr std::array<std::string_view, access_kinds> kind_names = {"read", "write", "modify"};

/// "everything" or "thread 3".
std::string scope_text(const Scope& scope);
/// "everything, 64-byte lines".
std::string scope_text(const Scope& scope, LineSize line);
/// "sharing by 2 threads, 64-byte lines".
std::string sharing_text(std::uint32_t degree, LineSize line);

}  // namespace cachescape::profile
