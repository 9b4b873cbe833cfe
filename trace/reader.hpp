// Reads .cstrace files and streams.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bytes/source.hpp"
#include "cachescape/source.hpp"
#include "trace/index.hpp"
#include "trace/input.hpp"
#include "trace/layout.hpp"
#include "trace/metadata.hpp"
#include "trace/round.hpp"

namespace cachescape::trace {

/// Whether `head`, the first bytes of an input, begins a .cstrace.
bool is_trace(std::span<const std::byte> head);

/// Delivers the accesses of a trace in their global order; one round is in memory at a time. Strict reading
/// ends with an error at the first damage (after delivering all before it); lenient reading goes on at the next
/// whole chunk and counts what is missing. A lost access is known only from the rounds around it: those missing at
/// the end of a truncated trace cannot be counted.
class TraceReader : public AccessSource {
 public:
  /// Reads and checks the file header.
  static Result<std::unique_ptr<TraceReader>> open(std::unique_ptr<bytes::ByteSource> source, Strictness strictness);

  Result<bool> next(AccessBatch& batch) override;
  SourceStatus status() const override;

  /// Whether seek() and index() are possible: a seekable input with an intact end.
  Result<bool> load_index();
  /// Precondition: load_index() gave true.
  const Index& index() const { return *index_; }
  /// Continues with the access at `position`. Precondition: load_index() gave true.
  Result<void> seek(AccessCount position);

  /// What was read so far: facts known at the start, and at the end of the trace those known only then.
  const Metadata& metadata() const { return metadata_; }
  /// Reads the facts at the end of the trace too, without the accesses. Precondition: load_index() gave true.
  Result<void> load_metadata();

 private:
  TraceReader(std::unique_ptr<bytes::ByteSource> source, Strictness strictness);

  /// Reads chunks until a round can be taken from, false at the end of the trace.
  Result<bool> read_round();
  /// The next chunk's header; nullopt at the end of the trace.
  Result<std::optional<ChunkHeader>> read_header();
  Result<void> check_trailer();
  /// Reads and unpacks the payload into raw_.
  Result<void> read_payload(const ChunkHeader& header);
  Result<void> read_round_chunk(const ChunkHeader& header);
  bool resynchronise();
  Error truncated_here(const char* what) const;
  Error damaged(ErrorKind kind, const std::string& what) const;

  Input input_;
  Strictness strictness_;
  std::optional<Index> index_;
  Metadata metadata_;
  Round round_;
  std::optional<ChunkHeader> pending_;  ///< a header read ahead: it begins the next round
  std::uint64_t chunk_offset_ = 0;      ///< of the chunk being read, for messages
  std::vector<std::byte> raw_;
  std::uint64_t next_position_ = 0;  ///< where the next round is expected
  std::uint64_t skip_ = 0;           ///< accesses to pass over after a seek
  bool finished_ = false;
  SourceStatus status_;
};

}  // namespace cachescape::trace
