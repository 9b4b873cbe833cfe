#include "trace/chunk_codec.hpp"

#include <array>
#include <bit>
#include <cstring>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/layout.hpp"
#include "trace/varint.hpp"

namespace cachescape::trace {
namespace {

constexpr unsigned bytes_per_number(std::size_t operations) {
  if (operations <= 0x100) return 1;
  if (operations <= 0x10000) return 2;
  return 4;
}

struct OperationKey {
  std::uint64_t site;
  std::uint32_t size;
  AccessKind kind;

  friend bool operator==(const OperationKey&, const OperationKey&) = default;
  friend std::size_t hash_value(const OperationKey& k) {
    std::uint64_t h = k.site * 0x9e3779b97f4a7c15u;
    h ^= (std::uint64_t{k.size} << 2 | static_cast<std::uint64_t>(k.kind)) * 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 29);
  }
};

struct FirstUse {
  OperationKey key;
  std::uint64_t address;
};

struct Prediction {
  std::uint64_t last = 0;
  std::uint64_t stride = 0;
};

template <class Number>
void put_numbers(const std::vector<std::uint32_t>& numbers, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  out.resize(at + numbers.size() * sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto n = static_cast<Number>(numbers[i]);
    std::memcpy(out.data() + at + i * sizeof(Number), &n, sizeof n);
  }
}

// masks[n] keeps the n lowest bytes of a word.
constexpr std::array<std::uint64_t, 16> masks = [] {
  std::array<std::uint64_t, 16> m{};
  for (unsigned n = 0; n < 8; ++n) m[n] = (std::uint64_t{1} << (8 * n)) - 1;
  m[8] = ~std::uint64_t{0};
  return m;
}();

Error bad(const char* what) { return {ErrorKind::malformed, what, {}, {}}; }

}  // namespace

void encode_part(const ThreadPart& part, bool whole_round, std::vector<std::byte>& out) {
  boost::unordered_flat_map<OperationKey, std::uint32_t> known;
  std::vector<FirstUse> operations;
  std::vector<Prediction> predictions;
  std::vector<std::uint32_t> numbers;
  std::vector<std::byte> lengths((part.accesses.size() + 1) / 2);
  // Whole words are written, of which only the significant bytes stay.
  std::vector<std::byte> errors((part.accesses.size() + 1) * sizeof(std::uint64_t));
  std::size_t error_bytes = 0;
  numbers.reserve(part.accesses.size());
  // The last operation of each kind: mostly the same site goes on, or a few take turns.
  std::array<std::uint32_t, access_kinds> recent{};

  for (std::size_t i = 0; i < part.accesses.size(); ++i) {
    const Access& a = part.accesses[i];
    const OperationKey key{a.site.value, a.size, a.kind};
    std::uint32_t& number = recent[static_cast<std::size_t>(a.kind)];
    if (number >= operations.size() || operations[number].key != key) {
      const auto [it, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(operations.size()));
      if (is_new) {
        operations.push_back({key, a.address.value});
        // The table gives the first address, so that the first prediction is right.
        predictions.push_back({a.address.value, 0});
      }
      number = it->second;
    }
    numbers.push_back(number);

    Prediction& p = predictions[number];
    const std::uint64_t error = zigzag(a.address.value - (p.last + p.stride));
    p.stride = a.address.value - p.last;
    p.last = a.address.value;

    const auto length = static_cast<unsigned>((std::bit_width(error) + 7) / 8);
    lengths[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? length : length << 4);
    std::memcpy(errors.data() + error_bytes, &error, sizeof error);
    error_bytes += length;
  }
  errors.resize(error_bytes);

  put_varint(out, operations.size());
  std::uint64_t site = 0;
  std::uint64_t address = 0;
  for (const FirstUse& op : operations) {
    put_varint(out, zigzag(op.key.site - site));
    put_varint(out, std::uint64_t{op.key.size} << 2 | static_cast<std::uint64_t>(op.key.kind));
    put_varint(out, zigzag(op.address - address));
    site = op.key.site;
    address = op.address;
  }
  put_varint(out, part.blocks.size());
  std::uint32_t index = 0;
  std::uint64_t block = 0;
  for (const BlockEntry& b : part.blocks) {
    put_varint(out, b.index - index);
    put_varint(out, zigzag(b.block.value - block));
    index = b.index;
    block = b.block.value;
  }
  if (!whole_round) {
    put_varint(out, part.order.size());
    for (const OrderRun& run : part.order) {
      put_varint(out, run.gap);
      put_varint(out, run.length);
    }
  }
  put_varint(out, errors.size());
  switch (bytes_per_number(operations.size())) {
    case 1:
      put_numbers<std::uint8_t>(numbers, out);
      break;
    case 2:
      put_numbers<std::uint16_t>(numbers, out);
      break;
    default:
      put_numbers<std::uint32_t>(numbers, out);
      break;
  }
  out.insert(out.end(), lengths.begin(), lengths.end());
  out.insert(out.end(), errors.begin(), errors.end());
}

Result<void> PartDecoder::open_operations(VarintReader& in) {
  const auto count = in.next();
  // Every operation takes at least three bytes, which bounds what a lying count can make us allocate.
  if (!count || *count > in.remaining() / 3) return std::unexpected(bad("the chunk's operation table is malformed"));
  operations_.assign(*count, {});
  std::uint64_t site = 0;
  std::uint64_t address = 0;
  for (Operation& op : operations_) {
    const auto site_delta = in.next();
    const auto size_and_kind = in.next();
    const auto address_delta = in.next();
    if (!site_delta || !size_and_kind || !address_delta || *size_and_kind > 0x3ffffffffu ||
        (*size_and_kind & 3) >= access_kinds) {
      return std::unexpected(bad("the chunk's operation table is malformed"));
    }
    site += unzigzag(*site_delta);
    address += unzigzag(*address_delta);
    op.last = address;
    op.site = SiteId{site};
    op.size = static_cast<std::uint32_t>(*size_and_kind >> 2);
    op.kind = static_cast<AccessKind>(*size_and_kind & 3);
  }
  return {};
}

Result<void> PartDecoder::open(std::span<const std::byte> raw, std::uint32_t accesses, bool whole_round) {
  VarintReader in(raw);
  order_.clear();
  blocks_.clear();
  CACHESCAPE_CHECK(open_operations(in));

  const auto block_count = in.next();
  if (!block_count || *block_count > in.remaining() / 2)
    return std::unexpected(bad("the chunk's block labels are malformed"));
  blocks_.reserve(*block_count);
  std::uint64_t index = 0;
  std::uint64_t block = 0;
  for (std::uint64_t i = 0; i < *block_count; ++i) {
    const auto step = in.next();
    const auto delta = in.next();
    if (!step || !delta || *step > accesses - index)
      return std::unexpected(bad("the chunk's block labels are malformed"));
    index += *step;
    block += unzigzag(*delta);
    blocks_.push_back({static_cast<std::uint32_t>(index), ThreadId{}, BlockId{block}});
  }

  if (!whole_round) {
    const auto runs = in.next();
    if (!runs || *runs > in.remaining() / 2) return std::unexpected(bad("the chunk's order runs are malformed"));
    std::uint64_t total = 0;
    order_.reserve(*runs);
    for (std::uint64_t i = 0; i < *runs; ++i) {
      const auto gap = in.next();
      const auto length = in.next();
      if (!gap || !length || *gap > max_round_accesses || *length > accesses - total) {
        return std::unexpected(bad("the chunk's order runs are malformed"));
      }
      order_.push_back({static_cast<std::uint32_t>(*gap), static_cast<std::uint32_t>(*length)});
      total += *length;
    }
    if (total != accesses) return std::unexpected(bad("the chunk's order runs do not cover its accesses"));
  }

  const auto error_bytes = in.next();
  number_bytes_ = bytes_per_number(operations_.size());
  const auto numbers = in.take(std::uint64_t{accesses} * number_bytes_);
  const auto lengths = in.take((std::uint64_t{accesses} + 1) / 2);
  if (!error_bytes || !numbers || !lengths || *error_bytes != in.remaining()) {
    return std::unexpected(bad("the chunk's columns do not have the sizes that its header gives"));
  }

  // One pass over the columns here saves every check in decode().
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < accesses; ++i) {
    std::uint32_t n = 0;
    std::memcpy(&n, numbers->data() + i * number_bytes_, number_bytes_);
    highest = n > highest ? n : highest;
  }
  if (accesses > 0 && highest >= operations_.size())
    return std::unexpected(bad("the chunk names an operation that it does not list"));
  std::uint64_t sum = 0;
  bool too_long = false;
  for (const std::byte b : *lengths) {
    const auto low = std::to_integer<unsigned>(b) & 15;
    const auto high = std::to_integer<unsigned>(b) >> 4;
    too_long |= low > 8 || high > 8;
    sum += low + high;
  }
  if (too_long || sum != *error_bytes) return std::unexpected(bad("the chunk's address column is malformed"));

  numbers_ = numbers->data();
  lengths_ = lengths->data();
  errors_ = lengths->data() + lengths->size();
  odd_ = false;
  remaining_ = accesses;
  return {};
}

template <class Number>
void PartDecoder::decode_as(const AccessColumns& to, std::size_t n) {
  const std::byte* numbers = numbers_;
  const std::byte* lengths = lengths_;
  const std::byte* errors = errors_;
  Operation* const operations = operations_.data();
  unsigned half = odd_ ? 4 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    Number number;
    std::memcpy(&number, numbers, sizeof number);
    numbers += sizeof number;
    const unsigned length = (std::to_integer<unsigned>(*lengths) >> half) & 15;
    lengths += half >> 2;
    half ^= 4;
    std::uint64_t error;
    std::memcpy(&error, errors, sizeof error);
    errors += length;

    Operation& op = operations[number];
    const std::uint64_t address = op.last + op.stride + unzigzag(error & masks[length]);
    op.stride = address - op.last;
    op.last = address;
    to.address[i] = Address{address};
    to.size[i] = op.size;
    to.kind[i] = op.kind;
    to.site[i] = op.site;
  }
  numbers_ = numbers;
  lengths_ = lengths;
  errors_ = errors;
  odd_ = half != 0;
}

void PartDecoder::decode(const AccessColumns& to, std::size_t n) {
  switch (number_bytes_) {
    case 1:
      decode_as<std::uint8_t>(to, n);
      break;
    case 2:
      decode_as<std::uint16_t>(to, n);
      break;
    default:
      decode_as<std::uint32_t>(to, n);
      break;
  }
  remaining_ -= n;
}

}  // namespace cachescape::trace
