#include "bytes/source.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cachescape::bytes {

Result<void> ByteSource::seek(std::uint64_t) {
  return failure(ErrorKind::unsupported, "this input can only be read from start to end", name(),
                 "use an uncompressed regular file");
}

Result<std::size_t> read_fully(ByteSource& source, std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    CACHESCAPE_TRY(const std::size_t count, source.read(into.subspan(filled)));
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

Result<std::vector<std::byte>> read_all(ByteSource& source, std::size_t most) {
  std::vector<std::byte> all;
  while (true) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    const std::size_t before = all.size();
    all.resize(before + std::max(piece, before));
    CACHESCAPE_TRY(const std::size_t got, read_fully(source, std::span(all).subspan(before)));
    const bool ended = before + got < all.size();
    all.resize(before + got);
    if (all.size() > most) {
      return failure(ErrorKind::limit, fmt::format("this file is too large: at most {} bytes are read", most),
                     source.name());
    }
    if (ended) return all;
  }
}

}  // namespace cachescape::bytes
