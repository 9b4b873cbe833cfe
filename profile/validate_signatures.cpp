#include <algorithm>
#include <string>

#include "profile/problems.hpp"
#include "profile/scope_text.hpp"
#include "profile/signature_form.hpp"

namespace cachescape::profile {
namespace {

/// A part of a block was touched before only if the larger one around it was, and every block that is touched again
/// was.
void validate_halves(const SignatureProfile& signature, const std::string& name, Problems& problems) {
  for (std::size_t b = 0; b < cold_bin; ++b) {
    const SignatureBin& bin = signature.counts[b];
    std::uint64_t around = references_in(bin);
    if (bin.halves.back().again != around) {
      problems.add("{}, bin {}: {} references to blocks that were touched before, but {} to some half of them", name, b,
                   around, bin.halves.back().again);
    }
    for (std::size_t h = signature_halves; h-- > 0 && half_bytes(h) >= signature.rule.word;) {
      if (bin.halves[h].again > around) {
        problems.add("{}, bin {}: parts of {} bytes are touched again more often than those around them", name, b,
                     2 * half_bytes(h));
      }
      around = bin.halves[h].again;
    }
  }
}

void validate_steps(const SignatureProfile& signature, const std::string& name, Problems& problems) {
  const std::uint64_t cold = references_in(signature.counts[cold_bin]);
  std::uint64_t steps = 0;
  for (const Bin& step : signature.steps) steps += step.count;
  if (steps > 0 && steps >= cold) problems.add("{}: there are {} steps between {} first touches", name, steps, cold);
}

void validate_references(const Profile& profile, const SignatureProfile& signature, const std::string& name,
                         Problems& problems) {
  const bool everything = signature.scope.kind == Scope::Kind::everything;
  const auto thread = std::ranges::find(profile.threads, signature.scope.thread, &ThreadCounts::thread);
  if (!everything && thread == profile.threads.end()) {
    problems.add("there is a {}, which made no access", name);
    return;
  }
  const KindCounts accesses = everything ? profile.accesses() : thread->accesses;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    std::uint64_t references = 0;
    for (const SignatureBin& bin : signature.counts) references += bin.references[k];
    if (references < accesses[k] || (!signature.rule.every_word && references > accesses[k])) {
      problems.add("{}: {} accesses make {} {} references", name, accesses[k], references, kind_names[k]);
    }
  }
}

/// First touches are those of the blocks that the stack distances know.
void validate_blocks(const Profile& profile, const SignatureProfile& signature, const std::string& name,
                     Problems& problems) {
  const std::uint64_t cold = references_in(signature.counts[cold_bin]);
  for (const StackProfile& stack : profile.stacks) {
    if (stack.scope != signature.scope || stack.line != signature_block) continue;
    const std::uint64_t lines = stack.footprint_lines;
    // An access may end in another block than the one of its first word.
    if (cold > lines || (signature.rule.every_word && cold < lines))
      problems.add("{}: {} blocks are touched, but the footprint has {}", name, cold, lines);
  }
}

void validate_sites(const SignatureProfile& signature, const std::string& name, Problems& problems) {
  SignatureCounts sum{};
  for (const SiteSignature& s : signature.sites) add_to(sum, s.counts);
  for (std::size_t b = 0; b < signature_bins; ++b) {
    if (references_in(sum[b]) > references_in(signature.counts[b]))
      problems.add("{}, bin {}: the sites make more references than there are", name, b);
  }
}

}  // namespace

void validate_signatures(const Profile& profile, Problems& problems) {
  for (const SignatureProfile& signature : profile.signatures) {
    const std::string name = signature_text(signature.scope, signature.rule);
    validate_halves(signature, name, problems);
    validate_steps(signature, name, problems);
    validate_references(profile, signature, name, problems);
    validate_blocks(profile, signature, name, problems);
    validate_sites(signature, name, problems);
  }
}

}  // namespace cachescape::profile
