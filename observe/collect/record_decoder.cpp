#include "observe/collect/record_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "observe/collect/plain_records.hpp"
#include "session/record.h"

namespace cachescape::collect {
namespace {

// Shorter loops are cheaper to expand than to reason about.
constexpr std::uint64_t fewest_trips_of_a_run = 4;

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

bool RecordDecoder::unwanted(std::uint32_t number, std::uint64_t executions, std::uint64_t accesses, Output& out) {
  if (context_.sampling ? !context_.sampling->wants(number, executions, accesses) : accesses <= unwanted_) return true;
  tell_passed(out);
  unwanted_ = 0;
  selective_ = context_.sampling.has_value();
  prepare();
  return false;
}

bool RecordDecoder::passes(const DecodedDescriptor& descriptor, std::uint64_t executions, Output& out) {
  if (!descriptor.simple || descriptor.is_long) return false;
  const std::uint64_t accesses = descriptor.accesses.size() * executions;
  if (!unwanted(descriptor.number, executions, accesses, out)) return false;
  unwanted_ -= std::min(unwanted_, accesses);
  for (std::size_t k = 0; k < access_kinds; ++k) passed_[k] += descriptor.kinds[k] * executions;
  passed_bytes_ += descriptor.bytes * executions;
  return true;
}

bool RecordDecoder::passes(const CodeTable::Descriptor& descriptor, std::uint32_t number, const std::uint64_t* slots,
                           Output& out) {
  if (!unwanted(number, 1, descriptor.accesses, out)) return false;
  const CodeTable::Stretch* stretch = context_.code.stretches_of(descriptor);
  for (const CodeTable::Stretch* const end = stretch + descriptor.stretches; stretch != end; ++stretch) {
    if (slots[stretch->witness] == 0) continue;
    unwanted_ -= std::min<std::uint64_t>(unwanted_, stretch->accesses);
    for (std::size_t k = 0; k < access_kinds; ++k) passed_[k] += stretch->kinds[k];
    passed_bytes_ += stretch->bytes;
  }
  return true;
}

bool RecordDecoder::passes_trip(Output& out) {
  // Blocks have been asked for the loop as a whole.
  return unwanted_ > 0 && !context_.sampling && passes(*loop_, 1, out);
}

void RecordDecoder::tell_passed(Output& out) {
  if (passed_ == KindCounts{}) return;
  out.hand_on();
  out.sink.pass_over(thread_, passed_, passed_bytes_);
  passed_ = {};
  passed_bytes_ = 0;
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
  const bool plain = !off() && !context_.code_contexts.told();
  takes_everything_ = plain && !selective_ && !context_.want_blocks;
  passes_over_ = plain && selective_ && !context_.sampling;
}

void RecordDecoder::decode(std::span<const std::uint64_t> words, Output& out) {
  prepare();
  if (loop_ != nullptr) words = words.subspan(go_on_with_loop(words, out));
  while (true) {
    if (takes_everything_) words = words.subspan(plain_records(words, out.batch));
    if (passes_over_) words = words.subspan(pass_plain_records(words));
    if (words.empty() || words[0] == 0) return;
    const std::size_t used = CodeTable::is_code(words[0])     ? code_record(words, out)
                             : words[0] >= CACHESCAPE_MARKERS ? compiled_record(words, out)
                                                              : marker(words, out);
    if (used == 0) return;
    words = words.subspan(used);
  }
}

template <class Visit>
std::size_t RecordDecoder::visit_plain_records(Visit visit) {
  if (context_.code.joined()) {
    const auto find = [records = std::span(context_.code.plain_records())](std::uint64_t word) {
      const std::uint64_t number = word - CACHESCAPE_CODE;
      return number < records.size() ? &records[number] : nullptr;
    };
    return visit.template operator()<Reached::by_witness>(find, context_.code.accesses().data());
  }
  const auto find = [module = context_.modules.plain_records()](std::uint64_t word) {
    const std::uint64_t offset = word - module.begin;
    return offset < module.bytes && offset % 4 == 0 ? module.records + offset / 4 : nullptr;
  };
  return visit.template operator()<Reached::by_each_slot>(find, context_.modules.plain_accesses().data());
}

std::size_t RecordDecoder::plain_records(std::span<const std::uint64_t> words, PackedBatch& batch) {
  return visit_plain_records([&]<Reached reached>(auto find, const SlotAccess* accesses) {
    return take_plain_records<reached>(words, find, accesses, batch, context_.places, context_.objects);
  });
}

std::size_t RecordDecoder::pass_plain_records(std::span<const std::uint64_t> words) {
  PassedRecords passed;
  const std::size_t used = visit_plain_records([&]<Reached reached>(auto find, const SlotAccess*) {
    return collect::pass_plain_records<reached>(words, find, unwanted_, passed);
  });
  unwanted_ -= passed.accesses;
  passed_[static_cast<std::size_t>(AccessKind::read)] += passed.accesses - passed.writes - passed.modifies;
  passed_[static_cast<std::size_t>(AccessKind::write)] += passed.writes;
  passed_[static_cast<std::size_t>(AccessKind::modify)] += passed.modifies;
  passed_bytes_ += passed.bytes;
  return used;
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

void RecordDecoder::begin_loop(const DecodedDescriptor& descriptor, const std::uint64_t* words, Output& out) {
  std::uint64_t trips = words[0];
  // Loops that write words in each trip end where these do.
  if (descriptor.slots == 0 && trips > context_.most_trips) {
    trips = context_.most_trips;
    ++context_.cut_records;
  }
  const bool passing = selective_ && !off() && passes(descriptor, trips, out);
  if (descriptor.slots == 0 && !descriptor.is_long && trips >= fewest_trips_of_a_run && !context_.want_blocks) {
    if (!off() && !passing) take_run(descriptor, trips, words + 1, out);
    return;
  }
  loop_ = &descriptor;
  trips_done_ = 0;
  trips_left_ = trips;
  passing_ = passing;
  bases_.assign(words + 1, words + 1 + descriptor.bases);
}

void RecordDecoder::take_run(const DecodedDescriptor& descriptor, std::uint64_t trips, const std::uint64_t* bases,
                             Output& out) {
  run_.thread = thread_;
  run_.trips = trips;
  run_.body.resize(descriptor.accesses.size());
  auto to = run_.body.begin();
  for (const DecodedAccess& access : descriptor.accesses) {
    const std::uint64_t base = bases[access.slot] + static_cast<std::uint64_t>(std::int64_t{access.offset});
    const std::uint32_t place = context_.places.number(access.site, base, context_.objects);
    *to++ = {Address{base}, access.step, access.size, access.shape.kind(), SiteId{place}};
  }
  out.hand_on();
  out.sink.take(run_);
}

std::size_t RecordDecoder::put_trips(std::span<const std::uint64_t> words, PackedBatch& batch) {
  const std::size_t slots = loop_->slots;
  const std::size_t accesses = loop_->accesses.size();
  std::uint64_t most = std::min<std::uint64_t>(trips_left_, batch.room() / std::max<std::size_t>(accesses, 1));
  if (slots != 0) most = std::min<std::uint64_t>(most, words.size() / slots);
  const DecodedAccess* const first = loop_->accesses.data();
  const DecodedAccess* const end = first + accesses;
  PackedAccess* to = batch.end();
  const std::uint64_t* from[2] = {words.data(), bases_.data()};
  std::uint64_t trips = 0;
  for (; trips < most; ++trips, from[0] += slots) {
    PackedAccess* next = to;
    for (const DecodedAccess* access = first; access != end; ++access) {
      const bool strided = access->strided();
      const std::uint64_t base = from[strided ? 1 : 0][access->slot];
      if (base == 0 && !strided) [[unlikely]]
        goto not_all_of_it_was_reached;
      const std::int64_t moved =
          access->offset +
          static_cast<std::int64_t>((trips_done_ + trips) * static_cast<std::uint64_t>(std::int64_t{access->step}));
      *next++ = packed(*access, base + static_cast<std::uint64_t>(moved));
    }
    to = next;
  }
not_all_of_it_was_reached:
  batch.add(static_cast<std::size_t>(to - batch.end()));
  trips_done_ += trips;
  trips_left_ -= trips;
  return trips * slots;
}

void RecordDecoder::trip(const std::uint64_t* slots, Output& out) {
  if (context_.want_blocks)
    out.batch.blocks.push_back({static_cast<std::uint32_t>(out.batch.size()), thread_, BlockId{loop_->block + 1}});
  for (const DecodedAccess& access : loop_->accesses) {
    if (access.strided()) {
      const std::uint64_t base = bases_[access.slot] + static_cast<std::uint64_t>(std::int64_t{access.offset});
      push(access, base + trips_done_ * static_cast<std::uint64_t>(std::int64_t{access.step}), access.size, out);
    } else {
      push(access, slots, out);
    }
  }
}

std::size_t RecordDecoder::go_on_with_loop(std::span<const std::uint64_t> words, Output& out) {
  const std::size_t slots = loop_->slots;
  std::size_t used = 0;
  while (trips_left_ > 0) {
    if (takes_everything_ && loop_->plain) used += put_trips(words.subspan(used), out.batch);
    if (trips_left_ == 0) break;
    if (words.size() - used < slots) return words.size();
    // Where the trips' words stop within a block, the loop was left: by a jump out of a signal handler, or for good.
    if (slots != 0 && words[used] == 0 && loop_->simple) {
      loop_ = nullptr;
      return words.size();
    }
    if (!off() && !passing_ && !passes_trip(out)) trip(words.data() + used, out);
    used += slots;
    ++trips_done_;
    --trips_left_;
  }
  loop_ = nullptr;
  return used;
}

}  // namespace cachescape::collect
