// Text that fits a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cachescape::report {

/// `utf8` in at most `width` columns: what is too long loses its middle, which becomes "…". Names keep their beginning
/// (the namespace) and their end (the function, the line number). Precondition: width ≥ 1.
std::string shortened(std::string_view utf8, std::size_t width);

/// `text` broken between words into lines of at most `width` columns, as far as words allow; all lines but the first
/// begin with `indent` blanks. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace cachescape::report
