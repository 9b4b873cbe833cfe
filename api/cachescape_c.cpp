// The C API in terms of the C++ one. Nothing that is thrown leaves a function here.
#include "cachescape/c/cachescape.h"

#include <exception>
#include <memory>
#include <string>

#include "cachescape/analyzer.hpp"
#include "profile/writer.hpp"

using namespace cachescape;

struct cachescape_analyzer {
  Analyzer analyzer;
  AccessBatch batch;
  std::string error;
};

namespace {

/// Runs `body`, which gives a Result<void>; 0, or 1 with the error kept.
template <class Body>
int guarded(cachescape_analyzer* handle, Body body) {
  try {
    const Result<void> result = body();
    if (result) return 0;
    const Error& e = result.error();
    handle->error = (e.where.empty() ? "" : e.where + ": ") + e.what;
  } catch (const std::exception& e) {
    handle->error = e.what();
  }
  return 1;
}

Result<AccessKind> kind_of(std::uint32_t kind) {
  if (kind >= access_kinds) return failure(ErrorKind::usage, "there is no access kind " + std::to_string(kind));
  return static_cast<AccessKind>(kind);
}

}  // namespace

cachescape_analyzer* cachescape_analyzer_new(const std::uint32_t* line_sizes, std::size_t line_size_count) try {
  AnalysisOptions options;
  if (line_size_count > 0) options.lines.clear();
  for (std::size_t i = 0; i < line_size_count; ++i) {
    if (!LineSize::valid(line_sizes[i])) return nullptr;
    options.lines.push_back(LineSize::of(line_sizes[i]));
  }
  auto analyzer = Analyzer::create(options);
  if (!analyzer) return nullptr;
  return new cachescape_analyzer{std::move(*analyzer), AccessBatch(), {}};
} catch (const std::exception&) {
  return nullptr;
}

void cachescape_analyzer_free(cachescape_analyzer* analyzer) { delete analyzer; }

int cachescape_analyzer_feed(cachescape_analyzer* analyzer, const cachescape_access* accesses, std::size_t count) {
  return guarded(analyzer, [&]() -> Result<void> {
    AccessBatch& batch = analyzer->batch;
    batch.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const cachescape_access& a = accesses[i];
      CACHESCAPE_TRY(const AccessKind kind, kind_of(a.kind));
      batch.push({Address{a.address}, a.size, kind, ThreadId{a.thread}, SiteId{a.site}});
      if (batch.full()) {
        analyzer->analyzer.consume(batch);
        batch.clear();
      }
    }
    analyzer->analyzer.consume(batch);
    return {};
  });
}

int cachescape_analyzer_feed_loop(cachescape_analyzer* analyzer, std::uint32_t thread, std::uint64_t trips,
                                  const cachescape_strided_access* body, std::size_t body_count) {
  return guarded(analyzer, [&]() -> Result<void> {
    StridedRun run{ThreadId{thread}, trips, {}};
    for (std::size_t i = 0; i < body_count; ++i) {
      CACHESCAPE_TRY(const AccessKind kind, kind_of(body[i].kind));
      run.body.push_back({Address{body[i].base}, body[i].step, body[i].size, kind, SiteId{body[i].site}});
    }
    analyzer->analyzer.consume(run);
    return {};
  });
}

std::uint64_t cachescape_analyzer_misses(cachescape_analyzer* analyzer, std::uint32_t line_size, std::uint64_t lines) {
  std::uint64_t misses = UINT64_MAX;
  guarded(analyzer, [&]() -> Result<void> {
    for (const StackProfile& stack : analyzer->analyzer.profile().stacks) {
      if (stack.scope.kind != Scope::Kind::everything || stack.line.bytes().value != line_size) continue;
      misses = 0;
      for (const Histogram& h : stack.kinds) misses += h.total() - h.below(lines);
    }
    return {};
  });
  return misses;
}

int cachescape_analyzer_save(cachescape_analyzer* analyzer, const char* path) {
  return guarded(analyzer, [&] { return profile::write_profile(path, analyzer->analyzer.profile()); });
}

const char* cachescape_error(const cachescape_analyzer* analyzer) { return analyzer->error.c_str(); }
