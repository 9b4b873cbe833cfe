#include "trace/index.hpp"

#include "trace/layout.hpp"
#include "trace/varint.hpp"

namespace cachescape::trace {

void encode_index(const Index& index, std::vector<std::byte>& out) {
  put_varint(out, index.size());
  IndexEntry previous;
  for (const IndexEntry& e : index) {
    put_varint(out, e.offset - previous.offset);
    put_varint(out, e.round_first - previous.round_first);
    put_varint(out, e.thread.value);
    put_varint(out, e.accesses);
    previous = e;
  }
}

Result<Index> decode_index(std::span<const std::byte> raw) {
  VarintReader in(raw);
  const auto malformed = [] { return failure(ErrorKind::malformed, "the trace's index is malformed"); };
  const auto count = in.next();
  if (!count || *count > in.remaining() / 4) return malformed();
  Index index;
  index.reserve(*count);
  IndexEntry e;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto offset = in.next();
    const auto first = in.next();
    const auto thread = in.next();
    const auto accesses = in.next();
    if (!offset || !first || !thread || !accesses || *thread > 0xffffffffu || *accesses > max_round_accesses)
      return malformed();
    e.offset += *offset;
    e.round_first += *first;
    e.thread = ThreadId{static_cast<std::uint32_t>(*thread)};
    e.accesses = static_cast<std::uint32_t>(*accesses);
    index.push_back(e);
  }
  return index;
}

}  // namespace cachescape::trace
