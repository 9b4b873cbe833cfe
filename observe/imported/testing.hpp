// For the tests of the readers only: whole traces read from memory.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytes/source.hpp"
#include "observe/imported/import.hpp"

namespace cachescape::imported {

inline void PrintTo(const Error& e, std::ostream* out) { *out << e.what << " [" << e.where << "] " << e.hint; }

/// All that reading a trace gave.
struct Reading {
  std::vector<Access> accesses;
  std::optional<Error> error;
  SourceStatus status;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

inline Reading drain(AccessSource& source, std::size_t batch_capacity = 7) {
  Reading reading;
  AccessBatch batch(batch_capacity);
  while (true) {
    auto more = source.next(batch);
    if (!more) {
      reading.error = more.error();
      break;
    }
    if (!*more) break;
    EXPECT_EQ(batch.first.value, reading.accesses.size());
    for (std::size_t i = 0; i < batch.size(); ++i) reading.accesses.push_back(batch[i]);
  }
  EXPECT_TRUE(batch.empty());
  reading.status = source.status();
  EXPECT_EQ(reading.status.accesses.value, reading.accesses.size());
  return reading;
}

/// Reads `text` in the named format (or the recognised one).
inline Reading read_text(std::string_view text, std::string_view format, const ImportOptions& options = {}) {
  auto source = open_trace(bytes::memory_source(as_bytes(text), "test"), format, options);
  if (!source) return {{}, source.error(), {}};
  return drain(**source);
}

inline ImportOptions lenient() {
  ImportOptions options;
  options.strictness = Strictness::lenient;
  return options;
}

inline ImportOptions fetches_as_reads() {
  ImportOptions options;
  options.fetches = Fetches::as_reads;
  return options;
}

/// Contents of observe/imported/`path`.
inline std::string test_data(const std::string& path) {
  std::ifstream file(std::string(CACHESCAPE_SOURCE_DIR) + "/observe/imported/" + path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Access access(std::uint64_t address, std::uint32_t size, AccessKind kind, std::uint64_t site = 0,
                     std::uint32_t thread = 0) {
  return {Address{address}, size, kind, ThreadId{thread}, SiteId{site}};
}

}  // namespace cachescape::imported

namespace cachescape {
inline void PrintTo(const Access& a, std::ostream* out) {
  *out << "{0x" << std::hex << a.address.value << std::dec << ", " << a.size << ", " << int(a.kind) << ", thread "
       << a.thread.value << ", site 0x" << std::hex << a.site.value << std::dec << "}";
}
}  // namespace cachescape
