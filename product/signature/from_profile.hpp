// Signatures out of a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::signature {

/// Of what there is a signature each.
enum class By : std::uint8_t { program, thread, function, block };

/// By descending references but for threads, which keep their order. Functions and blocks are as they behave within the
/// program, not alone. `rule`: which of several, where a profile has them; the first otherwise.
/// Errors: the profile has none, or knows no threads or places.
Result<std::vector<Signature>> signatures_of(const Profile& profile, By by,
                                             const std::optional<SignatureRule>& rule = {});

}  // namespace cachescape::signature
