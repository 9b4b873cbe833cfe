// Signatures as JSON.
#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include "product/signature/signature.hpp"

namespace cachescape::signature {

nlohmann::ordered_json to_json(std::span<const Signature> signatures);

}  // namespace cachescape::signature
