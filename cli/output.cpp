#include "cli/output.hpp"

#include <nlohmann/json.hpp>

#include "bytes/sink.hpp"

namespace cachescape::cli {

Result<void> write_file(const std::string& path, const std::string& text) {
  CACHESCAPE_TRY(const auto sink, bytes::open_sink(path));
  CACHESCAPE_CHECK(sink->write(std::as_bytes(std::span(text))));
  return sink->close();
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

Result<void> print_text(const std::string& text) { return write_file("-", text); }

Result<void> print_json(const nlohmann::ordered_json& json) { return print_text(json_text(json)); }

}  // namespace cachescape::cli
