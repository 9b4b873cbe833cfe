// Options whose values are per cent.
#pragma once

#include <charconv>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace cachescape::cli {

/// From 0 to 100, with or without the sign.
inline CLI::Option* percentage(CLI::Option* option) {
  const auto read = [](std::string& text) {
    const std::string given = text;
    if (text.ends_with('%')) text.pop_back();
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value >= 0 && value <= 100 ? std::string()
                                               : fmt::format("“{}” is not a number from 0 to 100", given);
  };
  return option->type_name("PERCENT")->transform(CLI::Validator(read, ""));
}

}  // namespace cachescape::cli
