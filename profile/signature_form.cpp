#include "profile/signature_form.hpp"

#include <fmt/format.h>

#include "profile/form_rules.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

std::unexpected<Error> wrong(const std::string& name, std::string_view what) {
  return failure(ErrorKind::usage, fmt::format("{}: {}", name, what));
}

Result<void> check_counts(const SignatureCounts& counts, const SignatureRule& rule, const std::string& name) {
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < signature_bins; ++b) {
    for (const std::uint64_t kind : counts[b].references) {
      CACHESCAPE_CHECK(in_range(kind, fmt::format("{}: a number of references", name)));
      sum += kind;
      CACHESCAPE_CHECK(in_range(sum, fmt::format("{}: the sum of references", name)));
    }
    if (const std::string fault = fault_of(b, counts[b], rule.word); !fault.empty())
      return wrong(fmt::format("{}, bin {}", name, b), fault);
  }
  return {};
}

Result<void> check_sites(const SignatureProfile& signature, const Places& places, const std::string& name) {
  if (!signature.sites.empty() && signature.scope.kind == Scope::Kind::thread)
    return wrong(name, "sites are told of everything only");
  for (std::size_t i = 0; i < signature.sites.size(); ++i) {
    const SiteSignature& s = signature.sites[i];
    const std::string whose = fmt::format("{}, site {}", name, s.site);
    if (s.site >= places.sites.size()) return wrong(whose, "there is no such site");
    if (i > 0 && s.site <= signature.sites[i - 1].site) return wrong(whose, "sites must ascend");
    if (s.counts == SignatureCounts{}) return wrong(whose, "it made no references");
    CACHESCAPE_CHECK(check_counts(s.counts, signature.rule, whose));
  }
  return {};
}

}  // namespace

std::string signature_text(const Scope& scope, const SignatureRule& rule) {
  return fmt::format("signature of {}, {}{}-byte words", scope_text(scope), rule.every_word ? "all " : "", rule.word);
}

std::uint64_t references_in(const SignatureBin& bin) {
  return bin.references[0] + bin.references[1] + bin.references[2];
}

std::string fault_of(std::size_t bin, const SignatureBin& counts, std::uint32_t word) {
  const std::uint64_t references = references_in(counts);
  if (counts.foreign > references) return "more references follow another thread's than there are";
  for (std::size_t h = 0; h < signature_halves; ++h) {
    const HalfCounts& half = counts.halves[h];
    if (half == HalfCounts{}) continue;
    if (half_bytes(h) < word) return fmt::format("halves of {} bytes are less than a word", half_bytes(h));
    if (bin == cold_bin) return "what is touched for the first time has no part that was touched before";
    if (half.again > references)
      return fmt::format("{} bytes: parts are touched more often than blocks", half_bytes(h));
    if (half.same > half.again)
      return fmt::format("{} bytes: more touches of the same half than of any", half_bytes(h));
  }
  return "";
}

Result<void> check_form(std::span<const SignatureProfile> signatures, const Places& places) {
  std::uint64_t sites = 0;
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const SignatureProfile& s = signatures[i];
    const std::string name = signature_text(s.scope, s.rule);
    if (s.rule.word != 4 && s.rule.word != 8) return wrong(name, "words have 4 or 8 bytes");
    if (s.scope.kind == Scope::Kind::everything && s.scope.thread.value != 0)
      return wrong(name, fmt::format("the scope is everything, but names thread {}", s.scope.thread.value));
    if (i > 0 && !(signature_key(signatures[i - 1].scope, signatures[i - 1].rule) < signature_key(s.scope, s.rule))) {
      return wrong(name, fmt::format("it must come before the {}, and only once",
                                     signature_text(signatures[i - 1].scope, signatures[i - 1].rule)));
    }
    CACHESCAPE_CHECK(check_counts(s.counts, s.rule, name));
    CACHESCAPE_CHECK(check_bins(s.steps, 0, 0, fmt::format("{}, steps", name)));
    if (!s.steps.empty() && s.steps.back().value >> signature_step_bits != 0)
      return wrong(name, fmt::format("a step of {} blocks is not less than {}", s.steps.back().value,
                                     1u << signature_step_bits));
    CACHESCAPE_CHECK(check_sites(s, places, name));
    sites += s.sites.size();
    if (sites > max_signature_sites) {
      return failure(ErrorKind::limit,
                     fmt::format("{}: there are more than {} sites in all signatures", name, max_signature_sites));
    }
  }
  return {};
}

}  // namespace cachescape::profile
