#include "profile/form_rules.hpp"

#include <fmt/format.h>

#include "profile/schema.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {

Result<void> in_range(std::uint64_t value, std::string_view name) {
  if (value <= max_integer) return {};
  return failure(ErrorKind::limit, fmt::format("{} is {}: at most {} can be kept", name, value, max_integer));
}

Result<void> in_range(const KindCounts& counts, std::string_view name) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    CACHESCAPE_CHECK(in_range(counts[k], fmt::format("{}, {}", name, kind_names[k])));
  }
  return {};
}

Result<void> check_bins(std::span<const Bin> bins, std::uint64_t least, std::uint64_t start, std::string_view name) {
  std::uint64_t sum = start;
  CACHESCAPE_CHECK(in_range(sum, fmt::format("{}: the number of first touches", name)));
  const Bin* previous = nullptr;
  for (const Bin& bin : bins) {
    // There may be millions of bins: messages are made for the one that is wrong.
    if (bin.value > max_integer) return in_range(bin.value, fmt::format("{}: a value", name));
    if (bin.count > max_integer) return in_range(bin.count, fmt::format("{}: the count of value {}", name, bin.value));
    if (bin.count == 0)
      return failure(ErrorKind::usage, fmt::format("{}: the count of value {} is 0", name, bin.value));
    if (bin.value < least) {
      return failure(ErrorKind::usage, fmt::format("{}: value {} is less than {}", name, bin.value, least));
    }
    if (previous != nullptr && bin.value <= previous->value) {
      return failure(ErrorKind::usage,
                     fmt::format("{}: value {} follows {}: values must ascend", name, bin.value, previous->value));
    }
    sum += bin.count;
    if (sum > max_integer) return in_range(sum, fmt::format("{}: the sum of counts", name));
    previous = &bin;
  }
  return {};
}

}  // namespace cachescape::profile
