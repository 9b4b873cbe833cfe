#include "profile/signature_reader.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "profile/row_cursor.hpp"
#include "profile/schema.hpp"
#include "profile/signature_form.hpp"

namespace cachescape::profile {
namespace {

/// The counts that rows of one site belong to; 0 is all sites. Null where there are none.
SignatureCounts* find_counts(SignatureProfile& signature, std::uint64_t site) {
  if (site == 0) return &signature.counts;
  const auto found = std::ranges::lower_bound(signature.sites, site - 1, {}, &SiteSignature::site);
  return found != signature.sites.end() && found->site == site - 1 ? &found->counts : nullptr;
}

/// Rows come by site and bin.
Result<void> read_bins(RowCursor& rows, std::uint64_t id, const SignatureHeader& header, std::size_t known_sites,
                       std::uint64_t& sites, SignatureProfile& signature) {
  rows.restart(id);
  KindCounts left = header.references;
  std::uint64_t of_site = 0;
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    CACHESCAPE_TRY(const std::uint64_t site, rows.integer(1));
    CACHESCAPE_TRY(const std::uint64_t bin, rows.at_most(2, signature_bins - 1));
    CACHESCAPE_TRY(const KindCounts references, rows.counts(3));
    CACHESCAPE_TRY(const std::uint64_t foreign, rows.integer(6));
    if (site > 0 && (signature.sites.empty() || signature.sites.back().site != site - 1)) {
      if (signature.scope.kind == Scope::Kind::thread) return rows.malformed("sites are told of everything only");
      if (site > known_sites) return rows.malformed(fmt::format("there is no site {}", site));
      if (++sites > max_signature_sites) {
        return rows.failed(ErrorKind::limit,
                           fmt::format("there are more than {} sites in all signatures", max_signature_sites));
      }
      signature.sites.push_back({static_cast<std::uint32_t>(site - 1), {}});
      of_site = 0;
    }
    bool any = false;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      any = any || references[k] > 0;
      if (site > 0) {
        if (references[k] > max_integer - of_site) return rows.malformed("the references are too many");
        of_site += references[k];
      } else {
        if (references[k] > left[k]) return rows.malformed("the references are more than table signature says");
        left[k] -= references[k];
      }
    }
    if (!any) return rows.malformed("there are no references: at least 1 was expected");
    SignatureBin& counts = (*find_counts(signature, site))[bin];
    counts.references = references;
    counts.foreign = foreign;
    if (const std::string fault = fault_of(bin, counts, signature.rule.word); !fault.empty())
      return rows.malformed(fault);
  }
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (left[k] == 0) continue;
    return rows.malformed_table(
        fmt::format("the references of signature {}, kind {} are {} less than table signature says", id, k, left[k]));
  }
  return {};
}

Result<void> read_halves(RowCursor& rows, std::uint64_t id, SignatureProfile& signature) {
  rows.restart(id);
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t site, rows.integer(1));
    CACHESCAPE_TRY(const std::uint64_t bin, rows.at_most(2, signature_bins - 1));
    CACHESCAPE_TRY(const std::uint64_t bytes, rows.integer(3));
    HalfCounts half;
    CACHESCAPE_TRY(half.same, rows.integer(4));
    CACHESCAPE_TRY(half.again, rows.integer(5));
    if (!std::has_single_bit(bytes) || bytes < half_bytes(0) || bytes > half_bytes(signature_halves - 1))
      return rows.malformed("half is none of 4, 8 … 256");
    SignatureCounts* const counts = find_counts(signature, site);
    if (counts == nullptr || references_in((*counts)[bin]) == 0)
      return rows.malformed("there is no such row in table signature_bin");
    if (half.again == 0) return rows.malformed("again is 0: at least 1 was expected");
    const auto h = static_cast<std::size_t>(std::countr_zero(bytes) - std::countr_zero(half_bytes(0)));
    (*counts)[bin].halves[h] = half;
    if (const std::string fault = fault_of(bin, (*counts)[bin], signature.rule.word); !fault.empty())
      return rows.malformed(fault);
  }
}

Result<void> read_steps(RowCursor& rows, std::uint64_t id, std::uint64_t sum, std::vector<Bin>& steps) {
  rows.restart(id);
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    Bin step;
    CACHESCAPE_TRY(step.value, rows.at_most(1, (std::uint64_t{1} << signature_step_bits) - 1));
    CACHESCAPE_TRY(step.count, rows.integer(2));
    if (step.count == 0) return rows.malformed("count is 0: at least 1 was expected");
    if (step.count > sum) return rows.malformed("the counts come to more than steps in table signature");
    sum -= step.count;
    steps.push_back(step);
  }
  if (sum == 0) return {};
  return rows.malformed_table(
      fmt::format("the counts of signature {} come to {} less than steps in table signature", id, sum));
}

}  // namespace

Result<std::vector<SignatureHeader>> read_signature_headers(const Database& database) {
  std::vector<SignatureHeader> headers;
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, "signature",
                         "SELECT id, scope, thread, word, every_word, reads, writes, modifies, steps FROM signature "
                         "ORDER BY id",
                         1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return headers;
    SignatureHeader next;
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    if (id != headers.size() + 1) return rows.malformed(fmt::format("id {} was expected", headers.size() + 1));
    CACHESCAPE_TRY(next.scope, rows.scope(1));
    CACHESCAPE_TRY(const std::uint64_t word, rows.integer(3));
    if (word != 4 && word != 8) return rows.malformed(fmt::format("word is {}: 4 or 8 was expected", word));
    CACHESCAPE_TRY(const std::uint64_t every_word, rows.at_most(4, 1));
    next.rule = {static_cast<std::uint32_t>(word), every_word == 1};
    CACHESCAPE_TRY(next.references, rows.counts(5));
    std::uint64_t sum = 0;
    for (const std::uint64_t kind : next.references) {
      sum += kind;
      if (sum > max_integer) return rows.malformed("the references are too many");
    }
    CACHESCAPE_TRY(next.steps, rows.integer(8));
    if (!headers.empty() &&
        !(signature_key(headers.back().scope, headers.back().rule) < signature_key(next.scope, next.rule))) {
      return rows.malformed(fmt::format("{} follows {}: scopes and words must ascend",
                                        signature_text(next.scope, next.rule),
                                        signature_text(headers.back().scope, headers.back().rule)));
    }
    headers.push_back(next);
  }
}

Result<std::vector<SignatureProfile>> read_signatures(const Database& database,
                                                      const std::vector<SignatureHeader>& headers,
                                                      const ReadFilter& filter, const Places& places) {
  for (const std::string_view table : {"signature_bin", "signature_half", "signature_step"}) {
    CACHESCAPE_CHECK(check_orphans(database, table, "signature", headers.size()));
  }
  const std::string_view whose = filter.places ? "" : " AND site = 0";
  CACHESCAPE_TRY(RowCursor bins,
                 rows_of(database, "signature_bin",
                         fmt::format("SELECT signature, site, bin, reads, writes, modifies, after_others FROM "
                                     "signature_bin WHERE signature = ?1{} ORDER BY site, bin",
                                     whose),
                         3));
  CACHESCAPE_TRY(RowCursor halves,
                 rows_of(database, "signature_half",
                         fmt::format("SELECT signature, site, bin, half, same, again FROM signature_half WHERE "
                                     "signature = ?1{} ORDER BY site, bin, half",
                                     whose),
                         4));
  CACHESCAPE_TRY(RowCursor steps,
                 rows_of(database, "signature_step",
                         "SELECT signature, step, count FROM signature_step WHERE signature = ?1 ORDER BY step", 2));
  std::vector<SignatureProfile> signatures;
  std::uint64_t sites = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (!filter.scopes.empty() && std::ranges::find(filter.scopes, headers[i].scope) == filter.scopes.end()) continue;
    SignatureProfile& signature = signatures.emplace_back();
    signature.scope = headers[i].scope;
    signature.rule = headers[i].rule;
    CACHESCAPE_CHECK(read_bins(bins, i + 1, headers[i], places.sites.size(), sites, signature));
    CACHESCAPE_CHECK(read_halves(halves, i + 1, signature));
    CACHESCAPE_CHECK(read_steps(steps, i + 1, headers[i].steps, signature.steps));
  }
  return signatures;
}

}  // namespace cachescape::profile
