#include "machine/inline_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "machine/close_names.hpp"
#include "machine/geometry.hpp"
#include "machine/names.hpp"
#include "machine/size_text.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {

namespace {

constexpr std::size_t max_length = 4096;
constexpr std::string_view example = "write each level as name:size,ways,line, such as L1:32K,8,64";

/// A part of the text and where it begins.
struct Piece {
  std::string_view text;
  std::size_t at = 0;
};

/// Where each fact of a level stands, by the machine file's key; "" is the level itself.
using Offsets = std::map<std::string_view, std::size_t>;

std::string place(std::size_t at) { return fmt::format("inline machine, character {}", at + 1); }

std::unexpected<Error> wrong(std::size_t at, std::string what, std::string hint = {}) {
  return failure(ErrorKind::malformed, std::move(what), place(at), std::move(hint));
}
std::unexpected<Error> wrong(std::size_t at, Error error) {
  error.where = place(at);
  return std::unexpected(std::move(error));
}

std::vector<Piece> split(Piece whole, std::string_view separators, bool keep_empty) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  while (begin <= whole.text.size()) {
    const std::size_t end = std::min(whole.text.find_first_of(separators, begin), whole.text.size());
    if (end > begin || keep_empty) pieces.push_back({whole.text.substr(begin, end - begin), whole.at + begin});
    begin = end + 1;
  }
  return pieces;
}

Result<std::uint64_t> parse_count(Piece p, std::string_view name, std::string_view or_word) {
  std::uint64_t value = 0;
  const char* const begin = p.text.data();
  const char* const end = begin + p.text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code != std::errc{} || stop != end) {
    return wrong(p.at, fmt::format(R"({} must be a whole number or "{}", not "{}")", name, or_word, p.text));
  }
  return value;
}

constexpr std::string_view options[] = {"shared=N", "shared=all", "lru",       "plru",       "fifo",
                                        "random",   "srrip",      "inclusive", "exclusive",  "non-inclusive",
                                        "back",     "through",    "allocate",  "no-allocate"};

/// Applies one option and returns the key that it sets.
Result<std::string_view> apply_option(Piece option, Level& level) {
  constexpr std::string_view shared = "shared=";
  const std::string_view text = option.text;
  if (text.starts_with(shared)) {
    const Piece number{text.substr(shared.size()), option.at + shared.size()};
    if (number.text == "all") {
      level.shared_by = shared_by_all;
      return "shared_by";
    }
    CACHESCAPE_TRY(const std::uint64_t cores, parse_count(number, "shared", "all"));
    if (cores == 0 || cores > max_cores) {
      return wrong(number.at, fmt::format("shared must be from 1 to {}, or \"all\", not {}", max_cores, cores));
    }
    level.shared_by = static_cast<std::uint32_t>(cores);
    return "shared_by";
  }
  if (const auto r = value_of(replacement_names, text)) {
    level.replacement = *r;
    return "replacement";
  }
  if (const auto i = value_of(inclusion_names, text)) {
    level.inclusion = *i;
    return "inclusion";
  }
  if (const auto w = value_of(write_names, text)) {
    level.write = *w;
    return "write";
  }
  if (text == "allocate" || text == "no-allocate") {
    level.write_allocate = text == "allocate";
    return "write_allocate";
  }
  const auto close = close_names(text, options, 1);
  return wrong(option.at, fmt::format("unknown option \"{}\"", text),
               close.empty() ? fmt::format("the options are {}", fmt::join(options, ", "))
                             : fmt::format("did you mean \"{}\"?", close.front()));
}

Result<Level> read_level(Piece text, bool alone, Offsets& places) {
  Level level;
  places[""] = places["name"] = text.at;
  Piece facts = text;
  const std::size_t colon = text.text.find(':');
  if (colon != std::string_view::npos) {
    level.name = text.text.substr(0, colon);
    facts = {text.text.substr(colon + 1), text.at + colon + 1};
  } else if (alone) {
    level.name = "L1";
  } else {
    return wrong(text.at, fmt::format("\"{}\" has no level name", text.text), std::string{example});
  }
  const std::vector<Piece> fields = split(facts, ",", true);
  if (fields.size() < 3) {
    return wrong(facts.at, fmt::format("\"{}\" must be size,ways,line", facts.text), std::string{example});
  }
  places["size"] = fields[0].at;
  places["ways"] = places["sets"] = fields[1].at;
  places["line"] = fields[2].at;

  Geometry geometry;
  auto size = parse_size(fields[0].text);
  if (!size) return wrong(fields[0].at, std::move(size).error());
  geometry.size = *size;
  geometry.fully_associative = fields[1].text == "full";
  if (!geometry.fully_associative) {
    CACHESCAPE_TRY(geometry.ways, parse_count(fields[1], "ways", "full"));
  }
  auto line_bytes = parse_size(fields[2].text);
  if (!line_bytes) return wrong(fields[2].at, std::move(line_bytes).error());
  auto line = line_of_bytes(line_bytes->value);
  if (!line) return wrong(fields[2].at, std::move(line).error());
  level.line = *line;
  auto sets_and_ways = complete(geometry, level.line);
  if (!sets_and_ways) {
    GeometryError e = std::move(sets_and_ways).error();
    return wrong(e.key == GeometryKey::size ? fields[0].at : fields[1].at, std::move(e.error));
  }
  level.sets = sets_and_ways->sets;
  level.ways = sets_and_ways->ways;

  for (std::size_t i = 3; i < fields.size(); ++i) {
    CACHESCAPE_TRY(const std::string_view key, apply_option(fields[i], level));
    if (!places.emplace(key, fields[i].at).second) {
      return wrong(fields[i].at, fmt::format("\"{}\" comes after another option of its kind", fields[i].text));
    }
  }
  return level;
}

}  // namespace

bool looks_inline(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return true;
  return !text.empty() && text[0] >= '0' && text[0] <= '9' && text.find(',') != std::string_view::npos;
}

Result<Machine> read_inline(std::string_view text) {
  if (text.size() > max_length) {
    return failure(ErrorKind::limit,
                   fmt::format("an inline machine has at most {} characters, not {}", max_length, text.size()));
  }
  const std::vector<Piece> pieces = split({text, 0}, " \t\n;+", false);
  if (pieces.empty()) return wrong(0, "the machine is empty", std::string{example});
  if (pieces.size() > max_levels) {
    return failure(ErrorKind::limit, fmt::format("{} levels are more than {}", pieces.size(), max_levels),
                   place(pieces[max_levels].at));
  }
  Machine machine;
  machine.name = text;
  std::vector<Offsets> places(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CACHESCAPE_TRY(Level level, read_level(pieces[i], pieces.size() == 1, places[i]));
    machine.levels.push_back(std::move(level));
  }
  if (auto v = first_violation(machine)) {
    const Offsets& of_level = places[v->level.value_or(0)];
    const auto found = of_level.find(v->key);
    v->error.where = place(found == of_level.end() ? of_level.at("") : found->second);
    return std::unexpected(std::move(v->error));
  }
  return machine;
}

std::string to_inline(const Machine& machine) {
  std::string text;
  for (const Level& l : machine.levels) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}:{},", l.name, print_size_tersely(l.size()));
    text += l.sets == 1 && l.ways > 1 ? "full" : fmt::format("{}", l.ways);
    text += fmt::format(",{}", l.line.bytes().value);
    if (l.shared_by == shared_by_all) {
      text += ",shared=all";
    } else if (l.shared_by != 1) {
      text += fmt::format(",shared={}", l.shared_by);
    }
    if (l.replacement != Replacement::lru) text += fmt::format(",{}", name_of(replacement_names, l.replacement));
    if (l.inclusion != Inclusion::non_inclusive) text += fmt::format(",{}", name_of(inclusion_names, l.inclusion));
    if (l.write != WritePolicy::back) text += fmt::format(",{}", name_of(write_names, l.write));
    if (!l.write_allocate) text += ",no-allocate";
  }
  return text;
}

}  // namespace cachescape::machine
