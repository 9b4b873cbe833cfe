// Set distances of touches that an analysis found, followed later and perhaps by another thread: they take as long as
// all the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "analyze/distance/set_distance.hpp"
#include "analyze/engine/lanes.hpp"

namespace cachescape::analyze {

/// One thread may be in add() while another is in follow(); everything else has the object for itself. Memory: that of
/// SetDistances, and up to 14 MiB of touches for each piece that is under way.
class SetFollower {
 public:
  SetFollower(const SetGrid& grid, std::size_t groups) : sets_(grid, groups) {}

  /// What is added from now on belongs to this piece of the work (Lanes).
  void begin(std::uint64_t piece) { adding_ = piece % Lanes::depth; }
  /// Preconditions: as many groups and weights as lines.
  void add(std::span<const Line> lines, std::span<const std::uint16_t> groups, std::span<const std::uint32_t> weights,
           bool weighted) {
    Touched& to = pieces_[adding_];
    to.lines.insert(to.lines.end(), lines.begin(), lines.end());
    to.groups.insert(to.groups.end(), groups.begin(), groups.end());
    to.weights.insert(to.weights.end(), weights.begin(), weights.end());
    to.weighted |= weighted;
    // A loop may pass more lines in a moment than there is room for.
    if (to.lines.size() >= most_in_a_piece) catch_up();
  }
  /// Follows what was added to a piece. Pieces have to be followed in their order.
  void follow(std::uint64_t piece) {
    const std::lock_guard lock(*following_);
    follow(pieces_[piece % Lanes::depth]);
  }
  /// Follows all that was added.
  void catch_up() {
    const std::lock_guard lock(*following_);
    for (std::size_t later = 1; later <= Lanes::depth; ++later) follow(pieces_[(adding_ + later) % Lanes::depth]);
  }
  /// Touches that change the order and count nothing. Precondition: nothing was added.
  void seed(std::span<const Line> lines) {
    const std::vector<std::uint32_t> never(lines.size(), 0);
    sets_.process(lines, {}, never);
  }

  /// Precondition: caught up.
  const SetDistances& sets() const { return sets_; }
  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = sets_.memory_bytes();
    for (const Touched& t : pieces_) bytes += t.memory_bytes();
    return bytes;
  }

 private:
  static constexpr std::size_t most_in_a_piece = std::size_t{1} << 20;

  struct Touched {
    std::vector<Line> lines;
    std::vector<std::uint16_t> groups;
    std::vector<std::uint32_t> weights;
    bool weighted = false;  ///< not all of them count once

    void clear() {
      lines.clear();
      groups.clear();
      weights.clear();
      weighted = false;
    }
    std::uint64_t memory_bytes() const {
      return lines.capacity() * sizeof(Line) + groups.capacity() * sizeof(std::uint16_t) +
             weights.capacity() * sizeof(std::uint32_t);
    }
  };

  void follow(Touched& touched) {
    const std::span<const std::uint32_t> all_once;
    sets_.process(touched.lines, touched.groups, touched.weighted ? std::span(touched.weights) : all_once);
    touched.clear();
  }

  SetDistances sets_;
  std::unique_ptr<std::mutex> following_ = std::make_unique<std::mutex>();
  std::array<Touched, Lanes::depth> pieces_;
  std::size_t adding_ = 0;  ///< to this one
};

}  // namespace cachescape::analyze
