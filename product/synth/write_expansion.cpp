#include "product/synth/write_expansion.hpp"

#include <cstdint>
#include <vector>

namespace cachescape::synth {
namespace {

constexpr std::size_t round_accesses = std::size_t{1} << 16;

}  // namespace

Result<void> write_expansion(Expansion& expansion, trace::TraceWriter& writer,
                             const std::function<void(const AccessSource&)>& progress) {
  AccessBatch batch(round_accesses);
  std::vector<trace::PackedRound> packed;
  while (expansion.left() > 0) {
    const std::uint64_t length = expansion.phase().length;
    const std::uint64_t repeats = expansion.phase().repeats;
    const bool again = expansion.at_phase() && repeats > 1;
    packed.clear();
    for (std::uint64_t made = 0; made < length && expansion.left() > 0; made += batch.size()) {
      CACHESCAPE_CHECK(expansion.next(batch));
      trace::PackedRound round = writer.pack(batch);
      CACHESCAPE_CHECK(writer.append(round));
      if (again) packed.push_back(std::move(round));
      progress(expansion);
    }
    for (std::uint64_t repeat = 1; again && repeat < repeats && expansion.left() >= length; ++repeat) {
      for (const trace::PackedRound& round : packed) CACHESCAPE_CHECK(writer.append(round));
      expansion.pass_over_round();
      progress(expansion);
    }
  }
  return {};
}

}  // namespace cachescape::synth
