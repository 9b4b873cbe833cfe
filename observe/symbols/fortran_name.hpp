// Names that flang gives to what a Fortran program is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cachescape::symbols {

/// “module::host::procedure” of _QMmoduleFhostPprocedure, “main program” of _QQmain; nothing of names that are not
/// flang's, or are of what a programmer does not name. Modules' variables have such names too.
/// See flang's InternalNames: capital letters say what kind of thing comes next, names have none.
std::optional<std::string> fortran_name(std::string_view linkage_name);

}  // namespace cachescape::symbols
