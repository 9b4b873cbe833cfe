// What all readers of foreign traces share: counting, and when to report an error.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "bytes/source.hpp"
#include "cachescape/source.hpp"

namespace cachescape::imported {

/// An access source that fills batches until its input ends or breaks. An error found in the middle of a batch
/// waits until the accesses before it have been delivered. One thread.
class Reader : public AccessSource {
 public:
  Result<bool> next(AccessBatch& batch) final;
  SourceStatus status() const final;

 protected:
  explicit Reader(Strictness strictness) : strictness_(strictness) {}

  /// Appends accesses until the batch is full, or finish() or fail() was called.
  virtual void fill(AccessBatch& batch) = 0;
  virtual const bytes::ByteSource& input() const = 0;

  /// Called where a strict reader stops at a malformed record; fails at once unless overridden.
  virtual void refuse(Error error) { fail(std::move(error)); }

  void finish() { finished_ = true; }
  void fail(Error error);
  /// A record that breaks the rules: true where reading goes on without it (lenient), false after
  /// refuse().
  bool pass_over(Error error);
  bool lenient() const { return strictness_ == Strictness::lenient; }

  std::uint64_t instructions_ = 0;
  std::uint64_t skipped_records_ = 0;

 private:
  Strictness strictness_;
  bool finished_ = false;
  AccessCount delivered_;
  std::optional<Error> error_;
};

}  // namespace cachescape::imported
