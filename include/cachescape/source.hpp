// Where accesses come from: our own traces, foreign formats, observers.
#pragma once

#include <cstdint>
#include <optional>

#include "cachescape/access.hpp"
#include "cachescape/result.hpp"

namespace cachescape {

/// What a source has delivered and lost so far.
struct SourceStatus {
  AccessCount accesses;                      ///< delivered
  std::uint64_t instructions = 0;            ///< instruction fetches seen, where the format has them
  std::uint64_t skipped_records = 0;         ///< malformed records passed over in lenient reading
  AccessCount lost_accesses;                 ///< accesses known to be missing
  std::uint64_t bytes_read = 0;              ///< of the input as stored (compressed)
  std::optional<std::uint64_t> bytes_total;  ///< size of the input, where known (not for pipes)
};

/// A stream of accesses in execution order, pulled batch by batch by one thread.
class AccessSource {
 public:
  AccessSource() = default;
  AccessSource(const AccessSource&) = delete;
  AccessSource& operator=(const AccessSource&) = delete;
  virtual ~AccessSource() = default;

  /// Replaces the contents of `batch` by the next accesses; false (and an empty batch) at the end.
  /// After an error the source is finished; accesses delivered before it stay valid.
  virtual Result<bool> next(AccessBatch& batch) = 0;

  virtual SourceStatus status() const = 0;
};

/// How a reader treats input that breaks its format's rules.
enum class Strictness : std::uint8_t {
  strict,   ///< the first malformed record is an error
  lenient,  ///< malformed records are skipped and counted
};

}  // namespace cachescape
