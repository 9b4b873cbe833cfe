#include "cli/recording.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cachescape/analyzer.hpp"
#include "cli/host.hpp"
#include "cli/processor_time.hpp"
#include "cli/progress.hpp"
#include "cli/thread_order.hpp"
#include "cli/version.hpp"
#include "observe/collect/collector.hpp"
#include "observe/collect/place_profile.hpp"
#include "observe/collect/slowdown.hpp"
#include "observe/collect/unique_bytes.hpp"
#include "product/report/number_text.hpp"
#include "profile/schema.hpp"
#include "profile/writer.hpp"
#include "session/session_atomic.h"
#include "trace/writer.hpp"

namespace cachescape::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned usual_ways = 16;

/// Hands accesses to the engine and to a trace.
class Recorder : public collect::AccessSink {
 public:
  Recorder(std::optional<Analyzer> analyzer, std::unique_ptr<trace::TraceWriter> trace)
      : analyzer_(std::move(analyzer)), trace_(std::move(trace)) {}

  void use(const collect::DecoderContext& context) { context_ = &context; }
  void count_unique_bytes() { unique_.emplace(); }

  void take(const PackedBatch& batch) override {
    note_thread(batch.thread);
    accesses_ += batch.size();
    if (analyzer_) analyzer_->consume(batch);
    if (unique_) unique_->take(batch, context_->places, context_->modules);
    if (trace_ == nullptr) return;
    expanded_.clear();
    for (const PackedAccess& a : batch.accesses())
      expanded_.push({a.address(), a.size(), a.kind(), batch.thread, SiteId{a.place()}});
    expanded_.blocks = batch.blocks;
    append(expanded_);
  }

  void take(const StridedRun& run) override {
    note_thread(run.thread);
    accesses_ += run.trips * run.body.size();
    if (analyzer_) analyzer_->consume(run);
    if (unique_) unique_->take(run, context_->places, context_->modules);
    if (trace_ == nullptr) return;
    expanded_.clear();
    for (std::uint64_t i = 0; i < run.trips; ++i) {
      for (const StridedAccess& a : run.body) {
        if (expanded_.full()) {
          append(expanded_);
          expanded_.clear();
        }
        expanded_.push({a.at(i), a.size, a.kind, run.thread, a.site});
      }
    }
    append(expanded_);
  }

  std::uint64_t unwanted() const override { return analyzer_ && trace_ == nullptr ? analyzer_->unwanted() : 0; }

  void pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes) override {
    for (const std::uint64_t n : accesses) accesses_ += n;
    if (analyzer_) analyzer_->pass_over(thread, accesses, bytes);
  }

  std::uint64_t accesses() const { return accesses_; }
  /// How often an access was of another thread than the one before it.
  std::uint64_t thread_switches() const { return switches_; }
  std::optional<Analyzer>& analyzer() { return analyzer_; }
  std::vector<Counted> counted() const { return unique_ ? unique_->counted() : std::vector<Counted>(); }
  trace::TraceWriter* trace() { return trace_.get(); }
  const std::optional<Error>& trace_error() const { return trace_error_; }

 private:
  void note_thread(ThreadId thread) {
    if (last_thread_ && *last_thread_ != thread) ++switches_;
    last_thread_ = thread;
  }

  // A trace names sites, by their program counters where there are such, not the places that the engine counts by.
  void append(const AccessBatch& batch) {
    if (trace_error_) return;
    sited_.clear();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Access access = batch[i];
      if (context_ != nullptr && access.site.value < context_->places.pairs().size()) {
        const std::uint32_t site = context_->places.pairs()[access.site.value].site;
        const auto& code = context_->code.sites();
        access.site = SiteId{site == nowhere ? 0 : site < code.size() ? code[site].address : site + 1};
      }
      sited_.push(access);
    }
    sited_.blocks = batch.blocks;
    if (auto done = trace_->append(sited_); !done) trace_error_ = std::move(done).error();
  }

  std::optional<Analyzer> analyzer_;
  std::unique_ptr<trace::TraceWriter> trace_;
  std::optional<Error> trace_error_;
  std::optional<collect::UniqueBytes> unique_;
  const collect::DecoderContext* context_ = nullptr;
  AccessBatch expanded_;
  AccessBatch sited_;
  std::uint64_t accesses_ = 0;
  std::uint64_t switches_ = 0;
  std::optional<ThreadId> last_thread_;
};

std::string iso_time(std::uint64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%FT%TZ", &parts);
  return text.data();
}

double seconds_since(std::uint64_t nanoseconds) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count() - static_cast<double>(nanoseconds) * 1e-9;
}

trace::Metadata trace_facts(const RecordingOptions& options) {
  trace::Metadata facts(options.facts.begin(), options.facts.end());
  facts.emplace_back("host", host_name());
  facts.emplace_back("written_by", std::string("cachescape ") + version);
  return facts;
}

/// What each analysed access stands for, by place.
std::vector<double> weights_of(const collect::DecoderContext& context) {
  if (!context.sampling) return {};
  // Translated code may have a site in several blocks.
  std::vector<collect::BlockSampling::Block> of_site(
      std::max(context.modules.sites().size(), context.code.sites().size()));
  context.modules.for_each_descriptor([&](const collect::DecodedDescriptor& d) {
    for (const collect::DecodedAccess& a : d.accesses)
      if (a.site < of_site.size() && !d.names_site) of_site[a.site].add(context.sampling->block(d.number));
  });
  for (std::uint32_t number = 0; number < context.code.descriptors().size(); ++number) {
    const auto& d = context.code.descriptors()[number];
    const auto accesses = std::span(context.code.accesses_of(d), d.slots == 0 ? 0 : d.accesses);
    for (const auto& a : accesses) of_site[a.site].add(context.sampling->block(number));
  }
  std::vector<double> weights;
  for (const auto& pair : context.places.pairs())
    weights.push_back(pair.site < of_site.size() ? of_site[pair.site].weight() : 1);
  return weights;
}

/// Which part of the program the profile is of, where it is not all.
std::vector<std::pair<std::string, std::string>> part_of_program(const RecordingOptions& options) {
  std::vector<std::pair<std::string, std::string>> facts;
  const collect::WindowLimits whole;
  if (!options.region.empty()) facts.emplace_back("region", options.region);
  if (!options.from.empty()) facts.emplace_back("from", options.from);
  if (!options.until.empty()) facts.emplace_back("until", options.until);
  if (options.kernel) facts.emplace_back("kernel_accesses", "of system calls");
  if (options.window.skip != whole.skip) facts.emplace_back("skip", fmt::format("{}", options.window.skip));
  if (options.window.count != whole.count) facts.emplace_back("count", fmt::format("{}", options.window.count));
  if (options.window.after != whole.after) facts.emplace_back("after", fmt::format("{} s", options.window.after));
  if (options.window.seconds != whole.seconds) facts.emplace_back("for", fmt::format("{} s", options.window.seconds));
  return facts;
}

/// Leaves out sites of signatures where they are more than a profile can hold; true where it did.
bool keep_sites_within_bounds(std::vector<SignatureProfile>& signatures) {
  std::uint64_t sites = 0;
  for (const SignatureProfile& signature : signatures) sites += signature.sites.size();
  if (sites <= profile::max_signature_sites) return false;
  for (SignatureProfile& signature : signatures) signature.sites.clear();
  return true;
}

Profile profile_so_far(Recorder& recorder, collect::Collector& collector, const collect::SessionFile& session,
                       const RecordingOptions& options, std::vector<Error>& problems) {
  Profile profile;
  if (recorder.analyzer()) profile = recorder.analyzer()->profile(weights_of(collector.context()));
  profile.places.counted = recorder.counted();
  collect::complete_places(collector.context(), session, profile, problems);
  const bool too_many_sites = keep_sites_within_bounds(profile.signatures);
  profile.provenance = trace_facts(options);
  profile.provenance.emplace_back("recorded", iso_time(session.header().started_at));
  profile.provenance.emplace_back("duration", fmt::format("{:.3f}", seconds_since(session.header().started_at)));
  if (profile.threads.size() > 1) {
    // Observers that let one thread run at a time have said it already.
    if (std::ranges::find(options.facts, "thread_order", &std::pair<std::string, std::string>::first) ==
        options.facts.end())
      profile.provenance.emplace_back("thread_order", order_kept(session.header(), recorder.accesses(),
                                                                 collector.ordered_parts(), collector.late_parts()));
    profile.provenance.emplace_back("thread_switches", std::to_string(recorder.thread_switches()));
  }
  if (too_many_sites)
    profile.provenance.emplace_back("signature_sites",
                                    fmt::format("more than {}: left out", profile::max_signature_sites));
  for (const auto& [fact, text] : part_of_program(options)) profile.provenance.emplace_back(fact, text);
  if (collector.context().stacks.cut())
    profile.provenance.emplace_back("allocation_stacks",
                                    fmt::format("more than {} ways to allocate: some objects stand for several",
                                                collect::AllocationStacks::most_chains));
  for (const Counted& c : profile.places.counted)
    if (c.metric == "instructions") profile.instructions += c.value;
  profile.losses.skipped_records =
      collector.context().broken_blocks + collector.context().cut_records + collector.dropped_blocks();
  return profile;
}

/// A check that says what is wrong in few words: CLI11 tells a range of three hundred digits.
CLI::Validator number_that(const CLI::Validator& check, const char* what) {
  return CLI::Validator(
      [check, what](std::string& text) {
        return check(text).empty() ? std::string() : fmt::format("“{}” is not a number {}", text, what);
      },
      "");
}

}  // namespace

void add_recording_options(CLI::App& verb, RecordingOptions& options) {
  verb.add_option("--trace", options.trace, "Also write the accesses to this .cstrace")->type_name("FILE");
  verb.add_option("--region", options.region, "Keep only what happens inside this region of <cachescape/mark.h>")
      ->type_name("TAG");
  add_order_option(verb, options.order);
  verb.add_option("--from", options.from, "Keep what happens from each call of this function on")
      ->type_name("FUNCTION");
  verb.add_option("--until", options.until, "Keep what happens up to the next call of this function")
      ->type_name("FUNCTION");
  verb.add_flag("--kernel", options.kernel, "Keep what the kernel reads and writes in system calls, too");
  verb.add_flag("--call-stacks", options.call_stacks,
                "Counters for each call stack, and heap objects told apart by theirs, of programs in Valgrind; slower");
  verb.add_option("--debug-folder", options.debug_folder,
                  "Where separate debug files are looked for, by build-id; otherwise /usr/lib/debug")
      ->type_name("FOLDER");
  verb.add_option("--skip", options.window.skip, "Leave out so many accesses first")
      ->type_name("N")
      ->check(number_that(CLI::NonNegativeNumber, "from 0 on"));
  verb.add_option("--count", options.window.count, "Keep so many accesses, and no later ones")
      ->type_name("N")
      ->check(number_that(CLI::PositiveNumber, "above 0"));
  verb.add_option("--after", options.window.after, "Leave out what the program does in so many seconds first")
      ->type_name("SECONDS")
      ->check(number_that(CLI::NonNegativeNumber, "from 0 on"));
  verb.add_option("--for", options.window.seconds, "Keep what it does in so many seconds, and nothing later")
      ->type_name("SECONDS")
      ->check(number_that(CLI::PositiveNumber, "above 0"));
  verb.add_option("--block-cap", options.block_cap,
                  "Analyse until each block was executed N times, and estimate the rest by its executions")
      ->type_name("N")
      ->check(number_that(CLI::PositiveNumber, "above 0"));
  verb.add_flag("--unique-bytes", options.unique_bytes,
                "Count the different bytes that the program and each function access; slower");
  verb.add_flag("--full", options.full, "All line sizes and set distances that import keeps; several times slower");
  verb.add_flag("--only-trace", options.only_trace, "With --trace: write no profile")->needs("--trace");
  verb.add_flag("--counters-only", options.counters_only, "Counters of blocks, functions and the program; no accesses");
  options.analysis.ways = usual_ways;
  options.analysis.workers = 0;  // the program mostly waits for the analysis
  add_analysis_options(verb, options.analysis);
  verb.get_option("--lines")->description("Line sizes in bytes; 64 otherwise");
  verb.get_option("--set-lines")
      ->description("Line sizes whose set distances are kept too, or none; 64 otherwise, 32,64,128 with --signature");
}

std::vector<std::string> options_for_children(const CLI::App& verb) {
  // Files, of which each process would need its own, and what is not for collectors.
  static const std::set<std::string> others = {"output", "trace", "only-trace", "engine", "follow", "quiet", "help"};
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty() || others.contains(option->get_lnames().front())) continue;
    words.push_back("--" + option->get_lnames().front());
    if (option->get_items_expected_max() == 0) continue;  // a flag
    std::string value;
    for (const std::string& part : option->results()) value += (value.empty() ? "" : ",") + part;
    words.push_back(value);
  }
  return words;
}

Result<AnalysisOptions> recording_analysis(const RecordingOptions& options) {
  AnalysisFlags flags = options.analysis;
  if (options.full) {
    flags.ways = std::max(flags.ways, AnalysisFlags().ways);
  } else {
    // What most caches need, at a cost that a waiting person bears.
    if (flags.lines.empty()) flags.lines = {64};
    // A signature tells of caches with lines of three widths.
    if (flags.set_lines.empty() && flags.signature) flags.set_lines = {"32", "64", "128"};
    if (flags.set_lines.empty()) flags.set_lines = {"64"};
  }
  CACHESCAPE_TRY(AnalysisOptions analysis, analysis_options(flags));
  if (options.block_cap > 0) {
    if (analysis.sampling.method != Sampling::Method::none)
      return failure(ErrorKind::usage, "--block-cap is a way to sample, and another was chosen too", {},
                     "choose one of --block-cap, --sample, --sample-lines and --interval");
    if (!options.trace.empty())
      return failure(ErrorKind::usage, "--block-cap leaves out most accesses, and --trace wants them all", {},
                     "record twice");
    analysis.sampling.method = Sampling::Method::blocks;
    analysis.sampling.on = options.block_cap;
  }
  if (options.block_cap > 0 && !options.window.everything())
    return failure(ErrorKind::usage, "--block-cap counts executions from the start to the end of the program", {},
                   "leave out --skip, --count, --after and --for, or sample by --interval");
  const Sampling::Method method = analysis.sampling.method;
  if (options.unique_bytes && (method == Sampling::Method::interval || method == Sampling::Method::blocks))
    return failure(ErrorKind::usage, "--unique-bytes needs every access, and most are left out", {},
                   "leave out --interval or --block-cap");
  analysis.places = true;
  CACHESCAPE_CHECK(Analyzer::check(analysis));
  return analysis;
}

Result<Recorded> record_session(collect::SessionFile& session, const RecordingOptions& options,
                                const std::function<bool()>& program_is_over) {
  CACHESCAPE_TRY(const AnalysisOptions analysis, recording_analysis(options));
  std::optional<Analyzer> analyzer;
  if (!options.only_trace) {
    CACHESCAPE_TRY(analyzer, Analyzer::create(analysis));
  }
  std::unique_ptr<trace::TraceWriter> trace;
  if (!options.trace.empty()) {
    CACHESCAPE_TRY(auto sink, bytes::open_sink(options.trace));
    CACHESCAPE_TRY(trace, trace::TraceWriter::create(std::move(sink), trace_facts(options)));
  }
  Recorder recorder(std::move(analyzer), std::move(trace));
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  collect::AccessWindow window(recorder, options.window, seconds);
  collect::Collector collector(session,
                               options.window.everything() ? static_cast<collect::AccessSink&>(recorder) : window);
  collector.context().want_blocks = recorder.trace() != nullptr;
  if (!options.emulated) collector.context().region = options.region;
  if (options.unique_bytes) recorder.count_unique_bytes();
  if (options.block_cap > 0) collector.context().sampling.emplace(options.block_cap);
  if (!options.debug_folder.empty()) collector.context().debug_folder = options.debug_folder;
  recorder.use(collector.context());
  std::vector<Error> problems;
  const auto joined = [&context = collector.context()] {
    return context.modules.modules() > 0 || context.code.joined();
  };
  std::unique_ptr<profile::ProfileWriter> writer;
  // A program that turns out not to be observed leaves the profile that was there before.
  const auto begin_profile = [&]() -> Result<void> {
    if (writer != nullptr || options.only_trace || !joined()) return {};
    CACHESCAPE_TRY(writer, profile::ProfileWriter::create(options.output));
    return {};
  };

  // A snapshot takes time for every distance that occurred: ever more seldom, so that they never cost more than a part.
  Clock::time_point next_snapshot = start + std::chrono::seconds(30);
  {
    Progress progress("recording");
    std::size_t warned = 0;
    while (true) {
      if (window.over()) collector.want_no_more();
      if (!collector.collect()) {
        if (collector.finished()) break;
        if (program_is_over()) break;
        collector.wait(20);
      }
      CACHESCAPE_CHECK(begin_profile());
      if (options.show_progress)
        progress.update([&] {
          const ProcessorTime used = processor_time(options.process);
          return ProgramStatus{recorder.accesses(), recorder.analyzer() ? recorder.analyzer()->footprint() : 0,
                               used.with_children,
                               collect::slowdown(collector.instructions(), used.own + collector.waited_seconds(),
                                                 collect::usual_instructions_per_second())};
        });
      if (recorder.analyzer()) {
        for (; warned < recorder.analyzer()->warnings().size(); ++warned) note(recorder.analyzer()->warnings()[warned]);
      }
      if (writer != nullptr && Clock::now() >= next_snapshot) {
        const Clock::time_point began = Clock::now();
        // The one before stays, and the last one may succeed.
        if (const auto updated = writer->update(profile_so_far(recorder, collector, session, options, problems));
            !updated)
          note(fmt::format("{}: cannot be brought up to date now: {}", options.output, updated.error().what));
        next_snapshot = Clock::now() + std::max<Clock::duration>(std::chrono::seconds(30), (Clock::now() - began) * 20);
      }
    }
  }
  collector.collect_rest();
  CACHESCAPE_CHECK(begin_profile());

  Recorded result;
  result.accesses = recorder.accesses();
  result.threads = collector.threads();
  result.joined = joined();
  result.finished = collector.finished();
  result.seconds = seconds();
  result.instructions = collector.instructions();
  result.waited_seconds = collector.waited_seconds();
  Result<void> written;
  if (writer != nullptr) {
    Profile profile = profile_so_far(recorder, collector, session, options, problems);
    for (const Error& problem : problems)
      note(fmt::format("{}: {}; code there has no names", problem.where, problem.what));
    profile.losses.truncated = !collector.finished() || (options.ended_by_signal && options.ended_by_signal());
    written = writer->update(profile);
    if (written) written = writer->finish();
  }
  if (recorder.trace() != nullptr && written) written = recorder.trace()->finish();
  collector.release_program();
  CACHESCAPE_CHECK(written);
  if (recorder.trace_error()) return std::unexpected(*recorder.trace_error());
  return result;
}

}  // namespace cachescape::cli
