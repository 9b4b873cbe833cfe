#include "cachescape/analyzer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analyze/engine/analyzer_engine.hpp"
#include "analyze/engine/recombination.hpp"

namespace cachescape {

Analyzer::Analyzer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;
Analyzer::~Analyzer() = default;

Result<void> Analyzer::check(const AnalysisOptions& options) {
  const auto wrong = [](std::string what) { return failure(ErrorKind::usage, std::move(what)); };
  if (options.lines.empty()) return wrong("no line size is asked for");
  for (std::size_t i = 0; i < options.lines.size(); ++i) {
    if (std::ranges::count(options.lines, options.lines[i]) > 1) {
      return wrong(fmt::format("line size {} is asked for twice", options.lines[i].bytes().value));
    }
  }
  for (const LineSize line : options.write_back_lines.value_or(std::vector<LineSize>{})) {
    if (std::ranges::find(options.lines, line) != options.lines.end()) continue;
    return wrong(fmt::format("write-backs are asked for at {}-byte lines, but their stack distances are not",
                             line.bytes().value));
  }
  for (std::size_t i = 0; i < options.signatures.size(); ++i) {
    const SignatureRule& rule = options.signatures[i];
    if (rule.word != 4 && rule.word != 8)
      return wrong(fmt::format("the words of a signature have 4 or 8 bytes, not {}", rule.word));
    if (std::ranges::count(options.signatures, rule) > 1) return wrong("one signature is asked for twice");
  }
  if (!options.signatures.empty() && by_lines(options.sampling.method))
    return wrong("a signature needs all lines, not a sample of them: sample by intervals or blocks instead");
  const Sampling& s = options.sampling;
  if (by_lines(s.method) && (!(s.rate > 0) || s.rate > 1))
    return wrong(fmt::format("a sampling rate of {} is not in 0 … 1", s.rate));
  if (s.method == Sampling::Method::shards_size && s.max_lines < fewest_sampled_lines) {
    return wrong(fmt::format("a sample of {} lines is too small: at least {}", s.max_lines, fewest_sampled_lines));
  }
  if (s.method == Sampling::Method::blocks && !options.places)
    return wrong("sampling by blocks needs to know what each place does");
  if (s.method == Sampling::Method::interval && s.on == 0) return wrong("interval sampling needs a stretch that is on");
  return analyze::check({0, options.max_log2_sets, options.ways, options.other_set_counts});
}

Result<Analyzer> Analyzer::create(const AnalysisOptions& options) {
  CACHESCAPE_CHECK(Analyzer::check(options));
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
  for (std::size_t k = 0; k < access_kinds; ++k) {
    e.threads[number].accesses[k] += accesses[k];
    e.position += accesses[k];
  }
  e.bytes += bytes;
}

std::uint64_t Analyzer::footprint() {
  engine_->catch_up();
  const analyze::LineAnalysis& first = *engine_->everything.front();
  const double lines = static_cast<double>(first.followed_lines()) / first.sample().rate();
  return static_cast<std::uint64_t>(std::llround(lines)) * first.line().bytes().value;
}

const std::vector<std::string>& Analyzer::warnings() const { return engine_->warnings; }

Profile Analyzer::profile(std::span<const double> weights) {
  Engine& e = *engine_;
  e.catch_up();
  e.for_each_analysis([](analyze::LineAnalysis& a) { a.flush(); });
  Profile profile;
  profile.bytes = e.bytes;
  profile.losses.lost_accesses = e.cut;
  for (const auto& degree : e.sharing) {
    degree->flush();
    profile.sharing.degrees.push_back(degree->profile());
    if (!degree->options().events || !e.places_line) continue;
    profile.sharing.pairs = degree->events().pairs();
    profile.sharing.lines = degree->events().worst_lines();
    for (SharedLine& line : profile.sharing.lines)
      for (LineUse& use : line.uses) use.thread = e.threads[use.thread].id.value;
  }
  std::ranges::sort(profile.sharing.degrees, {}, [](const CoherentProfile& p) { return std::pair(p.degree, p.line); });
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
  const auto add = [&](const Engine::Stream& stream, Scope scope) {
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
      profile.stacks.push_back(analysis->stack(scope));
      if (auto sets = analysis->sets(scope)) profile.sets.push_back(std::move(*sets));
    }
  };
  add(e.everything, {});
  if (e.places_line) {
    const auto counted = std::ranges::find(e.everything, *e.places_line, [](const auto& a) { return a->line(); });
    profile.places.line = *e.places_line;
    profile.places.site_distances = (*counted)->places();
    const std::vector<analyze::PlaceTotals::Totals>& totals = e.place_totals.totals();
    for (PlaceDistances& d : profile.places.site_distances) {
      if (d.place >= totals.size()) continue;
      d.accesses = totals[d.place].accesses;
      d.bytes = totals[d.place].bytes;
      if (e.sampling.method == Sampling::Method::interval && e.analysed > 0)
        analyze::weigh_totals(d, static_cast<double>(e.position) / static_cast<double>(e.analysed));
    }
    if (by_blocks) analyze::weigh(profile.places.site_distances, weights);
  }
  if (!by_blocks) {
    for (const Engine::Thread& t : e.threads) add(t.own, {Scope::Kind::thread, t.id});
  }
  std::vector<ThreadId> ids;
  for (const Engine::Thread& t : e.threads) ids.push_back(t.id);
  for (analyze::SignatureStreams& streams : e.signatures) {
    for (SignatureProfile& signature : streams.profiles(ids)) {
      if (by_blocks && signature.scope.kind == Scope::Kind::thread) continue;
      if (by_blocks) analyze::weigh(signature, weights);
      profile.signatures.push_back(std::move(signature));
    }
  }
  std::ranges::sort(profile.signatures, [](const SignatureProfile& a, const SignatureProfile& b) {
    return std::tie(a.scope, a.rule.word, a.rule.every_word) < std::tie(b.scope, b.rule.word, b.rule.every_word);
  });
  const auto order = [](const auto& a, const auto& b) { return std::tie(a.scope, a.line) < std::tie(b.scope, b.line); };
  std::ranges::sort(profile.stacks, order);
  std::ranges::sort(profile.sets, order);
  return profile;
}

}  // namespace cachescape
