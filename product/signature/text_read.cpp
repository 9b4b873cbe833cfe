#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "product/signature/text.hpp"

namespace cachescape::signature {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> share(std::string_view text) {
  const auto value = number(text);
  return value && *value >= 0 && *value <= 1 ? value : std::nullopt;
}

/// Counts stand there as integers or, where they are large, with an exponent.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  const auto large = number(text);
  if (!large || *large < 0 || *large >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*large));
}

/// "0x4294967296+17": 0 times 2^32, plus 17.
std::optional<std::uint64_t> long_number(std::string_view text) {
  constexpr std::string_view middle = "x4294967296+";
  const std::size_t at = text.find(middle);
  if (at == std::string_view::npos) return whole_number(text);
  const auto high = whole_number(text.substr(0, at));
  const auto low = whole_number(text.substr(at + middle.size()));
  if (!high || !low || *high >= std::uint64_t{1} << 32 || *low >= std::uint64_t{1} << 32) return std::nullopt;
  return *high << 32 | *low;
}

/// The text between "NAME(" and ")", where a key has that form.
std::optional<std::string_view> argument(std::string_view key, std::string_view name) {
  if (!key.starts_with(name) || !key.ends_with(')') || key.size() < name.size() + 2 || key[name.size()] != '(') {
    return std::nullopt;
  }
  return key.substr(name.size() + 1, key.size() - name.size() - 2);
}

/// The k of "2^k", less than `end`.
std::optional<std::size_t> exponent(std::string_view text, std::size_t end) {
  if (!text.starts_with("2^")) return std::nullopt;
  const auto value = whole_number(text.substr(2));
  return value && *value < end ? std::optional(static_cast<std::size_t>(*value)) : std::nullopt;
}

std::optional<std::size_t> bin_named(std::string_view text) {
  if (text == "cold") return cold_bin;
  if (text == "far") return far_bin;
  return exponent(text, signature_depths);
}

/// Numbers with spaces between; none where one is not a share.
std::optional<std::vector<double>> shares(std::string_view text) {
  std::vector<double> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const auto value = share(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    text = trimmed(text.substr(end));
  }
  return values;
}

/// "0.5 (1/2)" or "NA (0/0)", with or without the counts.
std::optional<HalfShare> half_share(std::string_view text) {
  HalfShare half;
  const std::size_t open = text.find('(');
  const std::string_view value = trimmed(text.substr(0, open));
  // The dissertation's own listing has both.
  if (value != "NA" && value != "\\textNA") {
    half.share = share(value);
    if (!half.share) return std::nullopt;
  }
  if (open == std::string_view::npos) return half;
  std::string_view counts = text.substr(open + 1);
  const std::size_t slash = counts.find('/');
  if (slash == std::string_view::npos || !counts.ends_with(')')) return std::nullopt;
  counts.remove_suffix(1);
  const auto same = whole_number(counts.substr(0, slash));
  const auto again = whole_number(counts.substr(slash + 1));
  if (!same || !again || *same > *again) return std::nullopt;
  half.counts = HalfCounts{*same, *again};
  return half;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  Result<std::vector<Signature>> read() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.empty()) continue;
      CACHESCAPE_CHECK(read_line(line));
    }
    CACHESCAPE_CHECK(complete());
    if (signatures_.empty()) return fail("this is no memory signature: there is no line \"Bin: …\"");
    return std::move(signatures_);
  }

 private:
  struct Given {
    std::array<bool, signature_depths> hit_rates{};
    std::array<std::array<bool, signature_depths>, signature_halves> halves{};
  };

  std::unexpected<Error> fail(std::string what) const {
    return failure(ErrorKind::malformed, std::move(what), fmt::format("{}:{}", name_, line_));
  }
  std::unexpected<Error> wrong(std::string_view line, std::string_view expected) const {
    return fail(fmt::format("cannot read \"{}\": {} was expected", line.substr(0, 80), expected));
  }

  Result<void> read_line(std::string_view line) {
    if (line.starts_with("Bin:")) return begin(trimmed(line.substr(4)));
    if (line.starts_with("TEMPORAL LOCALITY") || line.starts_with("SPATIAL LOCALITY") || line == "DETAIL:") {
      half_.reset();
      if (line == "DETAIL:" && !signatures_.empty()) signatures_.back().detail.emplace();
      return {};
    }
    if (line.starts_with("P(")) {
      const std::string_view key = line.ends_with(':') ? line.substr(0, line.size() - 1) : line;
      const auto inside = argument(key, "P");
      const auto log2 = inside ? exponent(*inside, signature_halves + 2) : std::nullopt;
      if (!log2 || *log2 < 2) return wrong(line, "P(2^2): … P(2^8):");
      half_ = *log2 - 2;
      return {};
    }
    if (const std::size_t equals = line.find('='); equals != std::string_view::npos) {
      if (signatures_.empty()) return wrong(line, "\"Bin: NAME\" before it");
      return value(line, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos && signatures_.empty()) {
      return header(line, trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return wrong(line, "\"KEY = VALUE\" or the head of a section");
  }

  Result<void> header(std::string_view line, std::string_view key, std::string_view text) {
    if (key == "Instructions Seen") return take(line, long_number(text), head_.accesses, "a count");
    if (key == "Instructions Simulated") return take(line, whole_number(text), head_.references, "a count");
    if (key == "Simulation limit") return take(line, whole_number(text), head_.limit, "a count");
    if (key == "Sample rate") return take(line, share(text), head_.sample_rate, "a share from 0 to 1");
    if (key == "Line Length (bytes)") {
      if (text != "512") return wrong(line, "512, the only length there is,");
      return {};
    }
    if (key == "Size of Word (bytes)") {
      if (text != "4" && text != "8") return wrong(line, "4 or 8");
      head_.rule.word = text == "4" ? 4 : 8;
      return {};
    }
    if (key == "Using access sizes") {
      if (text != "yes" && text != "no") return wrong(line, "yes or no");
      head_.rule.every_word = text == "yes";
      return {};
    }
    return wrong(line, "a line of the head, or \"Bin: NAME\"");
  }

  template <class T>
  Result<void> take(std::string_view line, const std::optional<T>& value, T& place, std::string_view expected) const {
    if (!value) return wrong(line, expected);
    place = *value;
    return {};
  }

  Result<void> begin(std::string_view name) {
    CACHESCAPE_CHECK(complete());
    signatures_.push_back(head_);
    signatures_.back().name = name;
    given_ = {};
    half_.reset();
    return {};
  }

  Result<void> value(std::string_view line, std::string_view key, std::string_view text) {
    Signature& signature = signatures_.back();
    if (const auto inside = argument(key, "HitRate")) {
      const auto bin = exponent(*inside, signature_depths);
      const auto rate = share(text);
      if (!bin || !rate) return wrong(line, "HitRate(2^0 … 2^16) = a share from 0 to 1");
      signature.hit_rates[*bin] = *rate;
      given_.hit_rates[*bin] = true;
      return {};
    }
    const auto reuse = argument(key, "Reuse");
    if (reuse || key == "Avg") {
      const auto bin = reuse ? exponent(*reuse, signature_depths) : std::optional<std::size_t>(0);
      const auto half = half_share(text);
      if (!bin || !half) return wrong(line, "a share from 0 to 1, or NA, and counts (SAME/AGAIN)");
      if (!half_) return wrong(line, "P(2^2): … P(2^8): before it");
      if (reuse) {
        signature.halves[*half_][*bin] = *half;
        given_.halves[*half_][*bin] = true;
      } else {
        signature.average[*half_] = *half;
      }
      return {};
    }
    if (!signature.detail) return wrong(line, "HitRate, Reuse, Avg or \"DETAIL:\"");
    return detail(line, key, text);
  }

  Result<void> detail(std::string_view line, std::string_view key, std::string_view text) {
    Signature& signature = signatures_.back();
    Detail& detail = *signature.detail;
    if (key == "References") return take(line, whole_number(text), signature.references, "a count");
    if (key == "Blocks") return take(line, whole_number(text), detail.blocks, "a count");
    if (key == "Parallelism") {
      const auto value = number(text);
      if (!value || *value <= 0) return wrong(line, "a number greater than 0");
      detail.parallelism = *value;
      return {};
    }
    if (key == "Threads") {
      auto values = shares(text);
      if (!values || values->empty()) return wrong(line, "a share from 0 to 1 for each thread");
      detail.threads = std::move(*values);
      return {};
    }
    if (const auto inside = argument(key, "Mix")) {
      const auto bin = bin_named(*inside);
      const auto values = shares(text);
      if (!bin || !values || values->size() != 2)
        return wrong(line, "two shares, of writes and of other threads' blocks,");
      detail.writes[*bin] = (*values)[0];
      detail.foreign[*bin] = (*values)[1];
      return {};
    }
    if (const auto inside = argument(key, "Width")) return width(line, *inside, text);
    if (const auto inside = argument(key, "Between")) return between(line, *inside, text);
    if (const auto inside = argument(key, "Sets")) return sets(line, *inside, text);
    if (const auto inside = argument(key, "Step")) return step(line, *inside, text);
    return wrong(line, "References, Blocks, Parallelism, Threads, Mix, Width, Between, Sets or Step");
  }

  Result<void> width(std::string_view line, std::string_view bytes, std::string_view text) {
    std::vector<Width>& widths = signatures_.back().detail->widths;
    const auto size = whole_number(bytes);
    const auto values = shares(text);
    if (!size || !LineSize::valid(*size) || *size < 4 || *size > 256 || !values || values->size() != signature_depths) {
      return wrong(line, "Width(4 … 256) = 17 shares");
    }
    Width width{LineSize::of(*size), {}, {}};
    std::copy(values->begin(), values->end(), width.hit_rates.begin());
    if (!widths.empty() && widths.back().line >= width.line) return wrong(line, "a width larger than the one before");
    widths.push_back(width);
    return {};
  }

  Result<void> between(std::string_view line, std::string_view bytes, std::string_view text) {
    Detail& detail = *signatures_.back().detail;
    const auto size = whole_number(bytes);
    const auto values = shares(text);
    const bool blocks = size == signature_block.bytes().value;
    const bool last = size && !detail.widths.empty() && detail.widths.back().line.bytes().value == *size;
    if ((!blocks && !last) || !values || values->size() != between_depths) {
      return wrong(line, fmt::format("Between(BYTES) = {} shares, behind the width or for 512 bytes,", between_depths));
    }
    BetweenRates& rates = (blocks ? detail.between : detail.widths.back().between).emplace();
    std::copy(values->begin(), values->end(), rates.begin());
    return {};
  }

  Result<void> sets(std::string_view line, std::string_view geometry, std::string_view text) {
    std::vector<SetHitRate>& all = signatures_.back().detail->sets;
    const std::size_t times = std::min(geometry.find('x'), geometry.size());
    const std::size_t comma = std::min(geometry.find(','), geometry.size());
    const auto sets = whole_number(geometry.substr(0, times));
    const auto ways = whole_number(geometry.substr(std::min(times + 1, comma), comma - std::min(times + 1, comma)));
    const auto bytes = comma == geometry.size() ? std::optional(usual_set_line.bytes().value)
                                                : whole_number(geometry.substr(comma + 1));
    const auto rate = share(text);
    // So many lines can be simulated in an instant.
    constexpr std::uint64_t most = 1u << 16;
    if (!sets || !ways || !rate || *sets == 0 || *ways == 0 || *sets > most || *ways > most || *sets * *ways > most) {
      return wrong(line, "Sets(SETSxWAYS) = a share from 0 to 1, for at most 65,536 lines,");
    }
    if (!bytes || !LineSize::valid(*bytes) || *bytes < 4 || *bytes > 256) {
      return wrong(line, "Sets(SETSxWAYS,BYTES) with lines of 4 … 256 bytes");
    }
    if (all.size() == 64) return wrong(line, "at most 64 caches with sets");
    all.push_back({static_cast<std::uint32_t>(*sets), static_cast<std::uint32_t>(*ways), *rate, LineSize::of(*bytes)});
    return {};
  }

  Result<void> step(std::string_view line, std::string_view blocks, std::string_view text) {
    Detail& detail = *signatures_.back().detail;
    const auto count = whole_number(text);
    // Half of what fits, so that no sum can overflow.
    if (!count || *count > std::uint64_t{1} << 40) return wrong(line, "a count below 2^40");
    if (blocks == "other") {
      detail.other_steps = *count;
      return {};
    }
    const auto value = whole_number(blocks);
    if (!value || *value >> signature_step_bits != 0) return wrong(line, "Step(0 … 4095)");
    if (!detail.steps.empty() && detail.steps.back().value >= *value) return wrong(line, "a longer step than before");
    detail.steps.push_back({*value, *count});
    return {};
  }

  /// Puts back what a concise signature leaves out.
  Result<void> complete() {
    if (signatures_.empty()) return {};
    Signature& signature = signatures_.back();
    const auto missing = [&](std::size_t b) { return !given_.hit_rates[b]; };
    if (missing(0) || missing(signature_depths - 1)) {
      return fail(fmt::format("\"Bin: {}\" has no HitRate(2^0) or no HitRate(2^16)", signature.name));
    }
    std::size_t before = 0;
    for (std::size_t b = 1; b < signature_depths; ++b) {
      if (missing(b)) continue;
      // A larger LRU cache holds whatever a smaller one does.
      if (signature.hit_rates[b] < signature.hit_rates[before])
        return fail(fmt::format("\"Bin: {}\" has HitRate(2^{}) below HitRate(2^{})", signature.name, b, before));
      const double step = (signature.hit_rates[b] - signature.hit_rates[before]) / static_cast<double>(b - before);
      for (std::size_t between = before + 1; between < b; ++between) {
        signature.hit_rates[between] = signature.hit_rates[before] + step * static_cast<double>(between - before);
      }
      before = b;
    }
    for (std::size_t h = 0; h < signature_halves; ++h) {
      for (std::size_t b = 1; b < signature_depths; ++b) {
        if (!given_.halves[h][b]) signature.halves[h][b].share = signature.halves[h][b - 1].share;
      }
    }
    return {};
  }

  std::string_view rest_;
  std::string_view name_;
  std::size_t line_ = 0;
  Signature head_;
  std::vector<Signature> signatures_;
  Given given_;
  std::optional<std::size_t> half_;
};

}  // namespace

Result<std::vector<Signature>> read_text(std::string_view text, std::string_view name) {
  return Reader(text, name).read();
}

}  // namespace cachescape::signature
