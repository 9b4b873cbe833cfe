// What the targets that feed the collector share: how their input is cut, and where accesses go.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {

/// Two numbers of 16 bits, the lengths of two tables; these; the rest are the words of a block.
struct SessionInput {
  SessionInput(const std::uint8_t* data, std::size_t size) {
    std::array<std::uint16_t, 2> lengths{};
    std::memcpy(lengths.data(), data, std::min(size, sizeof lengths));
    std::span rest(data, size);
    rest = rest.subspan(std::min(size, sizeof lengths));
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const auto table = rest.first(std::min<std::size_t>(lengths[t], rest.size()));
      tables[t].assign(table.begin(), table.end());
      rest = rest.subspan(table.size());
    }
    // Exactly as long as the block, so that reading beyond it is seen.
    words.resize(rest.size() / sizeof(std::uint64_t));
    if (!words.empty()) std::memcpy(words.data(), rest.data(), words.size() * sizeof(std::uint64_t));
  }

  std::array<std::vector<std::uint8_t>, 2> tables;
  std::vector<std::uint64_t> words;
};

/// Sometimes wants nothing, so that records are passed over too.
class Nowhere : public AccessSink {
 public:
  void take(const PackedBatch& batch) override { accesses_ += batch.size(); }
  void take(const StridedRun& run) override { accesses_ += run.trips; }
  std::uint64_t unwanted() const override { return accesses_ % 3 == 0 ? 5 : 0; }
  void pass_over(ThreadId, const KindCounts& passed, std::uint64_t) override { accesses_ += passed[0]; }

 private:
  std::uint64_t accesses_ = 0;
};

/// As two blocks, into batches that are soon full.
inline void decode(DecoderContext& context, std::span<const std::uint64_t> words) {
  RecordDecoder decoder(context, ThreadId{0});
  PackedBatch batch(64);
  Nowhere sink;
  const std::size_t half = words.size() / 2;
  decoder.decode(words.first(half), batch, sink);
  decoder.decode(words.subspan(half), batch, sink);
}

}  // namespace cachescape::collect
