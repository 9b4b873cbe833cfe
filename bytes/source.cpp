#include "bytes/source.hpp"

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

}  // namespace cachescape::bytes
