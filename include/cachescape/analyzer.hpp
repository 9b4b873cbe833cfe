// From accesses to a profile: the engine, for any tool that can observe them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/packed_access.hpp"
#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "cachescape/strided_run.hpp"

namespace cachescape {

struct AnalysisOptions {
  /// Line sizes whose stack distances are wanted.
  std::vector<LineSize> lines{LineSize{2}, LineSize{3}, LineSize{4}, LineSize{5},
                              LineSize{6}, LineSize{7}, LineSize{8}, LineSize{9}};
  /// Line sizes whose set distances are wanted too, for 1, 2, 4, … 2^max_log2_sets sets and the others named, up to so
  /// many ways.
  std::vector<LineSize> set_lines{LineSize{5}, LineSize{6}, LineSize{7}, LineSize{8}};
  unsigned max_log2_sets = 16;
  unsigned ways = 32;
  std::vector<std::uint64_t> other_set_counts{};
  /// Count how often each 64-byte line is touched (for the memory-usage histogram).
  bool popularity = false;
  /// Line sizes, among `lines`, at which write-backs are followed. None: 64 bytes, else the next larger size of
  /// `lines`, else its largest.
  std::optional<std::vector<LineSize>> write_back_lines{};
  /// Count distances by place at the usual line size (64 bytes, or the nearest), into `places.site_distances`: sites
  /// must then be small numbers.
  bool places = false;
  /// Threads per cache for which coherence is followed, at the usual line size and larger ones, once there are more
  /// threads than that; for as many set counts and ways as the set distances of that line size have. Who had written
  /// what before there were so many threads is known where write-backs are followed at that line size. Not where lines
  /// or accesses are sampled.
  std::vector<std::uint32_t> sharing{1, 2, 4, 8, 16, 32};
  /// Memory signatures that are followed, of everything and of each thread where there are several; by site too where
  /// `places` are asked for. Not where lines are sampled: a block is made of many.
  std::vector<SignatureRule> signatures{};
  /// Only method, rate (SHARDS: rounded to a power of one half), on, off and max_lines are looked at.
  Sampling sampling{};
  /// Bytes that the analysis may hold, 0 = no limit. Past it, lines are sampled, ever fewer, and the profile says so.
  std::uint64_t memory_limit = 0;
  /// Threads that analyse, each some of the line sizes; 0 = as many as the machine has.
  unsigned workers = 1;
};

/// Of a longer access only so many bytes from its start are analysed. No instruction is so long, and time and memory
/// grow with every line that one record touches.
inline constexpr std::uint32_t longest_access = 1u << 20;

/// Consumes accesses in their global order and knows the profile of what it has seen. Called by one thread.
/// Exact unless sampling is asked for or memory runs short. Time: some nanoseconds per access and line size
/// (docs/performance.md). Memory: docs/design/analysis.md.
class Analyzer {
 public:
  /// Error where the options make no sense.
  static Result<void> check(const AnalysisOptions& options);
  /// The same error.
  static Result<Analyzer> create(const AnalysisOptions& options);
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;
  ~Analyzer();

  void consume(const AccessBatch& batch);
  /// Precondition: no access is longer than longest_access.
  void consume(const PackedBatch& batch);
  void consume(const StridedRun& run);
  /// How many of the next accesses will not be looked at (interval sampling): they need not be consumed but
  /// passed over.
  std::uint64_t unwanted() const;
  /// Accesses of a thread that come next and are not analysed. They are counted.
  void pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes);

  /// All that is known so far. Provenance and instructions are the caller's to add, and so are losses, to those counted
  /// here: every access longer than longest_access is a lost one.
  /// `weights`, by place, for Sampling::Method::blocks: what each analysed access stands for.
  Profile profile(std::span<const double> weights = {});
  /// Bytes of the lines touched so far, at the smallest line size; estimated where lines are sampled.
  std::uint64_t footprint();
  /// What the user should be told, in order: that sampling began because memory ran short, that an access was too long.
  const std::vector<std::string>& warnings() const;

 private:
  struct Engine;
  explicit Analyzer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace cachescape
