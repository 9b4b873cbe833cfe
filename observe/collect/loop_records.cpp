// Records of loops, whose trips may stand in more than one block.
#include <algorithm>

#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {
namespace {

// Shorter loops are cheaper to expand than to reason about.
constexpr std::uint64_t fewest_trips_of_a_run = 4;

}  // namespace

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

std::size_t RecordDecoder::pass_trips(std::span<const std::uint64_t> words) {
  const std::size_t slots = loop_->slots;
  std::uint64_t most = trips_left_;
  if (slots != 0) most = std::min<std::uint64_t>(most, words.size() / slots);
  if (!passing_) most = std::min<std::uint64_t>(most, unwanted_ / std::max<std::size_t>(loop_->accesses.size(), 1));
  std::uint64_t trips = slots == 0 ? most : 0;
  for (const std::uint64_t* at = words.data(); trips < most && *at != 0; at += slots) ++trips;
  if (!passing_) pass(*loop_, trips);
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
    if (loop_->plain) {
      if (takes_everything_ || (samples_ && !passing_)) used += put_trips(words.subspan(used), out.batch);
      if (passing_ || passes_over_) used += pass_trips(words.subspan(used));
    }
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
