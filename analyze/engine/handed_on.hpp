// What one lane finds and another one follows, later and perhaps on another thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "analyze/engine/lanes.hpp"

namespace cachescape::analyze {

/// Room for what is found in each piece of the work (Lanes) that is under way. One thread may be adding while another
/// is in follow().
template <class Found>
class HandedOn {
 public:
  /// What is added from now on belongs to this piece.
  void begin(std::uint64_t piece) { adding_ = piece % Lanes::depth; }
  Found& adding() { return pieces_[adding_]; }
  /// Whether is(Found) holds for a piece to which nobody adds any more. Does not wait: false while somebody follows.
  template <class Is>
  bool surely(std::uint64_t piece, Is is) const {
    const std::unique_lock lock(*following_, std::try_to_lock);
    return lock.owns_lock() && is(pieces_[piece % Lanes::depth]);
  }

  /// Calls follow(Found&) for what was added to a piece, and has to be left empty by it. Pieces are followed in their
  /// order.
  template <class Follow>
  void follow(std::uint64_t piece, Follow follow) {
    const std::lock_guard lock(*following_);
    follow(pieces_[piece % Lanes::depth]);
  }
  /// Follows all that was added. Called by the thread that adds.
  template <class Follow>
  void catch_up(Follow follow) {
    const std::lock_guard lock(*following_);
    for (std::size_t later = 1; later <= Lanes::depth; ++later) follow(pieces_[(adding_ + later) % Lanes::depth]);
  }

  /// Precondition: nobody adds or follows.
  const std::array<Found, Lanes::depth>& pieces() const { return pieces_; }

 private:
  std::unique_ptr<std::mutex> following_ = std::make_unique<std::mutex>();
  std::array<Found, Lanes::depth> pieces_;
  std::size_t adding_ = 0;  ///< to this one
};

}  // namespace cachescape::analyze
