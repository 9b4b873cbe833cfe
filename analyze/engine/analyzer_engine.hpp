// The analyses of one Analyzer, and what it knows beside them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/coherence/sharing_analysis.hpp"
#include "analyze/engine/lanes.hpp"
#include "analyze/engine/line_analysis.hpp"
#include "analyze/engine/place_totals.hpp"
#include "analyze/engine/signature_streams.hpp"
#include "analyze/engine/stretch.hpp"
#include "cachescape/analyzer.hpp"

namespace cachescape {

/// Fewer lines than these say nothing about a program: sampling stops halving here.
inline constexpr std::uint64_t fewest_sampled_lines = 1024;

inline bool by_lines(Sampling::Method m) {
  return m == Sampling::Method::shards_rate || m == Sampling::Method::shards_size;
}

struct Analyzer::Engine {
  using LineAnalysis = analyze::LineAnalysis;
  /// All line sizes of one stream of accesses.
  using Stream = std::vector<std::unique_ptr<LineAnalysis>>;

  struct Thread {
    ThreadId id;
    KindCounts accesses{};
    Stream own;  ///< empty while there is one thread: `everything` is its stream too
  };

  explicit Engine(const AnalysisOptions& options);

  Stream new_stream(unsigned halvings) const;
  /// The number of a thread, new or not.
  std::uint32_t thread_number(ThreadId id) {
    return known_thread && threads[*known_thread].id == id ? *known_thread : look_up_thread(id);
  }
  std::uint32_t look_up_thread(ThreadId id);
  void add_thread(ThreadId id);
  void add_sharing();
  void drop_sharing_of_too_many();
  void follow_touchers();
  void consume(const AccessBatch& batch);
  void consume(const PackedBatch& batch);
  void consume(const StridedRun& run);
  /// Takes accesses of one thread on to the analyses.
  void queue(std::uint32_t thread, std::span<const PackedAccess> accesses);
  void hand_over();
  /// Waits until everything queued is analysed.
  void catch_up();
  /// What every stretch goes through. Called whenever the analyses have changed. Precondition: all is analysed.
  void lay_out_lanes();
  void analyse(std::uint64_t piece, std::size_t line, bool own);
  void follow_far(std::uint64_t piece, std::size_t line, bool own);
  bool nothing_far(std::uint64_t piece, std::size_t line, bool own);
  void follow_sets(std::uint64_t piece, std::size_t line, bool own);
  template <class Visit>
  void for_each_analysis(Visit visit) {
    for (auto& analysis : everything) visit(*analysis);
    for (Thread& t : threads) {
      for (auto& analysis : t.own) visit(*analysis);
    }
  }
  std::uint32_t analysed_size(Address address, std::uint32_t size, std::uint64_t times);
  void watch_memory();
  void halve_samples();
  unsigned halvings() const { return everything.front()->sample().halvings(); }

  AnalysisOptions options;
  Sampling sampling;
  Stream everything;
  std::vector<analyze::LastToucher> touchers;      ///< of everything, by line size; empty while there is one thread
  std::vector<analyze::LastToucher> own_touchers;  ///< of the threads' own streams
  std::vector<Thread> threads;
  std::vector<std::unique_ptr<analyze::SharingAnalysis>> sharing;   ///< by degree and line size
  std::vector<analyze::SignatureStreams> signatures;                ///< by rule
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> numbers;  ///< of threads, by id
  std::optional<std::uint32_t> known_thread;                        ///< number of the one that was looked up last
  std::uint64_t position = 0;                                       ///< accesses seen
  std::uint64_t analysed = 0;
  std::uint64_t bytes = 0;
  std::optional<LineSize> places_line;  ///< whose distances are counted by place
  analyze::PlaceTotals place_totals;
  std::uint64_t cut = 0;             ///< accesses longer than longest_access
  std::uint64_t memory_checked = 0;  ///< position at which memory was last looked at
  std::vector<std::string> warnings;
  PackedBatch packed;                                             ///< room for one
  std::array<analyze::Stretch, analyze::Lanes::depth> stretches;  ///< by number, modulo depth
  analyze::Stretch* filling = stretches.data();                   ///< what comes in
  analyze::Lanes lanes;                                           ///< ends first: it works on all of the above
};

}  // namespace cachescape
