#include "profile/signature_writer.hpp"

#include "profile/bundled_insert.hpp"
#include "profile/insert.hpp"
#include "profile/signature_form.hpp"

namespace cachescape::profile {
namespace {

/// The tables that hold counts, which are filled in the order of their primary keys, so that every row is appended.
struct CountTables {
  BundledInsert<7> bins;
  BundledInsert<6> halves;
};

Result<void> write_counts(CountTables& tables, std::uint64_t id, std::uint64_t site, const SignatureCounts& counts) {
  for (std::uint64_t b = 0; b < signature_bins; ++b) {
    const SignatureBin& bin = counts[b];
    if (references_in(bin) == 0) continue;
    const KindCounts& r = bin.references;
    CACHESCAPE_CHECK(tables.bins.add({id, site, b, r[0], r[1], r[2], bin.foreign}));
    for (std::size_t h = 0; h < signature_halves; ++h) {
      const HalfCounts& half = bin.halves[h];
      if (half.again > 0) CACHESCAPE_CHECK(tables.halves.add({id, site, b, half_bytes(h), half.same, half.again}));
    }
  }
  return {};
}

}  // namespace

Result<void> write_signatures(const Database& database, std::span<const SignatureProfile> signatures) {
  CACHESCAPE_TRY(Statement head, database.prepare("INSERT INTO signature VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  CACHESCAPE_TRY(auto bins, BundledInsert<7>::prepare(database, "signature_bin"));
  CACHESCAPE_TRY(auto halves, BundledInsert<6>::prepare(database, "signature_half"));
  CACHESCAPE_TRY(auto steps, BundledInsert<3>::prepare(database, "signature_step"));
  CountTables tables{std::move(bins), std::move(halves)};
  std::uint64_t id = 0;
  for (const SignatureProfile& signature : signatures) {
    ++id;
    KindCounts references{};
    for (const SignatureBin& bin : signature.counts)
      for (std::size_t k = 0; k < access_kinds; ++k) references[k] += bin.references[k];
    std::uint64_t all_steps = 0;
    for (const Bin& step : signature.steps) {
      CACHESCAPE_CHECK(steps.add({id, step.value, step.count}));
      all_steps += step.count;
    }
    head.bind(1, id);
    bind_scope(head, 2, signature.scope);
    head.bind(4, std::uint64_t{signature.rule.word});
    head.bind(5, std::uint64_t{signature.rule.every_word});
    for (std::size_t k = 0; k < access_kinds; ++k) head.bind(6 + static_cast<int>(k), references[k]);
    head.bind(9, all_steps);
    CACHESCAPE_CHECK(head.run());
    CACHESCAPE_CHECK(write_counts(tables, id, 0, signature.counts));
    for (const SiteSignature& s : signature.sites)
      CACHESCAPE_CHECK(write_counts(tables, id, std::uint64_t{s.site} + 1, s.counts));
  }
  CACHESCAPE_CHECK(tables.bins.finish());
  CACHESCAPE_CHECK(tables.halves.finish());
  return steps.finish();
}

}  // namespace cachescape::profile
