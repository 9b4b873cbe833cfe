#include "profile/bin_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "profile/schema.hpp"

namespace cachescape::profile {
namespace {

/// A list needs two characters for each value that does not occur, a key at least four for each that does.
constexpr std::uint64_t values_per_bin_of_lists = 4;

void append_number(std::string& text, std::uint64_t number) {
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text.append(digits, static_cast<std::size_t>(end - digits));
}

void append_list(std::string& text, std::span<const Bin> bins) {
  std::uint64_t next = bins.front().value;
  char before = '[';
  for (const Bin& bin : bins) {
    text += before;
    before = ',';
    for (; next < bin.value; ++next) text += "0,";
    append_number(text, bin.count);
    ++next;
  }
  text += ']';
}

void append_keys(std::string& text, std::span<const Bin> bins) {
  char before = '{';
  for (const Bin& bin : bins) {
    text += before;
    before = ',';
    text += '"';
    append_number(text, bin.value - bins.front().value);
    text += "\":";
    append_number(text, bin.count);
  }
  text += '}';
}

class TextReader {
 public:
  TextReader(std::string_view text, std::uint64_t first, std::vector<Bin>& bins)
      : text_(text), first_(first), bins_(bins) {}

  Result<void> read() {
    if (take('[')) return read_list();
    if (take('{')) return read_keys();
    return refuse("'[' or '{' was expected");
  }

 private:
  Result<void> read_list() {
    for (std::uint64_t offset = 0;; ++offset) {
      CACHESCAPE_TRY(const std::uint64_t count, number());
      const bool more = take(',');
      if (count != 0) {
        CACHESCAPE_CHECK(add(offset, count));
      } else if (offset == 0 || !more) {
        return refuse("a list must not begin or end with 0");
      }
      if (!more) return end(']');
    }
  }

  Result<void> read_keys() {
    std::uint64_t least = 0;
    do {
      CACHESCAPE_CHECK(expect('"'));
      CACHESCAPE_TRY(const std::uint64_t offset, number());
      if (least == 0 && offset != 0) return refuse("the first key must be 0");
      if (offset < least) return refuse("keys do not ascend");
      CACHESCAPE_CHECK(expect('"'));
      CACHESCAPE_CHECK(expect(':'));
      CACHESCAPE_TRY(const std::uint64_t count, number());
      if (count == 0) return refuse("a count is 0");
      CACHESCAPE_CHECK(add(offset, count));
      least = offset + 1;
    } while (take(','));
    return end('}');
  }

  Result<void> add(std::uint64_t offset, std::uint64_t count) {
    if (offset > max_integer - first_) return refuse(fmt::format("a value is more than {}", max_integer));
    if (count > max_integer - sum_) return refuse(fmt::format("the counts come to more than {}", max_integer));
    sum_ += count;
    bins_.push_back({first_ + offset, count});
    return {};
  }

  /// Written in the only way there is.
  Result<std::uint64_t> number() {
    const char* const begin = text_.data() + at_;
    std::uint64_t value = 0;
    const auto [stop, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (stop == begin) return refuse("a digit was expected");
    if (code != std::errc{} || value > max_integer) return refuse(fmt::format("at most {} was expected", max_integer));
    if (*begin == '0' && stop - begin > 1) return refuse("a number begins with 0");
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Result<void> expect(char c) {
    if (take(c)) return {};
    return refuse(fmt::format("'{}' was expected", c));
  }
  Result<void> end(char c) {
    if (!take(c)) return refuse(fmt::format("',' or '{}' was expected", c));
    if (at_ != text_.size()) return refuse("nothing more was expected");
    return {};
  }
  std::unexpected<Error> refuse(std::string_view why) const {
    return failure(ErrorKind::malformed, fmt::format("bins, at character {}: {}", at_ + 1, why));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t first_;
  std::uint64_t sum_ = 0;
  std::vector<Bin>& bins_;
};

}  // namespace

void append_text(std::string& text, std::span<const Bin> bins) {
  const std::uint64_t beyond_first = bins.back().value - bins.front().value;
  if (beyond_first / values_per_bin_of_lists < bins.size()) {
    append_list(text, bins);
  } else {
    append_keys(text, bins);
  }
}

Result<void> parse_text(std::string_view text, std::uint64_t first, std::vector<Bin>& bins) {
  return TextReader(text, first, bins).read();
}

}  // namespace cachescape::profile
