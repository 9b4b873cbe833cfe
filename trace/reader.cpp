#include "trace/reader.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <zstd.h>

namespace cachescape::trace {
namespace {

bool plausible(const ChunkHeader& h) { return h.magic == chunk_magic && h.checksum == checksum_of_fields(h); }

/// What a header with a right checksum may still get wrong.
const char* complaint(const ChunkHeader& h) {
  if (h.type < ChunkType::accesses || h.type > ChunkType::index) return "the chunk has an unknown type";
  if (h.codec > Codec::zstd) return "the chunk is packed in an unknown way";
  if (h.raw_bytes > max_payload_bytes || h.stored_bytes > max_payload_bytes)
    return "the chunk is larger than the format allows";
  if (h.codec == Codec::plain && h.raw_bytes != h.stored_bytes) return "the chunk's sizes contradict each other";
  if (h.type == ChunkType::accesses && (h.round_accesses > max_round_accesses || h.accesses > h.round_accesses ||
                                        h.chunk_in_round >= h.chunks_in_round)) {
    return "the chunk's access counts are impossible";
  }
  return nullptr;
}

}  // namespace

bool is_trace(std::span<const std::byte> head) {
  return head.size() >= file_magic.size() && std::memcmp(head.data(), file_magic.data(), file_magic.size()) == 0;
}

TraceReader::TraceReader(std::unique_ptr<bytes::ByteSource> source, Strictness strictness)
    : input_(std::move(source)), strictness_(strictness) {}

Result<std::unique_ptr<TraceReader>> TraceReader::open(std::unique_ptr<bytes::ByteSource> source,
                                                       Strictness strictness) {
  std::unique_ptr<TraceReader> reader(new TraceReader(std::move(source), strictness));
  CACHESCAPE_TRY(const auto head, reader->input_.peek(sizeof(FileHeader)));
  const std::string& name = reader->input_.source().name();
  if (!is_trace(head)) {
    return failure(ErrorKind::malformed, "this is not a cachescape trace", name,
                   "foreign traces are read by: cachescape import");
  }
  if (head.size() < sizeof(FileHeader)) return failure(ErrorKind::truncated, "the trace ends inside its header", name);
  const auto header = load<FileHeader>(head);
  if (header.checksum != checksum_of_fields(header))
    return failure(ErrorKind::corrupt, "the trace's header is damaged", name);
  if (header.version != format_version) {
    return failure(
        ErrorKind::unsupported,
        fmt::format("the trace has format version {}, this program reads version {}", header.version, format_version),
        name, "use a newer cachescape");
  }
  reader->input_.consume(sizeof(FileHeader));
  return reader;
}

Error TraceReader::truncated_here(const char* what) const {
  return {ErrorKind::truncated, what, fmt::format("{}: byte {}", input_.source().name(), input_.offset()),
          fmt::format("the {} accesses before it are intact; --lenient uses them", status_.accesses.value)};
}

Error TraceReader::damaged(ErrorKind kind, const std::string& what) const {
  return {kind, what, fmt::format("{}: chunk at byte {}", input_.source().name(), chunk_offset_),
          "--lenient passes over damaged chunks and counts what is lost"};
}

Result<std::optional<ChunkHeader>> TraceReader::read_header() {
  CACHESCAPE_TRY(auto bytes, input_.peek(sizeof(ChunkHeader)));
  if (bytes.size() >= end_magic.size() && std::memcmp(bytes.data(), end_magic.data(), end_magic.size()) == 0) {
    CACHESCAPE_CHECK(check_trailer());
    return std::nullopt;
  }
  if (bytes.empty()) return std::unexpected(truncated_here("the trace was not finished: its end is missing"));
  if (bytes.size() < sizeof(ChunkHeader)) return std::unexpected(truncated_here("the trace ends inside a chunk"));
  chunk_offset_ = input_.offset();
  auto header = load<ChunkHeader>(bytes);
  if (!plausible(header)) return std::unexpected(damaged(ErrorKind::corrupt, "the chunk's header is damaged"));
  if (const char* what = complaint(header)) return std::unexpected(damaged(ErrorKind::malformed, what));
  input_.consume(sizeof(ChunkHeader));
  return header;
}

Result<void> TraceReader::check_trailer() {
  CACHESCAPE_TRY(const auto bytes, input_.peek(sizeof(FileTrailer)));
  if (bytes.size() < sizeof(FileTrailer)) return std::unexpected(truncated_here("the trace ends inside its trailer"));
  const auto trailer = load<FileTrailer>(bytes);
  chunk_offset_ = input_.offset();
  if (trailer.checksum != checksum_of_fields(trailer))
    return std::unexpected(damaged(ErrorKind::corrupt, "the trace's trailer is damaged"));
  input_.consume(sizeof(FileTrailer));
  CACHESCAPE_TRY(const auto rest, input_.peek(1));
  if (!rest.empty() && strictness_ == Strictness::strict) {
    return std::unexpected(damaged(ErrorKind::malformed, "there are more bytes after the end of the trace"));
  }
  if (trailer.accesses > next_position_) {
    const std::uint64_t missing = trailer.accesses - next_position_;
    next_position_ = trailer.accesses;
    status_.lost_accesses += AccessCount{missing};
    if (strictness_ == Strictness::strict) {
      return std::unexpected(
          damaged(ErrorKind::corrupt, fmt::format("{} accesses are missing before the end of the trace", missing)));
    }
  }
  return {};
}

Result<void> TraceReader::read_payload(const ChunkHeader& header) {
  CACHESCAPE_TRY(const auto stored, input_.peek(header.stored_bytes));
  if (stored.size() < header.stored_bytes) return std::unexpected(truncated_here("the trace ends inside a chunk"));
  if (checksum_of(stored) != header.payload_checksum) {
    input_.consume(header.stored_bytes);
    return std::unexpected(damaged(ErrorKind::corrupt, "the chunk's contents do not match their checksum"));
  }
  if (header.codec == Codec::zstd && ZSTD_getFrameContentSize(stored.data(), stored.size()) != header.raw_bytes) {
    input_.consume(header.stored_bytes);
    return std::unexpected(
        damaged(ErrorKind::malformed, "the chunk's contents do not have the size that its header gives"));
  }
  raw_.resize(header.raw_bytes + PartDecoder::padding);
  bool unpacked = true;
  if (header.codec == Codec::plain) {
    std::copy(stored.begin(), stored.end(), raw_.begin());
  } else {
    const std::size_t n = ZSTD_decompress(raw_.data(), header.raw_bytes, stored.data(), stored.size());
    unpacked = ZSTD_isError(n) == 0 && n == header.raw_bytes;
  }
  input_.consume(header.stored_bytes);
  if (!unpacked) return std::unexpected(damaged(ErrorKind::malformed, "the chunk cannot be unpacked"));
  return {};
}

Result<void> TraceReader::read_round_chunk(const ChunkHeader& header) {
  CACHESCAPE_CHECK(read_payload(header));
  const auto raw = std::span<const std::byte>(raw_).first(header.raw_bytes);
  Result<void> done;
  switch (header.type) {
    case ChunkType::metadata:
      done = decode_metadata(raw, metadata_);
      break;
    case ChunkType::index:
      break;
    case ChunkType::accesses:
      done = round_.add(header, raw);
      break;
  }
  if (!done) return std::unexpected(damaged(done.error().kind, done.error().what));
  return {};
}

/// Finds the next chunk header or trailer after damage; false at the end of the input.
bool TraceReader::resynchronise() {
  input_.consume(1);
  while (true) {
    const auto bytes = input_.peek(sizeof(ChunkHeader) + 65536);
    if (!bytes || bytes->size() < sizeof(FileTrailer)) return false;
    std::size_t at = 0;
    for (; at + sizeof(FileTrailer) <= bytes->size(); ++at) {
      const auto rest = bytes->subspan(at);
      if (std::memcmp(rest.data(), end_magic.data(), end_magic.size()) == 0) break;
      if (rest.size() >= sizeof(ChunkHeader) && load<std::uint32_t>(rest) == chunk_magic &&
          plausible(load<ChunkHeader>(rest)))
        break;
    }
    const bool found = at + sizeof(FileTrailer) <= bytes->size();
    input_.consume(at);
    if (found) return true;
  }
}

Result<bool> TraceReader::read_round() {
  bool open_round = false;
  const auto close_round = [&] {
    status_.lost_accesses += AccessCount{round_.seal()};
    return !round_.empty();
  };
  while (true) {
    Result<std::optional<ChunkHeader>> header = std::exchange(pending_, std::nullopt);
    bool header_damaged = false;
    if (!*header) {
      header = read_header();
      header_damaged = !header;
    }
    Result<void> chunk;
    if (header && !*header) {
      finished_ = true;
      return open_round && close_round();
    }
    if (header) {
      const ChunkHeader& h = **header;
      if (h.type == ChunkType::accesses) {
        if (open_round && !round_.same_round(h)) {
          if (strictness_ == Strictness::strict)
            return std::unexpected(damaged(ErrorKind::corrupt, "a chunk is missing before this one"));
          pending_ = h;
          if (close_round()) return true;
          open_round = false;
          continue;
        }
        if (!open_round) {
          if (h.round_first != next_position_ && strictness_ == Strictness::strict) {
            return std::unexpected(damaged(ErrorKind::corrupt, "chunks are missing or out of place before this one"));
          }
          if (h.round_first > next_position_) status_.lost_accesses += AccessCount{h.round_first - next_position_};
          round_.begin(h);
          next_position_ = h.round_first + h.round_accesses;
          open_round = true;
        }
      }
      chunk = read_round_chunk(h);
      if (chunk && open_round && h.chunk_in_round + 1 == h.chunks_in_round && h.type == ChunkType::accesses) {
        if (close_round()) return true;
        open_round = false;
      }
    }
    if (!header || !chunk) {
      Error error = header ? std::move(chunk).error() : std::move(header).error();
      if (strictness_ == Strictness::strict || error.kind == ErrorKind::io) return std::unexpected(std::move(error));
      ++status_.skipped_records;
      if (error.kind == ErrorKind::truncated || (header_damaged && !resynchronise())) {
        finished_ = true;
        return open_round && close_round();
      }
    }
  }
}

Result<bool> TraceReader::next(AccessBatch& batch) {
  batch.clear();
  while (true) {
    while (round_.empty()) {
      if (finished_) return false;
      auto more = read_round();
      if (!more) {
        finished_ = true;
        return std::unexpected(std::move(more).error());
      }
    }
    round_.take(batch);
    if (skip_ == 0) break;
    // After a seek: pass over what lies before the position asked for.
    if (skip_ >= batch.size()) {
      skip_ -= batch.size();
      continue;
    }
    AccessBatch rest(batch.capacity());
    rest.first = AccessCount{batch.first.value + skip_};
    for (std::size_t i = skip_; i < batch.size(); ++i) rest.push(batch[i]);
    for (const BlockEntry& b : batch.blocks) {
      if (b.index >= skip_) rest.blocks.push_back({b.index - static_cast<std::uint32_t>(skip_), b.thread, b.block});
    }
    skip_ = 0;
    batch = std::move(rest);
    break;
  }
  status_.accesses += AccessCount{batch.size()};
  return true;
}

SourceStatus TraceReader::status() const {
  SourceStatus s = status_;
  s.bytes_read = input_.source().bytes_read();
  s.bytes_total = input_.source().bytes_total();
  return s;
}

Result<bool> TraceReader::load_index() {
  if (index_) return true;
  const auto total = input_.source().bytes_total();
  if (!input_.source().seekable() || !total || *total < sizeof(FileHeader) + sizeof(FileTrailer)) return false;
  const std::uint64_t here = input_.offset();
  const auto read = [&]() -> Result<std::optional<Index>> {
    CACHESCAPE_CHECK(input_.seek(*total - sizeof(FileTrailer)));
    CACHESCAPE_TRY(const auto bytes, input_.peek(sizeof(FileTrailer)));
    const auto trailer = load<FileTrailer>(bytes);
    if (trailer.magic != end_magic || trailer.checksum != checksum_of_fields(trailer)) return std::nullopt;
    CACHESCAPE_CHECK(input_.seek(trailer.index_offset));
    CACHESCAPE_TRY(const auto header, read_header());
    if (!header || header->type != ChunkType::index) return std::nullopt;
    CACHESCAPE_CHECK(read_payload(*header));
    CACHESCAPE_TRY(Index index, decode_index(std::span<const std::byte>(raw_).first(header->raw_bytes)));
    return index;
  };
  // A damaged end is found again, with a proper message, when reading gets there.
  if (auto index = read(); index && *index) index_ = std::move(**index);
  CACHESCAPE_CHECK(input_.seek(here));
  return index_.has_value();
}

Result<void> TraceReader::load_metadata() {
  const std::uint64_t here = input_.offset();
  metadata_.clear();
  const auto read_run = [&](std::uint64_t offset, bool until_accesses) -> Result<void> {
    CACHESCAPE_CHECK(input_.seek(offset));
    while (true) {
      CACHESCAPE_TRY(const auto header, read_header());
      if (!header || header->type == ChunkType::index) return {};
      CACHESCAPE_CHECK(read_payload(*header));
      if (header->type == ChunkType::metadata) {
        CACHESCAPE_CHECK(decode_metadata(std::span<const std::byte>(raw_).first(header->raw_bytes), metadata_));
      } else if (until_accesses) {
        return {};
      }
    }
  };
  // Facts stand before the first access chunk and after the last.
  CACHESCAPE_CHECK(read_run(sizeof(FileHeader), true));
  if (!index_->empty()) CACHESCAPE_CHECK(read_run(index_->back().offset, false));
  return input_.seek(here);
}

Result<void> TraceReader::seek(AccessCount position) {
  const auto after = std::ranges::upper_bound(*index_, position.value, {}, &IndexEntry::round_first);
  auto round = after == index_->begin() ? after : after - 1;
  while (round != index_->begin() && (round - 1)->round_first == round->round_first) --round;
  round_ = Round();
  pending_.reset();
  finished_ = round == index_->end();
  if (finished_) return {};
  CACHESCAPE_CHECK(input_.seek(round->offset));
  next_position_ = round->round_first;
  skip_ = position.value - std::min(position.value, round->round_first);
  return {};
}

}  // namespace cachescape::trace
