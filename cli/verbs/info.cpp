// `cachescape info`: what a profile holds.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "product/report/number_text.hpp"
#include "product/report/profile_summary.hpp"
#include "product/report/table.hpp"
#include "profile/reader.hpp"

namespace cachescape::cli {
namespace {

using report::with_thousands;

std::uint64_t sum(const KindCounts& c) { return c[0] + c[1] + c[2]; }

std::string scope_name(const Scope& scope) {
  return scope.kind == Scope::Kind::everything ? "everything" : fmt::format("thread {}", scope.thread.value);
}

/// "1, 2, 4 threads per cache, 64-byte lines"; every line size has the same.
std::string sharing_text(const std::vector<profile::SharingHeader>& sharing) {
  std::set<std::uint32_t> degrees;
  std::set<std::uint64_t> lines;
  for (const profile::SharingHeader& s : sharing) {
    degrees.insert(s.degree);
    lines.insert(s.line.bytes().value);
  }
  return fmt::format("{} {} per cache, {}-byte lines", fmt::join(degrees, ", "),
                     *degrees.rbegin() == 1 ? "thread" : "threads", fmt::join(lines, ", "));
}

/// "4-byte words, of 2 threads too"; every scope has the same words.
std::string signatures_text(const std::vector<profile::SignatureHeader>& signatures) {
  std::set<std::string> words;
  std::size_t threads = 0;
  for (const profile::SignatureHeader& s : signatures) {
    words.insert(fmt::format("{}{}-byte words", s.rule.every_word ? "all " : "", s.rule.word));
    if (s.scope.kind == Scope::Kind::thread && s.rule == signatures.back().rule) ++threads;
  }
  return threads == 0 ? fmt::format("{}", fmt::join(words, ", "))
                      : fmt::format("{}, of {} threads too", fmt::join(words, ", "), threads);
}

std::string text_of(const profile::ProfileHeader& h, const std::string& path) {
  const report::ProfileSummary summary = report::summary_of(h, path);
  std::string text = report::summary_text(summary);
  if (!h.sharing.empty()) text += report::summary_line("sharing", sharing_text(h.sharing));
  if (!h.signatures.empty()) text += report::summary_line("signature", signatures_text(h.signatures));
  for (const auto& [key, value] : h.general.provenance) {
    const bool told = key == "command" || key == "recorded" || (key == "duration" && summary.duration) ||
                      (key == "thread_order" && !summary.thread_order.empty());
    if (!told) text += report::summary_line(key, value);
  }

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
  Json sharing = Json::array();
  for (const profile::SharingHeader& s : h.sharing) {
    sharing.push_back({{"degree", s.degree},
                       {"line", s.line.bytes().value},
                       {"caches", s.caches},
                       {"touches", sum(s.touches)},
                       {"cold", sum(s.cold)},
                       {"ways", s.ways},
                       {"sets", s.sets}});
  }
  Json signatures = Json::array();
  for (const profile::SignatureHeader& s : h.signatures) {
    signatures.push_back({{"scope", scope_name(s.scope)},
                          {"word", s.rule.word},
                          {"every_word", s.rule.every_word},
                          {"references", sum(s.references)}});
  }
  Json provenance = Json::object();
  for (const auto& [key, value] : p.provenance) provenance[key] = value;
  Json json{{"schema", "cachescape.info"}, {"version", 1}, {"profile", path}, {"format_version", h.version}};
  json.update(report::summary_json(report::summary_of(h, path)));
  json["threads"] = std::move(threads);
  json["stacks"] = std::move(stacks);
  json["sets"] = std::move(sets);
  json["sharing"] = std::move(sharing);
  json["signatures"] = std::move(signatures);
  json["provenance"] = std::move(provenance);
  return json;
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
