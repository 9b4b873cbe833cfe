#include "observe/imported/reader.hpp"

#include <new>
#include <utility>

namespace cachescape::imported {

Result<bool> Reader::next(AccessBatch& batch) {
  batch.clear();
  batch.first = delivered_;
  try {
    if (!finished_) fill(batch);
  } catch (const std::bad_alloc&) {
    fail(Error{ErrorKind::limit, "there is not enough memory to read it", input().name(), ""});
  }
  delivered_ += AccessCount{batch.size()};
  if (!batch.empty()) return true;
  if (error_) return std::unexpected(*error_);
  return false;
}

SourceStatus Reader::status() const {
  SourceStatus status;
  status.accesses = delivered_;
  status.instructions = instructions_;
  status.skipped_records = skipped_records_;
  status.bytes_read = input().bytes_read();
  status.bytes_total = input().bytes_total();
  return status;
}

void Reader::fail(Error error) {
  finished_ = true;
  error_ = std::move(error);
}

bool Reader::pass_over(Error error) {
  if (lenient()) {
    ++skipped_records_;
    return true;
  }
  if (error.hint.empty()) error.hint = "read with --lenient to pass over such records";
  refuse(std::move(error));
  return false;
}

}  // namespace cachescape::imported
