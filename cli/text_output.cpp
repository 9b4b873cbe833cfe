#include "cli/text_output.hpp"

#include "bytes/sink.hpp"
#include "cli/progress.hpp"

namespace cachescape::cli {

std::string text_format_names() {
  std::string names;
  for (const exporting::TextFormat& f : exporting::text_formats())
    names += (names.empty() ? "" : "|") + std::string(f.name);
  return names;
}

const exporting::TextFormat* format_named_by(const std::string& path) {
  for (const exporting::TextFormat& f : exporting::text_formats()) {
    if (path.ends_with(f.extension)) return &f;
  }
  return nullptr;
}

Result<void> write_text(AccessSource& source, const exporting::TextFormat& format, const std::string& path) {
  CACHESCAPE_TRY(const auto sink, bytes::open_sink(path));
  std::string text(format.header);
  Progress progress("writing");
  AccessBatch batch;
  while (true) {
    auto more = source.next(batch);
    if (!more || !*more) {
      CACHESCAPE_CHECK(sink->write(std::as_bytes(std::span(text))));
      CACHESCAPE_CHECK(sink->close());
      if (!more) return std::unexpected(std::move(more).error());
      return {};
    }
    format.append(batch, text);
    CACHESCAPE_CHECK(sink->write(std::as_bytes(std::span(text))));
    text.clear();
    progress.update(source);
  }
}

}  // namespace cachescape::cli
