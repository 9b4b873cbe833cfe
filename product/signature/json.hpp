// Signatures as JSON.
#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include "product/signature/signature.hpp"
#include "product/signature/text.hpp"

namespace cachescape::signature {

/// Schema "cachescape.signature". Numbers that are not among the `points` are null. Precondition: as to_text().
nlohmann::ordered_json to_json(std::span<const Signature> signatures, std::span<const Points> points = {});

}  // namespace cachescape::signature
