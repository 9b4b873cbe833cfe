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
  Result<void> write_chunk(ChunkHeader header);
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
