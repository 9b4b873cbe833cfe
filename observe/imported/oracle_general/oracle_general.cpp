#include "observe/imported/oracle_general/oracle_general.hpp"

#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>

#include "observe/imported/head.hpp"
#include "observe/imported/record_reader.hpp"

namespace cachescape::imported {
namespace {

struct Layout {
  static constexpr std::size_t size = 24;
  static constexpr std::size_t clock_time = 0;
  static constexpr std::size_t obj_id = 4;
  static constexpr std::size_t obj_size = 12;
  static constexpr std::size_t next_access_vtime = 16;
};
static_assert(Layout::size == Layout::next_access_vtime + sizeof(std::int64_t));

// libCacheSim writes -1 or the largest number where an object is not requested again, -2 where it does not know.
constexpr std::int64_t unknown_next = -2;

class OracleGeneralDecoder {
 public:
  static constexpr std::size_t record_size = Layout::size;
  static constexpr std::size_t most_accesses = 1;
  static constexpr std::string_view record_name = "a request";

  RecordKind decode(const std::byte* record, RecordAccesses<most_accesses>& accesses, std::uint64_t&) {
    const auto next = load<std::int64_t>(record + Layout::next_access_vtime);
    if (next < unknown_next) {
      problem_ = fmt::format("the next access time of the request is {}; expected -2, -1 or a request number", next);
      return RecordKind::malformed;
    }
    if (load<std::uint32_t>(record + Layout::obj_size) == 0) return RecordKind::ignored;
    const auto object = load<std::uint64_t>(record + Layout::obj_id);
    const auto [entry, added] = numbers_.try_emplace(object, numbers_.size());
    accesses.push({Address{object_address(entry->second)}, 0, AccessKind::read, ThreadId{}, SiteId{}});
    return RecordKind::good;
  }

  std::string problem() const { return problem_; }

 private:
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> numbers_;  ///< object → order of first appearance
  std::string problem_;
};

/// There is no magic number, so every record has to make sense: time does not run backwards, and an object's next
/// request lies ahead.
int recognise(std::span<const std::byte> head) {
  const std::size_t records = head.size() / Layout::size;
  if (records < 2) return 0;
  std::uint32_t time = 0;
  std::size_t sized = 0;
  std::size_t confirmed = 0;
  std::size_t refuted = 0;
  auto object_of = [&](std::size_t r) { return load<std::uint64_t>(head.data() + r * Layout::size + Layout::obj_id); };
  for (std::size_t r = 0; r < records; ++r) {
    const std::byte* const record = head.data() + r * Layout::size;
    const auto now = load<std::uint32_t>(record + Layout::clock_time);
    const auto next = load<std::int64_t>(record + Layout::next_access_vtime);
    if (now < time || next < unknown_next) return 0;
    time = now;
    if (load<std::uint32_t>(record + Layout::obj_size) != 0) ++sized;
    if (next < 0 || next == std::numeric_limits<std::int64_t>::max()) continue;
    const auto target = static_cast<std::uint64_t>(next);
    if (target <= r) return 0;
    if (target >= records) continue;
    // Requests are counted from 0 by some writers and from 1 by others.
    const bool same = object_of(target) == object_of(r) || (target - 1 > r && object_of(target - 1) == object_of(r));
    ++(same ? confirmed : refuted);
  }
  if (2 * sized < records || confirmed < refuted) return 0;
  const bool whole = head.size() % Layout::size == 0 || head.size() >= head_size;
  if (confirmed > refuted) return whole ? 95 : 75;
  return whole ? 60 : 0;
}

Result<std::unique_ptr<AccessSource>> open(std::unique_ptr<bytes::ByteSource> source, const ImportOptions& options) {
  return std::make_unique<RecordReader<OracleGeneralDecoder>>(std::move(source), options.strictness,
                                                              OracleGeneralDecoder());
}

}  // namespace

const Format& oracle_general_format() {
  static constexpr Format format{"oracle_general", "libCacheSim oracleGeneral, binary, 24 bytes per request", recognise,
                                 open};
  return format;
}

}  // namespace cachescape::imported
