// How fast foreign traces and text lines are read, from memory. items/s are accesses (or lines), bytes/s of input.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <string>

#include "bytes/lines.hpp"
#include "bytes/source.hpp"
#include "observe/imported/import.hpp"

namespace {

using namespace cachescape;

constexpr std::size_t accesses = 1'000'000;

class Random {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 16;
  }
  std::uint64_t address() { return 0x7f0000000000u + next() % (1u << 30); }

 private:
  std::uint64_t state_ = 1;
};

template <class AppendRecord>
std::string text_of(AppendRecord append) {
  Random random;
  std::string text;
  for (std::size_t i = 0; i < accesses; ++i) append(std::back_inserter(text), random);
  return text;
}

std::string din() {
  return text_of([](auto out, Random& r) { fmt::format_to(out, "{} {:x}\n", r.next() % 2, r.address()); });
}
std::string extended_din() {
  return text_of([](auto out, Random& r) { fmt::format_to(out, "{} {:x} 8\n", "rw"[r.next() % 2], r.address()); });
}
/// Two instructions for each access, which is what programs do.
std::string lackey() {
  return text_of([](auto out, Random& r) {
    fmt::format_to(out, "I  {:08x},4\nI  {:08x},4\n {} {:08x},8\n", r.next() % (1u << 24), r.next() % (1u << 24),
                   "LSM"[r.next() % 3], r.address());
  });
}
std::string pinatrace() {
  return text_of([](auto out, Random& r) {
    fmt::format_to(out, "{:#x}: {} {:#x} 8\n", r.address(), "RW"[r.next() % 2], r.address());
  });
}
std::string csv() {
  return "address,size,kind\n" +
         text_of([](auto out, Random& r) { fmt::format_to(out, "{:#x},8,{}\n", r.address(), "RW"[r.next() % 2]); });
}
std::string csv_with_time() {
  std::uint64_t time = 0;
  return "time,address,size,kind\n" + text_of([&](auto out, Random& r) {
           fmt::format_to(out, "{},{:#x},8,{}\n", ++time, r.address(), "RW"[r.next() % 2]);
         });
}
std::string champsim() {
  return text_of([](auto out, Random& r) {
    std::string record(64, '\0');
    const std::uint64_t ip = 0x400000 + r.next() % 4096;
    const std::uint64_t address = r.address();
    std::memcpy(record.data(), &ip, 8);
    std::memcpy(record.data() + 32, &address, 8);
    std::copy(record.begin(), record.end(), out);
  });
}
std::string oracle_general() {
  return text_of([](auto out, Random& r) {
    std::string record(24, '\xff');
    const std::uint64_t object = r.next() % 100'000;
    std::memcpy(record.data() + 4, &object, 8);
    std::copy(record.begin(), record.end(), out);
  });
}

void read_trace(benchmark::State& state, const char* format, std::string (*make)()) {
  const std::string text = make();
  AccessBatch batch;
  for (auto _ : state) {
    auto source = imported::open_trace(bytes::memory_source(std::as_bytes(std::span(text))), format, {});
    std::uint64_t sum = 0;
    while ((*source)->next(batch).value()) sum += batch.addresses().back().value;
    benchmark::DoNotOptimize(sum);
    if ((*source)->status().accesses.value != accesses) state.SkipWithError("wrong number of accesses");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * accesses));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void read_lines(benchmark::State& state) {
  const std::string text = din();
  for (auto _ : state) {
    bytes::LineReader reader(bytes::memory_source(std::as_bytes(std::span(text))));
    std::string_view line;
    std::size_t sum = 0;
    while (reader.next(line) == bytes::LineStatus::line) sum += line.size();
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * accesses));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

BENCHMARK(read_lines);
BENCHMARK_CAPTURE(read_trace, din, "din", din);
BENCHMARK_CAPTURE(read_trace, extended_din, "din", extended_din);
BENCHMARK_CAPTURE(read_trace, lackey, "lackey", lackey);
BENCHMARK_CAPTURE(read_trace, pinatrace, "pinatrace", pinatrace);
BENCHMARK_CAPTURE(read_trace, csv, "csv", csv);
BENCHMARK_CAPTURE(read_trace, csv_with_time, "csv", csv_with_time);
BENCHMARK_CAPTURE(read_trace, champsim, "champsim", champsim);
BENCHMARK_CAPTURE(read_trace, oracle_general, "oracle_general", oracle_general);

}  // namespace

BENCHMARK_MAIN();
