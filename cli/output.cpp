#include "cli/output.hpp"

#include <nlohmann/json.hpp>

#include "bytes/sink.hpp"

namespace cachescape::cli {

Result<void> print_text(const std::string& text) {
  CACHESCAPE_TRY(const auto sink, bytes::open_sink("-"));
  CACHESCAPE_CHECK(sink->write(std::as_bytes(std::span(text))));
  return sink->close();
}

Result<void> print_json(const nlohmann::ordered_json& json) {
  return print_text(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace cachescape::cli
