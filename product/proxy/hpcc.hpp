// STREAM and RandomAccess of the HPC Challenge benchmark, where it is installed: figures that others know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"

namespace cachescape::proxy {

/// Of one process.
struct HpccFigures {
  double triad_bytes_per_second = 0;
  std::uint64_t triad_elements = 0;  ///< of each of three arrays of 8-byte numbers
  double updates_per_second = 0;     ///< of RandomAccess
  std::uint64_t table_elements = 0;  ///< 8 bytes each

  friend bool operator==(const HpccFigures&, const HpccFigures&) = default;
};

/// The text of an hpccinf.txt: the arrays of STREAM together take about `footprint`, RandomAccess' table half of it.
std::string hpcc_input(Bytes footprint);

/// From the summary in an hpccoutf.txt.
Result<HpccFigures> read_hpcc_output(std::string_view text);

/// Whether there is a program of that name to run.
bool hpcc_installed();

/// Runs all of it, which takes minutes, in `folder`, which it leaves its files in. It can only be run as a whole.
Result<HpccFigures> run_hpcc(const std::string& folder, Bytes footprint);

}  // namespace cachescape::proxy
