// The naive twin of SignatureAnalysis: by the definition, with maps. For tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyze/distance/mattson_list.hpp"
#include "cachescape/access.hpp"
#include "cachescape/profile.hpp"

namespace cachescape::analyze {

class NaiveSignature {
 public:
  explicit NaiveSignature(SignatureRule rule) : rule_(rule) {}

  /// `last_toucher`: of this block so far, by whatever thread of the program.
  void refer(Address word, const Access& access, std::optional<ThreadId> last_toucher) {
    const Line block{word.value / 512};
    std::uint32_t distance = 0;
    list_.process(std::span(&block, 1), std::span(&distance, 1));
    const bool cold = distance == cold_distance;
    const std::size_t bin = cold ? cold_bin : bin_of(distance);
    if (cold) {
      if (const auto from = newest_.find(access.thread); from != newest_.end())
        ++steps_[(block.value + 4096 - from->second % 4096) % 4096];
      newest_[access.thread] = block.value;
    }
    SignatureBin counted;
    counted.references[static_cast<std::size_t>(access.kind)] = 1;
    counted.foreign = last_toucher && *last_toucher != access.thread ? 1 : 0;
    std::uint64_t half = 256;
    for (std::size_t h = 7; h-- > 0 && half >= rule_.word; half /= 2) {
      const std::uint64_t taken = word.value / half % 2;
      const auto [last, first_visit] = halves_.try_emplace({half, word.value / half / 2}, taken);
      if (!first_visit) counted.halves[h] = {last->second == taken ? 1u : 0u, 1};
      last->second = taken;
    }
    SignatureCounts all{};
    all[bin] = counted;
    add_to(counts_, all);
    add_to(sites_[static_cast<std::uint32_t>(access.site.value)], all);
  }

  SignatureProfile profile(Scope scope, bool by_site) const {
    SignatureProfile p{scope, rule_, counts_, {}, {}};
    for (const auto& [step, count] : steps_) p.steps.push_back({step, count});
    if (by_site)
      for (const auto& [site, counts] : sites_) p.sites.push_back({site, counts});
    return p;
  }

 private:
  static std::size_t bin_of(std::uint32_t distance) {
    if (distance == 0) return 0;
    for (std::size_t k = 1; k <= 16; ++k)
      if (distance < 1u << k) return k;
    return far_bin;
  }

  SignatureRule rule_;
  MattsonList list_;
  SignatureCounts counts_{};
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> halves_;  ///< by size and number of the part
  std::map<std::uint64_t, std::uint64_t> steps_;
  std::map<ThreadId, std::uint64_t> newest_;
  std::map<std::uint32_t, SignatureCounts> sites_;
};

/// The signatures of a whole program: of everything, and of its threads where there are several.
inline std::vector<SignatureProfile> naive_signatures(const std::vector<Access>& accesses, SignatureRule rule,
                                                      bool by_site) {
  NaiveSignature everything(rule);
  std::map<ThreadId, NaiveSignature> threads;
  std::map<std::uint64_t, ThreadId> touchers;
  for (const Access& a : accesses) {
    NaiveSignature& own = threads.try_emplace(a.thread, rule).first->second;
    const std::uint64_t first = a.address.value / rule.word;
    const std::uint64_t last = rule.every_word ? last_byte(a.address, a.size).value / rule.word : first;
    for (std::uint64_t word = first;; ++word) {
      const Address at{word * rule.word};
      const auto toucher = touchers.find(at.value / 512);
      const auto known = toucher == touchers.end() ? std::nullopt : std::optional(toucher->second);
      everything.refer(at, a, known);
      own.refer(at, a, known);
      touchers[at.value / 512] = a.thread;
      if (word == last) break;
    }
  }
  std::vector<SignatureProfile> all{everything.profile({}, by_site)};
  if (threads.size() > 1)
    for (const auto& [id, own] : threads) all.push_back(own.profile({Scope::Kind::thread, id}, false));
  return all;
}

}  // namespace cachescape::analyze
