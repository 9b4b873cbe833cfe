#include "product/export/trace_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace cachescape::exporting {
namespace {

constexpr std::array<char, access_kinds> csv_kinds{'R', 'W', 'M'};

// Din has no read-modify-write: a read followed by a write of the same bytes says the same.
void append_din(const AccessBatch& batch, std::string& out) {
  auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Access a = batch[i];
    // Dinero reads a size only behind a letter.
    const auto line = [&](char digit, char letter) {
      if (a.size == 0) {
        fmt::format_to(to, "{} {:x}\n", digit, a.address.value);
      } else {
        fmt::format_to(to, "{} {:x} {:x}\n", letter, a.address.value, a.size);
      }
    };
    if (a.kind != AccessKind::write) line('0', 'r');
    if (writes(a.kind)) line('1', 'w');
  }
}

void append_lackey(const AccessBatch& batch, std::string& out) {
  constexpr std::array<char, access_kinds> letters{'L', 'S', 'M'};
  auto to = std::back_inserter(out);
  SiteId site;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Access a = batch[i];
    if (a.site != site) fmt::format_to(to, "I  {:08x},1\n", a.site.value);
    site = a.site;
    fmt::format_to(to, " {} {:08x},{}\n", letters[static_cast<std::size_t>(a.kind)], a.address.value,
                   std::max(a.size, 1u));
  }
}

void append_csv(const AccessBatch& batch, std::string& out) {
  auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Access a = batch[i];
    fmt::format_to(to, "{},{},{},0x{:x},{},0x{:x}\n", batch.first.value + i, a.thread.value,
                   csv_kinds[static_cast<std::size_t>(a.kind)], a.address.value, a.size, a.site.value);
  }
}

constexpr std::array formats{
    TextFormat{"csv", ".csv", "time,thread,kind,address,size,pc\n", "", append_csv},
    TextFormat{"din", ".din", "", "threads and program counters; a read-modify-write becomes a read and a write",
               append_din},
    TextFormat{"lackey", ".lackey", "", "threads and unknown sizes; instructions without accesses", append_lackey},
};

}  // namespace

std::span<const TextFormat> text_formats() { return formats; }

const TextFormat* find_text_format(std::string_view name) {
  const auto it = std::ranges::find(formats, name, &TextFormat::name);
  return it == formats.end() ? nullptr : &*it;
}

}  // namespace cachescape::exporting
