#include "product/signature/json.hpp"

#include <string>

#include <fmt/format.h>

namespace cachescape::signature {
namespace {

using Json = nlohmann::ordered_json;

Json half_json(const HalfShare& half) {
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

Json signature_json(const Signature& signature) {
  Json json;
  json["name"] = signature.name;
  json["references"] = signature.references;
  json["hit_rates"] = signature.hit_rates;
  json["halves"] = Json::array();
  for (std::size_t h = 0; h < signature_halves; ++h) {
    if (half_bytes(h) < signature.rule.word) continue;
    Json bins = Json::array();
    for (const HalfShare& half : signature.halves[h]) bins.push_back(half_json(half));
    json["halves"].push_back({{"bytes", half_bytes(h)}, {"average", half_json(signature.average[h])}, {"bins", bins}});
  }
  json["detail"] = signature.detail ? detail_json(*signature.detail) : Json();
  return json;
}

}  // namespace

Json to_json(std::span<const Signature> signatures) {
  const Signature& first = signatures.front();
  Json json;
  json["version"] = 1;
  json["accesses"] = first.accesses;
  json["sample_rate"] = first.sample_rate;
  json["word"] = first.rule.word;
  json["every_word"] = first.rule.every_word;
  json["signatures"] = Json::array();
  for (const Signature& s : signatures) json["signatures"].push_back(signature_json(s));
  return json;
}

}  // namespace cachescape::signature
