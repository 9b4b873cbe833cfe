// Foreign traces as access sources: one folder per format, chosen by name or by looking at the first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytes/source.hpp"
#include "cachescape/source.hpp"

namespace cachescape::imported {

/// What to do with instruction fetches, in formats that have them.
enum class Fetches : std::uint8_t {
  count,     ///< count them (SourceStatus::instructions) and remember the program counter as site
  as_reads,  ///< deliver them as reads too
};

struct ImportOptions {
  Strictness strictness = Strictness::strict;
  Fetches fetches = Fetches::count;
  std::string columns;  ///< CSV only: names for the columns where the file has no header line, "address,size,…"
};

/// One foreign format.
struct Format {
  std::string_view name;         ///< "din", "lackey", …: what --format takes
  std::string_view description;  ///< one line for people
  /// How surely `head` (up to 64 KiB of decompressed data) is in this format: 0 = no … 100 = certain.
  int (*recognise)(std::span<const std::byte> head);
  Result<std::unique_ptr<AccessSource>> (*open)(std::unique_ptr<bytes::ByteSource>, const ImportOptions&);
};

/// All formats, by name.
std::span<const Format> formats();

/// Opens `source` (already decompressed) in the named format, or, with an empty name, in the one that
/// recognises it best; an error lists the known formats where none does or the name is unknown.
Result<std::unique_ptr<AccessSource>> open_trace(std::unique_ptr<bytes::ByteSource> source, std::string_view format,
                                                 const ImportOptions& options);

}  // namespace cachescape::imported
