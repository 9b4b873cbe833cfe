#include "product/report/profile_summary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/kind_counts.hpp"
#include "product/report/fitted_text.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

using model::sum;

constexpr std::size_t indent = 14;  ///< of values behind their labels

bool by_lines(const Sampling& s) {
  return s.method == Sampling::Method::shards_rate || s.method == Sampling::Method::shards_size;
}

const profile::StackHeader* usual_stack(const profile::ProfileHeader& header) {
  const profile::StackHeader* best = nullptr;
  const auto off = [](const profile::StackHeader& s) {
    return s.line.log2() > 6 ? s.line.log2() - 6 : 6 - s.line.log2();
  };
  for (const profile::StackHeader& s : header.stacks) {
    if (s.scope.kind == Scope::Kind::everything && (best == nullptr || off(s) < off(*best))) best = &s;
  }
  return best;
}

std::string sampling_text(const Sampling& s) {
  if (s.method == Sampling::Method::none) return "none: every access was analysed";
  return fmt::format("{}, {:.4g} of {}", name_of(s.method), s.rate, by_lines(s) ? "all lines" : "all accesses");
}

std::string losses_text(const Losses& l) {
  if (!l.any()) return "none";
  return fmt::format("{} accesses lost, {} records skipped{}", l.lost_accesses, l.skipped_records,
                     l.truncated ? ", ended too early" : "");
}

/// Provenance that says which part of the program was kept.
constexpr std::array<std::string_view, 7> choices_of_a_part = {"region", "from",  "until", "skip",
                                                               "count",  "after", "for"};

std::optional<double> seconds_of(const std::string& text) {
  double seconds = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, seconds);
  if (error != std::errc{} || end != last || !(seconds >= 0)) return std::nullopt;
  return seconds;
}

}  // namespace

const char* name_of(Sampling::Method method) { return Sampling::names[static_cast<std::size_t>(method)].data(); }

ProfileSummary summary_of(const profile::ProfileHeader& header, std::string path) {
  const Profile& p = header.general;
  ProfileSummary summary;
  summary.path = std::move(path);
  summary.finished = header.finished;
  for (const auto& [key, value] : p.provenance) {
    if (key == "command") summary.command = value;
    if (key == "recorded") summary.recorded = value;
    if (key == "duration") summary.duration = seconds_of(value);
    if (std::ranges::find(choices_of_a_part, key) != choices_of_a_part.end()) summary.is_part = true;
    if (key == "thread_order" && p.threads.size() > 1) summary.thread_order = value;
  }
  summary.accesses = p.accesses();
  summary.bytes = p.bytes;
  summary.instructions = p.instructions;
  if (const profile::StackHeader* stack = usual_stack(header)) {
    const std::uint64_t lines =
        by_lines(p.sampling) ? static_cast<std::uint64_t>(static_cast<double>(stack->footprint_lines) / p.sampling.rate)
                             : stack->footprint_lines;
    summary.footprint = Footprint{lines * stack->line.bytes().value, stack->line};
    summary.touches = sum(stack->touches);
  }
  summary.threads = p.threads.size();
  summary.sampling = p.sampling;
  summary.losses = p.losses;
  return summary;
}

std::optional<double> per_thousand_instructions(const ProfileSummary& s, std::uint64_t events) {
  if (s.instructions == 0 || s.is_part || s.sampling.method != Sampling::Method::none) return std::nullopt;
  return 1000.0 * static_cast<double>(events) / static_cast<double>(s.instructions);
}

std::string summary_line(const std::string& label, const std::string& value, std::size_t width) {
  const std::size_t room = width - std::min(width, indent);
  // A first word that is too long stays beside its label.
  const std::string lines = wrapped(value, room);
  std::string text = fmt::format("{:<{}}{}", label, indent, label.size() < indent ? "" : " ");
  for (const char c : lines.substr(0, lines.size() - 1)) {
    text += c;
    if (c == '\n') text += std::string(indent, ' ');
  }
  return text + '\n';
}

std::string summary_text(const ProfileSummary& s, std::size_t width) {
  std::string text;
  const auto add = [&](const char* label, const std::string& value) { text += summary_line(label, value, width); };
  const std::size_t room = std::max(indent, width) - indent;
  add("profile", shortened(s.path, std::max<std::size_t>(room, 1)) + (s.finished ? "" : " (unfinished)"));
  if (!s.command.empty()) add("command", s.command);
  if (!s.recorded.empty()) add("recorded", s.recorded);
  if (s.duration) add("duration", fmt::format("{:.4g} s", *s.duration));
  add("accesses",
      fmt::format("{}: {} reads, {} writes, {} modifies", with_thousands(sum(s.accesses)),
                  with_thousands(s.accesses[0]), with_thousands(s.accesses[1]), with_thousands(s.accesses[2])));
  if (s.bytes > 0) add("bytes", bytes_text(s.bytes));
  if (s.instructions > 0) add("instructions", with_thousands(s.instructions));
  if (s.footprint) {
    add("footprint",
        fmt::format("{} ({}-byte lines)", bytes_text(s.footprint->bytes), s.footprint->line.bytes().value));
  }
  add("threads", with_thousands(s.threads) + (s.thread_order.empty() ? "" : "; order " + s.thread_order));
  add("sampling", sampling_text(s.sampling));
  add("losses", losses_text(s.losses));
  return text;
}

Json summary_json(const ProfileSummary& s) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"command", text_or_null(s.command)},
          {"recorded", text_or_null(s.recorded)},
          {"duration_seconds", s.duration ? Json(*s.duration) : Json(nullptr)},
          {"finished", s.finished},
          {"accesses", sum(s.accesses)},
          {"reads", s.accesses[0]},
          {"writes", s.accesses[1]},
          {"modifies", s.accesses[2]},
          {"bytes", s.bytes},
          {"touches", s.touches},
          {"line", s.footprint ? Json(s.footprint->line.bytes().value) : Json(nullptr)},
          {"footprint_bytes", s.footprint ? s.footprint->bytes : 0},
          {"instructions", s.instructions},
          {"threads", s.threads},
          {"thread_order", text_or_null(s.thread_order)},
          {"sampling",
           {{"method", name_of(s.sampling.method)}, {"rate", s.sampling.rate}, {"analysed", s.sampling.analysed}}},
          {"losses",
           {{"lost_accesses", s.losses.lost_accesses},
            {"skipped_records", s.losses.skipped_records},
            {"truncated", s.losses.truncated}}}};
}

}  // namespace cachescape::report
