// Set distances of far touches that an analysis found, followed later and perhaps by other threads: they take longer
// than all the rest. Few sets and many sets are followed apart from each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "analyze/distance/far_sets.hpp"
#include "analyze/engine/lanes.hpp"

namespace cachescape::analyze {

/// One thread may be in add() while one for each part is in follow(); everything else has the object for itself.
/// Memory: that of FarSets, and up to 30 MiB of touches for each piece that is under way.
class SetFollower {
 public:
  SetFollower(const SetGrid& grid, std::size_t groups) : grid_(grid) {
    for (const SetGrid& part : halved(grid)) parts_.push_back(std::make_unique<Part>(part, groups));
  }

  /// What is followed apart from the rest.
  std::size_t parts() const { return parts_.size(); }

  /// What is added from now on belongs to this piece of the work (Lanes).
  void begin(std::uint64_t piece) {
    if (piece == piece_) return;
    piece_ = piece;
    adding_ = piece % Lanes::depth;
    // All parts are done with the piece that was here.
    pieces_[adding_].clear();
    for (const auto& part : parts_) part->followed[adding_] = 0;
  }
  void add(const EnteringLines& entering) {
    Entered& to = pieces_[adding_];
    to.add(entering);
    // A loop may pass more lines in a moment than there is room for.
    if (to.line.size() >= most_in_a_piece) catch_up();
  }
  /// Follows, in one part, what was added to a piece. Pieces have to be followed in their order.
  void follow(std::uint64_t piece, std::size_t part) {
    const std::lock_guard lock(parts_[part]->following);
    follow_added(piece % Lanes::depth, *parts_[part]);
  }
  /// Follows all that was added.
  void catch_up() {
    for (const auto& part : parts_) {
      const std::lock_guard lock(part->following);
      for (std::size_t later = 1; later <= Lanes::depth; ++later) follow_added((adding_ + later) % Lanes::depth, *part);
      part->followed[adding_] = 0;
    }
    pieces_[adding_].clear();
  }

  /// Precondition of these: caught up. As FarSets.
  std::vector<std::uint64_t> hits(unsigned level, std::size_t group) const {
    const FarSets& few = parts_.front()->sets;
    return (level <= few.grid().max_log2_sets ? few : parts_.back()->sets).hits(level, group);
  }
  std::uint64_t touches(std::size_t group) const { return parts_.front()->sets.touches(group); }
  const SetGrid& grid() const { return grid_; }
  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& part : parts_) bytes += part->sets.memory_bytes();
    for (const Entered& e : pieces_) bytes += e.line.capacity() * Entered::bytes_each;
    return bytes;
  }

 private:
  static constexpr std::size_t most_in_a_piece = std::size_t{1} << 20;
  /// Up to here sets stay in a processor's nearest cache, and most walks end: these take about as long as the others.
  static constexpr unsigned few_log2_sets = 7;

  struct Part {
    Part(const SetGrid& grid, std::size_t groups) : sets(grid, groups) {}

    FarSets sets;
    std::mutex following;
    std::array<std::size_t, Lanes::depth> followed{};  ///< so many of each piece
  };

  struct Entered {
    std::vector<Line> line;
    std::vector<Line> left;
    std::vector<std::uint64_t> demotion;
    std::vector<std::uint16_t> group;
    std::vector<std::uint32_t> weight;
    static constexpr std::size_t bytes_each =
        2 * sizeof(Line) + sizeof(std::uint64_t) + sizeof(std::uint16_t) + sizeof(std::uint32_t);

    template <class Visit>
    void for_each_column(Visit visit) {
      visit(line, &EnteringLines::line);
      visit(left, &EnteringLines::left);
      visit(demotion, &EnteringLines::demotion);
      visit(group, &EnteringLines::group);
      visit(weight, &EnteringLines::weight);
    }
    void add(const EnteringLines& more) {
      for_each_column(
          [&](auto& column, auto of) { column.insert(column.end(), (more.*of).begin(), (more.*of).end()); });
    }
    void clear() {
      for_each_column([](auto& column, auto) { column.clear(); });
    }
    EnteringLines all() const { return {line, left, demotion, group, weight}; }
  };

  static std::vector<SetGrid> halved(const SetGrid& grid) {
    if (grid.min_log2_sets > few_log2_sets || grid.max_log2_sets <= few_log2_sets) return {grid};
    std::vector<SetGrid> parts{grid, grid};
    parts.front().max_log2_sets = few_log2_sets;
    parts.back().min_log2_sets = few_log2_sets + 1;
    return parts;
  }

  void follow_added(std::size_t piece, Part& part) {
    const EnteringLines all = pieces_[piece].all();
    std::size_t& followed = part.followed[piece];
    part.sets.enter(all.part(followed, all.line.size() - followed));
    followed = all.line.size();
  }

  SetGrid grid_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::array<Entered, Lanes::depth> pieces_;
  std::uint64_t piece_ = ~std::uint64_t{0};
  std::size_t adding_ = 0;  ///< to this one
};

}  // namespace cachescape::analyze
