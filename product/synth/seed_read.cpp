#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include <xxhash.h>
#include <zstd.h>

#include <fmt/format.h>

#include "bytes/source.hpp"
#include "product/signature/text.hpp"
#include "product/synth/seed_file.hpp"
#include "product/synth/seed_layout.hpp"
#include "trace/varint.hpp"

namespace cachescape::synth {
namespace {

/// A phase takes two numbers of the body, a reference up to ten bytes, a kind and a thread.
constexpr std::uint64_t most_bytes_of_phase = 20;
constexpr std::uint64_t most_bytes_of_reference = 12;
constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;

class Reader {
 public:
  Reader(std::span<const std::byte> file, const std::string& name) : file_(file), name_(name) {}

  Result<Seed> read() {
    CACHESCAPE_CHECK(read_header());
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + sizeof header_, header_.text_bytes);
    CACHESCAPE_TRY(const auto targets, signature::read_text(text, fmt::format("{}: signature", name_)));
    if (targets.size() != header_.phases) {
      return malformed(fmt::format("it has {} signatures for {} phases", targets.size(), header_.phases));
    }
    seed_.word = header_.word;
    seed_.unique = (header_.flags & seed_is_unique) != 0;
    seed_.working_set = header_.working_set;
    seed_.least_replications = header_.least_replications;
    for (const signature::Signature& target : targets) {
      if (target.rule.word != header_.word) return malformed("its signatures have words of another size");
      seed_.phases.push_back({target});
    }
    CACHESCAPE_CHECK(read_body());
    if (seed_.unique) CACHESCAPE_CHECK(check_unique());
    return std::move(seed_);
  }

 private:
  std::unexpected<Error> malformed(std::string what) const {
    return failure(ErrorKind::malformed, "this seed is malformed: " + std::move(what), name_);
  }

  Result<void> read_header() {
    if (!is_seed(file_)) return failure(ErrorKind::malformed, "this is no seed", name_, "cachescape synth makes them");
    if (file_.size() < sizeof header_) return truncated();
    std::memcpy(&header_, file_.data(), sizeof header_);
    if (header_.version != seed_version) {
      return failure(ErrorKind::unsupported,
                     fmt::format("this seed has version {}; {} is understood", header_.version, seed_version), name_);
    }
    const auto [flags, word, phases] = std::tuple(header_.flags, header_.word, header_.phases);
    if ((flags & ~(seed_is_unique | seed_has_kinds | seed_has_threads)) != 0) return malformed("unknown flags");
    if (word != 4 && word != 8) return malformed(fmt::format("words of {} bytes", word));
    if (phases == 0 || phases > most_phases) return malformed(fmt::format("{} phases", phases));
    if (header_.references == 0 || header_.references > most_references) {
      return malformed(fmt::format("{} references", header_.references));
    }
    if (header_.working_set == 0 || header_.working_set > most_working_set || header_.working_set % block_bytes != 0) {
      return malformed(fmt::format("a working set of {} bytes", header_.working_set));
    }
    if (header_.least_replications == 0 || header_.least_replications > most_seed_repeats) {
      return malformed(fmt::format("{} replications", header_.least_replications));
    }
    if (header_.body_bytes > header_.references * most_bytes_of_reference + phases * most_bytes_of_phase) {
      return malformed("a body that is too long");
    }
    const std::uint64_t behind = file_.size() - sizeof header_;
    if (header_.text_bytes > behind || header_.stored_bytes > behind - header_.text_bytes) return truncated();
    if (header_.text_bytes + header_.stored_bytes != behind) return malformed("there is more behind its end");
    const std::uint64_t of_header = XXH3_64bits(&header_, offsetof(SeedHeader, checksum));
    if (XXH3_64bits_withSeed(file_.data() + sizeof header_, behind, of_header) != header_.checksum) {
      return failure(ErrorKind::corrupt, "this seed was changed since it was made: its checksum differs", name_,
                     "copy it again, or make it again");
    }
    return {};
  }

  std::unexpected<Error> truncated() const {
    return failure(ErrorKind::truncated, "this seed is cut off", name_, "copy it again, or make it again");
  }

  Result<void> read_body() {
    std::vector<std::byte> body(header_.body_bytes);
    const std::size_t unpacked = ZSTD_decompress(
        body.data(), body.size(), file_.data() + sizeof header_ + header_.text_bytes, header_.stored_bytes);
    if (ZSTD_isError(unpacked) != 0 || unpacked != body.size()) return malformed("its body cannot be unpacked");
    trace::VarintReader numbers(body);
    std::uint64_t sum = 0;
    for (SeedPhase& phase : seed_.phases) {
      const auto length = numbers.next();
      const auto repeats = numbers.next();
      if (!length || *length > header_.references - sum) return malformed("a phase that is too long");
      if (!repeats || *repeats == 0 || *repeats > most_seed_repeats) return malformed("a phase that is never made");
      phase.length = *length;
      phase.repeats = *repeats;
      sum += *length;
    }
    if (sum != header_.references) return malformed("phases that do not sum up to its length");
    CACHESCAPE_CHECK(read_words(numbers));
    CACHESCAPE_CHECK(read_kinds(numbers));
    CACHESCAPE_CHECK(read_threads(numbers));
    if (numbers.remaining() > 0) return malformed("a body that is too long");
    return {};
  }

  Result<void> read_words(trace::VarintReader& numbers) {
    const std::uint64_t end = header_.working_set / header_.word;
    std::uint64_t word = 0;
    seed_.words.reserve(std::min<std::uint64_t>(header_.references, numbers.remaining()));
    for (std::uint64_t i = 0; i < header_.references; ++i) {
      const auto step = numbers.next();
      if (!step) return malformed("fewer words than it says");
      word += trace::unzigzag(*step);
      if (word >= end || word >> 32 != 0) return malformed(fmt::format("word {} lies outside of its memory", i));
      seed_.words.push_back(static_cast<std::uint32_t>(word));
    }
    return {};
  }

  Result<void> read_kinds(trace::VarintReader& numbers) {
    if ((header_.flags & seed_has_kinds) == 0) return {};
    const auto kinds = numbers.take(header_.references);
    if (!kinds) return malformed("fewer kinds of references than it says");
    seed_.kinds.reserve(kinds->size());
    for (const std::byte kind : *kinds) {
      if (std::to_integer<std::size_t>(kind) >= access_kinds) return malformed("an unknown kind of reference");
      seed_.kinds.push_back(static_cast<AccessKind>(kind));
    }
    return {};
  }

  Result<void> read_threads(trace::VarintReader& numbers) {
    if ((header_.flags & seed_has_threads) == 0) return {};
    const auto threads = numbers.take(header_.references);
    if (!threads) return malformed("fewer threads than it says");
    for (const std::byte thread : *threads) seed_.threads.push_back(std::to_integer<std::uint8_t>(thread));
    return {};
  }

  Result<void> check_unique() const {
    std::vector<bool> seen(header_.working_set / header_.word);
    for (const std::uint32_t word : seed_.words) {
      if (seen[word]) return malformed(fmt::format("word {} is referenced twice", word));
      seen[word] = true;
    }
    return {};
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  SeedHeader header_{};
  Seed seed_;
};

}  // namespace

bool is_seed(std::span<const std::byte> head) {
  return head.size() >= seed_magic.size() && std::memcmp(head.data(), seed_magic.data(), seed_magic.size()) == 0;
}

Result<Seed> read_seed(std::span<const std::byte> file, const std::string& name) { return Reader(file, name).read(); }

Result<Seed> read_seed(const std::string& path) {
  CACHESCAPE_TRY(const auto source, bytes::open_source(path));
  CACHESCAPE_TRY(const std::vector<std::byte> file, bytes::read_all(*source, largest_file));
  return read_seed(file, source->name());
}

}  // namespace cachescape::synth
