#include "machine/detect.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "machine/validate.hpp"

namespace cachescape::machine {

namespace {

constexpr std::uint64_t assumed_line = 64;
constexpr std::uint64_t assumed_ways_first = 8;
constexpr std::uint64_t assumed_ways_outer = 16;
constexpr std::string_view reported = "reported by hwloc";

void say(Machine& m, std::string_view level, std::string_view key, std::string text) {
  m.sources.emplace_back(fmt::format("{}.{}", level, key), std::move(text));
}

/// The largest number of ways up to `wanted` that divides `lines`.
std::uint64_t ways_within(std::uint64_t lines, std::uint64_t wanted) {
  std::uint64_t ways = std::min(lines, wanted);
  while (lines % ways != 0) --ways;
  return ways;
}

LineSize line_of(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache, std::string_view name, Machine& m) {
  const std::uint64_t bytes = cache.linesize;
  if (LineSize::valid(bytes) && LineSize::of(bytes).log2() <= max_line_log2) {
    say(m, name, "line", std::string{reported});
    return LineSize::of(bytes);
  }
  say(m, name, "line", fmt::format("assumed: hwloc reports {}", bytes));
  return LineSize::of(assumed_line);
}

void set_geometry(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache, bool first, Level& level, Machine& m) {
  level.line = line_of(cache, level.name, m);
  const std::uint64_t line = level.line.bytes().value;
  const std::uint64_t lines = std::max<std::uint64_t>(1, cache.size / line);
  say(m, level.name, "size",
      cache.size % line == 0 ? std::string{reported}
                             : fmt::format("rounded to whole lines: hwloc reports {} bytes", cache.size));
  const std::uint64_t assumed = ways_within(lines, first ? assumed_ways_first : assumed_ways_outer);
  if (cache.associativity <= 0) {
    level.ways = assumed;
    say(m, level.name, "ways", fmt::format("assumed: hwloc reports {}, which is unknown", cache.associativity));
  } else if (const auto ways = static_cast<std::uint64_t>(cache.associativity); lines % ways != 0) {
    level.ways = assumed;
    say(m, level.name, "ways", fmt::format("assumed: hwloc reports {}, which does not divide {} lines", ways, lines));
  } else {
    level.ways = ways;
    say(m, level.name, "ways", std::string{reported});
  }
  level.sets = lines / level.ways;
}

unsigned cores_inside(hwloc_topology_t topology, hwloc_const_cpuset_t set) {
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE);
  if (cores > 0) return static_cast<unsigned>(cores);
  return static_cast<unsigned>(std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_PU)));
}

bool others_differ(hwloc_topology_t topology, hwloc_obj_t cache) {
  const auto& mine = cache->attr->cache;
  for (hwloc_obj_t other = hwloc_get_next_obj_by_type(topology, cache->type, nullptr); other != nullptr;
       other = hwloc_get_next_obj_by_type(topology, cache->type, other)) {
    const auto& its = other->attr->cache;
    if (its.size != mine.size || its.linesize != mine.linesize || its.associativity != mine.associativity ||
        cores_inside(topology, other->cpuset) != cores_inside(topology, cache->cpuset)) {
      return true;
    }
  }
  return false;
}

void set_sharing(hwloc_topology_t topology, hwloc_obj_t cache, Level& level, Machine& m) {
  const unsigned cores = cores_inside(topology, cache->cpuset);
  const std::uint32_t below = m.levels.empty() ? 1 : m.levels.back().shared_by;
  std::string note{reported};
  if ((cores == m.cores && cores > 1) || below == shared_by_all) {
    level.shared_by = shared_by_all;
  } else if (cores % below != 0) {
    level.shared_by = shared_by_all;
    note = fmt::format("assumed: hwloc reports {} cores, which is not a multiple of the {} below", cores, below);
  } else {
    level.shared_by = cores;
  }
  if (others_differ(topology, cache)) note += "; other cores have other caches";
  say(m, level.name, "shared_by", std::move(note));
}

}  // namespace

Result<Machine> machine_of_topology(hwloc_topology* topology) {
  Machine m;
  m.name = "host";
  hwloc_obj* const root = hwloc_get_root_obj(topology);
  const char* model = hwloc_obj_get_info_by_name(root, "CPUModel");
  hwloc_obj* const package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  if (model == nullptr && package != nullptr) model = hwloc_obj_get_info_by_name(package, "CPUModel");
  m.title = model != nullptr ? model : "this computer";
  m.cores = cores_inside(topology, root->cpuset);
  m.sources.emplace_back("cores", reported);

  hwloc_obj* const first = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
  for (hwloc_obj_t obj = first; obj != nullptr; obj = obj->parent) {
    if (hwloc_obj_type_is_dcache(obj->type) == 0) continue;
    const auto& cache = obj->attr->cache;
    if (cache.size == 0) continue;
    Level level;
    level.name = fmt::format("L{}", cache.depth);
    set_geometry(cache, m.levels.empty(), level, m);
    set_sharing(topology, obj, level, m);
    m.levels.push_back(std::move(level));
  }
  if (m.levels.empty()) {
    return failure(ErrorKind::unsupported, "hwloc finds no data caches on this computer", "host",
                   "name a preset, a machine file or inline text such as L1:32K,8,64 instead");
  }
  CACHESCAPE_CHECK(validate(m));
  return m;
}

Result<Machine> detect_host() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return failure(ErrorKind::io, fmt::format("hwloc cannot start: {}", std::generic_category().message(errno)),
                   "host");
  }
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> topology(raw, hwloc_topology_destroy);
  if (hwloc_topology_load(topology.get()) != 0) {
    return failure(ErrorKind::io,
                   fmt::format("hwloc cannot look at this computer: {}", std::generic_category().message(errno)),
                   "host");
  }
  return machine_of_topology(topology.get());
}

}  // namespace cachescape::machine
