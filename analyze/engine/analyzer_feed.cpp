// How accesses come to the analyses.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "analyze/engine/analyzer_engine.hpp"

namespace cachescape {
namespace {

constexpr unsigned most_halvings = 30;

unsigned halvings_for(double rate) {
  return static_cast<unsigned>(std::clamp(std::lround(-std::log2(rate)), 0L, static_cast<long>(most_halvings)));
}

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

bool contains(const std::vector<LineSize>& lines, LineSize line) {
  return std::ranges::find(lines, line) != lines.end();
}

}  // namespace

Analyzer::Engine::Engine(const AnalysisOptions& o)
    : options(o),
      sampling(o.sampling),
      lanes(o.workers == 0 ? std::max(1u, std::thread::hardware_concurrency()) : o.workers) {
  if (o.places) places_line = usual_line(o.lines);
  everything = new_stream(by_lines(o.sampling.method) ? halvings_for(o.sampling.rate) : 0);
  for (const SignatureRule& rule : o.signatures) signatures.emplace_back(rule, o.places);
  lay_out_lanes();
}

Analyzer::Engine::Stream Analyzer::Engine::new_stream(unsigned halvings) const {
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
    if (contains(options.set_lines, line) && !distances_only)
      o.sets = analyze::SetGrid{0, options.max_log2_sets, options.ways, options.other_set_counts};
    stream.push_back(std::make_unique<LineAnalysis>(std::move(o)));
  }
  return stream;
}

std::uint32_t Analyzer::Engine::look_up_thread(ThreadId id) {
  if (!numbers.contains(id.value)) add_thread(id);
  known_thread = numbers.at(id.value);
  return *known_thread;
}

void Analyzer::Engine::add_sharing() {
  if (sampling.method != Sampling::Method::none) return;
  const auto degree = static_cast<std::uint32_t>(threads.size() - 1);
  if (std::ranges::find(options.sharing, degree) == options.sharing.end()) return;
  for (const auto& analysis : everything) analysis->flush();
  const LineSize usual = usual_line(options.lines);
  for (const auto& analysis : everything) {
    if (analysis->line() < usual) continue;
    analyze::SharingOptions o;
    o.line = analysis->line();
    o.degree = degree;
    o.set_levels = analysis->set_follower() != nullptr
                       ? std::min(options.max_log2_sets, analyze::HoleSets::most_log2_sets) + 1
                       : 0;
    o.ways = std::min(options.ways, analyze::HoleSets::most_ways);
    o.events = degree == 1 && o.line == usual;
    // Until now all threads had one cache.
    sharing.push_back(std::make_unique<analyze::SharingAnalysis>(o));
    sharing.back()->seed(analysis->known_lines(), analysis->so_far(), analysis->sets({}));
  }
}

// Whoever asks for such caches is told that nothing is known of them.
void Analyzer::Engine::drop_sharing_of_too_many() {
  std::erase_if(sharing, [&](const auto& s) {
    return threads.size() > std::uint64_t{analyze::SharingAnalysis::most_groups} * s->options().degree;
  });
}

void Analyzer::Engine::follow_touchers() {
  if (sampling.method != Sampling::Method::none || options.sharing.empty()) return;
  touchers.reserve(everything.size());
  own_touchers.reserve(everything.size());
  for (std::size_t l = 0; l < everything.size(); ++l) {
    std::vector<Line> lines;
    for (const auto& known : everything[l]->known_lines()) lines.push_back(known.line);
    everything[l]->follow_touchers(touchers.emplace_back(lines));
    threads.front().own[l]->follow_touchers(own_touchers.emplace_back(lines));
  }
}

void Analyzer::Engine::add_thread(ThreadId id) {
  catch_up();
  numbers.emplace(id.value, static_cast<std::uint32_t>(threads.size()));
  threads.push_back({id, {}, {}});
  for (analyze::SignatureStreams& signature : signatures) signature.add_thread();
  if (threads.size() == 1) return lay_out_lanes();
  drop_sharing_of_too_many();
  add_sharing();
  if (threads.size() == 2) {
    // Until now the first thread's stream was everything; from here on the two differ.
    Stream& own = threads.front().own;
    own.resize(everything.size());
    for (std::size_t l = 0; l < own.size(); ++l) {
      everything[l]->flush();
      own[l] = std::make_unique<LineAnalysis>(everything[l]->copy());
    }
    follow_touchers();
  }
  threads.back().own = new_stream(halvings());
  for (std::size_t l = 0; l < own_touchers.size(); ++l) threads.back().own[l]->follow_touchers(own_touchers[l]);
  lay_out_lanes();
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
  const AccessSums sums = sums_of(batch.accesses());
  for (std::size_t k = 0; k < access_kinds; ++k) threads[number].accesses[k] += sums.kinds[k];
  bytes += sums.bytes;
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
    if (filling->full()) hand_over();
  }
}

void Analyzer::Engine::queue(std::uint32_t thread, std::span<const PackedAccess> accesses) {
  filling->add(thread, accesses);
  analysed += accesses.size();
  if (places_line) place_totals.add(accesses);
}

void Analyzer::Engine::hand_over() {
  lanes.add();
  watch_memory();
  filling = &stretches[lanes.next() % stretches.size()];
  filling->clear();
}

void Analyzer::Engine::catch_up() {
  if (!filling->empty()) hand_over();
  lanes.drain();
}

// Among equals those that take longest come first.
void Analyzer::Engine::lay_out_lanes() {
  std::vector<analyze::Lanes::Lane> all;
  std::vector<analyze::Lanes::Lane> far;
  const auto stretch = [this](std::uint64_t piece) -> const analyze::Stretch& {
    return stretches[piece % stretches.size()];
  };
  for (const auto& degree : sharing) {
    all.push_back(
        {[stretch, &degree = *degree](std::uint64_t piece) {
           stretch(piece).for_each(
               [&](std::uint32_t thread, std::span<const PackedAccess> accesses) { degree.consume(thread, accesses); },
               [&](std::uint32_t thread, const analyze::Loop& loop) { degree.consume(thread, loop.trips, loop.body); });
         },
         {}});
  }
  const std::size_t streams = threads.size() > 1 ? 2 : 1;
  for (std::size_t stream = 0; stream < streams; ++stream) {
    const bool own = stream == 1;
    for (std::size_t l = 0; l < everything.size(); ++l) {
      const std::size_t finds = all.size();
      all.push_back({[this, l, own](std::uint64_t piece) { analyse(piece, l, own); }, {}});
      far.push_back({[this, l, own](std::uint64_t piece) { follow_far(piece, l, own); }, finds,
                     [this, l, own](std::uint64_t piece) { return nothing_far(piece, l, own); }});
      if (everything[l]->set_follower() != nullptr)
        all.push_back({[this, l, own](std::uint64_t piece) { follow_sets(piece, l, own); }, finds});
    }
    for (analyze::SignatureStreams& signature : signatures) {
      all.push_back({[stretch, &signature, own](std::uint64_t piece) {
                       own ? signature.own(stretch(piece)) : signature.everything(stretch(piece));
                     },
                     {}});
    }
  }
  // Processors that are left over follow what is far. With fewer, more lanes would only drive each other's tables out
  // of the caches.
  const bool leave_far = all.size() < lanes.workers();
  for_each_analysis([&](LineAnalysis& a) { a.leave_far(leave_far); });
  if (leave_far) std::ranges::move(far, std::back_inserter(all));
  lanes.set(std::move(all));
}

void Analyzer::Engine::analyse(std::uint64_t piece, std::size_t line, bool own) {
  stretches[piece % stretches.size()].for_each([&](std::uint32_t thread, const auto& part) {
    LineAnalysis& analysis = own ? *threads[thread].own[line] : *everything[line];
    analysis.next(piece, thread);
    analysis.consume(part);
  });
}

void Analyzer::Engine::follow_far(std::uint64_t piece, std::size_t line, bool own) {
  if (!own) return everything[line]->far_follower().follow(piece);
  for (Thread& t : threads) t.own[line]->far_follower().follow(piece);
}

bool Analyzer::Engine::nothing_far(std::uint64_t piece, std::size_t line, bool own) {
  if (!own) return everything[line]->far_follower().nothing_in(piece);
  return std::ranges::all_of(threads, [&](Thread& t) { return t.own[line]->far_follower().nothing_in(piece); });
}

void Analyzer::Engine::follow_sets(std::uint64_t piece, std::size_t line, bool own) {
  if (!own) return everything[line]->set_follower()->follow(piece);
  for (Thread& t : threads) t.own[line]->set_follower()->follow(piece);
}

void Analyzer::Engine::consume(const StridedRun& run) {
  if (run.trips == 0 || run.body.empty()) return;
  if (std::ranges::any_of(run.body, [](const StridedAccess& a) { return a.size > longest_access; })) {
    StridedRun shorter = run;
    for (StridedAccess& a : shorter.body) a.size = analysed_size(a.base, a.size, run.trips);
    return consume(shorter);
  }
  const std::uint32_t number = thread_number(run.thread);
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
      place_totals.add(static_cast<std::uint32_t>(a.site.value), a.kind, a.size, run.trips);
  filling->add(number, run.trips, run.body);
  if (filling->full()) hand_over();
}

void Analyzer::Engine::halve_samples() {
  sharing.clear();
  signatures.clear();
  for_each_analysis([](LineAnalysis& a) {
    a.flush();
    a.halve_sample();
  });
  lay_out_lanes();
}

void Analyzer::Engine::watch_memory() {
  const bool bounded = sampling.method == Sampling::Method::shards_size;
  if (options.memory_limit == 0 && !bounded) return;
  if (position - memory_checked < 65536) return;
  memory_checked = position;
  lanes.drain();
  while (halvings() < most_halvings) {
    std::uint64_t memory = 0;
    std::uint64_t lines = 0;
    for (const auto& degree : sharing) memory += degree->memory_bytes();
    for (const auto& signature : signatures) memory += signature.memory_bytes();
    for_each_analysis([&](const LineAnalysis& a) {
      memory += a.memory_bytes();
      lines = std::max(lines, a.followed_lines());
    });
    const bool too_many = bounded && lines > sampling.max_lines;
    const bool too_much = options.memory_limit > 0 && memory > options.memory_limit && lines > fewest_sampled_lines;
    if (!too_many && !too_much) return;
    if (sampling.method == Sampling::Method::none || sampling.method == Sampling::Method::shards_rate) {
      warnings.push_back(fmt::format(
          "memory is short after {} accesses ({} bytes held, {} allowed): from here on lines are sampled; set "
          "distances, coherence and signatures are dropped",
          position, memory, options.memory_limit));
      sampling.method = Sampling::Method::shards_size;
      sampling.max_lines = lines;
    }
    halve_samples();
  }
}

}  // namespace cachescape
