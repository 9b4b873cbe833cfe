// How files spell the kinds of objects.
#pragma once

#include <array>
#include <string_view>

#include "cachescape/places.hpp"

namespace cachescape::profile {

/// By Object::Kind.
inline constexpr std::array<std::string_view, 4> object_kinds = {"unknown", "heap", "global", "stack"};

}  // namespace cachescape::profile
