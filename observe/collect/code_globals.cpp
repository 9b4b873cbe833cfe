#include "observe/collect/code_globals.hpp"

#include <utility>

#include "observe/symbols/symbolizer.hpp"

namespace cachescape::collect {

void CodeGlobals::place(const Mapping& mapping, const CodeFile& of, const std::string& debug_folder,
                        ObjectMap& objects) {
  const std::uint64_t base = mapping.begin - mapping.file_offset;
  const auto [entry, is_new] = by_file_.try_emplace(mapping.file);
  if (!is_new) {
    for (const Variable& v : entry->second) objects.place_again(v.object, base + v.from_base, v.bytes);
    return;
  }
  symbols::Symbolizer file({{of.path, mapping.begin, mapping.end, mapping.file_offset, {}, of.build_id}}, debug_folder);
  const auto first = static_cast<std::uint32_t>(locations_.size());
  const std::vector<symbols::Variable> variables = file.variables();
  for (const symbols::Variable& v : variables) {
    const std::uint32_t location = v.location == nowhere ? nowhere : first + v.location;
    const std::uint32_t object = objects.add_global({Address{v.address}, v.bytes, v.name, location});
    entry->second.push_back({v.address - base, v.bytes, object});
  }
  std::map<std::string, std::uint32_t> sections;
  for (const symbols::Variable& part : file.rest_of_data(variables)) {
    const auto [section, is_new_section] = sections.try_emplace(part.name);
    if (is_new_section)
      section->second = objects.add_global({Address{part.address}, part.bytes, part.name, nowhere});
    else
      objects.place_again(section->second, part.address, part.bytes);
    entry->second.push_back({part.address - base, part.bytes, section->second});
  }
  for (Location location : file.locations()) {
    if (location.inlined_at != nowhere) location.inlined_at += first;
    locations_.push_back(std::move(location));
  }
}

}  // namespace cachescape::collect
