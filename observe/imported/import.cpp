#include "observe/imported/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bytes/replayed.hpp"
#include "observe/imported/champsim/champsim.hpp"
#include "observe/imported/csv/csv.hpp"
#include "observe/imported/din/din.hpp"
#include "observe/imported/excerpt.hpp"
#include "observe/imported/head.hpp"
#include "observe/imported/lackey/lackey.hpp"
#include "observe/imported/oracle_general/oracle_general.hpp"
#include "observe/imported/pinatrace/pinatrace.hpp"

namespace cachescape::imported {
namespace {

// Scores below this are guesses, and so is a lead smaller than `clear_lead`.
constexpr int believable = 50;
constexpr int clear_lead = 10;

/// "oracleGeneral", "oracle-general" and "oracle_general" are one name.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out == "tsv" ? "csv" : out;
}

std::string format_list() {
  std::string list;
  for (const Format& format : formats()) {
    if (!list.empty()) list += ", ";
    list += format.name;
  }
  return list;
}

Result<const Format*> named(std::string_view name) {
  for (const Format& format : formats()) {
    if (plain(format.name) == plain(name)) return &format;
  }
  return failure(ErrorKind::usage,
                 fmt::format("there is no trace format {}; known are {}", excerpt(name), format_list()));
}

Result<const Format*> recognised(std::span<const std::byte> head, const std::string& name) {
  if (head.empty()) {
    return failure(ErrorKind::malformed, "the input is empty", name, "check the command that was to write the trace");
  }
  const Format* best = nullptr;
  const Format* second = nullptr;
  int best_score = 0;
  int second_score = 0;
  for (const Format& format : formats()) {
    const int score = format.recognise(head);
    if (score > best_score) {
      second = std::exchange(best, &format);
      second_score = std::exchange(best_score, score);
    } else if (score > second_score) {
      second = &format;
      second_score = score;
    }
  }
  if (best_score < believable) {
    const std::string_view start(reinterpret_cast<const char*>(head.data()), std::min<std::size_t>(head.size(), 40));
    return failure(ErrorKind::unsupported,
                   fmt::format("the format of the trace is not recognised; it begins with {} and known are {}",
                               excerpt(start.substr(0, start.find('\n'))), format_list()),
                   name, "name the format with --format");
  }
  if (second_score >= believable && best_score - second_score < clear_lead) {
    return failure(ErrorKind::unsupported,
                   fmt::format("the trace could be {} or {} (known are {})", best->name, second->name, format_list()),
                   name, "name the format with --format");
  }
  return best;
}

}  // namespace

std::span<const Format> formats() {
  static const std::array all{champsim_format(),       csv_format(),      din_format(), lackey_format(),
                              oracle_general_format(), pinatrace_format()};
  return all;
}

Result<std::unique_ptr<AccessSource>> open_trace(std::unique_ptr<bytes::ByteSource> source, std::string_view format,
                                                 const ImportOptions& options) {
  // Only CSV has columns to name.
  if (format.empty() && !options.columns.empty()) format = "csv";
  if (!format.empty()) {
    CACHESCAPE_TRY(const Format* chosen, named(format));
    return chosen->open(std::move(source), options);
  }
  std::vector<std::byte> head(head_size);
  CACHESCAPE_TRY(const std::size_t count, bytes::read_fully(*source, head));
  head.resize(count);
  CACHESCAPE_TRY(const Format* chosen, recognised(head, source->name()));
  return chosen->open(bytes::replayed(std::move(head), std::move(source)), options);
}

}  // namespace cachescape::imported
