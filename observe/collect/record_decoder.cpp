#include "observe/collect/record_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "session/record.h"

namespace cachescape::collect {
namespace {

// No program has more; what claims to is broken.
constexpr std::uint64_t most_threads = 1 << 20;

constexpr std::size_t marker_arguments[CACHESCAPE_MARKERS] = {0, 3, 1, 1, 1, 0, 0, 1, 2, 1, 4, 4, 2, 2};

}  // namespace

void RecordDecoder::decode(std::span<const std::uint64_t> words, PackedBatch& batch, AccessSink& sink) {
  Output out{batch, sink};
  if (batch.thread != thread_) out.hand_on();
  batch.thread = thread_;
  if (sink.unwanted() > 0) out.hand_on();
  unwanted_ = sink.unwanted();
  selective_ = unwanted_ > 0 || context_.sampling.has_value();
  decode(words, out);
  tell_passed(out);
}

std::size_t RecordDecoder::complete(std::span<const std::uint64_t> words) const {
  std::size_t done = 0;
  std::size_t slots = loop_ == nullptr ? 0 : loop_->slots;  // of trips
  std::uint64_t trips = loop_ == nullptr ? 0 : trips_left_;
  while (done < words.size() && words[done] != 0) {
    const std::uint64_t first = words[done];
    std::size_t length = 0;
    const DecodedDescriptor* descriptor = nullptr;
    if (trips > 0 && slots > 0) {
      length = slots;
    } else if (first < CACHESCAPE_MARKERS) {
      length = 1 + marker_arguments[first];
    } else {
      descriptor = context_.modules.find(first);
      if (descriptor == nullptr || descriptor->names_site) return done;
      length = descriptor->is_loop ? 2 + descriptor->bases : 1 + descriptor->slots;
    }
    // Words that are meant to be zero, of masks for one, are not told from words that are not there yet.
    if (length > words.size() - done) return done;
    const auto record = words.subspan(done, length);
    if (std::ranges::find(record, std::uint64_t{0}) != record.end()) return done;
    if (descriptor != nullptr && descriptor->is_loop) {
      slots = descriptor->slots;
      trips = words[done + 1];
    } else if (trips > 0) {
      --trips;
    }
    done += length;
  }
  return done;
}

void RecordDecoder::prepare() {
  context_.places.follow(context_.objects, std::max(context_.modules.sites().size(), context_.code.sites().size()));
  if (context_.sampling)
    context_.sampling->know(
        std::max<std::size_t>(context_.modules.descriptors(), context_.code.plain_records().size()));
  const bool plain = !off() && !context_.code_contexts.told();
  takes_everything_ = plain && !selective_ && !context_.want_blocks;
  passes_over_ = plain && selective_ && !context_.sampling;
  samples_ = plain && context_.sampling && !context_.want_blocks;
}

void RecordDecoder::decode(std::span<const std::uint64_t> words, Output& out) {
  prepare();
  if (loop_ != nullptr) words = words.subspan(go_on_with_loop(words, out));
  while (true) {
    if (takes_everything_) words = words.subspan(plain_records(words, out.batch));
    if (passes_over_) words = words.subspan(pass_plain_records(words));
    if (samples_) words = words.subspan(sample_plain_records(words, out));
    if (words.empty() || words[0] == 0) return;
    const std::size_t used = CodeTable::is_code(words[0])     ? code_record(words, out)
                             : words[0] >= CACHESCAPE_MARKERS ? compiled_record(words, out)
                                                              : marker(words, out);
    if (used == 0) return;
    words = words.subspan(used);
  }
}

std::size_t RecordDecoder::compiled_record(std::span<const std::uint64_t> words, Output& out) {
  const DecodedDescriptor* const descriptor = context_.modules.find(words[0]);
  const std::size_t head = descriptor == nullptr ? 0 : descriptor->is_loop ? 2 + descriptor->bases : 1;
  const std::size_t needed = descriptor == nullptr || descriptor->is_loop ? head : head + descriptor->slots;
  if (descriptor == nullptr || descriptor->names_site || needed > words.size()) {
    ++context_.broken_blocks;
    return 0;
  }
  if (descriptor->is_loop) {
    begin_loop(*descriptor, words.data() + 1, out);
    return loop_ == nullptr ? needed : needed + go_on_with_loop(words.subspan(needed), out);
  }
  if (!off() && !(selective_ && passes(*descriptor, 1, out))) segment(*descriptor, words.data() + 1, out);
  return needed;
}

const CodeTable::Descriptor* RecordDecoder::newest(std::uint64_t word) {
  if (context_.session == nullptr || !context_.code.update(*context_.session)) return nullptr;
  prepare();
  return context_.code.find(word);
}

std::size_t RecordDecoder::code_record(std::span<const std::uint64_t> words, Output& out) {
  const CodeTable::Descriptor* descriptor = context_.code.find(words[0]);
  if (descriptor == nullptr) [[unlikely]]
    descriptor = newest(words[0]);
  if (descriptor == nullptr || descriptor->slots >= words.size()) {
    ++context_.broken_blocks;
    return 0;
  }
  const std::size_t used = std::size_t{1} + descriptor->slots;
  if (descriptor->slots == 0 || off()) return used;
  const std::uint64_t* const slots = words.data() + 1;
  if (context_.code_contexts.told()) count_by_context(*descriptor, slots);
  if (!selective_ || !passes(*descriptor, static_cast<std::uint32_t>(words[0] - CACHESCAPE_CODE), slots, out))
    push(*descriptor, slots, out);
  return used;
}

void RecordDecoder::push(const CodeTable::Descriptor& descriptor, const std::uint64_t* slots, Output& out) {
  const CodeTable::Access* access = context_.code.accesses_of(descriptor);
  const CodeTable::Stretch* stretch = context_.code.stretches_of(descriptor);
  for (std::uint32_t i = 0; i < descriptor.stretches; ++i, ++stretch) {
    const CodeTable::Access* const end = access + stretch->accesses;
    if (slots[stretch->witness] == 0) access = end;
    for (; access != end; ++access) {
      if (out.batch.room() == 0) out.hand_on();
      out.batch.push(packed(*access, access->address(slots)));
    }
  }
}

bool RecordDecoder::enter_context(std::uint64_t number, std::uint64_t how) {
  if (number >= context_.code.contexts().size() && context_.session != nullptr) context_.code.update(*context_.session);
  if (number >= context_.code.contexts().size()) return false;
  calling_ = static_cast<std::uint32_t>(number);
  return context_.code_contexts.enter(calling_, how);
}

void RecordDecoder::count_by_context(const CodeTable::Descriptor& descriptor, const std::uint64_t* slots) {
  const CodeTable::Access* access = context_.code.accesses_of(descriptor);
  const CodeTable::Stretch* stretch = context_.code.stretches_of(descriptor);
  for (const CodeTable::Stretch* const end = stretch + descriptor.stretches; stretch != end; ++stretch) {
    if (slots[stretch->witness] != 0) {
      for (std::uint32_t i = 0; i < stretch->accesses; ++i)
        context_.code_contexts.count(calling_, access[i].shape.kind(), access[i].shape.size());
    }
    access += stretch->accesses;
  }
}

std::uint32_t RecordDecoder::site_named(std::uint64_t descriptor) {
  if (context_.code.find(descriptor) == nullptr && context_.session != nullptr) context_.code.update(*context_.session);
  const CodeTable::Descriptor* const by = context_.code.find(descriptor);
  return by == nullptr || by->accesses == 0 ? nowhere : context_.code.accesses_of(*by)->site;
}

bool RecordDecoder::kernel_access(std::span<const std::uint64_t> words, Output& out) {
  if (!CodeTable::is_code(words[1]) || words[4] > CACHESCAPE_MODIFY) return false;
  DecodedAccess access;
  access.site = site_named(words[1]);
  access.shape = AccessShape(longest_part, static_cast<AccessKind>(words[4]));
  if (access.site == nowhere) return false;
  if (off() || words[3] == 0) return true;
  if (context_.code_contexts.told()) context_.code_contexts.count(calling_, access.shape.kind(), words[3]);
  prepare();  // the site may be new
  push(access, words[2], words[3], out);
  return true;
}

AllocationOrigin RecordDecoder::origin_of(std::uint64_t descriptor, std::uint64_t stack) {
  if (!CodeTable::is_code(descriptor)) {
    const DecodedDescriptor* const by = context_.modules.find(descriptor);
    const std::uint32_t site = by == nullptr || by->accesses.empty() ? nowhere : by->accesses[0].site;
    return context_.stacks.origin(site, stack, context_.session, context_.modules);
  }
  return context_.stacks.code_origin(site_named(descriptor), stack, context_.session, context_.modules);
}

std::size_t RecordDecoder::marker(std::span<const std::uint64_t> words, Output& out) {
  const std::size_t used = take_marker(words, out);
  prepare();
  return used;
}

std::size_t RecordDecoder::take_marker(std::span<const std::uint64_t> words, Output& out) {
  const std::size_t length = 1 + marker_arguments[words[0]];
  if (length > words.size()) {
    ++context_.broken_blocks;
    return 0;
  }
  switch (words[0]) {
    case CACHESCAPE_ALLOCATED:
    case CACHESCAPE_ALLOCATED_BY_STACK: {
      const std::uint64_t stack = words[0] == CACHESCAPE_ALLOCATED_BY_STACK ? words[4] : 0;
      context_.objects.allocate(words[1], words[2], origin_of(words[3], stack), context_.modules);
      return length;
    }
    case CACHESCAPE_THREAD:
      if (words[1] > most_threads) {
        ++context_.broken_blocks;
        return 0;
      }
      tell_passed(out);
      out.hand_on();
      thread_ = ThreadId{static_cast<std::uint32_t>(words[1])};
      out.batch.thread = thread_;
      return length;
    case CACHESCAPE_STACK:
      if (words[1] < words[2]) context_.objects.add_stack(words[1], words[2]);
      return length;
    case CACHESCAPE_MAPPED:
      if (words[1] >= context_.code.mappings().size() && context_.session != nullptr)
        context_.code.update(*context_.session);
      if (words[1] < context_.code.mappings().size()) {
        const Mapping& mapping = context_.code.mappings()[words[1]];
        context_.code_globals.place(mapping, context_.code.files()[mapping.file], context_.debug_folder,
                                    context_.objects);
        context_.stacks.add_mapping(mapping, context_.code.files()[mapping.file], context_.debug_folder);
      }
      return length;
    case CACHESCAPE_CONTEXT:
      if (enter_context(words[1], words[2])) return length;
      ++context_.broken_blocks;
      return 0;
    case CACHESCAPE_KERNEL:
      if (kernel_access(words, out)) return length;
      ++context_.broken_blocks;
      return 0;
    case CACHESCAPE_FREED:
      context_.objects.free(words[1]);
      return length;
    case CACHESCAPE_UNMAPPED:
      context_.objects.unmap(words[1], words[2]);
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
  if (unwanted_ > 0) tell_passed(out);
  for (std::uint64_t done = 0; done < size || done == 0;) {
    unwanted_ -= unwanted_ > 0 ? 1 : 0;
    const std::uint64_t part = std::min(size - done, longest_part);
    if (out.batch.room() == 0) out.hand_on();
    out.batch.push({Address{address + done}, static_cast<std::uint32_t>(part), access.shape.kind(),
                    context_.places.number(access.site, address + done, context_.objects)});
    done += std::max<std::uint64_t>(part, 1);
  }
}

void RecordDecoder::push(const DecodedAccess& access, const std::uint64_t* slots, Output& out) {
  const std::uint64_t* const at = slots + access.slot;
  if (access.simple()) {
    if (at[0] != 0) push(access, at[0] + static_cast<std::uint64_t>(std::int64_t{access.offset}), access.size, out);
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
  for (const DecodedAccess& access : descriptor.accesses) push(access, slots, out);
}

}  // namespace cachescape::collect
