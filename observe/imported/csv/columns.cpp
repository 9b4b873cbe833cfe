#include "observe/imported/csv/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "observe/imported/excerpt.hpp"

namespace cachescape::imported {
namespace {

struct Synonym {
  std::string_view name;
  Role role;
};

constexpr std::array synonyms{
    Synonym{"address", Role::address},
    Synonym{"addr", Role::address},
    Synonym{"vaddr", Role::address},
    Synonym{"ea", Role::address},
    Synonym{"data_address", Role::address},
    Synonym{"virtual_address", Role::address},
    Synonym{"memory_address", Role::address},
    Synonym{"size", Role::size},
    Synonym{"bytes", Role::size},
    Synonym{"len", Role::size},
    Synonym{"length", Role::size},
    Synonym{"width", Role::size},
    Synonym{"kind", Role::kind},
    Synonym{"op", Role::kind},
    Synonym{"operation", Role::kind},
    Synonym{"rw", Role::kind},
    Synonym{"r/w", Role::kind},
    Synonym{"type", Role::kind},
    Synonym{"access", Role::kind},
    Synonym{"access_type", Role::kind},
    Synonym{"is_write", Role::kind},
    Synonym{"iswrite", Role::kind},
    Synonym{"write", Role::kind},
    Synonym{"thread", Role::thread},
    Synonym{"thread_id", Role::thread},
    Synonym{"threadid", Role::thread},
    Synonym{"tid", Role::thread},
    Synonym{"pc", Role::pc},
    Synonym{"ip", Role::pc},
    Synonym{"rip", Role::pc},
    Synonym{"site", Role::pc},
    Synonym{"program_counter", Role::pc},
    Synonym{"instruction_pointer", Role::pc},
    Synonym{"time", Role::time},
    Synonym{"timestamp", Role::time},
    Synonym{"ts", Role::time},
    Synonym{"tsc", Role::time},
    Synonym{"clock", Role::time},
    Synonym{"cycle", Role::time},
    Synonym{"cycles", Role::time},
};

std::string plain_name(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else {
      name += c == ' ' || c == '-' ? '_' : c;
    }
  }
  return name;
}

Role role_of(std::string_view field) {
  const std::string name = plain_name(field);
  const auto* found = std::ranges::find(synonyms, std::string_view(name), &Synonym::name);
  return found == synonyms.end() ? Role::ignored : found->role;
}

}  // namespace

bool Columns::has(Role role) const { return std::ranges::find(roles, role) != roles.end(); }

char delimiter_of(std::string_view line) {
  char best = ',';
  std::size_t most = 0;
  for (const char candidate : {'\t', ',', ';'}) {
    bool quoted = false;
    std::size_t count = 0;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == candidate && !quoted) ++count;
    }
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

bool take_field(std::string_view& rest, char delimiter, std::string& field, bool& more) {
  field.clear();
  bool quoted = false;
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '"') {
      // Inside quotes, two stand for one.
      if (quoted && i + 1 < rest.size() && rest[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == delimiter && !quoted) {
      break;
    } else {
      field += c;
    }
  }
  more = i < rest.size();
  rest.remove_prefix(more ? i + 1 : i);
  return !quoted;
}

Result<Columns> columns_from_names(std::string_view names, char delimiter) {
  Columns columns;
  std::string field;
  std::size_t used = 0;
  for (bool more = true; more;) {
    if (!take_field(names, delimiter, field, more)) {
      return failure(ErrorKind::malformed, fmt::format("a quote is not closed in the column name {}", excerpt(field)));
    }
    const Role role = role_of(field);
    if (role != Role::ignored && columns.has(role)) {
      return failure(ErrorKind::malformed,
                     fmt::format("column {}, {}, means the same as one before it; expected each kind of column once",
                                 columns.roles.size() + 1, excerpt(field)));
    }
    columns.roles.push_back(role);
    if (role != Role::ignored) used = columns.roles.size();
  }
  if (!columns.has(Role::address)) {
    return failure(ErrorKind::malformed,
                   "no column is called address (or addr, vaddr, ea); expected names such as address, size, kind, "
                   "thread, pc, time");
  }
  columns.roles.resize(used);
  return columns;
}

}  // namespace cachescape::imported
