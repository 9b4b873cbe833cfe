// What the operating system's error numbers mean, in the words of our messages.
#pragma once

#include <string>
#include <string_view>

#include "cachescape/result.hpp"

namespace cachescape::bytes {

/// An ErrorKind::io for `number` (an errno value), met while doing `action` ("open for reading", "write") with
/// the input or output called `name`.
Error system_error(int number, std::string_view action, const std::string& name);

}  // namespace cachescape::bytes
