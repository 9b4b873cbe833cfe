// A ring written by hand, for tests and fuzz targets of what reads it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "observe/collect/session_file.hpp"
#include "session/order.h"
#include "session/session_layout.h"

namespace cachescape::collect {

/// Does what the runtime in a program does for one thread.
class MadeRing {
 public:
  MadeRing(SessionFile& session, std::uint32_t number) : session_(session.header()), number_(number) {
    ring().state = CACHESCAPE_RING_ACTIVE;
    ring().thread = number;
    session_.rings_used = std::max(session_.rings_used, number + 1);
  }

  void begin_plain(std::uint64_t began, std::uint64_t tickets = 0) {
    begin(began);
    block_->tickets = tickets;
  }
  void begin_pieces() {
    begin(1);
    block_->in_pieces = 1;
  }
  /// Ends the piece before, unless that has said of itself how long it is.
  void begin_piece(std::uint64_t ticket, std::uint64_t bytes = 0) {
    if (piece_ != nullptr && piece_->bytes == 0)
      piece_->bytes = static_cast<std::uint64_t>(next_ - reinterpret_cast<char*>(piece_ + 1));
    piece_ = reinterpret_cast<cachescape_piece*>(next_);
    *piece_ = {ticket + 1, bytes};
    next_ += sizeof *piece_;
  }
  void write(std::initializer_list<std::uint64_t> words) {
    for (const std::uint64_t word : words) {
      std::memcpy(next_, &word, sizeof word);
      next_ += sizeof word;
    }
  }
  /// The last word, which was written as zero.
  void complete(std::uint64_t word) { std::memcpy(next_ - sizeof word, &word, sizeof word); }
  void publish() {
    block_->bytes = static_cast<std::uint32_t>(next_ - reinterpret_cast<char*>(block_ + 1));
    ++ring().head;
    piece_ = nullptr;
  }
  void end() { ring().state = CACHESCAPE_RING_ENDED; }

 private:
  cachescape_ring& ring() { return *cachescape_ring_of(&session_, number_); }
  void begin(std::uint64_t began) {
    block_ = cachescape_block_of(&session_, number_, ring().head);
    block_->began = began;
    next_ = reinterpret_cast<char*>(block_ + 1);
  }

  cachescape_session& session_;
  std::uint32_t number_;
  cachescape_block* block_ = nullptr;
  cachescape_piece* piece_ = nullptr;
  char* next_ = nullptr;
};

}  // namespace cachescape::collect
