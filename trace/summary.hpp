// What a trace holds, in a few numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include <boost/unordered/unordered_flat_set.hpp>

#include "cachescape/access.hpp"
#include "cachescape/line.hpp"
#include "trace/metadata.hpp"

namespace cachescape::trace {

struct Summary {
  std::array<std::uint64_t, access_kinds> by_kind{};
  std::uint64_t bytes = 0;                       ///< sum of sizes
  std::map<ThreadId, std::uint64_t> by_thread;   ///< accesses
  std::uint64_t blocks = 0;                      ///< block executions
  std::optional<Address> lowest;                 ///< first byte used
  std::optional<Address> highest;                ///< last byte used
  std::optional<std::uint64_t> sites;            ///< distinct; only by a full pass
  std::optional<std::uint64_t> footprint_lines;  ///< distinct 64-byte lines; only by a full pass

  std::uint64_t accesses() const { return by_kind[0] + by_kind[1] + by_kind[2]; }
};

/// Adds up a summary batch by batch. Memory grows with footprint and sites only where `distinct` is asked for.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(bool distinct) : distinct_(distinct) {}

  void consume(const AccessBatch& batch);
  Summary summary() const;

 private:
  static constexpr LineSize footprint_line{6};

  bool distinct_;
  Summary totals_;
  boost::unordered_flat_set<std::uint64_t> lines_;
  boost::unordered_flat_set<std::uint64_t> sites_;
};

}  // namespace cachescape::trace
