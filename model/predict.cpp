#include "model/predict.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "machine/names.hpp"
#include "model/kind_counts.hpp"
#include "model/level_view.hpp"
#include "model/needs.hpp"

namespace cachescape::model {
namespace {

using machine::Inclusion;
using machine::Level;
using machine::Machine;
using machine::Replacement;

/// What is judged in place of a level.
struct Geometry {
  std::uint64_t sets = 1;
  std::uint64_t ways = 1;
};

/// One way has no choice, and a tree over two is LRU.
bool behaves_as_lru(const Level& level) {
  return level.replacement == Replacement::lru || level.ways == 1 ||
         (level.replacement == Replacement::plru && level.ways == 2);
}

class Predictor {
 public:
  Predictor(const Streams& streams, const Machine& machine, const PredictOptions& options)
      : streams_(streams), machine_(machine), options_(options) {}

  Result<Prediction> run() {
    std::vector<LineSize> lines;
    for (const Level& level : machine_.levels) lines.push_back(level.line);
    for (const Level& level : machine_.levels) {
      CACHESCAPE_TRY(
          LevelView view,
          LevelView::of(streams_, {machine_.cores, level.shared_by, level.line, others(), lines}, level.name));
      views_.push_back(std::move(view));
    }
    HierarchyOutcome& outcome = result_.outcome;
    outcome.accesses = sum(streams_.accesses());
    outcome.threads = streams_.threads().size();
    outcome.cores = machine_.cores == 0 ? outcome.threads : machine_.cores;
    outcome.classified = options_.classify;
    warn_of_profile();
    for (std::size_t i = 0; i < machine_.levels.size(); ++i) judge(i);
    warn_of_coherence();
    average_access_time();
    return std::move(result_);
  }

 private:
  void warn(std::string sentence) { result_.warnings.push_back(std::move(sentence)); }

  void warn_of_profile() {
    const Losses& lost = streams_.losses();
    if (lost.lost_accesses > 0)
      warn(fmt::format("{} accesses are missing from the recording, or too long and cut", lost.lost_accesses));
    if (lost.skipped_records > 0) warn(fmt::format("{} malformed records were passed over", lost.skipped_records));
    if (lost.truncated) warn("the recording did not end in order: its end is missing");
    if (streams_.sampling().method != Sampling::Method::none) {
      warn(fmt::format("the profile is a sample ({:.4g} % analysed): counts are estimates",
                       100 * streams_.sampling().rate));
    }
  }

  LevelPlace::Others others() const {
    if (machine_.coherence == machine::Coherence::none) return LevelPlace::Others::nothing;
    if (options_.detail == Detail::touches) return LevelPlace::Others::take_by_touching;
    return options_.detail == Detail::coherence ? LevelPlace::Others::take_by_writing : LevelPlace::Others::nothing;
  }

  /// Whether others take lines from the level and nothing is known of it.
  bool lacks_coherence(std::size_t i) const {
    return machine_.coherence != machine::Coherence::none && views_[i].instances() > 1 && !views_[i].knows_others();
  }

  void warn_of_coherence() {
    std::string levels;
    for (std::size_t i = 0; i < views_.size(); ++i)
      if (lacks_coherence(i)) levels += (levels.empty() ? "" : ", ") + machine_.levels[i].name;
    if (levels.empty()) return;
    warn(fmt::format(
        "coherence is not modelled at {}: misses that other threads' writes cause are not counted, and lines "
        "that another cache holds are not found there{}",
        levels, options_.detail >= Detail::touches ? "; the profile holds nothing on it" : ""));
  }

  /// An exclusive level and the levels it does not repeat hold lines together.
  double lines_together(std::size_t i) const {
    const Level& level = machine_.levels[i];
    auto lines = static_cast<double>(level.lines());
    if (i > 0 && level.inclusion == Inclusion::exclusive) {
      const auto instances = static_cast<double>(std::max<std::size_t>(1, views_[i].instances()));
      lines += lines_together(i - 1) * static_cast<double>(views_[i - 1].instances()) / instances;
    }
    return lines;
  }

  Geometry judged_geometry(std::size_t i) const {
    const Level& level = machine_.levels[i];
    if (options_.detail == Detail::stack) return {1, static_cast<std::uint64_t>(lines_together(i))};
    if (level.inclusion != Inclusion::exclusive) return {level.sets, level.ways};
    return {level.sets, static_cast<std::uint64_t>(lines_together(i) / static_cast<double>(level.sets))};
  }

  void judge(std::size_t i) {
    const Level& level = machine_.levels[i];
    const LevelView& view = views_[i];
    const Geometry geometry = judged_geometry(i);
    const StreamModel::Estimate estimate = view.misses(geometry.sets, geometry.ways);

    LevelOutcome counts;
    counts.name = level.name;
    counts.instances = view.instances();
    const LevelOutcome* before = i > 0 ? &result_.outcome.levels.back() : nullptr;
    counts.reads.accesses = before != nullptr ? before->reads.misses : reads(view.touches());
    counts.writes.accesses = before != nullptr ? before->writes.misses : writes(view.touches());
    std::uint64_t clamped = 0;
    const auto fill = [&](Tally& tally, std::uint64_t misses) {
      tally.misses = std::min(misses, tally.accesses);
      clamped += misses - tally.misses;
    };
    fill(counts.reads, reads(estimate.misses));
    fill(counts.writes, writes(estimate.misses));
    if (clamped > 0) {
      warn(fmt::format("{} alone would miss {} times more than {} asks it; the surplus is left out", level.name,
                       clamped, before != nullptr ? before->name : "the program"));
    }
    if (options_.classify) {
      const std::uint64_t lines = geometry.sets * geometry.ways;
      const auto lost = view.lost(geometry.sets, geometry.ways);
      // What misses without sets for want of room.
      KindCounts without_sets = view.fully_associative_misses(lines);
      for (const KindCounts& taken : view.lost(1, lines))
        for (std::size_t k = 0; k < access_kinds; ++k) without_sets[k] -= taken[k];
      classify(counts.reads, reads(view.cold()), {reads(lost[0]), reads(lost[1])}, reads(without_sets));
      classify(counts.writes, writes(view.cold()), {writes(lost[0]), writes(lost[1])}, writes(without_sets));
    }
    count_coherence(i, geometry, counts);
    counts.bytes_in = Bytes{counts.total().misses * level.line.bytes().value};

    LevelPrediction how;
    how.method = estimate.method;
    how.coherent = view.coherent() != nullptr;
    how.why_not_exact = reasons(i, geometry, estimate.method);
    if (streams_.sampling().method != Sampling::Method::none) {
      how.confidence =
          interval_of(counts.total().misses, view.miss_variance(geometry.sets, geometry.ways), counts.total().accesses);
    }
    judge_write_backs(i, geometry, counts, how);
    result_.outcome.levels.push_back(std::move(counts));
    result_.levels.push_back(std::move(how));
  }

  void judge_write_backs(std::size_t i, const Geometry& geometry, LevelOutcome& counts, LevelPrediction& how) const {
    const Level& level = machine_.levels[i];
    if (level.write == machine::WritePolicy::through) {
      how.write_back_note = "it writes through, and a profile does not tell the bytes of each write";
      return;
    }
    const auto write_backs = views_[i].write_backs(geometry.sets, geometry.ways);
    if (!write_backs) {
      how.write_back_note =
          fmt::format("the profile does not hold them at {}-byte lines (record with --write-backs {})",
                      level.line.bytes().value, level.line.bytes().value);
      return;
    }
    // A line goes out only when a miss brings another in.
    counts.write_backs = std::min(write_backs->count, counts.total().misses);
    counts.bytes_out = Bytes{counts.write_backs * level.line.bytes().value};
    const bool gives_clean_lines =
        i + 1 < machine_.levels.size() && machine_.levels[i + 1].inclusion == Inclusion::exclusive;
    how.write_backs = WriteBackMethod::modelled;
    if (!how.exact()) {
      how.write_back_note = "the misses are not exact";
    } else if (!write_backs->exact) {
      how.write_back_note = "chance decides which lines share a set";
    } else if (gives_clean_lines) {
      how.write_back_note = fmt::format("{} is exclusive: clean lines that move there are not counted as bytes out",
                                        machine_.levels[i + 1].name);
    } else {
      how.write_backs = WriteBackMethod::exact;
    }
  }

  /// What passes between the instances of a level. Sets are left out: a line that misses for their sake is counted as
  /// if it were there.
  void count_coherence(std::size_t i, const Geometry& geometry, LevelOutcome& counts) const {
    const CoherentModel* const coherent = views_[i].coherent();
    if (coherent == nullptr) return;
    const std::uint64_t lines = geometry.sets * geometry.ways;
    counts.invalidations = coherent->invalidations(lines);
    counts.remote_hits = coherent->remote_hits(lines);
    // What comes from farther away is counted farther out.
    if (i + 1 < views_.size() && views_[i + 1].coherent() != nullptr)
      counts.remote_hits -= std::min(counts.remote_hits, views_[i + 1].coherent()->remote_hits(lines));
    if (i == 0) counts.upgrades = coherent->upgrades(lines, machine_.coherence);
  }

  static void classify(Tally& tally, std::uint64_t cold, std::array<std::uint64_t, sharing_kinds> lost,
                       std::uint64_t without_sets) {
    MissClasses& c = tally.classes;
    std::uint64_t left = tally.misses;
    const auto take = [&left](std::uint64_t wanted) {
      const std::uint64_t taken = std::min(wanted, left);
      left -= taken;
      return taken;
    };
    c.cold = take(cold);
    c.true_sharing = take(lost[0]);
    c.false_sharing = take(lost[1]);
    c.capacity = take(without_sets - std::min(without_sets, c.cold));
    c.conflict = left;
  }

  std::vector<std::string> reasons(std::size_t i, const Geometry& geometry, Method method) {
    const Level& level = machine_.levels[i];
    std::vector<std::string> why;
    if (i > 0) why.emplace_back("it is judged by all touches, not by those that miss nearer to the core");
    if (method == Method::sdcm) why.push_back(views_[i].why_sdcm(geometry.sets, geometry.ways));
    if (!views_[i].approximation().empty()) {
      why.push_back(views_[i].approximation());
      warn(fmt::format("{}: {}", level.name, views_[i].approximation()));
    }
    if (!behaves_as_lru(level)) {
      why.emplace_back("it is predicted as LRU");
      warn(fmt::format("{} replaces by {}; it is predicted as LRU", level.name,
                       machine::name_of(machine::replacement_names, level.replacement)));
    }
    if (!level.write_allocate) {
      why.emplace_back("it is predicted as allocating on writes");
      warn(fmt::format("{} does not allocate on writes; it is predicted as if it did", level.name));
    }
    if (level.write == machine::WritePolicy::through && i + 1 < machine_.levels.size()) {
      warn(fmt::format("{} writes through; the writes it passes on are not counted as accesses of {}", level.name,
                       machine_.levels[i + 1].name));
    }
    if (level.inclusion == Inclusion::exclusive) {
      why.emplace_back("it is exclusive, and judged with the lines of the levels nearer to the core");
    }
    for (std::size_t outer = i + 1; outer < machine_.levels.size(); ++outer) {
      if (machine_.levels[outer].inclusion == Inclusion::inclusive) {
        why.push_back(fmt::format("{} is inclusive, and may take lines from it", machine_.levels[outer].name));
      }
    }
    if (options_.detail == Detail::touches && views_[i].knows_others())
      why.emplace_back("touches of other threads, not their writes, take lines away, as asked");
    if (lacks_coherence(i)) why.emplace_back("coherence is not modelled");
    if (options_.detail == Detail::stack && machine_.levels[i].sets > 1)
      why.emplace_back("it is judged as fully associative, as asked");
    if (streams_.sampling().method != Sampling::Method::none) why.emplace_back("the profile is a sample");
    return why;
  }

  void average_access_time() {
    const std::vector<LevelOutcome>& levels = result_.outcome.levels;
    const std::uint64_t touches = levels.front().total().accesses;
    if (!machine_.memory_latency || touches == 0) return;
    double cycles = static_cast<double>(levels.back().total().misses) * *machine_.memory_latency;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (!machine_.levels[i].latency) return;
      cycles += static_cast<double>(levels[i].total().hits()) * *machine_.levels[i].latency;
    }
    result_.amat_cycles = cycles / static_cast<double>(touches);
  }

  const Streams& streams_;
  const Machine& machine_;
  const PredictOptions& options_;
  std::vector<LevelView> views_;
  Prediction result_;
};

}  // namespace

Result<Prediction> predict(const Profile& profile, const Machine& machine, const PredictOptions& options) {
  const std::vector<Need> needs = needed(machine, profile.threads.size());
  return predict(Streams(profile, needs), machine, options);
}

Result<Prediction> predict(const Streams& streams, const Machine& machine, const PredictOptions& options) {
  return Predictor(streams, machine, options).run();
}

}  // namespace cachescape::model
