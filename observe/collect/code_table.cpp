#include "observe/collect/code_table.hpp"

#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "observe/collect/module_set.hpp"
#include "session/record.h"
#include "session/session_atomic.h"
#include "session/stack.h"

namespace cachescape::collect {
namespace {

using Bytes8 = std::span<const std::uint8_t>;

// Longer than any system's paths.
constexpr std::size_t longest_path = 65536;
// So that the sizes of all mappings that fit into a session can be added.
constexpr std::uint64_t largest_mapping = std::uint64_t{1} << 36;

template <class Row>
Row code_row(Bytes8 bytes, std::size_t at = 0) {
  Row row;
  std::memcpy(&row, bytes.data() + at, sizeof row);
  return row;
}

/// One that the program may be adding to; 0 where there is none.
std::uint64_t counter(const SessionFile& session, std::uint64_t at) {
  const Bytes8 bytes = session.bytes(at, sizeof(std::uint64_t));
  return bytes.empty() ? 0 : __atomic_load_n(reinterpret_cast<const std::uint64_t*>(bytes.data()), __ATOMIC_RELAXED);
}

}  // namespace

template <class Take>
bool CodeTable::read_list(const SessionFile& session, Place& place, Take take) {
  while (true) {
    const Bytes8 head = session.bytes(place.part_at, sizeof(cachescape_part));
    if (head.empty() || place.part_at % 8 != 0) return false;
    const auto& part = *reinterpret_cast<const cachescape_part*>(head.data());
    // Looked at before what is complete, so that nothing is left behind when the list goes on elsewhere.
    const std::uint64_t next_at = cachescape_load64(&part.next_at);
    const std::uint64_t used = cachescape_load64(&part.used);
    const Bytes8 entries = session.bytes(place.part_at + sizeof(cachescape_part), used);
    if (used < place.read || (entries.empty() && used != 0)) return false;
    while (place.read < used) {
      const std::size_t taken = take(entries.subspan(place.read));
      if (taken == 0) return false;
      place.read += taken;
    }
    if (next_at == 0) return true;
    // A chain that leads back to itself ends where it holds more than the session does.
    bytes_read_ += place.read + sizeof(cachescape_part);
    if (bytes_read_ > session.header().arena_bytes) return false;
    place = {next_at, 0};
  }
}

bool CodeTable::update(const SessionFile& session) {
  if (broken_) return false;
  const std::uint64_t at = cachescape_load64(&session.header().code_at);
  if (at == 0) return true;
  if (!joined_) {
    const Bytes8 bytes = session.bytes(at, sizeof(cachescape_code));
    joined_ = true;
    broken_ = bytes.empty();
    if (broken_) return false;
    const auto code = code_row<cachescape_code>(bytes);
    descriptors_at_.part_at = code.descriptors_at;
    mappings_at_.part_at = code.mappings_at;
    counts_at_.part_at = code.counts_at;
    contexts_at_.part_at = code.contexts_at;
  }
  const auto read_mappings = [&] {
    return read_list(session, mappings_at_, [&](Bytes8 rest) { return take_mapping(rest); });
  };
  // What refers to a mapping was written after it, but the mapping perhaps after the last look.
  const auto knows_mapping = [&](std::uint32_t number) { return number <= mappings_.size() || read_mappings(); };
  const auto read_rows = [&]<class Row>(Row /*of what*/, Place& place, auto take) {
    return read_list(session, place, [&](Bytes8 rest) {
      const bool known = rest.size() >= sizeof(Row) && knows_mapping(code_row<Row>(rest).mapping);
      return known ? take(rest) : std::size_t{0};
    });
  };
  const auto offset_of = [&](Bytes8 rest) {
    return static_cast<std::uint64_t>(rest.data() - reinterpret_cast<const std::uint8_t*>(&session.header()));
  };
  broken_ = !read_mappings() || !read_rows(cachescape_code_descriptor{}, descriptors_at_,
                                           [&](Bytes8 rest) { return take_descriptor(rest); });
  if (!broken_ && counts_at_.part_at != 0)
    broken_ = !read_rows(cachescape_code_count{}, counts_at_, [&](Bytes8 rest) { return take_count(rest); });
  if (!broken_ && contexts_at_.part_at != 0)
    broken_ = !read_rows(cachescape_code_context{}, contexts_at_,
                         [&](Bytes8 rest) { return take_context(rest, offset_of(rest)); });
  return !broken_;
}

std::size_t CodeTable::take_mapping(Bytes8 rest) {
  if (rest.size() < sizeof(cachescape_mapping)) return 0;
  const auto m = code_row<cachescape_mapping>(rest);
  if (m.path_bytes > longest_path || m.path_bytes % 8 != 0 || m.path_bytes > rest.size() - sizeof m) return 0;
  if (m.begin >= m.end || m.end - m.begin > largest_mapping) return 0;
  if (m.build_id_bytes > CACHESCAPE_MAX_BUILD_ID) return 0;
  const std::size_t id_room = (m.build_id_bytes + 7) / 8 * 8;
  if (id_room > rest.size() - sizeof m - m.path_bytes) return 0;
  const auto* const text = reinterpret_cast<const char*>(rest.data() + sizeof m);
  CodeFile named{std::string(text, strnlen(text, m.path_bytes)), {}};
  for (const std::uint8_t byte : rest.subspan(sizeof m + m.path_bytes, m.build_id_bytes))
    named.build_id += fmt::format("{:02x}", byte);
  const auto [entry, is_new] = file_numbers_.try_emplace(named, static_cast<std::uint32_t>(files_.size()));
  const std::uint32_t file = entry->second;
  if (is_new) files_.push_back(std::move(named));
  mappings_.push_back({m.begin, m.end, m.file_offset, file});
  return sizeof m + m.path_bytes + id_room;
}

std::uint32_t CodeTable::site_at(std::uint64_t address, std::uint32_t mapping) {
  std::uint64_t place = address;
  if (mapping != nowhere) {
    const Mapping& m = mappings_[mapping];
    place = (address - m.begin + m.file_offset) ^ (std::uint64_t{m.file} + 1) << 48;
  }
  const auto [entry, is_new] = site_numbers_.try_emplace(place, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.push_back({address, mapping});
  return entry->second;
}

std::size_t CodeTable::take_descriptor(Bytes8 rest) {
  if (rest.size() < sizeof(cachescape_code_descriptor)) return 0;
  const auto d = code_row<cachescape_code_descriptor>(rest);
  const std::size_t bytes = sizeof d + d.accesses * sizeof(cachescape_code_access);
  if (bytes > rest.size() || d.accesses > CACHESCAPE_CODE_MOST_ACCESSES || d.slots > CACHESCAPE_CODE_MOST_SLOTS)
    return 0;
  if (d.mapping > mappings_.size()) return 0;
  const std::uint32_t mapping = d.mapping == 0 ? nowhere : d.mapping - 1;
  Descriptor to;
  to.slots = d.slots;
  to.accesses = d.accesses;
  to.first_access = static_cast<std::uint32_t>(accesses_.size());
  to.first_stretch = static_cast<std::uint32_t>(stretches_.size());
  // The site of an allocation has no word that its address could be in.
  const std::uint32_t slots = d.slots == 0 && d.accesses == 1 ? 1 : d.slots;
  for (std::size_t i = 0; i < d.accesses; ++i) {
    const auto a = code_row<cachescape_code_access>(rest, sizeof d + i * sizeof(cachescape_code_access));
    const bool kernel = d.slots == 0 && (a.flags & CACHESCAPE_CODE_KERNEL) != 0;
    const auto kind = static_cast<std::uint8_t>(kernel ? a.flags & ~CACHESCAPE_CODE_KERNEL : a.flags);
    if (a.slot >= slots || a.witness >= slots || a.size > longest_part || kind > CACHESCAPE_MODIFY) return 0;
    const std::uint64_t instruction = d.address + static_cast<std::uint64_t>(std::int64_t{a.code});
    accesses_.push_back(
        {a.slot, a.offset, AccessShape(a.size, static_cast<AccessKind>(kind)), site_at(instruction, mapping)});
    if (kernel) sites_[accesses_.back().site].calls_kernel = true;
    if (to.stretches == 0 || stretches_.back().witness != a.witness) {
      stretches_.push_back({a.witness, 0, {}, 0});
      ++to.stretches;
    }
    Stretch& stretch = stretches_.back();
    ++stretch.accesses;
    ++stretch.kinds[kind];
    stretch.bytes += a.size;
  }
  descriptors_.push_back(to);
  PlainRecord& plain = plain_.emplace_back();
  if (to.slots != 0 && to.stretches == 1) {
    const auto accesses = std::span(accesses_).subspan(to.first_access, to.accesses);
    plain = PlainRecord::of(accesses, static_cast<std::uint32_t>(plain_.size() - 1), to.first_access, to.slots,
                            stretches_.back().witness);
  }
  return bytes;
}

std::size_t CodeTable::take_count(Bytes8 rest) {
  if (rest.size() < sizeof(cachescape_code_count)) return 0;
  const auto c = code_row<cachescape_code_count>(rest);
  if (c.mapping > mappings_.size() || c.counter_at % alignof(std::uint64_t) != 0) return 0;
  const std::uint32_t mapping = c.mapping == 0 ? nowhere : c.mapping - 1;
  counts_.push_back({{c.address, mapping}, c.instructions, c.counter_at});
  return sizeof c;
}

std::size_t CodeTable::take_context(Bytes8 rest, std::uint64_t at) {
  if (rest.size() < sizeof(cachescape_code_context)) return 0;
  const auto c = code_row<cachescape_code_context>(rest);
  if (c.mapping > mappings_.size() || (c.caller >= contexts_.size() && !contexts_.empty())) return 0;
  const std::uint32_t mapping = c.mapping == 0 ? nowhere : c.mapping - 1;
  contexts_.push_back({{c.address, mapping}, c.caller, at + offsetof(cachescape_code_context, instructions)});
  return sizeof c;
}

std::uint64_t CodeCount::executions(const SessionFile& session) const { return counter(session, counter_at); }

std::uint64_t CodeContext::instructions(const SessionFile& session) const { return counter(session, executed_at); }

std::uint64_t CodeTable::instructions(const SessionFile& session) const {
  std::uint64_t sum = 0;
  for (const CodeCount& count : counts_) sum += count.instructions * count.executions(session);
  return sum;
}

}  // namespace cachescape::collect
