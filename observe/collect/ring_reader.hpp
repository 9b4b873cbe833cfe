// Reads what one thread of a program writes: plain blocks, and pieces with their tickets (session/order.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "observe/collect/record_decoder.hpp"
#include "observe/collect/session_file.hpp"
#include "session/order.h"

namespace cachescape::collect {

/// Pieces are also read out of the block that the thread is writing, and therefore copied before they are looked at.
class RingReader {
 public:
  RingReader(const SessionFile& session, std::uint32_t ring) : session_(&session), ring_(ring) {}

  /// Words of whole records that come next in the ring.
  struct Front {
    bool ready = false;
    bool is_piece = false;
    bool ends = false;         ///< nothing more will come with this ticket
    std::uint64_t ticket = 0;  ///< of a piece; of a plain block, the tickets that were taken before it
    std::uint64_t began = 0;   ///< when the block was
    std::uint64_t next_at = 0;
    std::span<const std::uint64_t> words{};

    /// Whether it comes first. A plain block is taken at the time it began.
    bool before(const Front& other) const {
      if (ticket != other.ticket) return ticket < other.ticket;
      return is_piece != other.is_piece ? !is_piece : began < other.began;
    }
  };

  /// Looks for a front where there is none. Blocks that are read to their end are given back, and a ring that its
  /// thread has left is set free. `program_is_over`: what was not completed will not be.
  void look(DecoderContext& context, bool program_is_over);
  const Front& front() const { return front_; }
  /// Decodes the front, which must be ready.
  void take(PackedBatch& batch, AccessSink& sink);

 private:
  void look_for_piece(const cachescape_block& block, bool published, bool program_is_over, DecoderContext& context);
  void copy(const cachescape_block& block, std::uint64_t at, std::uint64_t bytes);
  void give_back();

  const SessionFile* session_;
  std::uint32_t ring_;
  std::unique_ptr<RecordDecoder> decoder_;  ///< null while there is no thread
  std::uint64_t at_ = 0;                    ///< the next piece, in bytes from the end of the block's header
  std::uint64_t taken_ = 0;                 ///< bytes of that piece
  Front front_;
  std::vector<std::uint64_t> copied_;
};

}  // namespace cachescape::collect
