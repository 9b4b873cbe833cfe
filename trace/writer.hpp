// Writes .cstrace files and streams.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bytes/sink.hpp"
#include "cachescape/access.hpp"
#include "cachescape/result.hpp"
#include "trace/chunk_codec.hpp"
#include "trace/index.hpp"
#include "trace/layout.hpp"
#include "trace/metadata.hpp"

namespace cachescape::trace {

/// Accesses as they stand in a file, so that they can be written again and again at the cost of a copy.
struct PackedRound {
  struct Chunk {
    ChunkHeader header;  ///< but for where in the trace it stands
    std::vector<std::byte> payload;
  };
  std::vector<Chunk> chunks;
  std::uint32_t accesses = 0;
};

struct WriterOptions {
  int zstd_level = 3;
  /// Accesses after which a round is closed. What a crash can lose; larger compresses better.
  std::uint32_t round_accesses = 1u << 16;
};

/// Appends accesses in their global order. Used by one thread. Whole rounds are handed to the sink as soon as
/// they are complete; an unfinished file is readable up to its last whole chunk. After an error nothing more
/// can be written. About 20–40 ns per access at the default level.
class TraceWriter {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(std::unique_ptr<bytes::ByteSink> sink, const Metadata& metadata,
                                                     WriterOptions options = {});

  Result<void> append(const AccessBatch& batch);
  Result<void> append(const Access& access);
  /// The batch's accesses as a round. Blocks are left out. Precondition: batch.size() ≤ max_round_accesses.
  PackedRound pack(const AccessBatch& batch) const;
  /// Writes a round behind whatever is pending.
  Result<void> append(const PackedRound& round);
  /// The thread enters a basic block before its next access.
  void enter_block(ThreadId thread, BlockId block);

  /// Writes what is pending, `metadata`, the index and the trailer, and closes the sink. A writer that is
  /// destroyed without finish() leaves an unfinished trace.
  Result<void> finish(const Metadata& metadata = {});

  std::uint64_t accesses() const { return round_first_ + pending_; }
  std::uint64_t bytes_written() const { return sink_->bytes_written(); }

 private:
  TraceWriter(std::unique_ptr<bytes::ByteSink> sink, WriterOptions options);

  ThreadPart& part_of(ThreadId thread);
  Result<void> flush_round();
  /// What is pending, which is then forgotten.
  PackedRound pack_pending();
  /// raw_ compressed, under a header that says so.
  PackedRound::Chunk packed(ChunkHeader header);
  Result<void> write_round(const PackedRound& round);
  Result<void> write_chunk(ChunkHeader header, std::span<const std::byte> payload);
  void take(const Access& access);
  Result<void> write_metadata(const Metadata& metadata);

  std::unique_ptr<bytes::ByteSink> sink_;
  WriterOptions options_;
  std::vector<ThreadPart> parts_;  ///< of the open round, by first appearance; kept for their capacity
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> part_numbers_;
  std::uint32_t last_part_ = 0;
  std::vector<std::uint32_t> part_ends_;  ///< position in the round after each part's last access
  std::uint64_t round_first_ = 0;
  std::uint32_t pending_ = 0;
  std::uint32_t pending_blocks_ = 0;
  Index index_;
  std::vector<std::byte> raw_;
  std::vector<std::byte> stored_;
};

}  // namespace cachescape::trace
