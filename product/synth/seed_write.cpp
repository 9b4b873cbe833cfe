#include <cstring>
#include <vector>

#include <xxhash.h>
#include <zstd.h>

#include "product/signature/text.hpp"
#include "product/synth/seed_file.hpp"
#include "product/synth/seed_layout.hpp"
#include "trace/varint.hpp"

namespace cachescape::synth {
namespace {

constexpr int compression_level = 1;

std::vector<std::byte> body_of(const Seed& seed) {
  std::vector<std::byte> body;
  for (const SeedPhase& phase : seed.phases) {
    trace::put_varint(body, phase.length);
    trace::put_varint(body, phase.repeats);
  }
  std::uint64_t before = 0;
  for (const std::uint32_t word : seed.words) {
    trace::put_varint(body, trace::zigzag(word - before));
    before = word;
  }
  for (const AccessKind kind : seed.kinds) body.push_back(static_cast<std::byte>(kind));
  for (const std::uint8_t thread : seed.threads) body.push_back(static_cast<std::byte>(thread));
  return body;
}

}  // namespace

Result<void> write_seed(const Seed& seed, bytes::ByteSink& sink) {
  std::vector<signature::Signature> targets;
  for (const SeedPhase& phase : seed.phases) targets.push_back(phase.target);
  const std::string text = signature::to_text(targets);
  const std::vector<std::byte> body = body_of(seed);
  std::vector<std::byte> stored(text.size() + ZSTD_compressBound(body.size()));
  std::memcpy(stored.data(), text.data(), text.size());
  const std::size_t packed = ZSTD_compress(stored.data() + text.size(), stored.size() - text.size(), body.data(),
                                           body.size(), compression_level);
  if (ZSTD_isError(packed) != 0) return failure(ErrorKind::io, "the seed cannot be compressed", sink.name());
  stored.resize(text.size() + packed);

  SeedHeader header{};
  header.magic = seed_magic;
  header.version = seed_version;
  header.flags = (seed.unique ? seed_is_unique : 0) | (seed.kinds.empty() ? 0 : seed_has_kinds) |
                 (seed.threads.empty() ? 0 : seed_has_threads);
  header.word = seed.word;
  header.phases = static_cast<std::uint32_t>(seed.phases.size());
  header.references = seed.words.size();
  header.working_set = seed.working_set;
  header.least_replications = seed.least_replications;
  header.text_bytes = text.size();
  header.body_bytes = body.size();
  header.stored_bytes = packed;
  const std::uint64_t of_header = XXH3_64bits(&header, offsetof(SeedHeader, checksum));
  header.checksum = XXH3_64bits_withSeed(stored.data(), stored.size(), of_header);
  CACHESCAPE_CHECK(sink.write(std::as_bytes(std::span(&header, 1))));
  CACHESCAPE_CHECK(sink.write(stored));
  return sink.close();
}

}  // namespace cachescape::synth
