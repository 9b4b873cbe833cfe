#include "observe/collect/ring_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session_atomic.h"
#include "session/session_layout.h"

namespace cachescape::collect {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
/// A piece that is being written holds one record that is longer than this, or less.
constexpr std::uint64_t longest_open_piece = CACHESCAPE_PIECE_ROOM + CACHESCAPE_FINE_PIECE_BYTES;

std::uint64_t whole_words(std::uint64_t bytes) {
  return std::min<std::uint64_t>(bytes, CACHESCAPE_RECORD_BYTES) / word_bytes * word_bytes;
}

const std::uint8_t* records_of(const cachescape_block& block) {
  return reinterpret_cast<const std::uint8_t*>(&block + 1);
}

}  // namespace

void RingReader::copy(const cachescape_block& block, std::uint64_t at, std::uint64_t bytes) {
  copied_.resize(bytes / word_bytes);
  if (bytes != 0) std::memcpy(copied_.data(), records_of(block) + at, bytes);
}

void RingReader::look(DecoderContext& context, bool program_is_over) {
  cachescape_session& s = session_->header();
  cachescape_ring& r = *cachescape_ring_of(&s, ring_);
  while (!front_.ready) {
    const std::uint32_t state = cachescape_load32(&r.state);
    if (state != CACHESCAPE_RING_ACTIVE && state != CACHESCAPE_RING_ENDED) return;
    const bool published = cachescape_load32(&r.head) != r.tail;
    if (!published && state == CACHESCAPE_RING_ENDED) {
      decoder_.reset();
      at_ = taken_ = 0;
      cachescape_store32(&r.state, CACHESCAPE_RING_FREE);
      return;
    }
    const cachescape_block& block = *cachescape_block_of(&s, ring_, r.tail);
    const std::uint64_t began = cachescape_load64(&block.began);
    if (!published && began == 0) return;
    if (decoder_ == nullptr) {
      decoder_ = std::make_unique<RecordDecoder>(context, ThreadId{r.thread});
      if (r.stack_low < r.stack_high) context.objects.add_stack(r.stack_low, r.stack_high);
    }
    if (block.in_pieces != 0) {
      look_for_piece(block, published, program_is_over, context);
    } else if (at_ == 0 && (published || program_is_over)) {
      const std::uint64_t bytes = whole_words(published ? block.bytes : CACHESCAPE_RECORD_BYTES);
      front_ = {
          .ready = true, .ends = true, .ticket = block.tickets, .began = began, .next_at = CACHESCAPE_RECORD_BYTES};
      front_.words = {reinterpret_cast<const std::uint64_t*>(&block + 1), bytes / word_bytes};
    }
    if (front_.ready || !published) return;
    give_back();
  }
}

void RingReader::look_for_piece(const cachescape_block& block, bool published, bool program_is_over,
                                DecoderContext& context) {
  constexpr std::uint64_t head = sizeof(cachescape_piece);
  const std::uint64_t end = whole_words(published ? block.bytes : CACHESCAPE_RECORD_BYTES);
  if (at_ + head > end) return;
  const auto& piece = *reinterpret_cast<const cachescape_piece*>(records_of(block) + at_);
  const std::uint64_t ticket_plus_1 = cachescape_load64(&piece.ticket_plus_1);
  if (ticket_plus_1 == 0) return;
  const std::uint64_t room = end - at_ - head;
  const std::uint64_t start = at_ + head + taken_;
  std::uint64_t bytes = cachescape_load64(&piece.bytes);
  if (bytes == 0 && !published) {
    copy(block, start, std::min(room, std::max(longest_open_piece, taken_)) - taken_);
    // Whoever begins the next piece says before how long this one is: then what was copied may hold more than it.
    bytes = cachescape_load64(&piece.bytes);
  }
  if (bytes % word_bytes != 0 || bytes > room || (bytes != 0 && bytes < taken_)) {
    ++context.broken_blocks;
    at_ = CACHESCAPE_RECORD_BYTES;
    return;
  }
  front_ = {.is_piece = true, .ends = true, .ticket = ticket_plus_1 - 1, .began = block.began};
  if (bytes != 0 || published) {
    const std::uint64_t all = bytes != 0 ? bytes : room;
    copy(block, start, all - taken_);
    front_.words = copied_;
    front_.next_at = at_ + head + all;
    front_.ready = true;
    return;
  }
  if (program_is_over) {
    front_.words = copied_;
    front_.next_at = CACHESCAPE_RECORD_BYTES;
    front_.ready = true;
    return;
  }
  front_.words = std::span<const std::uint64_t>(copied_).first(decoder_->complete(copied_));
  if (front_.words.empty()) return;
  // Where a piece is a record, it has ended with that.
  front_.ends = cachescape_load32(&session_->header().order) == CACHESCAPE_ORDER_EXACT;
  front_.next_at = start + front_.words.size_bytes();
  front_.ready = true;
}

void RingReader::take(PackedBatch& batch, AccessSink& sink) {
  decoder_->decode(front_.words, batch, sink);
  if (front_.ends) {
    at_ = front_.next_at;
    taken_ = 0;
  } else {
    taken_ += front_.words.size_bytes();
  }
  front_.ready = false;
}

void RingReader::give_back() {
  cachescape_session& s = session_->header();
  cachescape_ring& r = *cachescape_ring_of(&s, ring_);
  std::memset(cachescape_block_of(&s, ring_, r.tail), 0, CACHESCAPE_BLOCK_BYTES);
  at_ = taken_ = 0;
  cachescape_add32(&r.tail, 1);
  // Not for every block: a program that fills the one block that is free waits again at once.
  if (cachescape_load32(&r.waiting) != 0 && cachescape_load32(&r.head) - r.tail <= CACHESCAPE_RING_BLOCKS / 2)
    syscall(SYS_futex, &r.tail, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace cachescape::collect
