#include "profile/signature_merge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "profile/signature_form.hpp"

namespace cachescape::profile {
namespace {

bool knows(const Profile& profile, Scope::Kind scope, const SignatureRule& rule) {
  return std::ranges::any_of(profile.signatures,
                             [&](const SignatureProfile& s) { return s.scope.kind == scope && s.rule == rule; });
}

Result<void> check_same(std::span<const Profile> inputs) {
  for (std::size_t has = 0; has < inputs.size(); ++has) {
    for (const SignatureProfile& s : inputs[has].signatures) {
      for (std::size_t lacks = 0; lacks < inputs.size(); ++lacks) {
        if (knows(inputs[lacks], s.scope.kind, s.rule)) continue;
        return failure(
            ErrorKind::usage,
            fmt::format("input {} has no {}, but input {} has", lacks + 1, signature_text(s.scope, s.rule), has + 1),
            "", "record all inputs with the same options");
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<SignatureProfile>> merge_signatures(std::span<const Profile> inputs,
                                                       std::span<const PlaceNumbers> numbers) {
  CACHESCAPE_CHECK(check_same(inputs));
  using Key = decltype(signature_key(Scope{}, SignatureRule{}));
  std::map<Key, SignatureProfile> sums;
  std::map<Key, std::map<std::uint32_t, SignatureCounts>> sites;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const SignatureProfile& s : inputs[i].signatures) {
      const Key key = signature_key(s.scope, s.rule);
      SignatureProfile& sum = sums[key];
      sum.scope = s.scope;
      sum.rule = s.rule;
      add_to(sum.counts, s.counts);
      sum.steps = sum_of(sum.steps, s.steps);
      for (const SiteSignature& site : s.sites) add_to(sites[key][numbers[i].sites[site.site]], site.counts);
    }
  }
  std::vector<SignatureProfile> merged;
  for (auto& [key, sum] : sums) {
    for (const auto& [site, counts] : sites[key]) sum.sites.push_back({site, counts});
    merged.push_back(std::move(sum));
  }
  return merged;
}

}  // namespace cachescape::profile
