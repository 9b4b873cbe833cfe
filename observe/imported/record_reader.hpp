// The reader of binary formats made of records of one size; each format supplies its decoder.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "observe/imported/reader.hpp"

namespace cachescape::imported {

/// The accesses of one record.
template <std::size_t Most>
class RecordAccesses {
 public:
  void push(const Access& access) { accesses_[count_++] = access; }
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  const Access& operator[](std::size_t i) const { return accesses_[i]; }

 private:
  std::array<Access, Most> accesses_{};
  std::size_t count_ = 0;
};

enum class RecordKind : std::uint8_t {
  good,       ///< its accesses were pushed
  ignored,    ///< well-formed, but no access; counted as skipped
  malformed,  ///< breaks the rules
};

/// Decoder:
///   static constexpr std::size_t record_size, most_accesses
///   static constexpr std::string_view record_name            // "instruction"
///   RecordKind decode(const std::byte* record, RecordAccesses<most_accesses>&, std::uint64_t& instructions)
///   std::string problem() const                              // of the last malformed record
template <class Decoder>
class RecordReader final : public Reader {
 public:
  RecordReader(std::unique_ptr<bytes::ByteSource> source, Strictness strictness, Decoder decoder)
      : Reader(strictness),
        source_(std::move(source)),
        decoder_(std::move(decoder)),
        buffer_(buffer_size(source_->bytes_total())) {}

 private:
  /// A whole number of records; few of them where the input is known to be small.
  static std::size_t buffer_size(std::optional<std::uint64_t> total) {
    constexpr std::uint64_t least = 64;
    constexpr std::uint64_t most = 4096;
    const std::uint64_t records = total ? *total / Decoder::record_size + 1 : most;
    return static_cast<std::size_t>(std::clamp(records, least, most)) * Decoder::record_size;
  }

  void fill(AccessBatch& batch) override {
    while (true) {
      // A record may have more accesses than the batch has room for.
      for (; given_ < accesses_.size(); ++given_) {
        if (batch.full()) return;
        batch.push(accesses_[given_]);
      }
      if (batch.full()) return;
      if (end_ - position_ < Decoder::record_size && !refill()) return;
      accesses_.clear();
      given_ = 0;
      const std::byte* const record = buffer_.data() + position_;
      position_ += Decoder::record_size;
      offset_ += Decoder::record_size;
      switch (decoder_.decode(record, accesses_, instructions_)) {
        case RecordKind::good:
          break;
        case RecordKind::ignored:
          ++skipped_records_;
          break;
        case RecordKind::malformed:
          if (!pass_over(Error{ErrorKind::malformed, decoder_.problem(), where(Decoder::record_size), ""})) return;
      }
    }
  }

  // False at the end of the input and on failure. Only the end of the input leaves part of a record in the buffer.
  bool refill() {
    const std::size_t rest = end_ - position_;
    if (rest != 0) std::memmove(buffer_.data(), buffer_.data() + position_, rest);
    auto count = bytes::read_fully(*source_, std::span(buffer_).subspan(rest));
    if (!count) {
      fail(std::move(count).error());
      return false;
    }
    position_ = 0;
    end_ = rest + *count;
    if (end_ >= Decoder::record_size) return true;
    if (end_ != 0) {
      pass_over(Error{ErrorKind::truncated,
                      fmt::format("the input ends inside {}: {} bytes are left where {} were expected",
                                  Decoder::record_name, end_, Decoder::record_size),
                      where(0), ""});
    }
    finish();
    return false;
  }

  std::string where(std::uint64_t back) const { return fmt::format("{}, byte {}", source_->name(), offset_ - back); }

  const bytes::ByteSource& input() const override { return *source_; }

  std::unique_ptr<bytes::ByteSource> source_;
  Decoder decoder_;
  std::vector<std::byte> buffer_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  RecordAccesses<Decoder::most_accesses> accesses_;
  std::size_t given_ = 0;
};

/// A little-endian integer at `p`.
template <class Integer>
Integer load(const std::byte* p) {
  Integer value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

}  // namespace cachescape::imported
