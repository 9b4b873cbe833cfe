#include "machine/machine_draft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/keys.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {

namespace {

using Sources = std::vector<std::pair<std::string, std::string>>;

const std::string* source_for(const Sources& sources, std::string_view key) {
  for (const auto& [k, text] : sources) {
    if (k == key) return &text;
  }
  return nullptr;
}

void set_source(Sources& sources, std::string_view key, std::string text) {
  for (auto& [k, old] : sources) {
    if (k == key) {
      old = std::move(text);
      return;
    }
  }
  sources.emplace_back(key, std::move(text));
}

/// The draft's numbers, with as many of the base level's as it takes to determine a cache.
Geometry over(const Geometry& given, const Level& base) {
  Geometry g = given;
  const bool ways_given = given.ways || given.fully_associative;
  const int facts = (given.size ? 1 : 0) + (ways_given ? 1 : 0) + (given.sets ? 1 : 0);
  if (facts >= 2) return g;
  if (!given.size && !given.sets) g.size = base.size();
  if (!ways_given) {
    if (base.sets == 1 && !given.sets) {
      g.fully_associative = true;
    } else {
      g.ways = base.ways;
    }
  }
  return g;
}

Result<void> set_geometry(const LevelDraft& draft, const Level* base, Level& level) {
  const Geometry& given = draft.geometry;
  const bool any = given.size || given.ways || given.sets || given.fully_associative || draft.line;
  if (base != nullptr && !any) return {};
  if (base == nullptr && !draft.line) {
    return failure(ErrorKind::malformed, fmt::format("{} has no line", draft.name), place_of(draft.places, ""),
                   "give the line size in bytes, such as line = 64");
  }
  level.line = draft.line ? *draft.line : base->line;
  auto completed = complete(base == nullptr ? given : over(given, *base), level.line);
  if (!completed) {
    GeometryError e = std::move(completed).error();
    constexpr std::string_view names[] = {"size", "ways", "sets"};
    e.error.what = fmt::format("{}: {}", draft.name, e.error.what);
    e.error.where = place_of(draft.places, names[static_cast<std::size_t>(e.key)]);
    return std::unexpected(std::move(e.error));
  }
  level.sets = completed->sets;
  level.ways = completed->ways;
  return {};
}

template <class T>
void take(T& to, const std::optional<T>& from) {
  if (from) to = *from;
}
template <class T>
void take(std::optional<T>& to, const std::optional<T>& from) {
  if (from) to = from;
}

Result<void> set_level(const LevelDraft& draft, Machine& machine) {
  auto found =
      std::find_if(machine.levels.begin(), machine.levels.end(), [&](const Level& l) { return l.name == draft.name; });
  const bool fresh = found == machine.levels.end();
  Level level = fresh ? Level{} : *found;
  level.name = draft.name;
  CACHESCAPE_CHECK(set_geometry(draft, fresh ? nullptr : &*found, level));
  take(level.shared_by, draft.shared_by);
  take(level.replacement, draft.replacement);
  take(level.write, draft.write);
  take(level.write_allocate, draft.write_allocate);
  take(level.inclusion, draft.inclusion);
  take(level.latency, draft.latency);
  take(level.bandwidth, draft.bandwidth);
  if (fresh) {
    machine.levels.push_back(std::move(level));
  } else {
    *found = std::move(level);
  }
  return {};
}

/// Sources of the base stay with what the base still says. What the draft changes must not look as if the
/// base's documents said so, hence a text even where the draft gives none.
void merge_sources(const MachineDraft& draft, std::string_view file, Sources& merged) {
  const std::string* const of_machine = source_for(draft.sources, every_key);
  const std::string unsourced = fmt::format("no source given in {}", file);
  for (const std::string_view key : sourced_machine_keys) {
    if (draft.places.contains(key)) set_source(merged, key, of_machine != nullptr ? *of_machine : unsourced);
  }
  for (const LevelDraft& level : draft.levels) {
    const std::string* of_level = source_for(draft.sources, fmt::format("{}.{}", level.name, every_key));
    if (of_level == nullptr) of_level = of_machine;
    bool reshaped = false;
    for (const std::string_view key : sourced_level_keys) {
      if (!level.places.contains(key)) continue;
      set_source(merged, fmt::format("{}.{}", level.name, key), of_level != nullptr ? *of_level : unsourced);
      reshaped = reshaped || key == "size" || key == "line" || key == "ways" || key == "sets";
    }
    // Sets that the base gave are now derived from other numbers.
    if (reshaped && !level.places.contains("sets")) {
      std::erase_if(merged, [&](const auto& s) { return s.first == level.name + ".sets"; });
    }
  }
  for (const auto& [key, text] : draft.sources) {
    if (!key.ends_with(every_key)) set_source(merged, key, text);
  }
}

Result<void> check_names(const MachineDraft& draft) {
  for (std::size_t i = 0; i < draft.levels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (draft.levels[i].name == draft.levels[j].name) {
        return failure(ErrorKind::malformed, fmt::format("two levels are called {}", draft.levels[i].name),
                       place_of(draft.levels[i].places, "name"));
      }
    }
  }
  return {};
}

std::string place_of_violation(const Violation& violation, const Machine& machine, const MachineDraft& draft) {
  if (!violation.level) return place_of(draft.places, violation.key);
  for (const LevelDraft& level : draft.levels) {
    if (level.name == machine.levels[*violation.level].name) return place_of(level.places, violation.key);
  }
  return place_of(draft.places, "inherits");
}

}  // namespace

const std::string& place_of(const Places& places, std::string_view key) {
  const auto found = places.find(key);
  return found != places.end() ? found->second : places.find(std::string_view{})->second;
}

Result<Machine> build(const MachineDraft& draft, std::string_view file, const Machine* base) {
  CACHESCAPE_CHECK(check_names(draft));
  Machine machine = base == nullptr ? Machine{} : *base;
  machine.name = draft.name ? *draft.name : std::string{file};
  take(machine.title, draft.title);
  take(machine.cores, draft.cores);
  take(machine.coherence, draft.coherence);
  take(machine.memory_latency, draft.memory_latency);
  take(machine.frequency, draft.frequency);
  for (const LevelDraft& level : draft.levels) CACHESCAPE_CHECK(set_level(level, machine));
  if (base == nullptr) {
    machine.sources = draft.sources;
  } else {
    merge_sources(draft, file, machine.sources);
  }
  if (auto violation = first_violation(machine)) {
    violation->error.where = place_of_violation(*violation, machine, draft);
    return std::unexpected(std::move(violation->error));
  }
  return machine;
}

}  // namespace cachescape::machine
