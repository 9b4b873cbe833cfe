#include "cli/analysis_option.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "cli/comma_list.hpp"
#include "cli/machine_option.hpp"
#include "machine/size_text.hpp"

namespace cachescape::cli {
namespace {

constexpr std::uint64_t most_threads_per_cache = 65536;
constexpr const char* group = "Analysis (for a profile)";

Result<std::vector<LineSize>> line_sizes(const char* flag, const std::vector<std::uint64_t>& bytes) {
  std::vector<LineSize> sizes;
  for (const std::uint64_t b : bytes) {
    if (!LineSize::valid(b)) {
      return failure(ErrorKind::usage, fmt::format("a line of {} bytes is not a power of two from 1 byte to 1 GiB", b),
                     flag);
    }
    sizes.push_back(LineSize::of(b));
  }
  return sizes;
}

/// Numbers, or the word none alone. `what` they are, for messages.
Result<std::vector<std::uint64_t>> numbers_or_none(const char* flag, const std::vector<std::string>& words,
                                                   const char* what, const char* such_as) {
  if (words.size() == 1 && words.front() == "none") return std::vector<std::uint64_t>{};
  std::vector<std::uint64_t> numbers;
  for (const std::string& word : words) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers.emplace_back());
    if (error != std::errc{} || end != word.data() + word.size()) {
      return failure(ErrorKind::usage, fmt::format("“{}” is not {}", word, what), flag,
                     fmt::format("give numbers such as {}, or none", such_as));
    }
  }
  return numbers;
}

Result<std::vector<LineSize>> lines_or_none(const char* flag, const std::vector<std::string>& words) {
  CACHESCAPE_TRY(const std::vector<std::uint64_t> bytes,
                 numbers_or_none(flag, words, "a line size in bytes", "64,128"));
  return line_sizes(flag, bytes);
}

/// Numbers, or machines, which stand for those of their levels.
Result<std::vector<std::uint32_t>> degrees_of_sharing(const std::vector<std::string>& words) {
  std::vector<std::uint32_t> degrees;
  std::vector<std::string> numbers;
  for (const std::string& word : words) {
    if (word == "none" || word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      numbers.push_back(word);
      continue;
    }
    CACHESCAPE_TRY(const machine::Machine machine, find_machine(word));
    for (const machine::Level& level : machine.levels)
      if (level.shared_by != machine::shared_by_all) degrees.push_back(level.shared_by);
  }
  CACHESCAPE_TRY(const std::vector<std::uint64_t> given,
                 numbers_or_none("--share", numbers, "a number of threads", "1,2,4, a machine such as power4"));
  for (const std::uint64_t n : given) {
    if (n == 0 || n > most_threads_per_cache)
      return failure(ErrorKind::usage,
                     fmt::format("{} threads per cache make no sense: 1 … {}", n, most_threads_per_cache), "--share");
    degrees.push_back(static_cast<std::uint32_t>(n));
  }
  return degrees;
}

/// Beside the distances of blocks, those of the lines that the surface of a signature is made of.
void add_signature(const SignatureRule& rule, AnalysisOptions& options) {
  options.signatures = {rule};
  for (LineSize line{5}; line <= signature_block; line = LineSize{line.log2() + 1})
    if (std::ranges::find(options.lines, line) == options.lines.end()) options.lines.push_back(line);
  std::ranges::sort(options.lines);
}

}  // namespace

void add_analysis_options(CLI::App& verb, AnalysisFlags& flags) {
  const auto option = [&](const char* name, auto& value, const char* text, const char* type) {
    return verb.add_option(name, value, text)->type_name(type)->group(group);
  };
  const auto list = [&](const char* name, auto& values, const char* text, const char* type) {
    comma_list(option(name, values, text, type));
  };
  list("--lines", flags.lines, "Line sizes in bytes; 4,8,…,512 otherwise", "B,…");
  list("--set-lines", flags.set_lines, "Line sizes whose set distances are kept too, or none; 32,64,128,256 otherwise",
       "B,…");
  list("--sets", flags.sets, "Numbers of sets to know exactly besides 1, 2, 4, … 65536", "N,…");
  option("--ways", flags.ways, "Most ways to know exactly, 1 … 32", "N")->capture_default_str();
  list("--write-backs", flags.write_backs,
       "Line sizes at which write-backs are followed, or none; 64 (or the next recorded) otherwise", "B,…");
  list("--share", flags.share,
       "Numbers of threads per cache for which coherence is followed, machines that have them, or none; 1,2,4,…,32 "
       "otherwise",
       "N|MACHINE,…");
  option("--sample", flags.sample, "Follow this share of the lines only (rounded to 1/2, 1/4, 1/8 …)", "RATE");
  option("--sample-lines", flags.sample_lines, "Follow at most so many lines at a time", "N");
  list("--interval", flags.interval, "Analyse ON accesses, pass over OFF, and so on", "ON,OFF");
  option("--memory", flags.memory, "Sample when the analysis would hold more than this, such as 8G", "SIZE");
  option("--workers", flags.workers, "Threads that analyse; 0 = one per processor", "N")->capture_default_str();
  verb.add_flag("--memory-usage", flags.memory_usage, "Count how often each line is touched")->group(group);
  CLI::Option* const signature =
      verb.add_flag("--signature", flags.signature,
                    "Count what a memory signature is made of; adds the lines 32,64,128,256,512 to those recorded")
          ->group(group);
  option("--word", flags.word, "Bytes in which a signature tells nothing smaller apart: 4 or 8", "B")
      ->capture_default_str()
      ->check(CLI::IsMember({4, 8}))
      ->needs(signature);
  verb.add_flag("--every-word", flags.every_word, "Count every word of an access in a signature, not only its first")
      ->group(group)
      ->needs(signature);
}

Result<AnalysisOptions> analysis_options(const AnalysisFlags& flags) {
  AnalysisOptions options;
  if (!flags.lines.empty()) {
    CACHESCAPE_TRY(options.lines, line_sizes("--lines", flags.lines));
  }
  if (!flags.set_lines.empty()) {
    CACHESCAPE_TRY(options.set_lines, lines_or_none("--set-lines", flags.set_lines));
  }
  if (!flags.write_backs.empty()) {
    CACHESCAPE_TRY(options.write_back_lines, lines_or_none("--write-backs", flags.write_backs));
  }
  if (!flags.share.empty()) {
    CACHESCAPE_TRY(options.sharing, degrees_of_sharing(flags.share));
  }
  options.other_set_counts = flags.sets;
  options.ways = flags.ways;
  options.popularity = flags.memory_usage;
  options.workers = flags.workers;
  if (flags.signature) add_signature({flags.word, flags.every_word}, options);
  const int ways_to_sample =
      (flags.sample != 0 ? 1 : 0) + (flags.sample_lines > 0 ? 1 : 0) + (flags.interval.empty() ? 0 : 1);
  if (ways_to_sample > 1) return failure(ErrorKind::usage, "choose one of --sample, --sample-lines and --interval");
  if (flags.sample != 0) {
    options.sampling.method = Sampling::Method::shards_rate;
    options.sampling.rate = flags.sample;
  } else if (flags.sample_lines > 0) {
    options.sampling.method = Sampling::Method::shards_size;
    options.sampling.max_lines = flags.sample_lines;
  } else if (!flags.interval.empty()) {
    if (flags.interval.size() != 2)
      return failure(ErrorKind::usage, "it takes two numbers of accesses, such as 100000,900000", "--interval");
    options.sampling.method = Sampling::Method::interval;
    options.sampling.on = flags.interval[0];
    options.sampling.off = flags.interval[1];
  }
  if (!flags.memory.empty()) {
    auto limit = machine::parse_size(flags.memory);
    if (!limit) {
      limit.error().where = "--memory";
      limit.error().kind = ErrorKind::usage;
      return std::unexpected(std::move(limit).error());
    }
    options.memory_limit = limit->value;
  }
  return options;
}

}  // namespace cachescape::cli
