// What one machine file says, before inheritance: every fact optional, and where it stands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cachescape/result.hpp"
#include "machine/geometry.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// "file:line:column" by key; "" is the level or machine itself.
using Places = std::map<std::string, std::string, std::less<>>;

/// The place of `key`, else of the whole.
const std::string& place_of(const Places& places, std::string_view key);

struct LevelDraft {
  std::string name;
  Geometry geometry;
  std::optional<LineSize> line;
  std::optional<std::uint32_t> shared_by;
  std::optional<Replacement> replacement;
  std::optional<WritePolicy> write;
  std::optional<bool> write_allocate;
  std::optional<Inclusion> inclusion;
  std::optional<double> latency;
  std::optional<double> bandwidth;
  Places places;
};

struct MachineDraft {
  std::optional<std::string> name;
  std::optional<std::string> title;
  std::optional<std::uint32_t> cores;
  std::optional<Coherence> coherence;
  std::optional<double> memory_latency;
  std::optional<double> frequency;
  std::optional<std::string> inherits;
  std::vector<LevelDraft> levels;
  /// As in Machine: (key such as "L2.size", "L2.*" or "*", text), in file order.
  std::vector<std::pair<std::string, std::string>> sources;
  Places places;
};

/// The valid machine that `draft` describes, on top of `base` where it inherits. `file` names the draft.
///
/// A level of a name that the base has changes it: what is not given stays; when only one of size, ways and
/// sets is given, the ways stay (the size, when ways are given; one set, when there is only one). Other levels
/// are added outside. A changed fact takes its source from the draft alone.
Result<Machine> build(const MachineDraft& draft, std::string_view file, const Machine* base);

}  // namespace cachescape::machine
