// Set distances of far touches that an analysis found, followed later and perhaps by another thread: they take as long
// as all the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/distance/far_sets.hpp"
#include "analyze/engine/handed_on.hpp"

namespace cachescape::analyze {

/// One thread may be in add() while another is in follow(); everything else has the object for itself. Memory: that of
/// FarSets, and up to 30 MiB of touches for each piece that is under way.
class SetFollower {
 public:
  SetFollower(const SetGrid& grid, std::size_t groups) : sets_(grid, groups) {}

  /// What is added from now on belongs to this piece of the work (Lanes).
  void begin(std::uint64_t piece) { entered_.begin(piece); }
  void add(const EnteringLines& entering) {
    Entered& to = entered_.adding();
    to.add(entering);
    // A loop may pass more lines in a moment than there is room for.
    if (to.line.size() >= most_in_a_piece) catch_up();
  }
  /// Follows what was added to a piece. Pieces have to be followed in their order.
  void follow(std::uint64_t piece) {
    entered_.follow(piece, [this](Entered& entered) { follow(entered); });
  }
  /// Follows all that was added.
  void catch_up() {
    entered_.catch_up([this](Entered& entered) { follow(entered); });
  }

  /// Precondition: caught up.
  const FarSets& sets() const { return sets_; }
  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = sets_.memory_bytes();
    for (const Entered& e : entered_.pieces()) bytes += e.line.capacity() * Entered::bytes_each;
    return bytes;
  }

 private:
  static constexpr std::size_t most_in_a_piece = std::size_t{1} << 20;

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
  };

  void follow(Entered& entered) {
    sets_.enter({entered.line, entered.left, entered.demotion, entered.group, entered.weight});
    entered.clear();
  }

  FarSets sets_;
  HandedOn<Entered> entered_;
};

}  // namespace cachescape::analyze
