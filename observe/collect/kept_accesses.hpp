// A sink that keeps what it takes, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {

struct Seen {
  std::uint64_t address;
  std::uint32_t size;
  AccessKind kind;
  std::uint32_t thread = 0;

  friend bool operator==(const Seen&, const Seen&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << std::hex << s.address << std::dec << ":" << s.size << ":" << static_cast<int>(s.kind) << "@"
             << s.thread;
}

/// A run is kept both as a run and, up to a limit, as accesses.
class KeptAccesses : public AccessSink {
 public:
  void take(const PackedBatch& batch) override {
    for (const PackedAccess& a : batch.accesses())
      seen.push_back({a.address().value, a.size(), a.kind(), batch.thread.value});
    for (const BlockEntry& b : batch.blocks) blocks.push_back(b.block.value);
  }
  void take(const StridedRun& run) override {
    runs.push_back(run);
    for (std::uint64_t i = 0; i < run.trips && i < 1000; ++i)
      for (const StridedAccess& a : run.body) seen.push_back({a.at(i).value, a.size, a.kind, run.thread.value});
  }
  std::uint64_t unwanted() const override { return unwanted_accesses; }
  void pass_over(ThreadId, const KindCounts& accesses, std::uint64_t bytes) override {
    for (std::size_t k = 0; k < access_kinds; ++k) passed[k] += accesses[k];
    passed_bytes += bytes;
  }

  std::uint64_t unwanted_accesses = 0;
  KindCounts passed{};
  std::uint64_t passed_bytes = 0;
  std::vector<Seen> seen;
  std::vector<StridedRun> runs;
  std::vector<std::uint64_t> blocks;
};

}  // namespace cachescape::collect
