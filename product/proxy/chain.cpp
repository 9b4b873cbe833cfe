#include "product/proxy/chain.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "machine/size_text.hpp"

namespace cachescape::proxy {
namespace {

constexpr std::uint64_t block = signature_block.bytes().value;

constexpr std::string_view make_unique = "make the seed with cachescape synth --unique";

Result<void> can_be_linked(const synth::Seed& seed) {
  if (seed.word != 4 && seed.word != 8)
    return failure(ErrorKind::malformed, fmt::format("its words have {} bytes, not 4 or 8", seed.word));
  if (seed.words.empty()) return failure(ErrorKind::malformed, "the seed has no references");
  if (seed.working_set == 0 || seed.working_set % block != 0)
    return failure(ErrorKind::malformed,
                   fmt::format("its working set of {} bytes is not a number of blocks of {}", seed.working_set, block));
  const std::uint64_t words = seed.working_set / seed.word;
  std::vector<std::uint32_t> sorted = seed.words;
  std::ranges::sort(sorted);
  if (sorted.back() >= words)
    return failure(ErrorKind::malformed,
                   fmt::format("word {} lies outside of its working set of {} words", sorted.back(), words));
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return failure(ErrorKind::malformed,
                   fmt::format("word {} is referenced twice, and an array element has room for one next index", *twice),
                   {}, std::string{make_unique});
  for (const synth::SeedPhase& phase : seed.phases) {
    if (phase.repeats != 1)
      return failure(
          ErrorKind::malformed,
          fmt::format("a phase is repeated {} times, and an array element has room for one next index", phase.repeats),
          {}, std::string{make_unique});
  }
  return {};
}

/// A place on the loop, which steps along it.
class Cursor {
 public:
  Cursor(const synth::Seed& seed, const Layout& layout) : seed_(seed), layout_(layout) {}

  std::uint64_t index() const { return offset_ + seed_.words[reference_]; }

  void step() {
    if (++reference_ < layout_.references) return;
    reference_ = 0;
    offset_ += layout_.period;
    if (offset_ == layout_.elements()) offset_ = 0;
  }

 private:
  const synth::Seed& seed_;
  const Layout& layout_;
  std::uint64_t offset_ = 0;
  std::uint64_t reference_ = 0;
};

}  // namespace

Result<Layout> lay_out(const synth::Seed& seed, Bytes footprint, unsigned chains) {
  if (chains < 1 || chains > most_chains)
    return failure(ErrorKind::usage, fmt::format("{} chains; there can be 1 to {}", chains, most_chains));
  CACHESCAPE_CHECK(can_be_linked(seed));
  const std::uint64_t asked =
      footprint.value / seed.working_set + static_cast<std::uint64_t>(footprint.value % seed.working_set != 0);
  Layout layout;
  layout.element = seed.word;
  layout.period = seed.working_set / seed.word;
  layout.references = seed.words.size();
  layout.replications = std::max({asked, seed.least_replications, std::uint64_t{1}});
  layout.chains = chains;
  // Half of the address space: nothing that exists, and sizes do not overflow.
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 47;
  if (layout.replications > most_bytes / seed.working_set)
    return failure(ErrorKind::limit, fmt::format("{} replications of {} are more memory than any process can have",
                                                 layout.replications, machine::print_size(Bytes{seed.working_set})));
  constexpr std::uint64_t most_small = std::uint64_t{1} << 32;
  if (layout.element == 4 && layout.elements() > most_small)
    return failure(ErrorKind::limit,
                   fmt::format("{} elements of 4 bytes; these can tell 2^32 apart (16 GiB)", layout.elements()), {},
                   "ask for a smaller footprint, or make the seed with words of 8 bytes");
  return layout;
}

template <class Element>
void link(const synth::Seed& seed, const Layout& layout, std::span<Element> array, const Progress& progress) {
  constexpr std::uint64_t between = std::uint64_t{1} << 22;
  Cursor from(seed, layout);
  Cursor to(seed, layout);
  for (unsigned k = 0; k < layout.chains; ++k) to.step();
  for (std::uint64_t i = 0; i < layout.visits(); ++i) {
    if (i % between == 0 && progress) progress(static_cast<double>(i) / static_cast<double>(layout.visits()));
    array[from.index()] = static_cast<Element>(to.index());
    from.step();
    to.step();
  }
}

template void link(const synth::Seed&, const Layout&, std::span<std::uint32_t>, const Progress&);
template void link(const synth::Seed&, const Layout&, std::span<std::uint64_t>, const Progress&);

std::vector<std::uint64_t> starts(const synth::Seed& seed, const Layout& layout) {
  std::vector<std::uint64_t> first;
  Cursor cursor(seed, layout);
  for (unsigned k = 0; k < layout.chains; ++k) {
    first.push_back(cursor.index());
    cursor.step();
  }
  return first;
}

}  // namespace cachescape::proxy
