#include "cli/output.hpp"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "bytes/sink.hpp"

namespace cachescape::cli {
namespace {

/// Whether both paths name one existing file.
bool same_file(const std::string& a, const std::string& b) {
  struct stat sa{};
  struct stat sb{};
  return stat(a.c_str(), &sa) == 0 && stat(b.c_str(), &sb) == 0 && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
         sa.st_ino == sb.st_ino;
}

}  // namespace

Result<void> check_output(const std::string& output, const std::string& input, const std::string& option) {
  if (same_file(output, input))
    return failure(ErrorKind::usage, "the output is the input itself", option + " " + output, "choose another name");
  return {};
}

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
