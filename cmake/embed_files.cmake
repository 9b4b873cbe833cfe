# cmake -D OUTPUT=file.cpp -D HEADER=x/y.hpp -D NAMESPACE=a::b -D FUNCTION=f -D FILES=a.toml|b.toml -P embed_files.cmake:
# writes a::b::f(), as the header declares it.
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\",\n     R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Written by the build.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

namespace {

constexpr bytes::EmbeddedFile files[] = {
${entries}};

}  // namespace

std::span<const bytes::EmbeddedFile> ${FUNCTION}() { return files; }

}  // namespace ${NAMESPACE}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
