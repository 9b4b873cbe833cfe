// How verbs write accesses as text.
#pragma once

#include <string>

#include "cachescape/source.hpp"
#include "product/export/trace_text.hpp"

namespace cachescape::cli {

/// "csv|din|lackey".
std::string text_format_names();
/// The format that a file's name asks for; nullptr where it says nothing.
const exporting::TextFormat* format_named_by(const std::string& path);

/// Writes all accesses to `path` ("-" = standard output). What was read before an error is still written.
Result<void> write_text(AccessSource& source, const exporting::TextFormat& format, const std::string& path);

}  // namespace cachescape::cli
