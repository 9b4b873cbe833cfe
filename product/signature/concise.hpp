// Fewer numbers that say as much.
#pragma once

#include "product/signature/signature.hpp"
#include "product/signature/text.hpp"

namespace cachescape::signature {

/// The points that must stay so that, with the others put back as read_text() does, no hit rate is off by more than
/// `max_error`, and for no half more than that share of all references is taken to be in another half than it was.
/// Precondition: 0 ≤ max_error ≤ 1.
Points concise(const Signature& signature, double max_error);

}  // namespace cachescape::signature
