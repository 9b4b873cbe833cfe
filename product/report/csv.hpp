// Fields of comma-separated values.
#pragma once

#include <string>
#include <string_view>

namespace cachescape::report {

/// RFC 4180: quoted where it has to be.
std::string csv_field(std::string_view text);

}  // namespace cachescape::report
