#include "observe/collect/code_places.hpp"

namespace cachescape::collect {

Places places_of_code(const CodeTable& code) {
  Places places;
  for (const std::string& file : code.files()) {
    Block& block = places.blocks.emplace_back();
    block.module = file;
  }
  for (const CodeSite& site : code.sites()) {
    Site& to = places.sites.emplace_back();
    if (site.mapping != nowhere) to.block = code.mappings()[site.mapping].file;
  }
  return places;
}

}  // namespace cachescape::collect
