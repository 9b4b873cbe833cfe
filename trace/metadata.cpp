#include "trace/metadata.hpp"

#include <ranges>

#include "trace/varint.hpp"

namespace cachescape::trace {
namespace {

void put_text(std::vector<std::byte>& out, std::string_view text) {
  put_varint(out, text.size());
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::string_view value_of(const Metadata& metadata, std::string_view key) {
  for (const auto& [k, v] : std::views::reverse(metadata)) {
    if (k == key) return v;
  }
  return {};
}

void encode_metadata(const Metadata& metadata, std::vector<std::byte>& out) {
  put_varint(out, metadata.size());
  for (const auto& [key, value] : metadata) {
    put_text(out, key);
    put_text(out, value);
  }
}

Result<void> decode_metadata(std::span<const std::byte> raw, Metadata& metadata) {
  VarintReader in(raw);
  const auto count = in.next();
  if (!count || *count > in.remaining() / 2) return failure(ErrorKind::malformed, "the trace's metadata is malformed");
  for (std::uint64_t i = 0; i < *count; ++i) {
    std::string texts[2];
    for (std::string& text : texts) {
      const auto length = in.next();
      const auto bytes = length ? in.take(*length) : std::nullopt;
      if (!bytes) return failure(ErrorKind::malformed, "the trace's metadata is malformed");
      text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    }
    metadata.emplace_back(std::move(texts[0]), std::move(texts[1]));
  }
  return {};
}

}  // namespace cachescape::trace
