// A module's tables made by hand, for tests and fuzz targets of what reads them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "observe/collect/session_file.hpp"
#include "session/module.h"
#include "session/record.h"
#include "session/session_layout.h"

namespace cachescape::collect {

struct MadeModule {
  std::string strings = std::string(1, '\0');
  std::vector<cachescape_location> locations;
  std::vector<cachescape_block_info> blocks;
  std::vector<cachescape_site> sites;
  std::vector<cachescape_count> counts;
  std::vector<cachescape_global> globals;
  std::vector<std::uint8_t> descriptors;
  std::uint64_t counters = 0;
  std::uint32_t name = 0;

  std::uint32_t string(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(strings.size());
    strings.append(text).push_back('\0');
    return at;
  }

  /// The offset of the descriptor.
  std::uint64_t descriptor(cachescape_descriptor head, const std::vector<cachescape_access>& accesses) {
    const std::uint64_t at = descriptors.size();
    head.accesses = static_cast<std::uint16_t>(accesses.size());
    append(descriptors, head);
    for (const cachescape_access& a : accesses) append(descriptors, a);
    return at;
  }

  std::vector<std::uint8_t> tables() const {
    std::vector<std::uint8_t> all;
    append(all,
           cachescape_tables{CACHESCAPE_MODULE_MAGIC, CACHESCAPE_SESSION_VERSION, name, 0,
                             static_cast<std::uint32_t>(locations.size()), static_cast<std::uint32_t>(blocks.size()),
                             static_cast<std::uint32_t>(sites.size()), static_cast<std::uint32_t>(counts.size()),
                             static_cast<std::uint32_t>(strings.size()), 0});
    for (const auto& row : locations) append(all, row);
    for (const auto& row : blocks) append(all, row);
    for (const auto& row : sites) append(all, row);
    for (const auto& row : counts) append(all, row);
    all.insert(all.end(), strings.begin(), strings.end());
    return all;
  }

  template <class Row>
  static void append(std::vector<std::uint8_t>& to, const Row& row) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&row);
    to.insert(to.end(), bytes, bytes + sizeof row);
  }
};

/// Puts bytes into the session's arena as a program would; their offset in the file.
inline std::uint64_t put(SessionFile& session, const void* bytes, std::size_t count) {
  cachescape_session& s = session.header();
  const std::uint64_t at = s.arena_at + s.arena_used;
  if (count != 0) std::memcpy(reinterpret_cast<char*>(&s) + at, bytes, count);
  s.arena_used += (count + 63) & ~std::uint64_t{63};
  return at;
}

/// Enters a module with such tables, whose descriptors lie at an address of the program.
inline cachescape_module& join(SessionFile& session, const std::vector<std::uint8_t>& tables,
                               const std::vector<std::uint8_t>& descriptors, std::uint64_t address,
                               const std::vector<cachescape_global>& globals = {}, std::uint64_t counters = 0) {
  cachescape_session& s = session.header();
  cachescape_module& m = *cachescape_module_of(&s, s.modules_used);
  m.descriptors = address;
  m.descriptor_bytes = descriptors.size();
  m.descriptors_at = put(session, descriptors.data(), descriptors.size());
  m.table_bytes = tables.size();
  m.tables_at = put(session, tables.data(), tables.size());
  m.global_count = globals.size();
  m.globals_at = put(session, globals.data(), globals.size() * sizeof(cachescape_global));
  m.counter_count = counters;
  ++s.modules_used;
  return m;
}

inline cachescape_module& join(SessionFile& session, const MadeModule& module, std::uint64_t address) {
  return join(session, module.tables(), module.descriptors, address, module.globals, module.counters);
}

}  // namespace cachescape::collect
