// What one access costs in the reference simulator, and in reading a trace.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "bench/streams.hpp"
#include "bytes/sink.hpp"
#include "bytes/source.hpp"
#include "machine/inline_text.hpp"
#include "simulate/as_cachegrind.hpp"
#include "simulate/simulator.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace cachescape::bench {
namespace {

constexpr std::size_t stream_length = 4'000'000;
constexpr LineSize as_addresses{0};

using Batches = std::vector<AccessBatch>;

Batches batches_of(const std::vector<Line>& addresses) {
  Batches batches;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (batches.empty() || batches.back().full()) {
      batches.emplace_back();
      batches.back().first = AccessCount{i};
    }
    const AccessKind kind = i % 4 == 3 ? AccessKind::write : AccessKind::read;
    // The site follows the position in the loop body, as in a program.
    batches.back().push({Address{addresses[i].value}, 8, kind, ThreadId{0}, SiteId{0x400000 + i % 4}});
  }
  return batches;
}

const Batches& stream(const std::string& name) {
  static std::map<std::string, Batches> made;
  Batches& batches = made[name];
  if (batches.empty()) {
    if (name == "gemm") {
      LineRecorder recorder(as_addresses, stream_length);
      blocked_gemm(recorder);
      batches = batches_of(recorder.take());
    } else if (name == "sweep") {
      batches = batches_of(sweep(as_addresses, stream_length, std::uint64_t{64} << 20, 8));
    } else {
      batches = batches_of(uniform(as_addresses, stream_length, std::uint64_t{64} << 20));
    }
  }
  return batches;
}

void simulate(benchmark::State& state, const char* stream_name, const char* machine_text, bool classify) {
  const Batches& batches = stream(stream_name);
  const auto machine = machine::read_inline(machine_text);
  for (auto _ : state) {
    simulate::Simulator simulator(*machine, {classify, 1});
    for (const AccessBatch& batch : batches) simulator.consume(batch);
    benchmark::DoNotOptimize(simulator.outcome());
  }
  state.counters["ns/access"] =
      benchmark::Counter(static_cast<double>(stream_length) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

constexpr const char* one_level = "L1:32K,8,64";
constexpr const char* three_levels = "L1:32K,8,64 L2:256K,8,64 L3:8M,16,64";

#define SIMULATE(stream_name)                                                                  \
  BENCHMARK_CAPTURE(simulate, stream_name##_one_level, #stream_name, one_level, false);        \
  BENCHMARK_CAPTURE(simulate, stream_name##_one_level_classes, #stream_name, one_level, true); \
  BENCHMARK_CAPTURE(simulate, stream_name##_three_levels, #stream_name, three_levels, false);  \
  BENCHMARK_CAPTURE(simulate, stream_name##_three_levels_classes, #stream_name, three_levels, true)
SIMULATE(gemm);
SIMULATE(sweep);
SIMULATE(random);

void decode(benchmark::State& state, const char* stream_name) {
  std::string file;
  auto writer = trace::TraceWriter::create(bytes::memory_sink(file), {});
  for (const AccessBatch& batch : stream(stream_name)) (void)(*writer)->append(batch);
  (void)(*writer)->finish();
  AccessBatch batch;
  for (auto _ : state) {
    auto reader = trace::TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
    while ((*reader)->next(batch).value()) benchmark::DoNotOptimize(batch.addresses().data());
  }
  state.counters["bytes/access"] = static_cast<double>(file.size()) / static_cast<double>(stream_length);
  state.counters["ns/access"] =
      benchmark::Counter(static_cast<double>(stream_length) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(decode, gemm, "gemm");
BENCHMARK_CAPTURE(decode, random, "random");

}  // namespace
}  // namespace cachescape::bench

BENCHMARK_MAIN();
