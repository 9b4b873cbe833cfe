# cmake -D OUTPUT=file.cpp -D FILES=a.toml|b.toml -P embed_presets.cmake: writes preset_files().
string(REPLACE "|" ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\",\n     R\"machine(${text})machine\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Written by the build from machines/.
#include \"machine/preset_files.hpp\"

namespace cachescape::machine {

namespace {

constexpr PresetFile files[] = {
${entries}};

}  // namespace

std::span<const PresetFile> preset_files() { return files; }

}  // namespace cachescape::machine
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
