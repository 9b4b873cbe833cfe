#include "trace/writer.hpp"

#include <algorithm>

#include <zstd.h>

namespace cachescape::trace {
namespace {

constexpr std::uint32_t no_part = 0xffffffff;
// With many threads each thread's share of a round must stay worth a chunk of its own.
constexpr std::uint32_t accesses_per_part = 1u << 13;
// Blocks without accesses must not let a round grow without end.
constexpr std::uint32_t max_round_blocks = 1u << 18;

template <class Fixed>
std::span<const std::byte> bytes_of(const Fixed& fixed) {
  return std::as_bytes(std::span(&fixed, 1));
}

}  // namespace

TraceWriter::TraceWriter(std::unique_ptr<bytes::ByteSink> sink, WriterOptions options)
    : sink_(std::move(sink)), options_(options), last_part_(no_part) {}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(std::unique_ptr<bytes::ByteSink> sink,
                                                         const Metadata& metadata, WriterOptions options) {
  options.round_accesses = std::clamp(options.round_accesses, 1u, max_round_accesses);
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::move(sink), options));
  FileHeader header;
  header.checksum = checksum_of_fields(header);
  CACHESCAPE_CHECK(writer->sink_->write(bytes_of(header)));
  CACHESCAPE_CHECK(writer->write_metadata(metadata));
  return writer;
}

ThreadPart& TraceWriter::part_of(ThreadId thread) {
  if (last_part_ != no_part && parts_[last_part_].thread == thread) return parts_[last_part_];
  const auto [it, is_new] = part_numbers_.try_emplace(thread.value, static_cast<std::uint32_t>(parts_.size()));
  if (is_new) {
    parts_.push_back({thread, {}, {}, {}});
    part_ends_.push_back(0);
  }
  last_part_ = it->second;
  return parts_[last_part_];
}

void TraceWriter::take(const Access& access) {
  ThreadPart& part = part_of(access.thread);
  std::uint32_t& end = part_ends_[last_part_];
  if (!part.order.empty() && end == pending_) {
    ++part.order.back().length;
  } else {
    part.order.push_back({pending_ - end, 1});
  }
  part.accesses.push_back(access);
  end = ++pending_;
}

Result<void> TraceWriter::append(const Access& access) {
  take(access);
  const auto wanted =
      std::max<std::uint64_t>(options_.round_accesses, parts_.size() * std::uint64_t{accesses_per_part});
  const bool many_threads = parts_.size() > 1 && options_.round_accesses >= accesses_per_part;
  if (pending_ >= (many_threads ? std::min<std::uint64_t>(wanted, max_round_accesses) : options_.round_accesses))
    return flush_round();
  return {};
}

Result<void> TraceWriter::append(const AccessBatch& batch) {
  auto block = batch.blocks.begin();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (; block != batch.blocks.end() && block->index <= i; ++block) enter_block(block->thread, block->block);
    CACHESCAPE_CHECK(append(batch[i]));
  }
  for (; block != batch.blocks.end(); ++block) enter_block(block->thread, block->block);
  return pending_blocks_ >= max_round_blocks ? flush_round() : Result<void>{};
}

void TraceWriter::enter_block(ThreadId thread, BlockId block) {
  ThreadPart& part = part_of(thread);
  part.blocks.push_back({static_cast<std::uint32_t>(part.accesses.size()), thread, block});
  ++pending_blocks_;
}

PackedRound TraceWriter::pack_pending() {
  const auto used = [](const ThreadPart& p) { return !p.accesses.empty() || !p.blocks.empty(); };
  PackedRound round;
  round.accesses = pending_;
  const bool whole = std::count_if(parts_.begin(), parts_.end(), used) == 1;
  for (ThreadPart& part : parts_) {
    if (!used(part)) continue;
    raw_.clear();
    encode_part(part, whole, raw_);
    ChunkHeader header;
    header.thread = part.thread.value;
    header.accesses = static_cast<std::uint32_t>(part.accesses.size());
    round.chunks.push_back(packed(header));
  }
  // Threads come and go: forgetting them after each round keeps rounds small.
  parts_.clear();
  part_ends_.clear();
  part_numbers_.clear();
  last_part_ = no_part;
  pending_ = 0;
  pending_blocks_ = 0;
  return round;
}

Result<void> TraceWriter::flush_round() { return write_round(pack_pending()); }

Result<void> TraceWriter::write_round(const PackedRound& round) {
  for (std::uint32_t i = 0; i < round.chunks.size(); ++i) {
    const PackedRound::Chunk& chunk = round.chunks[i];
    ChunkHeader header = chunk.header;
    header.round_first = round_first_;
    header.round_accesses = round.accesses;
    header.chunks_in_round = static_cast<std::uint32_t>(round.chunks.size());
    header.chunk_in_round = i;
    index_.push_back({sink_->bytes_written(), round_first_, ThreadId{header.thread}, header.accesses});
    CACHESCAPE_CHECK(write_chunk(header, chunk.payload));
  }
  round_first_ += round.accesses;
  return {};
}

PackedRound TraceWriter::pack(const AccessBatch& batch) const {
  // Set aside, so that what is pending stays so.
  TraceWriter apart(nullptr, options_);
  for (std::size_t i = 0; i < batch.size(); ++i) apart.take(batch[i]);
  return apart.pack_pending();
}

Result<void> TraceWriter::append(const PackedRound& round) {
  if (pending_ > 0 || pending_blocks_ > 0) CACHESCAPE_CHECK(flush_round());
  return write_round(round);
}

PackedRound::Chunk TraceWriter::packed(ChunkHeader header) {
  PackedRound::Chunk chunk{header, {}};
  chunk.payload.resize(ZSTD_compressBound(raw_.size()));
  const std::size_t size =
      ZSTD_compress(chunk.payload.data(), chunk.payload.size(), raw_.data(), raw_.size(), options_.zstd_level);
  if (ZSTD_isError(size) != 0 || size >= raw_.size()) {
    chunk.header.codec = Codec::plain;
    chunk.payload = raw_;
  } else {
    chunk.header.codec = Codec::zstd;
    chunk.payload.resize(size);
  }
  chunk.header.stored_bytes = static_cast<std::uint32_t>(chunk.payload.size());
  chunk.header.raw_bytes = static_cast<std::uint32_t>(raw_.size());
  chunk.header.payload_checksum = checksum_of(chunk.payload);
  return chunk;
}

Result<void> TraceWriter::write_chunk(ChunkHeader header, std::span<const std::byte> payload) {
  if (header.raw_bytes > max_payload_bytes) {
    return failure(ErrorKind::limit, "a chunk of the trace has become too large", sink_->name(),
                   "write with fewer accesses per round");
  }
  header.checksum = checksum_of_fields(header);
  stored_.assign(bytes_of(header).begin(), bytes_of(header).end());
  stored_.insert(stored_.end(), payload.begin(), payload.end());
  return sink_->write(stored_);
}

Result<void> TraceWriter::write_metadata(const Metadata& metadata) {
  if (metadata.empty()) return {};
  raw_.clear();
  encode_metadata(metadata, raw_);
  ChunkHeader header;
  header.type = ChunkType::metadata;
  header.round_first = round_first_;
  const PackedRound::Chunk chunk = packed(header);
  return write_chunk(chunk.header, chunk.payload);
}

Result<void> TraceWriter::finish(const Metadata& metadata) {
  if (pending_ > 0 || pending_blocks_ > 0) CACHESCAPE_CHECK(flush_round());
  CACHESCAPE_CHECK(write_metadata(metadata));
  raw_.clear();
  encode_index(index_, raw_);
  FileTrailer trailer;
  trailer.index_offset = sink_->bytes_written();
  trailer.accesses = round_first_;
  trailer.checksum = checksum_of_fields(trailer);
  ChunkHeader header;
  header.type = ChunkType::index;
  header.round_first = round_first_;
  const PackedRound::Chunk chunk = packed(header);
  CACHESCAPE_CHECK(write_chunk(chunk.header, chunk.payload));
  CACHESCAPE_CHECK(sink_->write(bytes_of(trailer)));
  return sink_->close();
}

}  // namespace cachescape::trace
