#include "trace/round.hpp"

#include <algorithm>

namespace cachescape::trace {

void Round::begin(const ChunkHeader& header) {
  header_ = header;
  added_chunks_ = 0;
  available_ = 0;
  taken_ = 0;
  blocks_.clear();
  next_block_ = 0;
  if (header.chunks_in_round > 1) {
    const std::size_t n = header.round_accesses;
    address_.resize(n);
    size_.resize(n);
    kind_.resize(n);
    site_.resize(n);
    thread_.resize(n);
    filled_.assign(n, 0);
  }
}

bool Round::same_round(const ChunkHeader& header) const {
  return header.round_first == header_.round_first && header.round_accesses == header_.round_accesses &&
         header.chunks_in_round == header_.chunks_in_round;
}

Result<void> Round::add(const ChunkHeader& header, std::span<const std::byte> raw) {
  const bool whole = header_.chunks_in_round == 1;
  CACHESCAPE_CHECK(decoder_.open(raw, header.accesses, whole));
  if (whole) {
    if (header.accesses != header.round_accesses) {
      return failure(ErrorKind::malformed, "the chunk's access count contradicts its round's");
    }
    for (const BlockEntry& b : decoder_.blocks()) blocks_.push_back({b.index, ThreadId{header.thread}, b.block});
  } else {
    CACHESCAPE_CHECK(scatter(header));
  }
  available_ += header.accesses;
  ++added_chunks_;
  return {};
}

Result<void> Round::scatter(const ChunkHeader& header) {
  const std::size_t n = header.accesses;
  if (part_.capacity() < n) part_ = AccessBatch(n);
  decoder_.decode({part_.address_column(), part_.size_column(), part_.kind_column(), part_.site_column()}, n);
  part_.set_size(n);

  std::uint64_t position = 0;
  std::size_t from = 0;
  auto block = decoder_.blocks().begin();
  for (const OrderRun& run : decoder_.order()) {
    position += run.gap;
    if (position + run.length > header_.round_accesses) {
      return failure(ErrorKind::malformed, "the chunk's order runs lead out of their round");
    }
    const auto slot = static_cast<std::ptrdiff_t>(position);
    if (std::find(filled_.begin() + slot, filled_.begin() + slot + run.length, 1) !=
        filled_.begin() + slot + run.length) {
      return failure(ErrorKind::malformed, "two chunks of a round claim the same place in the order");
    }
    for (; block != decoder_.blocks().end() && block->index < from + run.length; ++block) {
      blocks_.push_back(
          {static_cast<std::uint32_t>(position + (block->index - from)), ThreadId{header.thread}, block->block});
    }
    std::fill_n(filled_.begin() + slot, run.length, std::uint8_t{1});
    std::fill_n(thread_.begin() + slot, run.length, ThreadId{header.thread});
    std::copy_n(part_.address_column() + from, run.length, address_.begin() + slot);
    std::copy_n(part_.size_column() + from, run.length, size_.begin() + slot);
    std::copy_n(part_.kind_column() + from, run.length, kind_.begin() + slot);
    std::copy_n(part_.site_column() + from, run.length, site_.begin() + slot);
    position += run.length;
    from += run.length;
  }
  for (; block != decoder_.blocks().end(); ++block) {
    blocks_.push_back({header_.round_accesses, ThreadId{header.thread}, block->block});
  }
  return {};
}

// After lost chunks: closes the gaps that their accesses leave, moving block labels along.
void Round::drop_holes() {
  std::uint32_t to = 0;
  std::size_t block = 0;
  for (std::uint32_t from = 0; from < header_.round_accesses; ++from) {
    for (; block < blocks_.size() && blocks_[block].position <= from; ++block) blocks_[block].position = to;
    if (filled_[from] == 0) continue;
    address_[to] = address_[from];
    size_[to] = size_[from];
    kind_[to] = kind_[from];
    site_[to] = site_[from];
    thread_[to] = thread_[from];
    ++to;
  }
  for (; block < blocks_.size(); ++block) blocks_[block].position = to;
}

std::uint64_t Round::seal() {
  if (header_.chunks_in_round == 1) return header_.round_accesses - available_;
  std::ranges::stable_sort(blocks_, {}, &PlacedBlock::position);
  const std::uint64_t missing = header_.round_accesses - available_;
  if (missing > 0) drop_holes();
  return missing;
}

void Round::take(AccessBatch& batch) {
  batch.clear();
  batch.first = AccessCount{header_.round_first + taken_};
  const std::size_t n = std::min<std::uint64_t>(batch.capacity(), remaining());
  if (header_.chunks_in_round == 1) {
    decoder_.decode({batch.address_column(), batch.size_column(), batch.kind_column(), batch.site_column()}, n);
    std::fill_n(batch.thread_column(), n, ThreadId{header_.thread});
  } else {
    const auto from = static_cast<std::ptrdiff_t>(taken_);
    std::copy_n(address_.begin() + from, n, batch.address_column());
    std::copy_n(size_.begin() + from, n, batch.size_column());
    std::copy_n(kind_.begin() + from, n, batch.kind_column());
    std::copy_n(site_.begin() + from, n, batch.site_column());
    std::copy_n(thread_.begin() + from, n, batch.thread_column());
  }
  batch.set_size(n);
  const bool last = taken_ + n == available_;
  for (; next_block_ < blocks_.size() && (last || blocks_[next_block_].position < taken_ + n); ++next_block_) {
    const PlacedBlock& b = blocks_[next_block_];
    const auto index = std::min<std::uint64_t>(b.position - std::min<std::uint64_t>(b.position, taken_), n);
    batch.blocks.push_back({static_cast<std::uint32_t>(index), b.thread, b.block});
  }
  taken_ += n;
}

}  // namespace cachescape::trace
