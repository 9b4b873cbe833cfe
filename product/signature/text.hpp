// Signatures as text: the format of the dissertation's Appendix A, and what we add to it (docs/formats/signature.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/result.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::signature {

/// Larger files are refused.
inline constexpr std::size_t max_file_bytes = std::size_t{64} << 20;

/// Lines of caches with sets where a signature does not name any.
inline constexpr LineSize usual_set_line{6};

/// The signatures of a file, at least one. Points that a concise signature leaves out are put back: hit rates in
/// between, shares of halves as in the next smaller distance that is there. `name` is the file, for errors.
Result<std::vector<Signature>> read_text(std::string_view text, std::string_view name);

/// Which numbers of a signature are written.
struct Points {
  std::array<bool, signature_depths> hit_rates{};
  std::array<std::array<bool, signature_depths>, signature_halves> halves{};

  static Points all();
  /// Numbers that they are.
  std::size_t count(const Signature& signature) const;
};

/// read_text() gives the same signatures but for digits beyond the sixth, which are not written. Precondition: all have
/// the same rule.
std::string to_text(std::span<const Signature> signatures, std::span<const Points> points = {});

}  // namespace cachescape::signature
