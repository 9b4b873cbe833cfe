// The places of a profile, from what was counted by place number.
#pragma once

#include "cachescape/places.hpp"
#include "cachescape/sharing.hpp"
#include "observe/collect/record_decoder.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::collect {

/// `counted.site_distances` are by place number, as the engine has counted them: they become those of sites and of
/// objects, and everything that the modules know is added. Places that never ran are left out. The places in
/// `sharing`, given by number as sites, become sites and objects too. `problems` are files whose code has no names.
Places complete_places(const DecoderContext& context, const SessionFile& session, Places counted, Sharing& sharing,
                       std::vector<Error>& problems);

}  // namespace cachescape::collect
