// A stretch of a program's accesses, loops among them, on its way to the analyses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/strided_run.hpp"

namespace cachescape::analyze {

/// An access in 16 bytes: every analysis reads all of them.
class PackedAccess {
 public:
  PackedAccess() = default;
  /// Precondition: size < 2^24.
  PackedAccess(Address address, std::uint32_t size, AccessKind kind, std::uint32_t place)
      : address_(address), size_and_kind_(size << 8 | static_cast<std::uint32_t>(kind)), place_(place) {}

  Address address() const { return address_; }
  std::uint32_t size() const { return size_and_kind_ >> 8; }
  AccessKind kind() const { return static_cast<AccessKind>(size_and_kind_ & 0xff); }
  std::uint32_t place() const { return place_; }

 private:
  Address address_;
  std::uint32_t size_and_kind_ = 0;
  std::uint32_t place_ = 0;
};
static_assert(sizeof(PackedAccess) == 16);

/// A loop whose accesses lie elsewhere.
struct Loop {
  std::uint64_t trips = 0;
  std::span<const StridedAccess> body;
};

/// Filled by one thread, then read by several.
class Stretch {
 public:
  /// Enough that handing it over costs little, few enough that it stays in a processor's cache.
  static constexpr std::size_t enough = std::size_t{1} << 14;

  bool empty() const { return pieces_.empty(); }
  bool full() const { return work_ >= enough; }
  void clear() {
    accesses_.clear();
    bodies_.clear();
    pieces_.clear();
    work_ = 0;
  }

  /// Room for accesses of a thread, to be filled in.
  std::span<PackedAccess> add(std::uint32_t thread, std::size_t count) {
    if (pieces_.empty() || pieces_.back().trips != 0 || pieces_.back().thread != thread)
      pieces_.push_back({thread, accesses_.size(), 0, 0});
    pieces_.back().count += count;
    work_ += count;
    accesses_.resize(accesses_.size() + count);
    return std::span(accesses_).last(count);
  }
  /// Precondition: at least one trip.
  void add(std::uint32_t thread, std::uint64_t trips, std::span<const StridedAccess> body) {
    pieces_.push_back({thread, bodies_.size(), body.size(), trips});
    bodies_.insert(bodies_.end(), body.begin(), body.end());
    // A loop takes the time of about two iterations for every line it passes.
    work_ += body.size() * (2 + trips / 4);
  }

  /// Calls visit(thread, std::span<const PackedAccess>) and visit(thread, Loop) in the order of events.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Piece& p : pieces_) {
      if (p.trips == 0) {
        visit(p.thread, std::span(accesses_).subspan(p.first, p.count));
      } else {
        visit(p.thread, Loop{p.trips, std::span(bodies_).subspan(p.first, p.count)});
      }
    }
  }

 private:
  struct Piece {
    std::uint32_t thread;
    std::size_t first;
    std::size_t count;
    std::uint64_t trips;  ///< 0: accesses
  };
  std::vector<PackedAccess> accesses_;
  std::vector<StridedAccess> bodies_;
  std::vector<Piece> pieces_;
  std::size_t work_ = 0;
};

}  // namespace cachescape::analyze
