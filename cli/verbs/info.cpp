// `cachescape info`: what a profile holds.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

using report::with_thousands;

std::uint64_t sum(const KindCounts& c) { return c[0] + c[1] + c[2]; }

const char* method_name(Sampling::Method m) {
  switch (m) {
    case Sampling::Method::none:
      return "none";
    case Sampling::Method::shards_rate:
      return "shards_rate";
    case Sampling::Method::shards_size:
      return "shards_size";
    case Sampling::Method::interval:
      return "interval";
  }
  return "none";
}

std::string scope_name(const Scope& scope) {
  return scope.kind == Scope::Kind::everything ? "everything" : fmt::format("thread {}", scope.thread.value);
}

/// The stack of everything whose line is nearest to 64 bytes: what footprints are told by.
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

/// Lines that a sample stands for.
std::uint64_t scaled_footprint(const profile::ProfileHeader& header, const profile::StackHeader& stack) {
  const Sampling& s = header.general.sampling;
  const bool by_lines = s.method == Sampling::Method::shards_rate || s.method == Sampling::Method::shards_size;
  return by_lines ? static_cast<std::uint64_t>(static_cast<double>(stack.footprint_lines) / s.rate)
                  : stack.footprint_lines;
}

std::string text_of(const profile::ProfileHeader& h, const std::string& path) {
  const Profile& p = h.general;
  const auto line = [](const std::string& label, const std::string& value) {
    return fmt::format("{:<14}{}\n", label, value);
  };
  const KindCounts counts = p.accesses();
  std::string text = line("profile", path + (h.finished ? "" : " (unfinished)"));
  text +=
      line("accesses", fmt::format("{}: {} reads, {} writes, {} modifies", with_thousands(sum(counts)),
                                   with_thousands(counts[0]), with_thousands(counts[1]), with_thousands(counts[2])));
  if (p.instructions > 0) text += line("instructions", with_thousands(p.instructions));
  if (const auto* s = usual_stack(h)) {
    const std::uint64_t lines = scaled_footprint(h, *s);
    text += line("footprint", fmt::format("{} ({}-byte lines)", report::bytes_text(lines * s->line.bytes().value),
                                          s->line.bytes().value));
  }
  text += line("threads", with_thousands(p.threads.size()));
  std::string sampling = "none: every access was analysed";
  if (p.sampling.method != Sampling::Method::none) {
    sampling = fmt::format("{}, {:.4g} of {}", method_name(p.sampling.method), p.sampling.rate,
                           p.sampling.method == Sampling::Method::interval ? "all accesses" : "all lines");
  }
  text += line("sampling", sampling);
  text += line("losses", p.losses.any()
                             ? fmt::format("{} accesses lost, {} records skipped{}", p.losses.lost_accesses,
                                           p.losses.skipped_records, p.losses.truncated ? ", ended too early" : "")
                             : "none");
  for (const auto& [key, value] : p.provenance) text += line(key, value);

  using report::Table;
  Table table({{"distances of", Table::Align::left},
               {"line"},
               {"touches"},
               {"cold"},
               {"footprint"},
               {"write-backs", Table::Align::left},
               {"set distances", Table::Align::left}});
  for (const profile::StackHeader& s : h.stacks) {
    std::string sets = "–";
    for (const profile::SetHeader& g : h.sets) {
      if (g.scope == s.scope && g.line == s.line && !g.sets.empty()) {
        sets = fmt::format("{} … {} sets, {} ways", g.sets.front(), g.sets.back(), g.ways);
      }
    }
    table.add({scope_name(s.scope), fmt::format("{}", s.line.bytes().value), with_thousands(sum(s.touches)),
               with_thousands(sum(s.cold)), report::bytes_text(s.footprint_lines * s.line.bytes().value),
               s.writes ? "yes" : "–", sets});
  }
  return text + '\n' + table.text();
}

nlohmann::ordered_json json_of(const profile::ProfileHeader& h, const std::string& path) {
  using Json = nlohmann::ordered_json;
  const Profile& p = h.general;
  const auto* usual = usual_stack(h);
  const KindCounts counts = p.accesses();
  Json threads = Json::array();
  for (const ThreadCounts& t : p.threads) {
    threads.push_back({{"thread", t.thread.value},
                       {"accesses", sum(t.accesses)},
                       {"reads", t.accesses[0]},
                       {"writes", t.accesses[1]},
                       {"modifies", t.accesses[2]}});
  }
  Json stacks = Json::array();
  for (const profile::StackHeader& s : h.stacks) {
    stacks.push_back({{"scope", scope_name(s.scope)},
                      {"line", s.line.bytes().value},
                      {"touches", sum(s.touches)},
                      {"cold", sum(s.cold)},
                      {"footprint_lines", s.footprint_lines},
                      {"write_backs", s.writes.has_value()}});
  }
  Json sets = Json::array();
  for (const profile::SetHeader& s : h.sets)
    sets.push_back(
        {{"scope", scope_name(s.scope)}, {"line", s.line.bytes().value}, {"ways", s.ways}, {"sets", s.sets}});
  Json provenance = Json::object();
  for (const auto& [key, value] : p.provenance) provenance[key] = value;
  return {{"schema", "cachescape.info"},
          {"version", 1},
          {"profile", path},
          {"format_version", h.version},
          {"finished", h.finished},
          {"accesses", sum(counts)},
          {"reads", counts[0]},
          {"writes", counts[1]},
          {"modifies", counts[2]},
          {"touches", usual == nullptr ? 0 : sum(usual->touches)},
          {"line", usual == nullptr ? Json(nullptr) : Json(usual->line.bytes().value)},
          {"footprint_bytes", usual == nullptr ? 0 : scaled_footprint(h, *usual) * usual->line.bytes().value},
          {"instructions", p.instructions},
          {"threads", std::move(threads)},
          {"sampling",
           {{"method", method_name(p.sampling.method)}, {"rate", p.sampling.rate}, {"analysed", p.sampling.analysed}}},
          {"losses",
           {{"lost_accesses", p.losses.lost_accesses},
            {"skipped_records", p.losses.skipped_records},
            {"truncated", p.losses.truncated}}},
          {"stacks", std::move(stacks)},
          {"sets", std::move(sets)},
          {"provenance", std::move(provenance)}};
}

}  // namespace

void add_info(Program& program) {
  struct Options {
    std::string profile;
    bool json = false;
  };
  CLI::App& verb = program.add_verb("info", "Say what a profile holds");
  auto options = std::make_shared<Options>();
  verb.add_option("PROFILE", options->profile, "A .cscape, also while it is being recorded")->required();
  verb.add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape info app.cscape", "Accesses, footprint, threads, sampling, losses"}});
  program.on(verb, [options]() -> Result<int> {
    CACHESCAPE_TRY(const profile::ProfileHeader header, profile::read_header(options->profile));
    if (options->json) {
      CACHESCAPE_CHECK(print_json(json_of(header, options->profile)));
    } else {
      CACHESCAPE_CHECK(print_text(text_of(header, options->profile)));
    }
    return exit_success;
  });
}

}  // namespace cachescape::cli
