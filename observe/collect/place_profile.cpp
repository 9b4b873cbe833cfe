#include "observe/collect/place_profile.hpp"

#include <algorithm>
#include <map>

#include "observe/collect/code_places.hpp"

namespace cachescape::collect {
namespace {

std::vector<PlaceDistances> in_order(std::map<std::uint32_t, PlaceDistances>&& by_place) {
  std::vector<PlaceDistances> all;
  for (auto& [place, distances] : by_place) {
    distances.place = place;
    all.push_back(std::move(distances));
  }
  return all;
}

/// Renumbers to the members that `used` marks.
class Renumbering {
 public:
  explicit Renumbering(std::size_t size) : numbers_(size, nowhere) {}
  bool use(std::uint32_t old) {
    if (old == nowhere || numbers_[old] != nowhere) return false;
    numbers_[old] = 0;
    return true;
  }
  template <class T>
  std::vector<T> kept(std::vector<T>& all) {
    std::vector<T> rest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (numbers_[i] == nowhere) continue;
      numbers_[i] = static_cast<std::uint32_t>(rest.size());
      rest.push_back(std::move(all[i]));
    }
    return rest;
  }
  std::uint32_t operator()(std::uint32_t old) const { return old == nowhere ? nowhere : numbers_[old]; }

 private:
  std::vector<std::uint32_t> numbers_;
};

/// Calls visit(site, object) for each pair of them in `sharing`.
template <class Visit>
void for_each_place(Sharing& sharing, Visit visit) {
  for (SharingPair& pair : sharing.pairs) {
    visit(pair.site, pair.object);
    visit(pair.writer_site, pair.writer_object);
  }
  for (SharedLine& line : sharing.lines)
    for (LineUse& use : line.uses) visit(use.site, use.object);
}

/// What each site did, from what each place did; nothing of places without a site.
void add_up_sites(SignatureProfile& signature, const PlaceNumbers& numbers) {
  std::map<std::uint32_t, SignatureCounts> by_site;
  for (const SiteSignature& place : signature.sites) {
    if (place.site >= numbers.pairs().size() || place.counts == SignatureCounts{}) continue;
    const std::uint32_t site = numbers.pairs()[place.site].site;
    if (site != nowhere) add_to(by_site[site], place.counts);
  }
  signature.sites.clear();
  for (const auto& [site, counts] : by_site) signature.sites.push_back({site, counts});
}

/// Drops locations, blocks, sites and objects that nothing that ran refers to.
void keep_what_ran(Profile& profile) {
  Places& p = profile.places;
  Renumbering locations(p.locations.size()), blocks(p.blocks.size()), sites(p.sites.size()), objects(p.objects.size());
  const auto use_location = [&](std::uint32_t l) {
    for (; l != nowhere && locations.use(l); l = p.locations[l].inlined_at) {
    }
  };
  const auto use_block = [&](std::uint32_t b) {
    if (blocks.use(b)) use_location(p.blocks[b].location);
  };
  for (std::uint32_t b = 0; b < p.blocks.size(); ++b)
    if (p.blocks[b].executions > 0) use_block(b);
  for (const Counted& c : p.counted) use_block(c.block);
  const auto use_site = [&](std::uint32_t s) {
    if (!sites.use(s)) return;
    use_block(p.sites[s].block);
    use_location(p.sites[s].location);
  };
  for (const PlaceDistances& d : p.site_distances) use_site(d.place);
  for (const SignatureProfile& signature : profile.signatures)
    for (const SiteSignature& s : signature.sites) use_site(s.site);
  for (const PlaceDistances& d : p.object_distances)
    if (objects.use(d.place)) use_location(p.objects[d.place].location);

  p.locations = locations.kept(p.locations);
  p.blocks = blocks.kept(p.blocks);
  p.sites = sites.kept(p.sites);
  p.objects = objects.kept(p.objects);
  for (Location& l : p.locations) l.inlined_at = locations(l.inlined_at);
  for (Block& b : p.blocks) b.location = locations(b.location);
  for (Site& s : p.sites) {
    s.location = locations(s.location);
    s.block = blocks(s.block);
  }
  for (Object& o : p.objects) o.location = locations(o.location);
  for (Counted& c : p.counted) c.block = blocks(c.block);
  for (PlaceDistances& d : p.site_distances) d.place = sites(d.place);
  for (PlaceDistances& d : p.object_distances) d.place = objects(d.place);
  for_each_place(profile.sharing, [&](std::uint32_t& site, std::uint32_t& object) {
    site = sites(site);
    object = objects(object);
  });
  for (SignatureProfile& signature : profile.signatures)
    for (SiteSignature& s : signature.sites) s.site = sites(s.site);
}

/// Which sites have accesses.
std::vector<bool> sites_of(const Places& counted, const PlaceNumbers& numbers) {
  std::vector<bool> sites;
  for (const PlaceDistances& d : counted.site_distances) {
    if (d.place >= numbers.pairs().size()) continue;
    const std::uint32_t site = numbers.pairs()[d.place].site;
    if (site == nowhere) continue;
    if (site >= sites.size()) sites.resize(site + 1);
    sites[site] = true;
  }
  return sites;
}

}  // namespace

void complete_places(const DecoderContext& context, const SessionFile& session, Profile& profile,
                     std::vector<Error>& problems) {
  problems = context.stacks.problems();
  const Places counted = std::move(profile.places);
  Sharing& sharing = profile.sharing;
  Places& places = profile.places = {};
  if (context.code.joined()) {
    places = places_of_code(context, sites_of(counted, context.places), problems);
  } else {
    places = context.modules.counted(session);
    places.objects = context.objects.objects();
  }
  places.line = counted.line;
  places.counted.insert(places.counted.end(), counted.counted.begin(), counted.counted.end());
  // Addresses that belong to nothing we know are an object of their own.
  Object unknown;
  unknown.name = "(unknown)";
  places.objects.push_back(unknown);
  const auto unknown_number = static_cast<std::uint32_t>(places.objects.size() - 1);
  std::map<std::uint32_t, PlaceDistances> by_site, by_object;
  for (const PlaceDistances& d : counted.site_distances) {
    if (d.place >= context.places.pairs().size()) continue;
    const PlaceNumbers::Pair pair = context.places.pairs()[d.place];
    if (pair.site == nowhere) continue;
    by_site[pair.site].add(d);
    by_object[pair.object == nowhere ? unknown_number : pair.object].add(d);
  }
  places.site_distances = in_order(std::move(by_site));
  places.object_distances = in_order(std::move(by_object));
  for_each_place(sharing, [&](std::uint32_t& site, std::uint32_t& object) {
    const std::uint32_t number = site;
    site = object = nowhere;
    if (number >= context.places.pairs().size()) return;
    const PlaceNumbers::Pair pair = context.places.pairs()[number];
    if (pair.site == nowhere) return;
    site = pair.site;
    object = pair.object == nowhere ? unknown_number : pair.object;
  });
  for (SignatureProfile& signature : profile.signatures) add_up_sites(signature, context.places);
  keep_what_ran(profile);
  std::ranges::sort(sharing.pairs);
}

}  // namespace cachescape::collect
