// `cachescape bench`: runs a seed as a benchmark, writes it as a program, or runs several side by side.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/comma_list.hpp"
#include "cli/count_text.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/verb.hpp"
#include "machine/size_text.hpp"
#include "product/proxy/bench_report.hpp"
#include "product/proxy/beside.hpp"
#include "product/proxy/beside_report.hpp"
#include "product/proxy/chosen_chains.hpp"
#include "product/proxy/emit.hpp"
#include "product/proxy/pattern.hpp"
#include "product/proxy/pattern_table.hpp"
#include "product/proxy/processor.hpp"
#include "product/synth/seed_file.hpp"

namespace cachescape::cli {
namespace {

using proxy::Contender;

struct BenchOptions {
  std::vector<std::string> seeds;
  std::vector<std::string> patterns;
  std::string footprint;
  std::string operations;
  unsigned repetitions = 5;
  std::string ilp = "auto";
  std::optional<unsigned> processor;
  double delay = 0;
  bool huge_pages = false;
  bool counters = false;
  std::string emit;
  bool table = false;
  bool beside = false;
  std::vector<std::string> programs;
  std::vector<unsigned> processors;
  bool json = false;
};

Result<Bytes> footprint_of(const BenchOptions& options, Bytes usual) {
  if (options.footprint.empty()) return usual;
  auto size = machine::parse_size(options.footprint);
  if (!size) {
    size.error().kind = ErrorKind::usage;
    size.error().where = "--footprint " + options.footprint;
  }
  return size;
}

/// 0 = as many as take some time.
Result<std::uint64_t> operations_of(const BenchOptions& options) {
  return options.operations.empty() ? Result<std::uint64_t>(0) : parse_count(options.operations, "--ops");
}

/// 0 = as the seed says.
Result<unsigned> chains_of(const std::string& ilp) {
  if (ilp == "auto") return 0u;
  unsigned chains = 0;
  const auto read = std::from_chars(ilp.data(), ilp.data() + ilp.size(), chains);
  if (read.ec == std::errc{} && read.ptr == ilp.data() + ilp.size() && chains >= 1 && chains <= proxy::most_chains)
    return chains;
  return failure(ErrorKind::usage, fmt::format("it takes auto or a number from 1 to {}", proxy::most_chains),
                 "--ilp " + ilp);
}

/// A seed, as a file or a pattern that everybody knows.
struct Chosen {
  std::string name;
  synth::Seed seed;
  bool is_pattern = false;
  bool chains_chosen = false;
  unsigned chains = 1;
};

Result<std::vector<Chosen>> chosen_seeds(const BenchOptions& options) {
  CACHESCAPE_TRY(const unsigned asked, chains_of(options.ilp));
  std::vector<std::string> names = options.seeds;
  names.insert(names.end(), options.patterns.begin(), options.patterns.end());
  std::vector<Chosen> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool known = i >= options.seeds.size() && proxy::is_pattern(names[i]);
    CACHESCAPE_TRY(synth::Seed seed, known ? proxy::pattern_seed(names[i]) : synth::read_seed(names[i]));
    const unsigned chains = asked > 0 ? asked : proxy::chosen_chains(proxy::parallelism_of(seed));
    all.push_back({names[i], std::move(seed), known, asked == 0, chains});
  }
  return all;
}

Result<proxy::MeasureOptions> measure_options(const BenchOptions& options, Bytes usual_footprint) {
  proxy::MeasureOptions how;
  CACHESCAPE_TRY(how.footprint, footprint_of(options, usual_footprint));
  CACHESCAPE_TRY(how.operations, operations_of(options));
  how.repetitions = options.repetitions;
  how.processor = options.processor;
  how.delay = options.delay;
  how.huge_pages = options.huge_pages;
  how.counters = options.counters;
  return how;
}

/// Errors of a seed that name it.
template <class T>
Result<T> about(const std::string& name, Result<T> result) {
  if (!result && result.error().where.empty()) result.error().where = name;
  return result;
}

Result<int> measure_each(const BenchOptions& options, const std::vector<Chosen>& seeds) {
  CACHESCAPE_TRY(proxy::MeasureOptions how, measure_options(options, Bytes{0}));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Chosen& chosen : seeds) {
    proxy::BenchResult result = proxy::about_seed(chosen.name, chosen.seed);
    {
      Progress progress(chosen.name);
      how.chains = chosen.chains;
      how.progress = [&](std::string_view stage, double done) { progress.update(stage, done); };
      CACHESCAPE_TRY(result.measurement, about(chosen.name, proxy::measure(chosen.seed, how)));
    }
    result.chains_chosen = chosen.chains_chosen;
    if (options.json) {
      all.push_back(proxy::bench_json(result));
    } else {
      CACHESCAPE_CHECK(print_text((&chosen == seeds.data() ? "" : "\n") + proxy::bench_text(result)));
    }
  }
  if (options.json) CACHESCAPE_CHECK(print_json(all.size() == 1 ? all[0] : all));
  return exit_success;
}

Result<int> emit(const BenchOptions& options, const std::vector<Chosen>& seeds) {
  if (seeds.size() != 1) return failure(ErrorKind::usage, "a program is made from one seed", "--emit " + options.emit);
  const Chosen& chosen = seeds[0];
  if (!chosen.is_pattern) CACHESCAPE_CHECK(check_output(options.emit, chosen.name, "--emit"));
  CACHESCAPE_TRY(const std::string text,
                 about(chosen.name, proxy::proxy_program(chosen.seed, chosen.name, chosen.chains)));
  CACHESCAPE_CHECK(write_file(options.emit, text));
  if (options.emit == "-") return exit_success;
  note(fmt::format("{}: a benchmark of {}; cc -O2 {} makes a program of it", options.emit, chosen.name, options.emit));
  return exit_success;
}

Result<int> run_beside(const BenchOptions& options, std::vector<Chosen> seeds) {
  proxy::BesideOptions how;
  CACHESCAPE_TRY(how.footprint, footprint_of(options, Bytes{0}));
  CACHESCAPE_TRY(how.operations, operations_of(options));
  how.repetitions = options.repetitions;
  how.huge_pages = options.huge_pages;
  CACHESCAPE_TRY(how.processors, proxy::two_processors());
  if (!options.processors.empty() && options.processors.size() != 2)
    return failure(ErrorKind::usage, "it takes two processors, such as 0,1", "--cpus");
  if (!options.processors.empty()) how.processors = {options.processors[0], options.processors[1]};
  std::vector<Contender> contenders;
  for (Chosen& chosen : seeds) contenders.push_back({chosen.name, std::move(chosen.seed), chosen.chains, {}});
  for (const std::string& program : options.programs) contenders.push_back({program, {}, 1, program});
  Progress progress("side by side");
  how.progress = [&](double done) { progress.update("measuring", done); };
  CACHESCAPE_TRY(const proxy::Interference of, proxy::measure_beside(contenders, how));
  if (options.json) {
    CACHESCAPE_CHECK(print_json(proxy::beside_json(of)));
  } else {
    CACHESCAPE_CHECK(print_text(proxy::beside_text(of)));
  }
  return exit_success;
}

/// hpcc's figures in a folder that goes away again.
Result<proxy::HpccFigures> figures_of_others(Bytes footprint) {
  if (!proxy::hpcc_installed())
    return failure(ErrorKind::unsupported, "hpcc is not installed (Debian's package has that name)");
  std::error_code no;
  std::string folder = (std::filesystem::temp_directory_path(no) / "cachescape-hpcc-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return failure(ErrorKind::io, "no folder can be made for hpcc's files", folder);
  auto figures = proxy::run_hpcc(folder, footprint);
  std::filesystem::remove_all(folder, no);
  return figures;
}

/// The patterns with several numbers of chains, and seeds with theirs.
Result<std::vector<proxy::PatternRun>> runs_of_table(const BenchOptions& options, const std::vector<Chosen>& seeds,
                                                     proxy::MeasureOptions how) {
  std::vector<proxy::PatternRun> runs;
  Progress progress("patterns");
  const auto add = [&](const std::string& name, const synth::Seed& seed, unsigned chains) -> Result<void> {
    how.chains = chains;
    how.progress = [&](std::string_view stage, double done) {
      progress.update(fmt::format("{}, {} chains, {}", name, chains, stage), done);
    };
    CACHESCAPE_TRY(proxy::Measurement measured, about(name, proxy::measure(seed, how)));
    runs.push_back({name, std::move(measured)});
    return {};
  };
  for (const char* pattern : {"stride", "random"}) {
    CACHESCAPE_TRY(const synth::Seed seed, proxy::pattern_seed(pattern));
    for (const unsigned chains : {1u, 2u, 4u, 8u, 13u, 20u}) CACHESCAPE_CHECK(add(pattern, seed, chains));
  }
  CACHESCAPE_TRY(how.footprint, footprint_of(options, Bytes{0}));
  for (const Chosen& chosen : seeds) {
    if (!chosen.is_pattern) CACHESCAPE_CHECK(add(chosen.name, chosen.seed, chosen.chains));
  }
  return runs;
}

Result<int> compare_patterns(const BenchOptions& options, const std::vector<Chosen>& seeds) {
  constexpr Bytes usual{std::uint64_t{256} << 20};
  CACHESCAPE_TRY(const proxy::MeasureOptions how, measure_options(options, usual));
  proxy::PatternTable table;
  CACHESCAPE_TRY(table.runs, runs_of_table(options, seeds, how));
  std::optional<proxy::Binding> binding;
  if (how.processor) {
    CACHESCAPE_TRY(proxy::Binding bound, proxy::Binding::to(*how.processor));
    binding.emplace(std::move(bound));
  }
  if (proxy::hpcc_installed()) note("hpcc runs, which takes minutes");
  const auto figures = figures_of_others(how.footprint);
  if (figures) {
    table.hpcc = *figures;
  } else {
    table.why_no_hpcc = figures.error().what;
  }
  if (options.json) {
    CACHESCAPE_CHECK(print_json(proxy::pattern_table_json(table)));
  } else {
    CACHESCAPE_CHECK(print_text(proxy::pattern_table_text(table)));
  }
  return exit_success;
}

Result<int> run(const BenchOptions& options) {
  const bool has_seeds = !options.seeds.empty() || !options.patterns.empty();
  if (!has_seeds && options.programs.empty() && !options.table)
    return failure(ErrorKind::usage, "which seed? none is given", {},
                   "cachescape bench app.seed, or --pattern stride or random");
  if (!options.programs.empty() && !options.beside)
    return failure(ErrorKind::usage, "programs only run beside seeds", "--program " + options.programs[0],
                   "add --beside");
  if (!options.processors.empty() && !options.beside)
    return failure(ErrorKind::usage, "it says where two run side by side", "--cpus", "use --cpu, or add --beside");
  CACHESCAPE_TRY(std::vector<Chosen> seeds, chosen_seeds(options));
  if (!options.emit.empty()) return emit(options, seeds);
  if (options.beside) return run_beside(options, std::move(seeds));
  if (options.table) return compare_patterns(options, seeds);
  return measure_each(options, seeds);
}

}  // namespace

void add_bench(Program& program) {
  CLI::App& verb =
      program.add_verb("bench", "Run a seed as a benchmark, write it as a C program, or run several side by side");
  auto options = std::make_shared<BenchOptions>();
  verb.add_option("SEED", options->seeds, "Made by cachescape synth --unique");
  verb.add_option("--pattern", options->patterns, "stride or random, or a seed; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb.add_option("--footprint", options->footprint, "Memory to touch, at least (64M); what the seed needs otherwise")
      ->type_name("SIZE");
  verb.add_option("--ops", options->operations,
                  "Operations of each repetition; as many as take half a second otherwise")
      ->type_name("N");
  verb.add_option("--repeat", options->repetitions, "Repetitions")->type_name("N")->capture_default_str();
  verb.add_option("--ilp", options->ilp,
                  "Loads that do not wait for each other, 1 to 20; auto: as in what the seed was made from")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--cpu", options->processor, "Run on this processor")->type_name("N");
  verb.add_option("--delay", options->delay, "Wait so many seconds between initialisation and warm-up")
      ->type_name("SECONDS");
  verb.add_flag("--huge-pages", options->huge_pages, "Lay the array into huge pages where there are some");
  verb.add_flag("--counters", options->counters, "Read the processor's counters where there are some");
  verb.add_flag("--json", options->json, "Print JSON");
  auto* what = verb.add_option_group("instead");
  what->require_option(0, 1);
  what->add_option("--emit", options->emit, "Write a C program that does the same (- for standard output)")
      ->type_name("FILE.c");
  what->add_flag("--beside", options->beside,
                 "Run every two of the seeds side by side and tell how they slow each other down");
  what->add_flag("--table", options->table, "Compare strides, random accesses and seeds with STREAM and RandomAccess");
  verb.add_option("--program", options->programs,
                  "With --beside: a command for the shell that runs beside the seeds as well")
      ->type_name("COMMAND")
      ->allow_extra_args(false);
  comma_list(verb.add_option("--cpus", options->processors, "With --beside: the two processors"))->type_name("N,N");
  set_examples(
      verb, {{"cachescape bench app.seed --footprint 1G --ilp 4", "How fast this machine runs what app does to memory"},
             {"cachescape bench app.seed --emit proxy.c", "The same as a program for another machine"},
             {"cachescape bench a.seed b.seed --beside", "What two workloads do to each other"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
