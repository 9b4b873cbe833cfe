// What is inside an access chunk: the accesses of one thread in one round, as columns that a general
// compressor then shrinks further.
//
// Accesses repeat few combinations of (site, kind, size): the chunk lists them once as *operations* and
// then stores one operation number per access. Addresses are stored as the error of a prediction: each
// operation remembers its last address and stride, so that a loop over an array is a column of zeros.
// Errors are cut to their significant bytes, with the lengths in a column of their own, which lets the
// decoder go without a branch per access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/result.hpp"

namespace cachescape::trace {

class VarintReader;

/// `length` consecutive accesses of a thread that follow `gap` accesses of other threads.
struct OrderRun {
  std::uint32_t gap = 0;
  std::uint32_t length = 0;
};

/// One thread's part of a round.
struct ThreadPart {
  ThreadId thread;
  std::vector<Access> accesses;
  std::vector<OrderRun> order;     ///< by ascending position; lengths add up to accesses.size()
  std::vector<BlockEntry> blocks;  ///< index counts within `accesses`
};

/// Appends the encoded part to `out`. The order runs are left out where `whole_round` (the only thread).
void encode_part(const ThreadPart& part, bool whole_round, std::vector<std::byte>& out);

/// Where decoded accesses go; each column has room for what is asked for.
struct AccessColumns {
  Address* address;
  std::uint32_t* size;
  AccessKind* kind;
  SiteId* site;
};

/// Decodes one chunk piece by piece. The payload is validated by open() so that decode() cannot fail;
/// about 2–4 ns per access.
class PartDecoder {
 public:
  /// Bytes that must be readable after the payload's end (never interpreted).
  static constexpr std::size_t padding = 8;

  /// `raw` is the unpacked payload followed by `padding` bytes and must outlive decoding. The error has no
  /// `where`: the caller knows the file and offset.
  Result<void> open(std::span<const std::byte> raw, std::uint32_t accesses, bool whole_round);

  /// Decodes the next n accesses. Precondition: n <= remaining().
  void decode(const AccessColumns& to, std::size_t n);

  std::size_t remaining() const { return remaining_; }
  std::span<const OrderRun> order() const { return order_; }
  std::span<const BlockEntry> blocks() const { return blocks_; }  ///< thread is not filled in

 private:
  struct Operation {
    std::uint64_t last = 0;
    std::uint64_t stride = 0;
    SiteId site;
    std::uint32_t size = 0;
    AccessKind kind = AccessKind::read;
  };

  Result<void> open_operations(VarintReader& in);
  template <class Number>
  void decode_as(const AccessColumns& to, std::size_t n);

  std::vector<Operation> operations_;
  std::vector<OrderRun> order_;
  std::vector<BlockEntry> blocks_;
  const std::byte* numbers_ = nullptr;  ///< operation numbers, number_bytes_ each
  const std::byte* lengths_ = nullptr;  ///< one length of 0 … 8 per access, two per byte
  const std::byte* errors_ = nullptr;   ///< prediction errors
  unsigned number_bytes_ = 1;
  bool odd_ = false;  ///< the next length is in the high half of *lengths_
  std::size_t remaining_ = 0;
};

}  // namespace cachescape::trace
