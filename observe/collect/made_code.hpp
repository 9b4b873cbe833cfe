// Tables of translated code made by hand, for tests and fuzz targets of what reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/collect/made_module.hpp"
#include "session/code.h"

namespace cachescape::collect {

struct MadeCode {
  std::vector<std::uint8_t> mappings, descriptors, counts, contexts;
  std::uint64_t count = 0;

  void mapping(std::uint64_t begin, std::uint64_t end, std::uint64_t file_offset, std::string path,
               const std::vector<std::uint8_t>& build_id = {}) {
    path.resize((path.size() + 1 + 7) / 8 * 8);
    MadeModule::append(mappings, cachescape_mapping{begin, end, file_offset, static_cast<std::uint32_t>(path.size()),
                                                    static_cast<std::uint32_t>(build_id.size())});
    mappings.insert(mappings.end(), path.begin(), path.end());
    mappings.insert(mappings.end(), build_id.begin(), build_id.end());
    mappings.resize((mappings.size() + 7) / 8 * 8);
  }
  /// The word that names it in records.
  std::uint64_t descriptor(std::uint64_t address, std::uint32_t mapping_plus_1, unsigned slots,
                           const std::vector<cachescape_code_access>& accesses) {
    MadeModule::append(descriptors,
                       cachescape_code_descriptor{address, mapping_plus_1, static_cast<std::uint16_t>(slots),
                                                  static_cast<std::uint16_t>(accesses.size())});
    for (const cachescape_code_access& a : accesses) MadeModule::append(descriptors, a);
    return CACHESCAPE_CODE | count++;
  }
  void counted(std::uint64_t address, std::uint32_t mapping_plus_1, std::uint32_t instructions,
               std::uint64_t counter_at) {
    MadeModule::append(counts, cachescape_code_count{address, mapping_plus_1, instructions, counter_at});
  }
  void context(std::uint64_t address, std::uint32_t mapping_plus_1, std::uint32_t caller, std::uint64_t instructions) {
    MadeModule::append(contexts, cachescape_code_context{address, mapping_plus_1, caller, instructions});
  }
};

/// Puts a part with these entries into the session; its offset.
inline std::uint64_t put_part(SessionFile& session, const std::vector<std::uint8_t>& entries,
                              std::uint64_t next_at = 0) {
  std::vector<std::uint8_t> bytes;
  MadeModule::append(bytes, cachescape_part{next_at, entries.size(), entries.size(), 0});
  bytes.insert(bytes.end(), entries.begin(), entries.end());
  return put(session, bytes.data(), bytes.size());
}

inline void join(SessionFile& session, const MadeCode& code) {
  const cachescape_code tables{put_part(session, code.descriptors), put_part(session, code.mappings),
                               put_part(session, code.counts),
                               code.contexts.empty() ? 0 : put_part(session, code.contexts)};
  session.header().code_at = put(session, &tables, sizeof tables);
}

}  // namespace cachescape::collect
