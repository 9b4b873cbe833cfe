// The options that say what of a trace is analysed into a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cachescape/analyzer.hpp"

namespace cachescape::cli {

struct AnalysisFlags {
  std::vector<std::uint64_t> lines;
  std::vector<std::string> set_lines;
  std::vector<std::uint64_t> sets;
  std::vector<std::string> write_backs;
  std::vector<std::string> share;
  unsigned ways = 32;
  double sample = 0;
  std::uint64_t sample_lines = 0;
  std::vector<std::uint64_t> interval;
  std::string memory;
  unsigned workers = 0;
  bool memory_usage = false;
  bool signature = false;
  std::uint32_t word = 4;
  bool every_word = false;
};

void add_analysis_options(CLI::App& verb, AnalysisFlags& flags);
Result<AnalysisOptions> analysis_options(const AnalysisFlags& flags);

}  // namespace cachescape::cli
