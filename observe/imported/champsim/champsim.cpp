#include "observe/imported/champsim/champsim.hpp"

#include "observe/imported/record_reader.hpp"

namespace cachescape::imported {
namespace {

struct Layout {
  static constexpr std::size_t size = 64;
  static constexpr std::size_t ip = 0;
  static constexpr std::size_t is_branch = 8;
  static constexpr std::size_t branch_taken = 9;
  static constexpr std::size_t destination_memory = 16;
  static constexpr std::size_t destinations = 2;
  static constexpr std::size_t source_memory = 32;
  static constexpr std::size_t sources = 4;
};
static_assert(Layout::source_memory == Layout::destination_memory + Layout::destinations * sizeof(std::uint64_t));
static_assert(Layout::size == Layout::source_memory + Layout::sources * sizeof(std::uint64_t));

class ChampsimDecoder {
 public:
  static constexpr std::size_t record_size = Layout::size;
  static constexpr std::size_t most_accesses = 1 + Layout::sources + Layout::destinations;
  static constexpr std::string_view record_name = "an instruction";

  explicit ChampsimDecoder(Fetches fetches) : fetches_(fetches) {}

  RecordKind decode(const std::byte* record, RecordAccesses<most_accesses>& accesses, std::uint64_t& instructions) {
    const auto is_branch = load<std::uint8_t>(record + Layout::is_branch);
    const auto branch_taken = load<std::uint8_t>(record + Layout::branch_taken);
    if (is_branch > 1 || branch_taken > 1) {
      problem_ =
          fmt::format("the branch flags of the instruction are {} and {}; expected 0 or 1", is_branch, branch_taken);
      return RecordKind::malformed;
    }
    ++instructions;
    const auto ip = load<std::uint64_t>(record + Layout::ip);
    auto push = [&](std::uint64_t address, AccessKind kind) {
      accesses.push({Address{address}, 0, kind, ThreadId{}, SiteId{ip}});
    };
    if (fetches_ == Fetches::as_reads) push(ip, AccessKind::read);
    for (std::size_t i = 0; i < Layout::sources; ++i) {
      const auto address = load<std::uint64_t>(record + Layout::source_memory + i * sizeof(std::uint64_t));
      if (address != 0) push(address, AccessKind::read);
    }
    for (std::size_t i = 0; i < Layout::destinations; ++i) {
      const auto address = load<std::uint64_t>(record + Layout::destination_memory + i * sizeof(std::uint64_t));
      if (address != 0) push(address, AccessKind::write);
    }
    return RecordKind::good;
  }

  std::string problem() const { return problem_; }

 private:
  Fetches fetches_;
  std::string problem_;
};

/// Whether an address fits 57-bit virtual addresses, either half.
bool canonical(std::uint64_t address) {
  const std::uint64_t top = address >> 56;
  return top == 0 || top == 0xff;
}

/// There is no magic number, so every record has to make sense, and most have to follow their predecessor closely, as
/// instructions do.
int recognise(std::span<const std::byte> head) {
  const std::size_t records = head.size() / Layout::size;
  if (records == 0) return 0;
  std::size_t sequential = 0;
  std::size_t accesses = 0;
  std::uint64_t previous = 0;
  for (std::size_t r = 0; r < records; ++r) {
    const std::byte* const record = head.data() + r * Layout::size;
    const auto ip = load<std::uint64_t>(record + Layout::ip);
    const auto is_branch = load<std::uint8_t>(record + Layout::is_branch);
    const auto taken = load<std::uint8_t>(record + Layout::branch_taken);
    if (ip == 0 || !canonical(ip) || is_branch > 1 || taken > is_branch) return 0;
    for (std::size_t m = Layout::destination_memory; m < Layout::size; m += sizeof(std::uint64_t)) {
      const auto address = load<std::uint64_t>(record + m);
      if (!canonical(address)) return 0;
      if (address != 0) ++accesses;
    }
    constexpr std::uint64_t longest_instruction = 15;
    if (r != 0 && ip - previous <= longest_instruction) ++sequential;
    previous = ip;
  }
  const bool whole = head.size() % Layout::size == 0;
  if (2 * sequential >= records - 1 && records >= 4) return whole ? 90 : 70;
  // Short or jumpy: believable only where nothing else claims it.
  return whole && 4 * accesses >= records ? 55 : 0;
}

Result<std::unique_ptr<AccessSource>> open(std::unique_ptr<bytes::ByteSource> source, const ImportOptions& options) {
  return std::make_unique<RecordReader<ChampsimDecoder>>(std::move(source), options.strictness,
                                                         ChampsimDecoder(options.fetches));
}

}  // namespace

const Format& champsim_format() {
  static constexpr Format format{"champsim", "ChampSim instruction trace, binary, 64 bytes per instruction", recognise,
                                 open};
  return format;
}

}  // namespace cachescape::imported
