#include "machine/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "machine/keys.hpp"

namespace cachescape::machine {

namespace {

using Found = std::optional<Violation>;

Violation broken(ErrorKind kind, std::optional<std::size_t> level, std::string_view key, std::string what,
                 std::string hint = {}) {
  return {level, key, Error{kind, std::move(what), std::string{}, std::move(hint)}};
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

Found check_name(const Machine& m, std::size_t i) {
  const std::string& name = m.levels[i].name;
  if (name.empty()) return broken(ErrorKind::malformed, i, "name", fmt::format("level {} has no name", i + 1));
  if (name.size() > max_level_name || !std::all_of(name.begin(), name.end(), is_name_character)) {
    return broken(ErrorKind::malformed, i, "name", fmt::format("\"{}\" cannot be the name of a level", name),
                  fmt::format("use up to {} letters, digits, '-' and '_', such as L1", max_level_name));
  }
  for (std::size_t j = 0; j < i; ++j) {
    if (m.levels[j].name == name) {
      return broken(ErrorKind::malformed, i, "name", fmt::format("two levels are called {}", name));
    }
  }
  return std::nullopt;
}

Found check_geometry(const Machine& m, std::size_t i) {
  const Level& l = m.levels[i];
  if (l.line.log2() > max_line_log2) {
    return broken(ErrorKind::limit, i, "line",
                  fmt::format("{}: the line must be at most {} bytes", l.name, 1U << max_line_log2));
  }
  if (l.sets == 0)
    return broken(ErrorKind::malformed, i, "sets", fmt::format("{}: there must be at least 1 set", l.name));
  if (l.ways == 0)
    return broken(ErrorKind::malformed, i, "ways", fmt::format("{}: there must be at least 1 way", l.name));
  if (l.ways > max_ways) {
    return broken(ErrorKind::limit, i, "ways", fmt::format("{}: {} ways are more than {}", l.name, l.ways, max_ways));
  }
  if (l.sets > max_lines / l.ways) {
    return broken(ErrorKind::limit, i, "size",
                  fmt::format("{}: {} sets × {} ways are more than {} lines", l.name, l.sets, l.ways, max_lines));
  }
  return std::nullopt;
}

Found check_sharing(const Machine& m, std::size_t i) {
  const Level& l = m.levels[i];
  if (l.shared_by > max_cores) {
    return broken(ErrorKind::limit, i, "shared_by",
                  fmt::format("{}: shared by {} cores, which is more than {}", l.name, l.shared_by, max_cores));
  }
  if (i == 0 || l.shared_by == shared_by_all) return std::nullopt;
  const Level& below = m.levels[i - 1];
  if (below.shared_by == shared_by_all) {
    return broken(ErrorKind::malformed, i, "shared_by",
                  fmt::format("{} is shared by {} cores, but {} below it by all", l.name, l.shared_by, below.name));
  }
  if (l.shared_by % below.shared_by != 0) {
    return broken(ErrorKind::malformed, i, "shared_by",
                  fmt::format("{} is shared by {} cores, which is not a multiple of the {} that share {}", l.name,
                              l.shared_by, below.shared_by, below.name));
  }
  return std::nullopt;
}

Found check_inclusion(const Machine& m, std::size_t i) {
  const Level& l = m.levels[i];
  if (l.inclusion == Inclusion::non_inclusive) return std::nullopt;
  const bool inclusive = l.inclusion == Inclusion::inclusive;
  if (i == 0) {
    return broken(ErrorKind::malformed, i, "inclusion",
                  fmt::format("{} is the first level and cannot be {}", l.name, inclusive ? "inclusive" : "exclusive"));
  }
  const Level& below = m.levels[i - 1];
  if (inclusive ? l.line < below.line : l.line != below.line) {
    return broken(ErrorKind::malformed, i, "inclusion",
                  fmt::format("{} is {}, so its line of {} bytes must {} the {} bytes of {}", l.name,
                              inclusive ? "inclusive" : "exclusive", l.line.bytes().value,
                              inclusive ? "be at least" : "equal", below.line.bytes().value, below.name));
  }
  return std::nullopt;
}

bool is_latency(double v) { return std::isfinite(v) && v >= 0; }
bool is_rate(double v) { return std::isfinite(v) && v > 0; }

Found check_speed(const Machine& m, std::size_t i) {
  const Level& l = m.levels[i];
  if (l.bandwidth && !is_rate(*l.bandwidth)) {
    return broken(ErrorKind::malformed, i, "bandwidth",
                  fmt::format("{}: bandwidth must be above 0, not {}", l.name, *l.bandwidth));
  }
  if (!l.latency) return std::nullopt;
  if (!is_latency(*l.latency)) {
    return broken(ErrorKind::malformed, i, "latency",
                  fmt::format("{}: latency must be at least 0, not {}", l.name, *l.latency));
  }
  for (std::size_t j = i; j-- > 0;) {
    const Level& nearer = m.levels[j];
    if (!nearer.latency) continue;
    if (*l.latency < *nearer.latency) {
      return broken(ErrorKind::malformed, i, "latency",
                    fmt::format("{} has a latency of {}, less than the {} of {}, which is nearer to the core", l.name,
                                *l.latency, *nearer.latency, nearer.name));
    }
    break;
  }
  return std::nullopt;
}

Found check_whole(const Machine& m) {
  if (m.cores > max_cores) {
    return broken(ErrorKind::limit, std::nullopt, "cores",
                  fmt::format("{} cores are more than {}", m.cores, max_cores));
  }
  if (m.frequency && !is_rate(*m.frequency)) {
    return broken(ErrorKind::malformed, std::nullopt, "frequency_ghz",
                  fmt::format("frequency_ghz must be above 0, not {}", *m.frequency));
  }
  if (m.memory_latency && !is_latency(*m.memory_latency)) {
    return broken(ErrorKind::malformed, std::nullopt, "memory_latency",
                  fmt::format("memory_latency must be at least 0, not {}", *m.memory_latency));
  }
  if (m.levels.empty()) {
    return broken(ErrorKind::malformed, std::nullopt, "", "a machine needs at least one level");
  }
  if (m.levels.size() > max_levels) {
    return broken(ErrorKind::limit, std::nullopt, "level",
                  fmt::format("{} levels are more than {}", m.levels.size(), max_levels));
  }
  return std::nullopt;
}

Found check_sums(const Machine& m) {
  std::uint64_t lines = 0;
  for (std::size_t i = 0; i < m.levels.size(); ++i) {
    lines += m.levels[i].lines();  // each at most max_lines, at most max_levels of them
    if (lines > max_lines) {
      return broken(ErrorKind::limit, i, "size", fmt::format("the levels have more than {} lines in all", max_lines));
    }
  }
  if (!m.memory_latency) return std::nullopt;
  for (const Level& l : m.levels) {
    if (l.latency && *l.latency > *m.memory_latency) {
      return broken(
          ErrorKind::malformed, std::nullopt, "memory_latency",
          fmt::format("memory_latency is {}, less than the latency {} of {}", *m.memory_latency, *l.latency, l.name));
    }
  }
  return std::nullopt;
}

template <class Keys>
bool has(const Keys& keys, std::string_view key) {
  return key == every_key || std::find(keys.begin(), keys.end(), key) != keys.end();
}

Found check_sources(const Machine& m) {
  for (std::size_t i = 0; i < m.sources.size(); ++i) {
    const std::string& key = m.sources[i].first;
    const std::size_t dot = key.find('.');
    bool known = false;
    if (dot == std::string::npos) {
      known = has(sourced_machine_keys, key);
    } else {
      const std::string_view level = std::string_view{key}.substr(0, dot);
      known = has(sourced_level_keys, std::string_view{key}.substr(dot + 1)) &&
              std::any_of(m.levels.begin(), m.levels.end(), [&](const Level& l) { return l.name == level; });
    }
    if (!known) {
      return broken(ErrorKind::malformed, std::nullopt, "source",
                    fmt::format("a source is given for \"{}\", which the machine does not have", key));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (m.sources[j].first == key) {
        return broken(ErrorKind::malformed, std::nullopt, "source",
                      fmt::format("two sources are given for \"{}\"", key));
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> first_violation(const Machine& machine) {
  if (Found f = check_whole(machine)) return f;
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    for (const auto rule : {check_name, check_geometry, check_sharing, check_inclusion, check_speed}) {
      if (Found f = rule(machine, i)) return f;
    }
  }
  if (Found f = check_sums(machine)) return f;
  return check_sources(machine);
}

Result<void> validate(const Machine& machine) {
  if (Found f = first_violation(machine)) {
    f->error.where = machine.name;
    return std::unexpected(std::move(f->error));
  }
  return {};
}

}  // namespace cachescape::machine
