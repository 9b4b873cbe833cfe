#include "product/synth/synthesize.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "product/synth/attempt.hpp"
#include "product/synth/mix.hpp"
#include "product/synth/placement.hpp"
#include "product/synth/random.hpp"

namespace cachescape::synth {
namespace {

constexpr std::uint64_t longest = std::uint64_t{1} << 26;

Result<void> usable(std::span<const signature::Signature> signatures, const SynthesisOptions& options) {
  if (signatures.empty()) return failure(ErrorKind::usage, "there is no signature to make a seed from");
  for (const signature::Signature& s : signatures) {
    if (s.rule.word != signatures.front().rule.word) {
      return failure(ErrorKind::usage,
                     fmt::format("signatures {} and {} have words of {} and {} bytes", signatures.front().name, s.name,
                                 signatures.front().rule.word, s.rule.word),
                     {}, "make them with the same --word");
    }
    if (s.detail && s.detail->threads.size() > 256) {
      return failure(ErrorKind::usage, fmt::format("signature {} has {} threads; a seed has at most 256", s.name,
                                                   s.detail->threads.size()));
    }
  }
  if (options.length > longest) {
    return failure(ErrorKind::usage, fmt::format("a seed has at most {} references in a phase", longest), {},
                   "make a shorter one and expand it");
  }
  return {};
}

/// Puts a phase behind those that are there.
Result<void> append(Seed& seed, const signature::Signature& target, Attempt& attempt, std::uint64_t random_seed) {
  const std::uint64_t words = block_bytes / seed.word;
  const signature::Detail* detail = target.detail ? &*target.detail : nullptr;
  const Placement& placement = attempt.placement;
  const std::uint64_t begin = seed.working_set / seed.word;
  if (begin + placement.end * words > std::numeric_limits<std::uint32_t>::max()) {
    return failure(ErrorKind::usage, "the seed's memory has more than 2^32 words", {}, "make it shorter with --length");
  }
  const std::size_t before = seed.words.size();
  for (const Reference& r : attempt.references) {
    seed.words.push_back(static_cast<std::uint32_t>(begin + placement.word(r.block, r.word) * 4 / seed.word));
  }
  if (detail != nullptr) {
    Random random(random_seed);
    Mix mixed = mix(attempt.references, *detail, random);
    seed.kinds.resize(before, AccessKind::read);
    seed.kinds.insert(seed.kinds.end(), mixed.kinds.begin(), mixed.kinds.end());
    if (!mixed.threads.empty()) {
      seed.threads.resize(before);
      seed.threads.insert(seed.threads.end(), mixed.threads.begin(), mixed.threads.end());
    }
  }
  if (!seed.kinds.empty()) seed.kinds.resize(seed.words.size(), AccessKind::read);
  if (!seed.threads.empty()) seed.threads.resize(seed.words.size());
  seed.working_set += placement.end * block_bytes;
  seed.phases.push_back({target, attempt.references.size(), std::max<std::uint64_t>(1, attempt.repeats)});
  return {};
}

}  // namespace

Result<Synthesis> synthesize(std::span<const signature::Signature> signatures, const SynthesisOptions& options) {
  CACHESCAPE_CHECK(usable(signatures, options));
  Synthesis result;
  result.seed.word = signatures.front().rule.word;
  result.seed.unique = options.unique;
  std::uint64_t blocks = 0;
  bool loop = true;
  for (const signature::Signature& target : signatures) {
    Attempt attempt = best_attempt(target, options);
    CACHESCAPE_CHECK(append(result.seed, target, attempt, options.random_seed));
    blocks += attempt.blocks;
    loop = loop && attempt.repeats == 0;
    result.fits.push_back(std::move(attempt.fit));
  }
  // So much other memory that nothing is found again where the seed returns to the same one; a loop wants to find it.
  constexpr std::uint64_t deepest = std::uint64_t{1} << (signature_depths - 1);
  result.seed.least_replications = loop ? 1 : deepest / std::max<std::uint64_t>(1, blocks) + 1;
  return result;
}

}  // namespace cachescape::synth
