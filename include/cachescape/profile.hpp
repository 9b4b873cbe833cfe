// What is known of a program's memory behaviour, without any cache in mind: the value that analyses make, files keep
// and models read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/histogram.hpp"
#include "cachescape/line.hpp"
#include "cachescape/places.hpp"
#include "cachescape/sharing.hpp"
#include "cachescape/signature.hpp"

namespace cachescape {

/// Whose touches a histogram is about.
struct Scope {
  enum class Kind : std::uint8_t {
    everything,  ///< all threads in the order in which they ran: one shared stack
    thread,      ///< one thread alone: its private stack
  };
  Kind kind = Kind::everything;
  ThreadId thread;  ///< where kind is thread

  friend constexpr auto operator<=>(const Scope&, const Scope&) = default;
};

/// Stack distances at one line size.
struct StackProfile {
  Scope scope;
  LineSize line{6};
  std::array<Histogram, access_kinds> kinds;  ///< by AccessKind
  std::uint64_t footprint_lines = 0;          ///< distinct lines touched
  /// How many lines were touched exactly `value` times (`count` lines); empty where it was not asked for.
  std::vector<Bin> popularity;
  /// Every touch that writes (a store or read-modify-write) makes data that a fully associative LRU cache that writes
  /// back does so once, if it has up to `value` lines, and never, if it has more: `count` such touches, value 0 = none
  /// does. Data still held at the end are not written back. None where it was not asked for.
  std::optional<std::vector<Bin>> write_backs{};
  /// Those touches among `kinds` whose line another thread touched last (Byfl's F_shared for everything, F_invalidated
  /// for a thread). Empty where there is one thread, or nobody asked.
  std::array<Histogram, access_kinds> foreign{};

  friend bool operator==(const StackProfile&, const StackProfile&) = default;
};

/// Set distances for one number of sets. hits[k][d]: touches of kind k with set distance exactly d, d < ways; all
/// others are misses of any cache with up to that many ways.
struct SetCounts {
  std::uint64_t sets = 1;
  std::array<std::vector<std::uint64_t>, access_kinds> hits;
  std::array<std::vector<std::uint64_t>, access_kinds> foreign{};  ///< as StackProfile::foreign; empty = all 0

  friend bool operator==(const SetCounts&, const SetCounts&) = default;
};

/// Set distances at one line size, for several numbers of sets.
struct SetProfile {
  Scope scope;
  LineSize line{6};
  std::uint32_t ways = 0;         ///< length of every hits vector
  KindCounts touches{};           ///< all touches, by AccessKind
  std::vector<SetCounts> counts;  ///< by ascending number of sets

  friend bool operator==(const SetProfile&, const SetProfile&) = default;
};

/// What a memory signature is made of.
struct SignatureProfile {
  Scope scope;
  SignatureRule rule;
  SignatureCounts counts{};
  std::vector<Bin> steps;            ///< signature_step() of every first touch of a block but each thread's first
  std::vector<SiteSignature> sites;  ///< by ascending site; empty where the scope is a thread or sites are unknown

  friend bool operator==(const SignatureProfile&, const SignatureProfile&) = default;
};

struct Sampling {
  enum class Method : std::uint8_t {
    none,         ///< every access was analysed
    shards_rate,  ///< lines chosen by hash at a fixed rate
    shards_size,  ///< lines chosen by hash, at most so many at a time: the rate falls as the footprint grows
    interval,     ///< accesses on for a while, off for a while
    blocks,       ///< until each block was seen so often; counts are already those of all its executions
  };
  /// Blocks: accesses in a row that are analysed at least.
  static constexpr std::uint64_t shortest_stay = 4096;
  static constexpr std::array<std::string_view, 5> names{"none", "shards_rate", "shards_size", "interval", "blocks"};
  Method method = Method::none;
  double rate = 1;              ///< share of lines (SHARDS: the final one) or of accesses (interval) that was analysed
  std::uint64_t on = 0;         ///< interval: accesses in a row that are analysed; blocks: executions of each
  std::uint64_t off = 0;        ///< interval: accesses in a row that are not
  std::uint64_t max_lines = 0;  ///< shards_size: lines followed at a time
  std::uint64_t analysed =
      0;  ///< accesses that were analysed (interval) or in which a chosen line was touched (SHARDS, smallest line)

  friend bool operator==(const Sampling&, const Sampling&) = default;
};

struct Losses {
  std::uint64_t lost_accesses = 0;    ///< known to be missing from the input, or too long to be analysed whole
  std::uint64_t skipped_records = 0;  ///< malformed, passed over
  bool truncated = false;             ///< the recording did not end in order

  bool any() const { return lost_accesses > 0 || skipped_records > 0 || truncated; }
  friend bool operator==(const Losses&, const Losses&) = default;
};

struct ThreadCounts {
  ThreadId thread;
  KindCounts accesses{};

  friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;
};

/// Histograms hold what was analysed: with sampling, distances are already scaled to the whole program; counts and
/// footprints are not, and are those of the final rate.
struct Profile {
  /// Where it comes from, as (key, value): command, host, version, source …
  std::vector<std::pair<std::string, std::string>> provenance;
  std::uint64_t instructions = 0;     ///< 0 = unknown
  std::uint64_t bytes = 0;            ///< sum of access sizes
  std::vector<ThreadCounts> threads;  ///< by ascending thread; all accesses, analysed or not
  Sampling sampling;
  Losses losses;
  std::vector<StackProfile> stacks;            ///< by (scope, line)
  std::vector<SetProfile> sets;                ///< by (scope, line)
  std::vector<SignatureProfile> signatures{};  ///< by (scope, word, every_word); empty where nobody asked
  Places places;                               ///< empty where the observer knows no source
  Sharing sharing;                             ///< empty where there is one thread, or nobody asked

  KindCounts accesses() const {
    KindCounts sum{};
    for (const ThreadCounts& t : threads) {
      for (std::size_t k = 0; k < access_kinds; ++k) sum[k] += t.accesses[k];
    }
    return sum;
  }

  friend bool operator==(const Profile&, const Profile&) = default;
};

}  // namespace cachescape
