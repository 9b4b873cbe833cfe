// Puts the chunks of one round back into one sequence in the global order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/result.hpp"
#include "trace/chunk_codec.hpp"
#include "trace/layout.hpp"

namespace cachescape::trace {

/// Life of a round: begin(), add() for each of its chunks, seal(), then take() until remaining() is 0. A round
/// of one chunk is decoded straight into the caller's batches; several are scattered to their places first.
class Round {
 public:
  /// Starts a round with the properties that `header`, its first chunk, gives.
  void begin(const ChunkHeader& header);
  bool same_round(const ChunkHeader& header) const;

  /// Adds one unpacked chunk, followed by PartDecoder::padding bytes; for a round of one chunk `raw` must stay valid
  /// until all is taken. Errors carry no `where`.
  Result<void> add(const ChunkHeader& header, std::span<const std::byte> raw);
  bool complete() const { return added_chunks_ == header_.chunks_in_round; }

  /// Ends the adding; the number of accesses that are missing because chunks are.
  std::uint64_t seal();

  std::uint64_t remaining() const { return available_ - taken_; }
  bool empty() const { return remaining() == 0 && next_block_ == blocks_.size(); }
  /// Fills `batch` with the next accesses, up to its capacity.
  void take(AccessBatch& batch);

 private:
  struct PlacedBlock {
    std::uint32_t position;  ///< within the round
    ThreadId thread;
    BlockId block;
  };

  Result<void> scatter(const ChunkHeader& header);
  void drop_holes();

  ChunkHeader header_;
  std::uint32_t added_chunks_ = 0;
  std::uint64_t available_ = 0;
  std::uint64_t taken_ = 0;
  PartDecoder decoder_;
  std::vector<PlacedBlock> blocks_;
  std::size_t next_block_ = 0;

  // Rounds of several chunks only.
  std::vector<Address> address_;
  std::vector<std::uint32_t> size_;
  std::vector<AccessKind> kind_;
  std::vector<SiteId> site_;
  std::vector<ThreadId> thread_;
  std::vector<std::uint8_t> filled_;
  AccessBatch part_{0};
};

}  // namespace cachescape::trace
