// The vocabulary's numbers as types that do not mix: an address is not a line number, a byte count is
// not an access count. All are trivially copyable wrappers of one integer and cost nothing at run time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cachescape {

/// An integer that only meets its own kind. `value` is public: engines that work on raw words
/// unwrap at their boundary and say so.
template <class Tag, class Rep>
struct Quantity {
  Rep value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep v) : value(v) {}

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

/// A quantity that counts something, so that sums and differences make sense.
template <class Tag>
struct Count : Quantity<Tag, std::uint64_t> {
  using Quantity<Tag, std::uint64_t>::Quantity;

  constexpr Count& operator+=(Count other) {
    this->value += other.value;
    return *this;
  }
  constexpr Count& operator++() {
    ++this->value;
    return *this;
  }
  friend constexpr Count operator+(Count a, Count b) { return Count{a.value + b.value}; }
  friend constexpr Count operator-(Count a, Count b) { return Count{a.value - b.value}; }
  friend constexpr auto operator<=>(Count, Count) = default;
};

using Bytes = Count<struct BytesTag>;
using AccessCount = Count<struct AccessCountTag>;
/// Number of distinct other lines touched since the last touch of a line (never a reuse time).
using Distance = Count<struct DistanceTag>;

/// A byte address in the observed program.
struct Address : Quantity<struct AddressTag, std::uint64_t> {
  using Quantity::Quantity;
  friend constexpr Address operator+(Address a, Bytes n) { return Address{a.value + n.value}; }
  friend constexpr Bytes operator-(Address a, Address b) { return Bytes{a.value - b.value}; }
};

/// A line number: an address divided by the line size.
struct Line : Quantity<struct LineTag, std::uint64_t> {
  using Quantity::Quantity;
};

/// A thread of the observed program, numbered as its trace numbers it.
struct ThreadId : Quantity<struct ThreadTag, std::uint32_t> {
  using Quantity::Quantity;
};

/// The static instruction that made an access: its program counter where the observer sees machine
/// code, an observer's own number elsewhere, 0 where unknown.
struct SiteId : Quantity<struct SiteTag, std::uint64_t> {
  using Quantity::Quantity;
};

/// A basic block as numbered by the observer.
struct BlockId : Quantity<struct BlockTag, std::uint64_t> {
  using Quantity::Quantity;
};

}  // namespace cachescape

template <class Tag, class Rep>
struct std::hash<cachescape::Quantity<Tag, Rep>> {
  std::size_t operator()(cachescape::Quantity<Tag, Rep> q) const noexcept { return std::hash<Rep>{}(q.value); }
};
