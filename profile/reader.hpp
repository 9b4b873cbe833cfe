// Reads .cscape files: all of a profile, the part that is needed, or what `info` shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// What of a profile is loaded; by default everything. What the file does not have is simply absent from the result.
struct ReadFilter {
  std::vector<LineSize> lines;  ///< empty = all
  std::vector<Scope> scopes;    ///< empty = all
  bool stacks = true;
  bool popularity = true;
  bool write_backs = true;
  bool sets = true;
  bool places = true;
  bool sharing = true;     ///< its pairs and lines refer to places, and come with them only
  bool signatures = true;  ///< their sites refer to places, and come with them only
};

/// Reads one consistent snapshot, also while it is being recorded. Nothing in the file is trusted: the result passes
/// check_form, and histograms add up to the totals that the file keeps beside them. A profile whose recording has not
/// been finished has losses.truncated set. Some 20 million histogram bins per second, 4 million of files
/// of versions before 5.
Result<Profile> read_profile(const std::string& path, const ReadFilter& filter = {});
/// The same from a finished file in memory, called `name` in messages.
Result<Profile> read_profile(std::span<const std::byte> bytes, const std::string& name, const ReadFilter& filter = {});

/// A StackProfile without its histograms.
struct StackHeader {
  Scope scope;
  LineSize line{6};
  KindCounts touches{};
  KindCounts cold{};
  std::uint64_t footprint_lines = 0;
  std::optional<std::uint64_t> writes{};  ///< touches whose write-backs were followed; none where they were not

  friend bool operator==(const StackHeader&, const StackHeader&) = default;
};

/// A SetProfile without its counts.
struct SetHeader {
  Scope scope;
  LineSize line{6};
  std::uint32_t ways = 0;
  KindCounts touches{};
  std::vector<std::uint64_t> sets;  ///< ascending

  friend bool operator==(const SetHeader&, const SetHeader&) = default;
};

/// A CoherentProfile without its histograms.
struct SharingHeader {
  std::uint32_t degree = 1;
  LineSize line{6};
  std::uint32_t caches = 0;
  std::uint32_t ways = 0;
  KindCounts touches{};
  KindCounts cold{};
  std::vector<std::uint64_t> sets{};  ///< ascending

  friend bool operator==(const SharingHeader&, const SharingHeader&) = default;
};

/// A SignatureProfile without its counts.
struct SignatureHeader {
  Scope scope;
  SignatureRule rule;
  KindCounts references{};
  std::uint64_t steps = 0;

  friend bool operator==(const SignatureHeader&, const SignatureHeader&) = default;
};

struct ProfileHeader {
  std::uint32_t version = 0;  ///< of the file's schema
  bool finished = false;      ///< false while it is being recorded, or when that was cut short
  std::uint64_t updates = 0;  ///< snapshots written so far: grows while it is being recorded
  Profile general;            ///< with neither stacks nor sets nor places nor sharing nor signatures
  std::vector<StackHeader> stacks;
  std::vector<SetHeader> sets;
  std::vector<SharingHeader> sharing;
  std::vector<SignatureHeader> signatures;
};

/// Everything but histograms; its cost does not depend on their size.
Result<ProfileHeader> read_header(const std::string& path);
Result<ProfileHeader> read_header(std::span<const std::byte> bytes, const std::string& name);

}  // namespace cachescape::profile
