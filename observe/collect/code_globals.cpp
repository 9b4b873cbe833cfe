#include "observe/collect/code_globals.hpp"

#include "observe/symbols/symbolizer.hpp"

namespace cachescape::collect {

void CodeGlobals::update(const CodeTable& code, ObjectMap& objects) {
  for (; mappings_known_ < code.mappings().size(); ++mappings_known_) {
    const Mapping& m = code.mappings()[mappings_known_];
    if (!known_.emplace(m.file, m.begin - m.file_offset).second) continue;
    symbols::Symbolizer file({{code.files()[m.file], m.begin, m.end, m.file_offset, {}, {}}});
    const auto first = static_cast<std::uint32_t>(locations_.size());
    for (symbols::Variable& v : file.variables()) {
      objects.add_global(
          {Address{v.address}, v.bytes, std::move(v.name), v.location == nowhere ? nowhere : first + v.location});
    }
    for (Location location : file.locations()) {
      if (location.inlined_at != nowhere) location.inlined_at += first;
      locations_.push_back(std::move(location));
    }
  }
}

}  // namespace cachescape::collect
