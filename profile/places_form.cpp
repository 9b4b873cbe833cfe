#include "profile/places_form.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profile/form_rules.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

Result<void> check_index(std::uint32_t index, std::size_t size, std::string_view what, const std::string& name) {
  if (index == nowhere || index < size) return {};
  return failure(ErrorKind::usage, fmt::format("{}: there is no {} {}", name, what, std::uint64_t{index} + 1));
}

Result<void> check_text(const std::string& text, const std::string& name) {
  if (text.size() < max_text) return {};
  return failure(ErrorKind::limit, fmt::format("{}: a text has more than {} bytes", name, max_text));
}

/// Numbers in messages count from 1, as the rows of the file do.
template <class Part>
std::string name_of(std::string_view what, const std::vector<Part>& all, const Part& part) {
  return fmt::format("{} {}", what, &part - all.data() + 1);
}

/// Chains are followed once each: what was found to end is marked.
Result<void> check_chains(const std::vector<Location>& locations) {
  enum class Mark : std::uint8_t { unseen, on_this_chain, ends };
  std::vector<Mark> marks(locations.size(), Mark::unseen);
  for (std::uint32_t start = 0; start < locations.size(); ++start) {
    std::uint32_t at = start;
    for (; at != nowhere && marks[at] == Mark::unseen; at = locations[at].inlined_at) marks[at] = Mark::on_this_chain;
    if (at != nowhere && marks[at] == Mark::on_this_chain) {
      return failure(ErrorKind::usage, fmt::format("location {} is inlined into itself", at + 1));
    }
    for (at = start; at != nowhere && marks[at] == Mark::on_this_chain; at = locations[at].inlined_at) {
      marks[at] = Mark::ends;
    }
  }
  return {};
}

Result<void> check_locations(const std::vector<Location>& locations) {
  for (const Location& l : locations) {
    const std::string name = name_of("location", locations, l);
    CACHESCAPE_CHECK(check_text(l.function, name));
    CACHESCAPE_CHECK(check_text(l.file, name));
    CACHESCAPE_CHECK(check_index(l.inlined_at, locations.size(), "location", name));
  }
  return check_chains(locations);
}

Result<void> check_code(const Places& p) {
  for (const Block& b : p.blocks) {
    const std::string name = name_of("block", p.blocks, b);
    CACHESCAPE_CHECK(check_text(b.function, name));
    CACHESCAPE_CHECK(check_text(b.module, name));
    CACHESCAPE_CHECK(check_index(b.location, p.locations.size(), "location", name));
    CACHESCAPE_CHECK(in_range(b.executions, fmt::format("{}: the number of executions", name)));
    CACHESCAPE_CHECK(in_range(b.instructions, fmt::format("{}: the number of instructions", name)));
  }
  for (const Site& s : p.sites) {
    const std::string name = name_of("site", p.sites, s);
    CACHESCAPE_CHECK(check_text(s.variable, name));
    CACHESCAPE_CHECK(check_text(s.type, name));
    CACHESCAPE_CHECK(check_index(s.location, p.locations.size(), "location", name));
    CACHESCAPE_CHECK(check_index(s.block, p.blocks.size(), "block", name));
  }
  for (const Counted& c : p.counted) {
    const std::string name = name_of("counter", p.counted, c);
    CACHESCAPE_CHECK(check_text(c.metric, name));
    CACHESCAPE_CHECK(check_index(c.block, p.blocks.size(), "block", name));
    CACHESCAPE_CHECK(in_range(c.value, fmt::format("{}: the value", name)));
  }
  return {};
}

/// Callers come first, so that no chain is endless.
Result<void> check_contexts(const Places& p) {
  std::vector<std::size_t> callers;
  for (const Context& c : p.contexts) {
    const std::string name = name_of("context", p.contexts, c);
    CACHESCAPE_CHECK(check_text(c.function, name));
    CACHESCAPE_CHECK(check_text(c.module, name));
    CACHESCAPE_CHECK(in_range(c.calls, fmt::format("{}: the number of calls", name)));
    if (c.caller != nowhere && c.caller >= callers.size()) {
      return failure(ErrorKind::usage, fmt::format("{}: its caller, context {}, does not come before it", name,
                                                   std::uint64_t{c.caller} + 1));
    }
    callers.push_back(c.caller == nowhere ? 0 : callers[c.caller] + 1);
    if (callers.back() > most_callers)
      return failure(ErrorKind::limit, fmt::format("{} has more than {} callers", name, most_callers));
  }
  for (std::size_t i = 0; i < p.context_counted.size(); ++i) {
    const ContextCounted& c = p.context_counted[i];
    const std::string name = fmt::format("counter {} of context {}", c.metric, std::uint64_t{c.context} + 1);
    CACHESCAPE_CHECK(check_text(c.metric, name));
    CACHESCAPE_CHECK(in_range(c.value, fmt::format("{}: the value", name)));
    if (c.context >= p.contexts.size()) return failure(ErrorKind::usage, fmt::format("{}: there is no such one", name));
    if (i > 0 &&
        std::tie(p.context_counted[i - 1].context, p.context_counted[i - 1].metric) >= std::tie(c.context, c.metric))
      return failure(ErrorKind::usage, fmt::format("{}: contexts and metrics must ascend", name));
  }
  return {};
}

Result<void> check_objects(const Places& p) {
  for (const Object& o : p.objects) {
    const std::string name = name_of("object", p.objects, o);
    CACHESCAPE_CHECK(check_text(o.name, name));
    CACHESCAPE_CHECK(check_index(o.location, p.locations.size(), "location", name));
    if (static_cast<unsigned>(o.kind) > static_cast<unsigned>(Object::Kind::stack)) {
      return failure(ErrorKind::usage,
                     fmt::format("{}: there is no kind of object {}", name, static_cast<unsigned>(o.kind)));
    }
    CACHESCAPE_CHECK(in_range(o.allocations, fmt::format("{}: the number of allocations", name)));
    CACHESCAPE_CHECK(in_range(o.bytes, fmt::format("{}: the number of bytes", name)));
    CACHESCAPE_CHECK(in_range(o.most_bytes, fmt::format("{}: the number of bytes at one time", name)));
  }
  return {};
}

Result<void> check_distances(const std::vector<PlaceDistances>& all, std::size_t places, std::string_view what) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PlaceDistances& d = all[i];
    const std::string name = fmt::format("distances of {} {}", what, std::uint64_t{d.place} + 1);
    if (d.place >= places) return failure(ErrorKind::usage, fmt::format("{}: there is no such {}", name, what));
    if (i > 0 && d.place <= all[i - 1].place) {
      return failure(ErrorKind::usage, fmt::format("{} follow those of {} {}: they must ascend", name, what,
                                                   std::uint64_t{all[i - 1].place} + 1));
    }
    CACHESCAPE_CHECK(in_range(d.accesses, fmt::format("{}: accesses", name)));
    CACHESCAPE_CHECK(in_range(d.bytes, fmt::format("{}: the number of bytes", name)));
    for (std::size_t k = 0; k < access_kinds; ++k) {
      const std::string of_kind = fmt::format("{}, {}", name, kind_names[k]);
      CACHESCAPE_CHECK(check_bins(d.kinds[k].bins, 0, d.kinds[k].cold, of_kind));
      for (const Bin& b : d.kinds[k].bins) {
        if (b.value == place_distance(b.value)) continue;
        return failure(ErrorKind::usage,
                       fmt::format("{}: distance {} has more than five binary digits; {} was expected", of_kind,
                                   b.value, place_distance(b.value)));
      }
    }
  }
  return {};
}

}  // namespace

Result<void> check_form(const Places& places) {
  for (const std::size_t size : {places.locations.size(), places.blocks.size(), places.sites.size(),
                                 places.objects.size(), places.contexts.size()}) {
    if (size >= nowhere) {
      return failure(ErrorKind::limit, fmt::format("{} locations, blocks, sites, objects or contexts are more than {}",
                                                   size, nowhere - 1));
    }
  }
  CACHESCAPE_CHECK(check_locations(places.locations));
  CACHESCAPE_CHECK(check_code(places));
  CACHESCAPE_CHECK(check_contexts(places));
  CACHESCAPE_CHECK(check_objects(places));
  if (places.line.log2() > 30) {
    return failure(ErrorKind::usage, fmt::format("places: the line size 2^{} is larger than 2^30", places.line.log2()));
  }
  CACHESCAPE_CHECK(check_distances(places.site_distances, places.sites.size(), "site"));
  return check_distances(places.object_distances, places.objects.size(), "object");
}

}  // namespace cachescape::profile
