#include "observe/collect/code_globals.hpp"

#include <utility>

#include "observe/symbols/symbolizer.hpp"

namespace cachescape::collect {

std::string CodeGlobals::build_id(std::uint32_t file) const {
  const auto found = by_file_.find(file);
  return found == by_file_.end() ? std::string() : found->second.build_id;
}

void CodeGlobals::place(const Mapping& mapping, const std::string& path, const std::string& debug_folder,
                        ObjectMap& objects) {
  const std::uint64_t base = mapping.begin - mapping.file_offset;
  const auto [entry, is_new] = by_file_.try_emplace(mapping.file);
  if (!is_new) {
    for (const Variable& v : entry->second.variables) objects.place_again(v.object, base + v.from_base, v.bytes);
    return;
  }
  symbols::Symbolizer file({{path, mapping.begin, mapping.end, mapping.file_offset, {}, {}}}, debug_folder);
  const auto first = static_cast<std::uint32_t>(locations_.size());
  for (symbols::Variable& v : file.variables()) {
    const std::uint32_t location = v.location == nowhere ? nowhere : first + v.location;
    const std::uint32_t object = objects.add_global({Address{v.address}, v.bytes, std::move(v.name), location});
    entry->second.variables.push_back({v.address - base, v.bytes, object});
  }
  entry->second.build_id = file.build_id_of(path);
  for (Location location : file.locations()) {
    if (location.inlined_at != nowhere) location.inlined_at += first;
    locations_.push_back(std::move(location));
  }
}

}  // namespace cachescape::collect
