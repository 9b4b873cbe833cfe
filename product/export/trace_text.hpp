// Accesses as text that other tools read: DineroIV's din, Valgrind lackey's, CSV.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cachescape/access.hpp"

namespace cachescape::exporting {

struct TextFormat {
  std::string_view name;       ///< "din", "lackey", "csv"
  std::string_view extension;  ///< of files in this format, with its dot
  std::string_view header;     ///< first line, or empty
  std::string_view loses;      ///< what the format cannot say
  /// Appends the batch's accesses, a line each (lackey: an instruction line where the site changes).
  void (*append)(const AccessBatch& batch, std::string& out);
};

std::span<const TextFormat> text_formats();
const TextFormat* find_text_format(std::string_view name);

}  // namespace cachescape::exporting
