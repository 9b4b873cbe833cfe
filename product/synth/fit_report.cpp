#include "product/synth/fit_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::synth {
namespace {

struct Errors {
  double mean = 0;
  double max = 0;
};

Errors errors_of(const Fit::Width& width) {
  Errors errors;
  for (std::size_t d = 0; d < signature_depths; ++d) {
    const double error = std::abs(width.target[d] - width.achieved[d]);
    errors.mean += error / signature_depths;
    errors.max = std::max(errors.max, error);
  }
  return errors;
}

std::string in_percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string phase_text(const SeedPhase& phase, const Fit& fit) {
  std::string text = fmt::format("signature     {}\n", phase.target.name);
  text += fmt::format("references    {}", report::with_thousands(phase.length));
  if (phase.repeats > 1) text += fmt::format(", {} times on the same memory", report::with_thousands(phase.repeats));
  text += fmt::format("\nhit rates     off by {} on average, {} at most, after {}\n", in_percent(fit.mean_error),
                      in_percent(fit.max_error), report::counted(fit.attempts, "attempt"));
  return text;
}

std::string widths_text(const Fit& fit) {
  report::Table table({{"lines of"}, {"mean error"}, {"largest"}, {"with"}, {"wanted"}, {"achieved"}});
  for (const Fit::Width& width : fit.widths) {
    const Errors errors = errors_of(width);
    std::size_t worst = 0;
    for (std::size_t d = 0; d < signature_depths; ++d) {
      if (std::abs(width.target[d] - width.achieved[d]) >= errors.max) worst = d;
    }
    table.add({fmt::format("{} B", width.line.bytes().value), in_percent(errors.mean), in_percent(errors.max),
               fmt::format("{} lines", report::with_thousands(std::uint64_t{1} << worst)),
               in_percent(width.target[worst]), in_percent(width.achieved[worst])});
  }
  return table.text();
}

}  // namespace

std::string fit_text(const Synthesis& synthesis) {
  const Seed& seed = synthesis.seed;
  std::string text;
  for (std::size_t i = 0; i < seed.phases.size(); ++i) {
    text += phase_text(seed.phases[i], synthesis.fits[i]) + '\n' + widths_text(synthesis.fits[i]) + '\n';
  }
  text += fmt::format("memory        {}, on at least {}: {}\n", report::bytes_text(seed.working_set),
                      report::counted(seed.least_replications, "replication"),
                      report::bytes_text(seed.working_set * seed.least_replications));
  return text;
}

nlohmann::ordered_json fit_json(const Synthesis& synthesis) {
  const Seed& seed = synthesis.seed;
  nlohmann::ordered_json json;
  json["schema"] = "cachescape.synth";
  json["version"] = 1;
  json["word"] = seed.word;
  json["unique"] = seed.unique;
  json["references"] = seed.words.size();
  json["working_set"] = seed.working_set;
  json["least_replications"] = seed.least_replications;
  json["phases"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < seed.phases.size(); ++i) {
    const SeedPhase& phase = seed.phases[i];
    const Fit& fit = synthesis.fits[i];
    nlohmann::ordered_json one;
    one["signature"] = phase.target.name;
    one["references"] = phase.length;
    one["repeats"] = phase.repeats;
    one["attempts"] = fit.attempts;
    one["mean_error"] = fit.mean_error;
    one["max_error"] = fit.max_error;
    one["widths"] = nlohmann::ordered_json::array();
    for (const Fit::Width& width : fit.widths) {
      const Errors errors = errors_of(width);
      one["widths"].push_back({{"line", width.line.bytes().value},
                               {"mean_error", errors.mean},
                               {"max_error", errors.max},
                               {"wanted", width.target},
                               {"achieved", width.achieved}});
    }
    json["phases"].push_back(std::move(one));
  }
  return json;
}

}  // namespace cachescape::synth
