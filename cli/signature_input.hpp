// How verbs read signatures: from a profile, or from a file of signatures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cachescape/result.hpp"
#include "product/signature/from_profile.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::cli {

struct SignatureChoice {
  signature::By by = signature::By::program;
  std::optional<SignatureRule> rule;
};

/// At least one. `choice` is for profiles: files have what they have, and any other choice than the usual one is
/// refused.
Result<std::vector<signature::Signature>> read_signatures(const std::string& path, const SignatureChoice& choice = {});

}  // namespace cachescape::cli
