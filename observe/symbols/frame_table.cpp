#include "observe/symbols/frame_table.hpp"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

namespace cachescape::symbols {
namespace {

using Bytes = std::span<const unsigned char>;

constexpr unsigned char relative_to_itself = 0x1b;  // DW_EH_PE_pcrel | DW_EH_PE_sdata4
constexpr std::uint32_t longer_than_32_bits_tell = 0xffffffff;

/// Reads on, and gives zeroes from where the bytes end.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : left_(bytes) {}

  template <class Number>
  Number next() {
    Number number{};
    if (left_.size() < sizeof number) {
      left_ = {};
      return number;
    }
    std::memcpy(&number, left_.data(), sizeof number);
    left_ = left_.subspan(sizeof number);
    return number;
  }
  std::string_view text() {
    const std::string_view rest(reinterpret_cast<const char*>(left_.data()), left_.size());
    const std::string_view found = rest.substr(0, rest.find('\0'));
    left_ = left_.subspan(std::min(left_.size(), found.size() + 1));
    return found;
  }
  /// A number of any length, seven bits a byte.
  void skip_number() {
    while ((next<unsigned char>() & 0x80) != 0) {
    }
  }

 private:
  Bytes left_;
};

/// Bytes of a pointer in this encoding; 0 where it depends on more.
std::size_t pointer_bytes(unsigned char encoding) {
  switch (encoding & 0x0f) {
    case 0x00:  // as wide as an address
    case 0x04:
    case 0x0c:
      return 8;
    case 0x02:
    case 0x0a:
      return 2;
    case 0x03:
    case 0x0b:
      return 4;
    default:
      return 0;
  }
}

/// Whether entries that have this in common (from its version on) tell their functions as we read them.
bool is_usual(Bytes common) {
  Cursor cursor(common);
  const auto version = cursor.next<unsigned char>();
  const std::string_view augmentation = cursor.text();
  if ((version != 1 && version != 3) || !augmentation.starts_with('z')) return false;
  cursor.skip_number();  // alignment of code
  cursor.skip_number();  // and of data
  if (version == 1)
    cursor.next<unsigned char>();  // the register of the return address
  else
    cursor.skip_number();
  cursor.skip_number();  // length of what follows
  for (const char c : augmentation.substr(1)) {
    if (c == 'R') return cursor.next<unsigned char>() == relative_to_itself;
    if (c == 'L') cursor.next<unsigned char>();
    if (c != 'P') continue;
    const std::size_t bytes = pointer_bytes(cursor.next<unsigned char>());
    if (bytes == 0) return false;
    for (std::size_t i = 0; i < bytes; ++i) cursor.next<unsigned char>();
  }
  return false;
}

struct Section {
  std::uint64_t address = 0;
  Bytes bytes;
};

Section section_of(const ElfFile& file, std::string_view wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(file.elf(), &names) != 0) return {};
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* const name = elf_strptr(file.elf(), names, header.sh_name);
    if (name == nullptr || name != wanted) continue;
    const Elf_Data* const data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {header.sh_addr, {static_cast<const unsigned char*>(data->d_buf), data->d_size}};
  }
  return {};
}

}  // namespace

FrameTable FrameTable::of(const ElfFile& file) {
  FrameTable table;
  const Section section = section_of(file, ".eh_frame");
  boost::unordered_flat_map<std::uint64_t, bool> usual;  // by where in the section entries' common part is
  constexpr std::size_t number_bytes = 4;
  for (std::size_t at = 0; at < section.bytes.size();) {
    const Bytes rest = section.bytes.subspan(at);
    const auto length = Cursor(rest).next<std::uint32_t>();
    // Zero ends what one file has brought; in static programs more may follow.
    if (length == longer_than_32_bits_tell || length > rest.size() - std::min(rest.size(), number_bytes)) break;
    const Bytes entry = rest.subspan(number_bytes, length);
    const std::uint64_t from = at + number_bytes;
    at = from + length;
    Cursor cursor(entry);
    const auto back = cursor.next<std::uint32_t>();
    if (entry.size() < 2 * number_bytes) continue;
    if (back == 0) {
      usual[from - number_bytes] = is_usual(entry.subspan(number_bytes));
      continue;
    }
    const auto common = usual.find(from - back);
    if (common == usual.end() || !common->second) continue;
    const auto distance = cursor.next<std::int32_t>();
    const auto bytes = cursor.next<std::uint32_t>();
    const std::uint64_t itself = section.address + from + number_bytes;
    if (bytes > 0) table.ranges_.push_back({itself + static_cast<std::uint64_t>(std::int64_t{distance}), bytes});
  }
  std::ranges::sort(table.ranges_, {}, &Range::begin);
  return table;
}

std::optional<std::uint64_t> FrameTable::begin_of_function(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  if (after == ranges_.begin()) return std::nullopt;
  const Range& range = *--after;
  if (address - range.begin >= range.bytes) return std::nullopt;
  return range.begin;
}

}  // namespace cachescape::symbols
