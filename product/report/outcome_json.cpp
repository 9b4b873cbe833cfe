#include "product/report/outcome_json.hpp"

#include "machine/names.hpp"
#include "product/report/ratio_json.hpp"

namespace cachescape::report {
namespace {

using Json = nlohmann::ordered_json;

Json classes_json(const MissClasses& c) {
  return {{"cold", c.cold},
          {"capacity", c.capacity},
          {"conflict", c.conflict},
          {"coherence", c.coherence()},
          {"true_sharing", c.true_sharing},
          {"false_sharing", c.false_sharing},
          {"inclusion", c.inclusion}};
}

Json tally_json(const Tally& t, bool classified) {
  Json json{
      {"accesses", t.accesses}, {"hits", t.hits()}, {"misses", t.misses}, {"miss_ratio", ratio(t.misses, t.accesses)}};
  if (classified) json["classes"] = classes_json(t.classes);
  return json;
}

}  // namespace

Json machine_json(const machine::Machine& m) {
  Json levels = Json::array();
  for (const machine::Level& l : m.levels) {
    Json level{{"name", l.name},
               {"size", l.size().value},
               {"ways", l.ways},
               {"sets", l.sets},
               {"line", l.line.bytes().value},
               {"shared_by", l.shared_by == machine::shared_by_all ? Json("all") : Json(l.shared_by)},
               {"replacement", machine::name_of(machine::replacement_names, l.replacement)},
               {"write", machine::name_of(machine::write_names, l.write)},
               {"write_allocate", l.write_allocate},
               {"inclusion", machine::name_of(machine::inclusion_names, l.inclusion)}};
    if (l.latency) level["latency"] = *l.latency;
    if (l.bandwidth) level["bandwidth"] = *l.bandwidth;
    levels.push_back(std::move(level));
  }
  Json json{{"name", m.name},
            {"title", m.title},
            {"cores", m.cores},
            {"coherence", machine::name_of(machine::coherence_names, m.coherence)}};
  if (m.memory_latency) json["memory_latency"] = *m.memory_latency;
  if (m.frequency) json["frequency_ghz"] = *m.frequency;
  json["levels"] = std::move(levels);
  return json;
}

Json outcome_json(const HierarchyOutcome& outcome, const machine::Machine& machine, const char* method) {
  Json levels = Json::array();
  const std::uint64_t touches = outcome.levels.front().total().accesses;
  for (const LevelOutcome& l : outcome.levels) {
    Json level{{"name", l.name}, {"instances", l.instances}};
    level.update(tally_json(l.total(), outcome.classified));
    level["global_miss_ratio"] = ratio(l.total().misses, touches);
    level["reads"] = tally_json(l.reads, outcome.classified);
    level["writes"] = tally_json(l.writes, outcome.classified);
    level["write_backs"] = l.write_backs;
    level["upgrades"] = l.upgrades;
    level["invalidations"] = l.invalidations;
    level["remote_hits"] = l.remote_hits;
    level["bytes_in"] = l.bytes_in.value;
    level["bytes_out"] = l.bytes_out.value;
    levels.push_back(std::move(level));
  }
  return {{"schema", "cachescape.outcome"},
          {"version", outcome_schema_version},
          {"method", method},
          {"machine", machine_json(machine)},
          {"accesses", outcome.accesses},
          {"touches", touches},
          {"threads", outcome.threads},
          {"cores", outcome.cores},
          {"levels", std::move(levels)}};
}

}  // namespace cachescape::report
