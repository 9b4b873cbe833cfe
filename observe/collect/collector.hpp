// Drains the rings of a session in the order in which the threads wrote.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "observe/collect/record_decoder.hpp"
#include "observe/collect/ring_reader.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::collect {

/// Nobody will collect any more: the program must not wait for room in its rings, nor for its profile.
void let_program_go(const SessionFile& session);

class Collector {
 public:
  Collector(SessionFile& session, AccessSink& sink) : session_(session), sink_(sink) { context_.session = &session_; }

  DecoderContext& context() { return context_; }

  /// Takes what is there now; whether there was anything. Plain blocks of several threads are taken in the order in
  /// which they were begun, pieces in the order of their tickets. A piece that is missing, because its thread was
  /// interrupted while it wrote it, or that has not ended is waited for a little, and no longer: so that threads that
  /// sleep hold up nobody.
  bool collect() { return collect(false); }
  /// Waits for something to collect, at most so long.
  void wait(unsigned milliseconds);
  /// The program is over: takes what is left, blocks that were being written included.
  void collect_rest();
  /// Whether the program has said that it has published everything.
  bool finished() const;
  /// Tells the program that nobody is interested in what it accesses from now on.
  void want_no_more();
  /// Lets a program go on that waits for its profile.
  void release_program();
  std::uint32_t threads() const;
  /// Blocks that the program had to throw away.
  std::uint64_t dropped_blocks() const;
  /// That an emulator has counted so far; 0 where none does. O(parts of code).
  std::uint64_t instructions() const { return context_.code.instructions(session_); }
  /// For which threads in an emulator have waited for room in their rings, together.
  double waited_seconds() const;
  /// Blocks or pieces so far: what was ordered as one.
  std::uint64_t ordered_parts() const { return parts_; }
  /// Pieces, or parts of them, that came when later ones had been taken already: their thread did not run.
  std::uint64_t late_parts() const { return late_parts_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool collect(bool program_is_over);
  void learn_modules();
  void look_at_rings(bool program_is_over);
  RingReader* earliest();
  /// Whether all that comes before it has been taken, or need not be waited for.
  bool is_next(const RingReader::Front& front, bool program_is_over);
  void take(RingReader& ring);

  SessionFile& session_;
  AccessSink& sink_;
  DecoderContext context_;
  PackedBatch batch_;
  std::vector<RingReader> rings_;
  std::uint64_t next_ticket_ = 0;                   ///< all before it were taken, or given up
  std::optional<Clock::time_point> held_up_since_;  ///< something waits for what comes before it
  std::uint64_t parts_ = 0;
  std::uint64_t late_parts_ = 0;
  std::size_t globals_known_ = 0;
};

}  // namespace cachescape::collect
