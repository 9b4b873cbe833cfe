# cmake -D OUTPUT=file.cpp -D FILES=a.c|b.sig -P embed.cmake: writes embedded_file().
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "  if (name == \"${name}\") return R\"embedded(${text})embedded\";\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Written by the build.
#include \"product/proxy/embedded_files.hpp\"

namespace cachescape::proxy {

std::string_view embedded_file(std::string_view name) {
${entries}  return {};
}

}  // namespace cachescape::proxy
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
