// Hostile contents behind right checksums: what the checksums would hide from trace_fuzz.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "trace/index.hpp"
#include "trace/metadata.hpp"
#include "trace/reader.hpp"

using namespace cachescape;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  // The first bytes choose the header's fields, the rest is the payload.
  trace::ChunkHeader header;
  header.type = static_cast<trace::ChunkType>(1 + data[0] % 3);
  header.chunks_in_round = 1 + data[1] % 3;
  header.chunk_in_round = data[2] % header.chunks_in_round;
  header.round_accesses = data[3] * 4u;
  header.accesses = header.round_accesses == 0 ? 0 : data[4] % (header.round_accesses + 1);
  if (header.chunks_in_round == 1) header.accesses = header.round_accesses;
  header.thread = data[5];
  header.codec = trace::Codec::plain;
  const auto payload = std::as_bytes(std::span(data + 8, size - 8));
  header.raw_bytes = static_cast<std::uint32_t>(payload.size());
  header.stored_bytes = header.raw_bytes;
  header.payload_checksum = trace::checksum_of(payload);
  header.checksum = trace::checksum_of_fields(header);

  trace::FileHeader file_header;
  file_header.checksum = trace::checksum_of_fields(file_header);
  std::vector<std::byte> file;
  const auto append = [&](std::span<const std::byte> bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); };
  append(std::as_bytes(std::span(&file_header, 1)));
  for (int copies = 0; copies < 2; ++copies) {
    append(std::as_bytes(std::span(&header, 1)));
    append(payload);
  }
  auto reader = trace::TraceReader::open(bytes::memory_source(file), Strictness::lenient);
  if (!reader) return 0;
  AccessBatch batch(100);
  while (true) {
    const auto more = (*reader)->next(batch);
    if (!more || !*more) break;
  }
  (void)trace::decode_index(payload);
  trace::Metadata metadata;
  (void)trace::decode_metadata(payload, metadata);
  return 0;
}
