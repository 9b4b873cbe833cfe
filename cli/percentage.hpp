// Options whose values are per cent.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cachescape::cli {

/// From 0 to 100, with or without the sign.
inline CLI::Option* percentage(CLI::Option* option) {
  return option->type_name("PERCENT")->check(CLI::Range(0.0, 100.0))->transform([](std::string text) {
    if (text.ends_with('%')) text.pop_back();
    return text;
  });
}

}  // namespace cachescape::cli
