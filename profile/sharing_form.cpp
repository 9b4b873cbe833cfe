#include "profile/sharing_form.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "profile/form_rules.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {
namespace {

constexpr std::array<std::string_view, sharing_fates> fate_names = {"kept", "truly shared", "falsely shared"};

Result<void> check_distances(const CoherentProfile& degree, const std::string& name) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    std::uint64_t sum = degree.kinds[k].kept.cold;
    for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
      const std::vector<Bin>& bins = bins_of_fate(degree.kinds[k], fate);
      CACHESCAPE_CHECK(check_bins(bins, 0, sum, fmt::format("{}, {}, {}", name, kind_names[k], fate_names[fate])));
      sum += count_of(bins);
    }
  }
  for (std::size_t event = 0; event < sharing_events; ++event) {
    CACHESCAPE_CHECK(check_bins(bins_of_event(degree, event), 0, 0, fmt::format("{}, {}", name, event_names[event])));
  }
  return {};
}

Result<void> check_sets(const CoherentProfile& degree, const CoherentSets& sets, const std::string& degree_name) {
  CACHESCAPE_CHECK(in_range(sets.sets, fmt::format("{}: the number of sets", degree_name)));
  if (sets.sets == 0) return failure(ErrorKind::usage, fmt::format("{}: the number of sets is 0", degree_name));
  const std::string name = fmt::format("{}, {} sets", degree_name, sets.sets);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
      const std::vector<std::uint64_t>& cells = cells_of_fate(sets, k, fate);
      if (cells.size() != degree.ways) {
        return failure(ErrorKind::usage, fmt::format("{}: there are {} counts of {} lines, {}, not {}, one per way",
                                                     name, cells.size(), fate_names[fate], kind_names[k], degree.ways));
      }
      for (const std::uint64_t count : cells) {
        if (count > max_integer - sum) {
          return failure(ErrorKind::limit, fmt::format("{}: the sum of counts is more than {}", name, max_integer));
        }
        sum += count;
      }
    }
  }
  return {};
}

Result<void> check_grid(const CoherentProfile& degree, const std::string& name, std::uint64_t& cells) {
  if (degree.ways > max_ways) {
    return failure(ErrorKind::limit, fmt::format("{}: {} ways are more than {}", name, degree.ways, max_ways));
  }
  cells += degree.sets.size() * access_kinds * sharing_fates * degree.ways;
  if (cells > max_set_cells) {
    return failure(ErrorKind::limit,
                   fmt::format("{}: there are more than {} counters of set distances", name, max_set_cells));
  }
  for (std::size_t i = 0; i < degree.sets.size(); ++i) {
    CACHESCAPE_CHECK(check_sets(degree, degree.sets[i], name));
    if (i > 0 && degree.sets[i].sets <= degree.sets[i - 1].sets) {
      return failure(ErrorKind::usage, fmt::format("{}: {} sets follow {}: the numbers of sets must ascend", name,
                                                   degree.sets[i].sets, degree.sets[i - 1].sets));
    }
  }
  return {};
}

Result<void> check_degrees(const std::vector<CoherentProfile>& degrees) {
  std::uint64_t cells = 0;
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    const CoherentProfile& d = degrees[i];
    if (d.degree == 0) return failure(ErrorKind::usage, "sharing: caches that serve no thread");
    if (d.line.log2() > 30) {
      return failure(ErrorKind::usage, fmt::format("sharing: the line size 2^{} is larger than 2^30", d.line.log2()));
    }
    const std::string name = sharing_text(d.degree, d.line);
    if (i > 0 && std::pair(degrees[i - 1].degree, degrees[i - 1].line) >= std::pair(d.degree, d.line)) {
      return failure(ErrorKind::usage, fmt::format("{} must come before {}, and only once", name,
                                                   sharing_text(degrees[i - 1].degree, degrees[i - 1].line)));
    }
    CACHESCAPE_CHECK(check_distances(d, name));
    CACHESCAPE_CHECK(check_grid(d, name, cells));
  }
  return {};
}

Result<void> check_place(std::uint32_t site, std::uint32_t object, const Places& places, std::string_view what) {
  const auto check_index = [&](std::uint32_t index, std::size_t size, std::string_view of) -> Result<void> {
    if (index == nowhere || index < size) return {};
    return failure(ErrorKind::usage, fmt::format("{}: there is no {} {}", what, of, std::uint64_t{index} + 1));
  };
  CACHESCAPE_CHECK(check_index(site, places.sites.size(), "site"));
  return check_index(object, places.objects.size(), "object");
}

Result<void> check_misses(const std::array<std::uint64_t, sharing_kinds>& misses, std::string_view what) {
  for (const std::uint64_t count : misses) CACHESCAPE_CHECK(in_range(count, fmt::format("{}: the misses", what)));
  return {};
}

Result<void> check_pairs(const std::vector<SharingPair>& pairs, const Places& places) {
  for (const SharingPair& p : pairs) {
    CACHESCAPE_CHECK(check_place(p.site, p.object, places, "a pair of sharing"));
    CACHESCAPE_CHECK(check_place(p.writer_site, p.writer_object, places, "a pair of sharing"));
    CACHESCAPE_CHECK(check_misses(p.misses, "a pair of sharing"));
  }
  if (std::ranges::is_sorted(pairs)) return {};
  return failure(ErrorKind::usage, "pairs of sharing do not ascend");
}

Result<void> check_lines(const std::vector<SharedLine>& lines, const Places& places) {
  std::uint64_t uses = 0;
  for (const SharedLine& line : lines) {
    CACHESCAPE_CHECK(check_misses(line.misses, "a shared line"));
    for (const LineUse& u : line.uses) CACHESCAPE_CHECK(check_place(u.site, u.object, places, "a shared line"));
    uses += line.uses.size();
  }
  if (uses < nowhere) return {};
  return failure(ErrorKind::limit, fmt::format("{} uses of shared lines are more than {}", uses, nowhere - 1));
}

}  // namespace

Result<void> check_form(const Sharing& sharing, const Places& places) {
  CACHESCAPE_CHECK(check_degrees(sharing.degrees));
  for (const std::size_t size : {sharing.pairs.size(), sharing.lines.size()}) {
    if (size < nowhere) continue;
    return failure(ErrorKind::limit, fmt::format("{} pairs or lines of sharing are more than {}", size, nowhere - 1));
  }
  CACHESCAPE_CHECK(check_pairs(sharing.pairs, places));
  return check_lines(sharing.lines, places);
}

}  // namespace cachescape::profile
