// Work that comes in pieces and goes through several lanes at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace cachescape::analyze {

/// Every lane takes all pieces, one after the other; different lanes may be at different pieces, at most `depth` apart,
/// so that a lane that is held up does not hold the others up. Called by one thread, which works along while it waits.
/// Waking a thread takes longer than adding a piece: who sleeps is woken for two pieces, or for room for two.
class Lanes {
 public:
  /// Pieces under way at once: what piece n occupies is free again when next() returns n + depth.
  static constexpr std::size_t depth = 4;

  struct Lane {
    std::function<void(std::uint64_t piece)> work;  ///< must not throw
    std::optional<std::size_t> after;               ///< the lane that has to be done with a piece before this one
    /// Whether that one has surely left nothing to do in a piece: nobody is woken for it then. Must not wait.
    std::function<bool(std::uint64_t piece)> nothing = nullptr;
  };

  explicit Lanes(unsigned workers);
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes();

  /// The caller is one of them.
  std::size_t workers() const { return threads_.size() + 1; }

  /// Precondition: drained.
  void set(std::vector<Lane> lanes);
  /// The number of the piece that add() will add, as soon as there is room for it.
  std::uint64_t next();
  void add();
  /// Returns when all lanes are done with all pieces.
  void drain();

 private:
  struct State {
    Lane lane;
    std::uint64_t done = 0;  ///< pieces
    bool busy = false;
  };

  /// Of the lanes that can go on, one that is farthest behind; null: none can.
  State* ready();
  /// Takes one lane on by a piece, if any can go on.
  bool work(std::unique_lock<std::mutex>& lock);
  /// Takes lanes on past pieces in which they have nothing to do.
  void pass_over();
  /// Wakes somebody who sleeps if a lane can go on that is worth it.
  void wake();
  /// Pieces that not all lanes are done with.
  std::uint64_t under_way() const;
  /// Works along until no more than so many pieces are under way.
  void work_down_to(std::uint64_t pieces, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable for_workers_;
  std::condition_variable for_caller_;
  unsigned sleeping_ = 0;                 ///< workers
  std::optional<std::uint64_t> awaited_;  ///< the caller sleeps until so few pieces are under way
  std::uint64_t worth_waking_ = 0;        ///< pieces that a lane is behind
  std::uint64_t added_ = 0;
  std::vector<State> lanes_;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace cachescape::analyze
