#include "product/signature/json.hpp"

#include <string>

#include <fmt/format.h>

namespace cachescape::signature {
namespace {

using Json = nlohmann::ordered_json;

/// Null where the number is left out.
Json half_json(const HalfShare& half, bool kept = true) {
  if (!kept) return {};
  Json json;
  json["share"] = half.share ? Json(*half.share) : Json();
  if (half.counts) {
    json["same"] = half.counts->same;
    json["again"] = half.counts->again;
  }
  return json;
}

Json detail_json(const Detail& detail) {
  Json json;
  json["blocks"] = detail.blocks > 0 ? Json(detail.blocks) : Json();
  json["parallelism"] = detail.parallelism > 0 ? Json(detail.parallelism) : Json();
  json["threads"] = detail.threads;
  json["writes"] = detail.writes;
  json["foreign"] = detail.foreign;
  json["widths"] = Json::array();
  for (const Width& width : detail.widths) {
    json["widths"].push_back({{"line", width.line.bytes().value},
                              {"hit_rates", width.hit_rates},
                              {"between", width.between ? Json(*width.between) : Json()}});
  }
  json["between"] = detail.between ? Json(*detail.between) : Json();
  json["sets"] = Json::array();
  for (const SetHitRate& s : detail.sets) {
    json["sets"].push_back(
        {{"line", s.line.bytes().value}, {"sets", s.sets}, {"ways", s.ways}, {"hit_rate", s.hit_rate}});
  }
  json["steps"] = Json::array();
  for (const Bin& step : detail.steps) json["steps"].push_back({{"blocks", step.value}, {"count", step.count}});
  json["other_steps"] = detail.other_steps;
  return json;
}

Json signature_json(const Signature& signature, const Points& points) {
  Json json;
  json["name"] = signature.name;
  json["references"] = signature.references;
  json["hit_rates"] = Json::array();
  for (std::size_t b = 0; b < signature_depths; ++b)
    json["hit_rates"].push_back(points.hit_rates[b] ? Json(signature.hit_rates[b]) : Json());
  json["halves"] = Json::array();
  for (std::size_t h = 0; h < signature_halves; ++h) {
    if (half_bytes(h) < signature.rule.word) continue;
    Json bins = Json::array();
    for (std::size_t b = 0; b < signature_depths; ++b)
      bins.push_back(half_json(signature.halves[h][b], points.halves[h][b]));
    json["halves"].push_back({{"bytes", half_bytes(h)}, {"average", half_json(signature.average[h])}, {"bins", bins}});
  }
  json["detail"] = signature.detail ? detail_json(*signature.detail) : Json();
  return json;
}

}  // namespace

Json to_json(std::span<const Signature> signatures, std::span<const Points> points) {
  const Signature& first = signatures.front();
  Json json;
  json["schema"] = "cachescape.signature";
  json["version"] = 1;
  json["accesses"] = first.accesses;
  json["sample_rate"] = first.sample_rate;
  json["word"] = first.rule.word;
  json["every_word"] = first.rule.every_word;
  json["signatures"] = Json::array();
  const Points all = Points::all();
  for (std::size_t i = 0; i < signatures.size(); ++i)
    json["signatures"].push_back(signature_json(signatures[i], i < points.size() ? points[i] : all));
  return json;
}

}  // namespace cachescape::signature
