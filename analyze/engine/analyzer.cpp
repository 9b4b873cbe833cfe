#include "cachescape/analyzer.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/engine/line_analysis.hpp"
#include "analyze/engine/recombination.hpp"
#include "analyze/engine/stretch.hpp"
#include "analyze/engine/task_team.hpp"

namespace cachescape {
namespace {

using analyze::LineAnalysis;

/// Fewer lines than these say nothing about a program: sampling stops halving here.
constexpr std::uint64_t fewest_lines = 1024;
constexpr unsigned most_halvings = 30;

unsigned halvings_for(double rate) {
  return static_cast<unsigned>(std::clamp(std::lround(-std::log2(rate)), 0L, static_cast<long>(most_halvings)));
}

bool by_lines(Sampling::Method m) { return m == Sampling::Method::shards_rate || m == Sampling::Method::shards_size; }

/// 64 bytes, or the size that comes nearest.
LineSize usual_line(std::vector<LineSize> lines) {
  constexpr LineSize usual{6};
  std::ranges::sort(lines);
  const auto found = std::ranges::lower_bound(lines, usual);
  return found != lines.end() ? *found : lines.back();
}

std::vector<LineSize> write_back_lines(const AnalysisOptions& options) {
  return options.write_back_lines ? *options.write_back_lines : std::vector{usual_line(options.lines)};
}

struct PlaceTotals {
  KindCounts accesses{};
  std::uint64_t bytes = 0;
};

bool contains(const std::vector<LineSize>& lines, LineSize line) {
  return std::ranges::find(lines, line) != lines.end();
}

/// All line sizes of one stream of accesses. Where set distances are followed too, that comes after the stack distances
/// of the same lines.
using Stream = std::vector<std::unique_ptr<LineAnalysis>>;

}  // namespace

struct Analyzer::Engine {
  struct Thread {
    ThreadId id;
    KindCounts accesses{};
    Stream own;  ///< empty while there is one thread: `everything` is its stream too
  };

  explicit Engine(const AnalysisOptions& o)
      : options(o),
        sampling(o.sampling),
        team(o.workers == 0 ? std::max(1u, std::thread::hardware_concurrency()) : o.workers) {
    if (o.places) places_line = usual_line(o.lines);
    everything = new_stream(by_lines(o.sampling.method) ? halvings_for(o.sampling.rate) : 0);
  }

  Stream new_stream(unsigned halvings) const;
  std::uint32_t thread_number(ThreadId id);
  void add_thread(ThreadId id);
  void consume(const AccessBatch& batch);
  void consume(const PackedBatch& batch);
  void consume(const StridedRun& run);
  /// Takes accesses of one thread on to the analyses.
  void queue(std::uint32_t thread, std::span<const PackedAccess> accesses);
  void hand_over();
  /// Waits until everything queued is analysed.
  void catch_up();
  void analyse(const analyze::Stretch& stretch, std::size_t task);
  template <class Visit>
  void for_each_analysis(Visit visit);
  void count_place(std::uint32_t place, AccessKind kind, std::uint64_t size, std::uint64_t times) {
    if (place >= place_totals.size()) [[unlikely]]
      place_totals.resize(std::max<std::size_t>(std::size_t{place} + 1, place_totals.size() * 2));
    PlaceTotals& totals = place_totals[place];
    totals.accesses[static_cast<std::size_t>(kind)] += times;
    totals.bytes += size * times;
  }
  std::uint32_t analysed_size(Address address, std::uint32_t size, std::uint64_t times);
  void watch_memory();
  void halve_samples();
  unsigned halvings() const { return everything.front()->sample().halvings(); }

  AnalysisOptions options;
  Sampling sampling;
  Stream everything;
  std::vector<Thread> threads;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> numbers;  ///< of threads, by id
  std::uint64_t position = 0;                                       ///< accesses seen
  std::uint64_t analysed = 0;
  std::uint64_t bytes = 0;
  std::optional<LineSize> places_line;    ///< whose distances are counted by place
  std::vector<PlaceTotals> place_totals;  ///< by place
  std::uint64_t cut = 0;                  ///< accesses longer than longest_access
  std::uint64_t memory_checked = 0;       ///< position at which memory was last looked at
  std::vector<std::string> warnings;
  PackedBatch packed;        ///< room for one
  analyze::Stretch filling;  ///< what comes in
  analyze::Stretch in_work;  ///< what is being analysed
  analyze::TaskTeam team;    ///< ends first: it works on all of the above
};

Stream Analyzer::Engine::new_stream(unsigned halvings) const {
  const std::vector<LineSize> write_backs = write_back_lines(options);
  Stream stream;
  for (const LineSize line : options.lines) {
    analyze::LineAnalysisOptions o;
    o.line = line;
    o.sample = analyze::LineSample(halvings);
    o.popularity = options.popularity && line == LineSize{6};
    o.write_backs = contains(write_backs, line) && sampling.method != Sampling::Method::blocks;
    o.places = everything.empty() && (places_line == line || sampling.method == Sampling::Method::blocks);
    // What is weighed afterwards is known by place, and that is distances only.
    const bool distances_only = by_lines(sampling.method) || sampling.method == Sampling::Method::blocks;
    stream.push_back(std::make_unique<LineAnalysis>(std::move(o)));
    if (!contains(options.set_lines, line) || distances_only) continue;
    // On their own, so that another processor can follow them.
    analyze::LineAnalysisOptions sets;
    sets.line = line;
    sets.stack = false;
    sets.sets = analyze::SetGrid{0, options.max_log2_sets, options.ways, options.other_set_counts};
    stream.push_back(std::make_unique<LineAnalysis>(std::move(sets)));
  }
  return stream;
}

std::uint32_t Analyzer::Engine::thread_number(ThreadId id) {
  const auto it = numbers.find(id.value);
  return it == numbers.end() ? static_cast<std::uint32_t>(threads.size()) : it->second;
}

void Analyzer::Engine::add_thread(ThreadId id) {
  catch_up();
  numbers.emplace(id.value, static_cast<std::uint32_t>(threads.size()));
  threads.push_back({id, {}, {}});
  if (threads.size() == 1) return;
  if (threads.size() == 2) {
    // Until now the first thread's stream was everything; from here on the two differ.
    Stream& own = threads.front().own;
    own.resize(everything.size());
    team.run(everything.size(), [&](std::size_t l) { everything[l]->flush(); });
    team.run(everything.size(), [&](std::size_t l) {
      const LineAnalysis& ordered = *everything[everything[l]->follows_stack() ? l : l - 1];
      own[l] = std::make_unique<LineAnalysis>(everything[l]->copy(ordered));
    });
  }
  threads.back().own = new_stream(halvings());
}

/// What is analysed of an access of `size` bytes that is made `times` times.
std::uint32_t Analyzer::Engine::analysed_size(Address address, std::uint32_t size, std::uint64_t times) {
  if (size <= longest_access) [[likely]]
    return size;
  if (cut == 0) {
    warnings.push_back(fmt::format(
        "an access at {:#x} is {} bytes long: of such accesses the first {} bytes are analysed, and they count as lost",
        address.value, size, longest_access));
  }
  cut += times;
  return longest_access;
}

void Analyzer::Engine::consume(const AccessBatch& batch) {
  for (std::size_t i = 0; i < batch.size();) {
    // Threads come in stretches.
    packed.clear();
    packed.thread = batch.threads()[i];
    for (; i < batch.size() && batch.threads()[i] == packed.thread && packed.room() > 0; ++i) {
      const std::uint32_t size = analysed_size(batch.addresses()[i], batch.sizes()[i], 1);
      packed.push({batch.addresses()[i], size, batch.kinds()[i], static_cast<std::uint32_t>(batch.sites()[i].value)});
    }
    consume(packed);
  }
}

void Analyzer::Engine::consume(const PackedBatch& batch) {
  if (batch.empty()) return;
  const std::uint32_t number = thread_number(batch.thread);
  if (number == threads.size()) add_thread(batch.thread);
  for (std::size_t k = 0; k < access_kinds; ++k) threads[number].accesses[k] += batch.kinds()[k];
  bytes += batch.bytes();
  const bool by_intervals = sampling.method == Sampling::Method::interval;
  for (std::span<const PackedAccess> rest = batch.accesses(); !rest.empty();) {
    std::size_t count = rest.size();
    bool on = true;
    if (by_intervals) {
      const std::uint64_t phase = position % (sampling.on + sampling.off);
      on = phase < sampling.on;
      count = std::min<std::uint64_t>(count, (on ? sampling.on : sampling.on + sampling.off) - phase);
    }
    if (on) queue(number, rest.first(count));
    rest = rest.subspan(count);
    position += count;
    if (filling.full()) hand_over();
  }
}

void Analyzer::Engine::queue(std::uint32_t thread, std::span<const PackedAccess> accesses) {
  filling.add(thread, accesses);
  analysed += accesses.size();
  if (!places_line) return;
  for (const PackedAccess& a : accesses) count_place(a.place(), a.kind(), a.size(), 1);
}

void Analyzer::Engine::hand_over() {
  team.finish();
  watch_memory();
  std::swap(filling, in_work);
  filling.clear();
  // One task per line size for everything, and one for the threads' own streams.
  team.start(everything.size() * (threads.size() > 1 ? 2 : 1), [this](std::size_t task) { analyse(in_work, task); });
}

void Analyzer::Engine::catch_up() {
  if (!filling.empty()) hand_over();
  team.finish();
}

void Analyzer::Engine::analyse(const analyze::Stretch& stretch, std::size_t task) {
  const std::size_t l = task % everything.size();
  const bool own = task >= everything.size();
  stretch.for_each([&](std::uint32_t thread, const auto& piece) {
    LineAnalysis& analysis = own ? *threads[thread].own[l] : *everything[l];
    analysis.consume(piece);
  });
}

void Analyzer::Engine::consume(const StridedRun& run) {
  if (run.trips == 0 || run.body.empty()) return;
  if (std::ranges::any_of(run.body, [](const StridedAccess& a) { return a.size > longest_access; })) {
    StridedRun shorter = run;
    for (StridedAccess& a : shorter.body) a.size = analysed_size(a.base, a.size, run.trips);
    return consume(shorter);
  }
  const std::uint32_t number = thread_number(run.thread);
  if (number == threads.size()) add_thread(run.thread);
  for (const StridedAccess& a : run.body) {
    threads[number].accesses[static_cast<std::size_t>(a.kind)] += run.trips;
    bytes += run.trips * a.size;
  }
  const std::uint64_t accesses = run.trips * run.body.size();
  // A loop is sampled as a whole, by where it begins.
  const bool on =
      sampling.method != Sampling::Method::interval || position % (sampling.on + sampling.off) < sampling.on;
  position += accesses;
  if (!on) return;
  analysed += accesses;
  if (places_line)
    for (const StridedAccess& a : run.body)
      count_place(static_cast<std::uint32_t>(a.site.value), a.kind, a.size, run.trips);
  filling.add(number, run.trips, run.body);
  if (filling.full()) hand_over();
}

template <class Visit>
void Analyzer::Engine::for_each_analysis(Visit visit) {
  for (auto& analysis : everything) visit(*analysis);
  for (Thread& t : threads) {
    for (auto& analysis : t.own) visit(*analysis);
  }
}

void Analyzer::Engine::halve_samples() {
  std::vector<LineAnalysis*> all;
  for_each_analysis([&](LineAnalysis& a) { all.push_back(&a); });
  team.run(all.size(), [&](std::size_t i) {
    all[i]->flush();
    all[i]->halve_sample();
  });
}

void Analyzer::Engine::watch_memory() {
  const bool bounded = sampling.method == Sampling::Method::shards_size;
  if (options.memory_limit == 0 && !bounded) return;
  if (position - memory_checked < 65536) return;
  memory_checked = position;
  while (halvings() < most_halvings) {
    std::uint64_t memory = 0;
    std::uint64_t lines = 0;
    for_each_analysis([&](const LineAnalysis& a) {
      memory += a.memory_bytes();
      lines = std::max(lines, a.followed_lines());
    });
    const bool too_many = bounded && lines > sampling.max_lines;
    const bool too_much = options.memory_limit > 0 && memory > options.memory_limit && lines > fewest_lines;
    if (!too_many && !too_much) return;
    if (sampling.method == Sampling::Method::none || sampling.method == Sampling::Method::shards_rate) {
      warnings.push_back(fmt::format(
          "memory is short after {} accesses ({} bytes held, {} allowed): from here on lines are sampled, and set "
          "distances are dropped",
          position, memory, options.memory_limit));
      sampling.method = Sampling::Method::shards_size;
      sampling.max_lines = lines;
    }
    halve_samples();
  }
}

Analyzer::Analyzer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;
Analyzer::~Analyzer() = default;

Result<Analyzer> Analyzer::create(const AnalysisOptions& options) {
  const auto wrong = [](std::string what) { return failure(ErrorKind::usage, std::move(what)); };
  if (options.lines.empty()) return wrong("no line size is asked for");
  for (std::size_t i = 0; i < options.lines.size(); ++i) {
    if (std::ranges::count(options.lines, options.lines[i]) > 1) {
      return wrong(fmt::format("line size {} is asked for twice", options.lines[i].bytes().value));
    }
  }
  for (const LineSize line : options.write_back_lines.value_or(std::vector<LineSize>{})) {
    if (contains(options.lines, line)) continue;
    return wrong(fmt::format("write-backs are asked for at {}-byte lines, but their stack distances are not",
                             line.bytes().value));
  }
  const Sampling& s = options.sampling;
  if (by_lines(s.method) && (!(s.rate > 0) || s.rate > 1))
    return wrong(fmt::format("a sampling rate of {} is not in 0 … 1", s.rate));
  if (s.method == Sampling::Method::shards_size && s.max_lines < fewest_lines) {
    return wrong(fmt::format("a sample of {} lines is too small: at least {}", s.max_lines, fewest_lines));
  }
  if (s.method == Sampling::Method::blocks && !options.places)
    return wrong("sampling by blocks needs to know what each place does");
  if (s.method == Sampling::Method::interval && s.on == 0) return wrong("interval sampling needs a stretch that is on");
  if (auto grid = analyze::check({0, options.max_log2_sets, options.ways, options.other_set_counts}); !grid) {
    return std::unexpected(std::move(grid).error());
  }
  return Analyzer(std::make_unique<Engine>(options));
}

void Analyzer::consume(const AccessBatch& batch) { engine_->consume(batch); }
void Analyzer::consume(const PackedBatch& batch) { engine_->consume(batch); }
void Analyzer::consume(const StridedRun& run) { engine_->consume(run); }

std::uint64_t Analyzer::unwanted() const {
  const Sampling& s = engine_->sampling;
  if (s.method != Sampling::Method::interval) return 0;
  const std::uint64_t phase = engine_->position % (s.on + s.off);
  return phase < s.on ? 0 : s.on + s.off - phase;
}

void Analyzer::pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes) {
  Engine& e = *engine_;
  const std::uint32_t number = e.thread_number(thread);
  if (number == e.threads.size()) e.add_thread(thread);
  for (std::size_t k = 0; k < access_kinds; ++k) {
    e.threads[number].accesses[k] += accesses[k];
    e.position += accesses[k];
  }
  e.bytes += bytes;
}

const std::vector<std::string>& Analyzer::warnings() const { return engine_->warnings; }

Profile Analyzer::profile(std::span<const double> weights) {
  Engine& e = *engine_;
  e.catch_up();
  e.for_each_analysis([](LineAnalysis& a) { a.flush(); });
  Profile profile;
  profile.bytes = e.bytes;
  profile.losses.lost_accesses = e.cut;
  for (const Engine::Thread& t : e.threads) profile.threads.push_back({t.id, t.accesses});
  std::ranges::sort(profile.threads, {}, &ThreadCounts::thread);
  profile.sampling = e.sampling;
  profile.sampling.analysed = e.analysed;
  if (by_lines(e.sampling.method)) {
    profile.sampling.rate = e.everything.front()->sample().rate();
    profile.sampling.analysed =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(e.position) * profile.sampling.rate));
  } else if (e.sampling.method == Sampling::Method::interval) {
    profile.sampling.rate = static_cast<double>(e.sampling.on) / static_cast<double>(e.sampling.on + e.sampling.off);
  } else if (e.sampling.method == Sampling::Method::blocks) {
    profile.sampling.rate = e.position == 0 ? 1 : static_cast<double>(e.analysed) / static_cast<double>(e.position);
  }
  const bool by_blocks = e.sampling.method == Sampling::Method::blocks;
  const auto add = [&](const Stream& stream, Scope scope) {
    for (const auto& analysis : stream) {
      if (by_blocks) {
        auto places = analysis->places();
        analyze::weigh(places, weights);
        StackProfile stack = analyze::sum_of_places(places);
        stack.line = analysis->line();
        stack.footprint_lines = analysis->followed_lines();
        profile.stacks.push_back(std::move(stack));
        continue;
      }
      if (analysis->follows_stack()) profile.stacks.push_back(analysis->stack(scope));
      if (auto sets = analysis->sets(scope)) profile.sets.push_back(std::move(*sets));
    }
  };
  add(e.everything, {});
  if (e.places_line) {
    const auto counted = std::ranges::find(e.everything, *e.places_line, [](const auto& a) { return a->line(); });
    profile.places.line = *e.places_line;
    profile.places.site_distances = (*counted)->places();
    for (PlaceDistances& d : profile.places.site_distances) {
      if (d.place >= e.place_totals.size()) continue;
      d.accesses = e.place_totals[d.place].accesses;
      d.bytes = e.place_totals[d.place].bytes;
      if (e.sampling.method == Sampling::Method::interval && e.analysed > 0)
        analyze::weigh_totals(d, static_cast<double>(e.position) / static_cast<double>(e.analysed));
    }
    if (by_blocks) analyze::weigh(profile.places.site_distances, weights);
  }
  if (!by_blocks) {
    for (const Engine::Thread& t : e.threads) add(t.own, {Scope::Kind::thread, t.id});
  }
  const auto order = [](const auto& a, const auto& b) { return std::tie(a.scope, a.line) < std::tie(b.scope, b.line); };
  std::ranges::sort(profile.stacks, order);
  std::ranges::sort(profile.sets, order);
  return profile;
}

}  // namespace cachescape
