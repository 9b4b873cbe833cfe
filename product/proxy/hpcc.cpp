#include "product/proxy/hpcc.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "product/proxy/companion.hpp"

namespace cachescape::proxy {
namespace {

/// The number of the line "key=number".
template <class Number>
Result<Number> value_of(std::string_view text, std::string_view key) {
  const std::string start = fmt::format("\n{}=", key);
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos)
    return failure(ErrorKind::malformed, fmt::format("it has no line {}=…", key), "hpccoutf.txt");
  const std::string_view rest = text.substr(at + start.size());
  Number number{};
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const bool ended = read.ptr == rest.data() + rest.size() || *read.ptr == '\n' || *read.ptr == '\r';
  if (read.ec != std::errc{} || !ended || !(number > 0) || !std::isfinite(static_cast<double>(number)))
    return failure(ErrorKind::malformed,
                   fmt::format("{} is not a positive number: \"{}\"", key,
                               rest.substr(0, std::min(rest.find('\n'), std::size_t{40}))),
                   "hpccoutf.txt");
  return number;
}

}  // namespace

std::string hpcc_input(Bytes footprint) {
  // The sizes of all its parts follow from that of a matrix.
  const auto n = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(footprint.value) / 8));
  return fmt::format(
      "HPLinpack benchmark input file\nwritten by cachescape\nHPL.out\n8\n1\n{} Ns\n1\n80 NBs\n0\n1\n1 Ps\n1 Qs\n16.0\n"
      "1\n2\n1\n4\n1\n2\n1\n1\n1\n1\n1\n1\n2\n64\n0\n0\n1\n8\n##\n0\n1000\n0\n40\n",
      std::max<std::uint64_t>(n, 100));
}

Result<HpccFigures> read_hpcc_output(std::string_view text) {
  HpccFigures figures;
  CACHESCAPE_TRY(const double triad, value_of<double>(text, "SingleSTREAM_Triad"));
  CACHESCAPE_TRY(const double updates, value_of<double>(text, "SingleRandomAccess_GUPs"));
  CACHESCAPE_TRY(figures.triad_elements, value_of<std::uint64_t>(text, "STREAM_VectorSize"));
  CACHESCAPE_TRY(figures.table_elements, value_of<std::uint64_t>(text, "RandomAccess_N"));
  figures.triad_bytes_per_second = triad * 1e9;
  figures.updates_per_second = updates * 1e9;
  return figures;
}

bool hpcc_installed() { return run_command("command -v hpcc").has_value(); }

Result<HpccFigures> run_hpcc(const std::string& folder, Bytes footprint) {
  if (std::ofstream input(folder + "/hpccinf.txt"); !(input << hpcc_input(footprint) << std::flush))
    return failure(ErrorKind::io, "cannot be written", folder + "/hpccinf.txt");
  // Without mpirun first, which not all that have hpcc have; then with it, which some versions of MPI insist on.
  CACHESCAPE_CHECK(run_command(
      fmt::format("cd '{}' && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 && "
                  "{{ hpcc || {{ rm -f hpccoutf.txt; mpirun -n 1 hpcc; }}; }}",
                  folder)));
  std::ostringstream text;
  text << std::ifstream(folder + "/hpccoutf.txt").rdbuf();
  return read_hpcc_output(text.str());
}

}  // namespace cachescape::proxy
