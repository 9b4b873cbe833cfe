// What a profile says of itself, for the head of every report on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cachescape/profile.hpp"
#include "profile/reader.hpp"

namespace cachescape::report {

struct Footprint {
  std::uint64_t bytes = 0;  ///< of whole lines, scaled to the whole program where lines were sampled
  LineSize line{6};

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

struct ProfileSummary {
  std::string path;
  bool finished = true;
  std::string command;             ///< provenance "command"; empty where unknown
  std::string recorded;            ///< provenance "recorded": when, as the recorder wrote it
  std::optional<double> duration;  ///< seconds; provenance "duration"
  KindCounts accesses{};
  std::uint64_t bytes = 0;
  std::uint64_t instructions = 0;      ///< 0 = unknown
  std::optional<Footprint> footprint;  ///< at the line size nearest to 64 bytes that the profile has
  std::uint64_t touches = 0;           ///< counted at the footprint's line size
  std::size_t threads = 0;
  std::string thread_order;  ///< provenance "thread_order": how fine the order between several threads is; or empty
  Sampling sampling;
  Losses losses;
  bool is_part = false;  ///< of the accesses of a program whose instructions are all counted: a region, a window

  friend bool operator==(const ProfileSummary&, const ProfileSummary&) = default;
};

ProfileSummary summary_of(const profile::ProfileHeader& header, std::string path);

/// So many events per thousand instructions (for misses: MPKI); none where instructions are unknown, or are those of
/// more than what was analysed.
std::optional<double> per_thousand_instructions(const ProfileSummary& summary, std::uint64_t events);

/// "none", "shards_rate", …: as files spell them.
const char* name_of(Sampling::Method method);

inline constexpr std::size_t any_width = std::numeric_limits<std::size_t>::max();

/// A line for each thing that is known, label and value, broken between words where it would pass `width`; ends with a
/// newline.
std::string summary_text(const ProfileSummary& summary, std::size_t width = any_width);
/// One such line, so that others align with it.
std::string summary_line(const std::string& label, const std::string& value, std::size_t width = any_width);
/// All but the path as an object; null where unknown.
nlohmann::ordered_json summary_json(const ProfileSummary& summary);

}  // namespace cachescape::report
