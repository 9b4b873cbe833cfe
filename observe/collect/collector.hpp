// Drains the rings of a session, oldest blocks first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "observe/collect/record_decoder.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::collect {

/// Nobody will collect any more: the program must not wait for room in its rings, nor for its profile.
void let_program_go(const SessionFile& session);

class Collector {
 public:
  Collector(SessionFile& session, AccessSink& sink) : session_(session), sink_(sink) { context_.session = &session_; }

  DecoderContext& context() { return context_; }

  /// Takes the blocks that are published now; whether there were any. Blocks of several threads are taken in the order
  /// in which they were begun.
  bool collect();
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

 private:
  void take_block(std::uint32_t ring, const cachescape_block& block, std::size_t bytes);
  void give_back(std::uint32_t ring);
  void join_ring(std::uint32_t ring);

  SessionFile& session_;
  AccessSink& sink_;
  DecoderContext context_;
  PackedBatch batch_;
  std::vector<std::unique_ptr<RecordDecoder>> decoders_;  ///< by ring; null while it has no thread
  std::size_t globals_known_ = 0;
};

}  // namespace cachescape::collect
