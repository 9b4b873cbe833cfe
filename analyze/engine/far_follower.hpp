// What becomes of the far touches of a front, followed later and perhaps by another thread: they take as long as
// finding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyze/distance/front.hpp"
#include "analyze/engine/far_analysis.hpp"
#include "analyze/engine/handed_on.hpp"

namespace cachescape::analyze {

/// One thread may be in add() or followed() while another is in follow(); everything else has the object for itself.
/// Memory: that of FarAnalysis, and up to 3 MiB of touches.
class FarFollower {
 public:
  explicit FarFollower(const FarAnalysis::Options& options) : analysis_(options) {}

  /// What is added from now on belongs to this piece of the work (Lanes).
  void begin(std::uint64_t piece) { found_.begin(piece); }
  /// Takes the far touches out of the front.
  void add(Front& front) {
    if (front.far().count == 0 && front.events().empty()) return;
    Found& to = found_.adding();
    if (to.fronts == to.full.size()) to.full.push_back({std::make_unique<FarTouches>(), {}});
    Full& full = to.full[to.fronts++];
    front.take_far(full.touches, full.events);
    waiting_ = true;
    // A loop may pass more lines in a moment than there is room for.
    if (to.fronts == most_in_a_piece) followed();
  }
  /// Whether surely nothing is left in a piece to which nobody adds any more.
  bool nothing_in(std::uint64_t piece) const {
    return found_.surely(piece, [](const Found& found) { return found.fronts == 0; });
  }
  /// Follows what was added to a piece. Pieces have to be followed in their order.
  void follow(std::uint64_t piece) {
    found_.follow(piece, [this](Found& found) { follow(found); });
  }
  /// The analysis, which has followed all that was added. It may be told of other touches until the next add().
  FarAnalysis& followed() {
    // Loops ask for each of theirs.
    if (waiting_) found_.catch_up([this](Found& found) { follow(found); });
    waiting_ = false;
    return analysis_;
  }

  /// Preconditions: all is followed.
  FarAnalysis& analysis() { return analysis_; }
  const FarAnalysis& analysis() const { return analysis_; }
  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = analysis_.memory_bytes();
    for (const Found& found : found_.pieces()) {
      for (const Full& full : found.full) bytes += sizeof(FarTouches) + full.events.capacity() * sizeof(EpochEvent);
    }
    return bytes;
  }

 private:
  static constexpr std::size_t most_in_a_piece = 20;

  struct Full {
    std::unique_ptr<FarTouches> touches;
    std::vector<EpochEvent> events;
  };
  struct Found {
    std::vector<Full> full;  ///< room, which is kept
    std::size_t fronts = 0;  ///< that it is used for
  };

  void follow(Found& found) {
    for (std::size_t i = 0; i < found.fronts; ++i) analysis_.follow(*found.full[i].touches, found.full[i].events);
    found.fronts = 0;
  }

  FarAnalysis analysis_;
  HandedOn<Found> found_;
  bool waiting_ = false;  ///< something was added that may not have been followed; known to the thread that adds
};

}  // namespace cachescape::analyze
