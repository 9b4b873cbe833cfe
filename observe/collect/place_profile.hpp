// The places of a profile, from what was counted by place number.
#pragma once

#include "cachescape/profile.hpp"
#include "observe/collect/record_decoder.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::collect {

/// The profile's `places.site_distances` are by place number, as the engine has counted them: they become those of
/// sites and of objects, and everything that the modules know is added. Places that never ran are left out. The places
/// in `sharing` and `signatures`, given by number as sites, become sites and objects too. `problems` are files whose
/// code has no names.
void complete_places(const DecoderContext& context, const SessionFile& session, Profile& profile,
                     std::vector<Error>& problems);

}  // namespace cachescape::collect
