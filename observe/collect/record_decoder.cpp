#include "observe/collect/record_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "session/record.h"

namespace cachescape::collect {
namespace {

// Shorter loops are cheaper to expand than to reason about.
constexpr std::uint64_t fewest_trips_of_a_run = 4;

}  // namespace

void RecordDecoder::decode(std::span<const std::uint64_t> words, AccessBatch& batch, AccessSink& sink) {
  Output out{batch, sink};
  if (sink.unwanted() > 0) out.hand_on();
  unwanted_ = sink.unwanted();
  decode(words, out);
  tell_passed(out);
}

bool RecordDecoder::passes(const DecodedDescriptor& descriptor, std::uint64_t executions, Output& out) {
  if (unwanted_ == 0 && !context_.sampling) return false;
  if (!descriptor.simple || descriptor.is_long) return false;
  const std::uint64_t accesses = descriptor.accesses.size() * executions;
  const bool passes =
      context_.sampling ? !context_.sampling->wants(descriptor.number, executions, accesses) : accesses <= unwanted_;
  if (!passes) {
    tell_passed(out);
    unwanted_ = 0;
    return false;
  }
  if (!context_.sampling) unwanted_ -= accesses;
  for (std::size_t k = 0; k < access_kinds; ++k) passed_[k] += descriptor.kinds[k] * executions;
  passed_bytes_ += descriptor.bytes * executions;
  return true;
}

void RecordDecoder::tell_passed(Output& out) {
  if (passed_ == KindCounts{}) return;
  out.hand_on();
  out.sink.pass_over(thread_, passed_, passed_bytes_);
  passed_ = {};
  passed_bytes_ = 0;
}

void RecordDecoder::decode(std::span<const std::uint64_t> words, Output& out) {
  if (loop_ != nullptr) words = words.subspan(go_on_with_loop(words, out));
  while (!words.empty() && words[0] != 0) {
    if (words[0] < CACHESCAPE_MARKERS) {
      const std::size_t used = marker(words);
      if (used == 0) break;
      words = words.subspan(used);
      continue;
    }
    const DecodedDescriptor* const descriptor = context_.modules.find(words[0]);
    const std::size_t head = descriptor == nullptr ? 0 : descriptor->is_loop ? 2 + descriptor->bases : 1;
    const std::size_t needed = descriptor == nullptr || descriptor->is_loop ? head : head + descriptor->slots;
    if (descriptor == nullptr || descriptor->names_site || needed > words.size()) {
      ++context_.broken_blocks;
      return;
    }
    if (descriptor->is_loop) {
      begin_loop(*descriptor, words.data() + 1, out);
      words = words.subspan(needed);
      if (loop_ != nullptr) words = words.subspan(go_on_with_loop(words, out));
    } else {
      if (!off() && !passes(*descriptor, 1, out)) segment(*descriptor, words.data() + 1, out);
      words = words.subspan(needed);
    }
  }
}

std::size_t RecordDecoder::marker(std::span<const std::uint64_t> words) {
  static constexpr std::size_t arguments[CACHESCAPE_MARKERS] = {0, 3, 1, 1, 1, 0, 0, 0, 0, 4};
  const std::size_t length = 1 + arguments[words[0]];
  if (length > words.size()) {
    ++context_.broken_blocks;
    return 0;
  }
  switch (words[0]) {
    case CACHESCAPE_ALLOCATED:
    case CACHESCAPE_ALLOCATED_BY_STACK: {
      const DecodedDescriptor* const by = context_.modules.find(words[3]);
      const std::uint32_t site = by == nullptr || by->accesses.empty() ? nowhere : by->accesses[0].site;
      const std::uint64_t stack = words[0] == CACHESCAPE_ALLOCATED_BY_STACK ? words[4] : 0;
      const AllocationOrigin origin = context_.stacks.origin(site, stack, context_.session, context_.modules);
      context_.objects.allocate(words[1], words[2], origin, context_.modules);
      return length;
    }
    case CACHESCAPE_FREED:
      context_.objects.free(words[1]);
      return length;
    case CACHESCAPE_SWITCH_ON:
      switched_off_ = false;
      return length;
    case CACHESCAPE_SWITCH_OFF:
      switched_off_ = true;
      return length;
    case CACHESCAPE_REGION_BEGIN:
      if (is_wanted_region(words[1])) ++inside_;
      return length;
    case CACHESCAPE_REGION_END:
      if (inside_ > 0 && is_wanted_region(words[1])) --inside_;
      return length;
    default:
      ++context_.broken_blocks;
      return 0;
  }
}

bool RecordDecoder::is_wanted_region(std::uint64_t tag_at) const {
  if (context_.region.empty() || context_.session == nullptr) return false;
  const auto tag = context_.session->bytes(tag_at, context_.region.size() + 1);
  return !tag.empty() && std::memcmp(tag.data(), context_.region.c_str(), tag.size()) == 0;
}

void RecordDecoder::push(const DecodedAccess& access, std::uint64_t address, std::uint64_t size, Output& out) {
  if (size > context_.most_bytes) {
    size = context_.most_bytes;
    ++context_.cut_records;
  }
  for (std::uint64_t done = 0; done < size || done == 0;) {
    const std::uint64_t part = std::min(size - done, longest_part);
    if (out.batch.full()) out.hand_on();
    out.batch.push({Address{address + done}, static_cast<std::uint32_t>(part), access.kind, thread_,
                    place(access, address + done)});
    done += std::max<std::uint64_t>(part, 1);
  }
}

void RecordDecoder::push(const DecodedAccess& access, const std::uint64_t* slots, Output& out) {
  const std::uint64_t* const at = slots + access.slot;
  if (access.simple()) {
    if (at[0] != 0) push(access, at[0] + static_cast<std::uint64_t>(access.offset), access.size, out);
    return;
  }
  const bool side_by_side = (access.flags & CACHESCAPE_VECTOR) != 0;
  const std::uint64_t* next = at + (side_by_side ? 1 : access.lanes);
  std::uint64_t size = access.size;
  if ((access.flags & CACHESCAPE_SIZED) != 0) {
    size = *next++;
    if (size == 0) return;
  }
  std::uint64_t mask = access.lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << access.lanes) - 1;
  if ((access.flags & CACHESCAPE_MASKED) != 0) mask &= *next;
  if (mask == 0 || at[0] == 0) return;
  if (side_by_side) {
    // One access from the first to the last lane that is on.
    const auto first = static_cast<std::uint64_t>(std::countr_zero(mask));
    const auto last = static_cast<std::uint64_t>(63 - std::countl_zero(mask));
    push(access, at[0] + first * size, (last - first + 1) * size, out);
    return;
  }
  for (unsigned lane = 0; lane < access.lanes; ++lane)
    if ((mask >> lane & 1) != 0) push(access, at[lane], size, out);
}

void RecordDecoder::segment(const DecodedDescriptor& descriptor, const std::uint64_t* slots, Output& out) {
  if (context_.want_blocks)
    out.batch.blocks.push_back({static_cast<std::uint32_t>(out.batch.size()), thread_, BlockId{descriptor.block + 1}});
  if (descriptor.simple && !descriptor.is_long &&
      out.batch.capacity() - out.batch.size() >= descriptor.accesses.size()) {
    for (const DecodedAccess& access : descriptor.accesses) {
      const std::uint64_t base = slots[access.slot];
      if (base == 0) continue;
      const std::uint64_t address = base + static_cast<std::uint64_t>(access.offset);
      out.batch.push({Address{address}, access.size, access.kind, thread_, place(access, address)});
    }
    return;
  }
  for (const DecodedAccess& access : descriptor.accesses) push(access, slots, out);
}

void RecordDecoder::begin_loop(const DecodedDescriptor& descriptor, const std::uint64_t* words, Output& out) {
  loop_ = &descriptor;
  trips_done_ = 0;
  trips_left_ = words[0];
  // Loops that write words in each trip end where these do.
  if (descriptor.slots == 0 && trips_left_ > context_.most_trips) {
    trips_left_ = context_.most_trips;
    ++context_.cut_records;
  }
  bases_.assign(words + 1, words + 1 + descriptor.bases);
  passing_ = !off() && passes(descriptor, trips_left_, out);
  if (descriptor.slots != 0 || descriptor.is_long || trips_left_ < fewest_trips_of_a_run || context_.want_blocks)
    return;
  if (!off() && !passing_) {
    run_.thread = thread_;
    run_.trips = trips_left_;
    run_.body.clear();
    for (const DecodedAccess& access : descriptor.accesses) {
      const std::uint64_t base = bases_[access.slot] + static_cast<std::uint64_t>(access.offset);
      run_.body.push_back({Address{base}, access.step, access.size, access.kind, place(access, base)});
    }
    out.hand_on();
    out.sink.take(run_);
  }
  loop_ = nullptr;
}

void RecordDecoder::trip(const std::uint64_t* slots, Output& out) {
  if (context_.want_blocks)
    out.batch.blocks.push_back({static_cast<std::uint32_t>(out.batch.size()), thread_, BlockId{loop_->block + 1}});
  if (loop_->simple && !loop_->is_long && out.batch.capacity() - out.batch.size() >= loop_->accesses.size()) {
    for (const DecodedAccess& access : loop_->accesses) {
      const bool strided = (access.flags & CACHESCAPE_STRIDED) != 0;
      const std::uint64_t base =
          strided ? bases_[access.slot] + trips_done_ * static_cast<std::uint64_t>(access.step) : slots[access.slot];
      if (base == 0 && !strided) continue;
      const std::uint64_t address = base + static_cast<std::uint64_t>(access.offset);
      out.batch.push({Address{address}, access.size, access.kind, thread_, place(access, address)});
    }
    return;
  }
  for (const DecodedAccess& access : loop_->accesses) {
    if ((access.flags & CACHESCAPE_STRIDED) != 0) {
      push(access,
           bases_[access.slot] + static_cast<std::uint64_t>(access.offset) +
               trips_done_ * static_cast<std::uint64_t>(access.step),
           access.size, out);
    } else {
      push(access, slots, out);
    }
  }
}

std::size_t RecordDecoder::go_on_with_loop(std::span<const std::uint64_t> words, Output& out) {
  const std::size_t slots = loop_->slots;
  std::size_t used = 0;
  while (trips_left_ > 0) {
    if (words.size() - used < slots) return words.size();
    // Where the trips' words stop within a block, the loop was left: by a jump out of a signal handler, or for good.
    if (slots != 0 && words[used] == 0 && loop_->simple) {
      loop_ = nullptr;
      return words.size();
    }
    if (!off() && !passing_) trip(words.data() + used, out);
    used += slots;
    ++trips_done_;
    --trips_left_;
  }
  loop_ = nullptr;
  return used;
}

}  // namespace cachescape::collect
