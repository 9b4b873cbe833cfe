// The rules that make signatures of a profile some: order, ranges, and parts that are no more than their whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "cachescape/places.hpp"
#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"

namespace cachescape::profile {

/// "signature of everything, 4-byte words", for messages.
std::string signature_text(const Scope& scope, const SignatureRule& rule);

/// What signatures of one profile are told apart by, and the order that they have.
inline auto signature_key(const Scope& scope, const SignatureRule& rule) {
  return std::tuple(scope, rule.word, rule.every_word);
}

std::uint64_t references_in(const SignatureBin& bin);

/// Why counts cannot be those of references to words of so many bytes, in words; empty where they can.
std::string fault_of(std::size_t bin, const SignatureBin& counts, std::uint32_t word);

/// As check_form(profile), of which it is a part: signatures ascend, counts can be kept and those of parts are no more
/// than those of the whole, sites ascend and are some of `places`. O(size of the signatures).
Result<void> check_form(std::span<const SignatureProfile> signatures, const Places& places);

}  // namespace cachescape::profile
