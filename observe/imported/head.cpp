#include "observe/imported/head.hpp"

#include "bytes/lines.hpp"

namespace cachescape::imported {

HeadLines::HeadLines(std::span<const std::byte> head) : text_(reinterpret_cast<const char*>(head.data()), head.size()) {
  if (head.size() >= head_size) text_.resize(text_.rfind('\n') + 1);
  const std::size_t size = text_.size();
  text_.append(bytes::LineReader::readable_behind, '\n');
  rest_ = std::string_view(text_).substr(0, size);
}

bool HeadLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t newline = rest_.find('\n');
  line = rest_.substr(0, newline);
  rest_.remove_prefix(newline == std::string_view::npos ? rest_.size() : newline + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

}  // namespace cachescape::imported
