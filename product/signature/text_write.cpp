#include <fmt/format.h>

#include "product/signature/text.hpp"

namespace cachescape::signature {
namespace {

std::string half_line(const std::string& key, const HalfShare& half) {
  std::string line = fmt::format("{} = ", key);
  line += half.share ? fmt::format("{:g}", *half.share) : "NA";
  return line;
}

std::string averages(const HalfShare& half) {
  if (!half.counts) return half_line("Avg", half);
  return fmt::format("{} ({:g}/{:g})", half_line("Avg", half), static_cast<double>(half.counts->same),
                     static_cast<double>(half.counts->again));
}

void write_between(std::string& text, LineSize line, const std::optional<BetweenRates>& between) {
  if (!between) return;
  text += fmt::format("Between({}) =", line.bytes().value);
  for (const double rate : *between) text += fmt::format(" {:g}", rate);
  text += '\n';
}

void write_detail(std::string& text, const Signature& signature) {
  const Detail& detail = *signature.detail;
  text += "\nDETAIL:\n";
  text += fmt::format("References = {}\n", signature.references);
  if (detail.blocks > 0) text += fmt::format("Blocks = {}\n", detail.blocks);
  if (detail.parallelism > 0) text += fmt::format("Parallelism = {:g}\n", detail.parallelism);
  if (detail.threads.size() > 1) {
    text += "Threads =";
    for (const double share : detail.threads) text += fmt::format(" {:g}", share);
    text += '\n';
  }
  for (std::size_t b = 0; b < signature_bins; ++b) {
    if (detail.writes[b] == 0 && detail.foreign[b] == 0) continue;
    const std::string bin = b == cold_bin ? "cold" : b == far_bin ? "far" : fmt::format("2^{}", b);
    text += fmt::format("Mix({}) = {:g} {:g}\n", bin, detail.writes[b], detail.foreign[b]);
  }
  for (const Width& width : detail.widths) {
    text += fmt::format("Width({}) =", width.line.bytes().value);
    for (const double rate : width.hit_rates) text += fmt::format(" {:g}", rate);
    text += '\n';
    write_between(text, width.line, width.between);
  }
  write_between(text, signature_block, detail.between);
  for (const SetHitRate& s : detail.sets) {
    const std::string line = s.line == usual_set_line ? "" : fmt::format(",{}", s.line.bytes().value);
    text += fmt::format("Sets({}x{}{}) = {:g}\n", s.sets, s.ways, line, s.hit_rate);
  }
  for (const Bin& step : detail.steps) text += fmt::format("Step({}) = {}\n", step.value, step.count);
  if (detail.other_steps > 0) text += fmt::format("Step(other) = {}\n", detail.other_steps);
}

void write_signature(std::string& text, const Signature& signature, const Points& points) {
  text += fmt::format("\nBin: {}\n\nTEMPORAL LOCALITY (Reuse Distance CDF):\n", signature.name);
  for (std::size_t b = 0; b < signature_depths; ++b) {
    if (points.hit_rates[b]) text += fmt::format("HitRate(2^{}) = {:g}\n", b, signature.hit_rates[b]);
  }
  text += "\nSPATIAL LOCALITY (Probability of Set Reuse):\n";
  for (std::size_t h = 0; h < signature_halves; ++h) {
    if (half_bytes(h) < signature.rule.word) continue;
    text += fmt::format("\nP(2^{}):\n", h + 2);
    for (std::size_t b = 0; b < signature_depths; ++b) {
      if (!points.halves[h][b]) continue;
      const HalfShare& half = signature.halves[h][b];
      text += half_line(fmt::format("Reuse(2^{})", b), half);
      if (half.counts) text += fmt::format(" ({}/{})", half.counts->same, half.counts->again);
      text += '\n';
    }
    text += averages(signature.average[h]) + '\n';
  }
  if (signature.detail) write_detail(text, signature);
}

}  // namespace

Points Points::all() {
  Points points;
  points.hit_rates.fill(true);
  for (auto& bins : points.halves) bins.fill(true);
  return points;
}

std::size_t Points::count(const Signature& signature) const {
  std::size_t n = 0;
  for (const bool point : hit_rates) n += point ? 1 : 0;
  for (std::size_t h = 0; h < signature_halves; ++h) {
    if (half_bytes(h) < signature.rule.word) continue;
    for (const bool point : halves[h]) n += point ? 1 : 0;
  }
  return n;
}

std::string to_text(std::span<const Signature> signatures, std::span<const Points> points) {
  std::string text;
  const Signature& first = signatures.front();
  std::uint64_t references = 0;
  for (const Signature& s : signatures) add_to(references, s.references);
  text += fmt::format("Instructions Seen : {}x4294967296+{}\n", first.accesses >> 32, first.accesses & 0xffffffff);
  text += fmt::format("Instructions Simulated : {}\n", references);
  text += fmt::format("Simulation limit : {}\n", first.limit);
  text += fmt::format("Sample rate : {:g}\n", first.sample_rate);
  text += fmt::format("Line Length (bytes) : {}\n", signature_block.bytes().value);
  text += fmt::format("Size of Word (bytes) : {}\n", first.rule.word);
  text += fmt::format("Using access sizes : {}\n", first.rule.every_word ? "yes" : "no");
  const Points all = Points::all();
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    write_signature(text, signatures[i], points.empty() ? all : points[i]);
  }
  return text;
}

}  // namespace cachescape::signature
