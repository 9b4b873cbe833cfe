// One cache level's view of a program: the streams that its instances see, and their misses added up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/result.hpp"
#include "model/streams.hpp"

namespace cachescape::model {

/// Where a level stands: what decides whose touches it sees.
struct LevelPlace {
  std::uint32_t cores = 0;      ///< as in machine::Machine
  std::uint32_t shared_by = 1;  ///< as in machine::Level
  LineSize line{6};
  /// What other instances do to this one's lines.
  enum class Others : std::uint8_t {
    nothing,
    take_by_touching,  ///< a line that another thread touched last is looked for in all instances together (Byfl, eqs.
                       ///< 4, 5)
    take_by_writing,
  };
  Others others = Others::nothing;
  /// Line sizes that are asked for beside this one, so that what is missing is told at once.
  std::span<const LineSize> lines_of_others{};
};

/// Immutable; safe from any thread; must not outlive its Streams.
///
/// - One instance for all threads: the stream of everything. A thread per instance: each thread's own stream. Both are
///   what the instances see.
/// - Several threads in one instance, but not all: each thread's own distances, stretched by (accesses of
///   the instance's threads) / (its own accesses), as if the others touched other lines at their own pace.
/// - Where writes take lines away and the profile knows of that: what it holds for as many threads per cache.
/// - Where touches do: each thread's own stream less its touches of lines that another thread touched last, which hit
/// where
///   one cache with the lines of all instances has them.
/// - No distances by thread in the profile: the stream of everything over the lines of all instances together (Byfl,
///   equation 4).
class LevelView {
 public:
  /// `who` names the level in messages. Fails where the profile lacks the line size.
  static Result<LevelView> of(const Streams& streams, const LevelPlace& place, std::string_view who);

  /// Misses of an LRU level whose instances have `sets` × `ways` lines each. The method is the least exact that was
  /// used.
  StreamModel::Estimate misses(std::uint64_t sets, std::uint64_t ways) const;
  /// Those of them whose line another instance's write has taken; none where that is not known.
  std::array<KindCounts, sharing_kinds> lost(std::uint64_t sets, std::uint64_t ways) const;
  /// Misses of fully associative LRU instances of `lines` lines each.
  KindCounts fully_associative_misses(std::uint64_t lines) const;
  /// Write-backs of such a level, all instances together; exact where every stream's are. None where a stream lacks
  /// them.
  std::optional<StreamModel::WriteBacks> write_backs(std::uint64_t sets, std::uint64_t ways) const;
  /// Variance of the sum of misses(sets, ways); 0 where nothing was sampled.
  double miss_variance(std::uint64_t sets, std::uint64_t ways) const;

  /// Whether what others do is in the numbers.
  bool knows_others() const { return coherent_ != nullptr || shared_ != nullptr; }
  /// Null where lines are not taken away by writes, or the profile does not know of it.
  const CoherentModel* coherent() const { return coherent_; }

  const KindCounts& touches() const { return touches_; }
  const KindCounts& cold() const { return cold_; }
  std::size_t instances() const { return instances_; }
  /// Why the streams are not quite those that the instances see; empty where they are.
  const std::string& approximation() const { return approximation_; }
  /// Why misses(sets, ways) needs the SDCM and what to record against it; empty where it does not.
  std::string why_sdcm(std::uint64_t sets, std::uint64_t ways) const;

 private:
  struct Part {
    const StreamModel* stream = nullptr;
    double stretch = 1;
  };

  std::vector<Part> parts_;
  const CoherentModel* coherent_ = nullptr;
  bool lacks_write_backs_ = false;           ///< what there is of them in `coherent_` is a part only
  const StreamModel* shared_ = nullptr;      ///< touches of everything whose line another thread touched last
  std::vector<const StreamModel*> invalid_;  ///< those of each thread's own stream
  KindCounts touches_{};
  KindCounts cold_{};
  std::size_t instances_ = 1;
  std::string approximation_;
};

}  // namespace cachescape::model
