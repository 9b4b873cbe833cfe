// The short way from plain records to accesses, or past them, which most take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cachescape/packed_access.hpp"
#include "observe/collect/place_numbers.hpp"
#include "observe/collect/plain_record.hpp"

namespace cachescape::collect {

/// Takes plain records from the front of `words` as long as they are there as a whole, were reached, find room, and
/// choice.wants(record) holds; those that are taken are told to choice.taken(record). Returns the words that they take.
/// `find` gives the record that a word names, or null; `accesses` are those of all records.
template <Reached reached, class Find, class Choice>
std::size_t take_plain_records(std::span<const std::uint64_t> words, Find find, const SlotAccess* accesses,
                               Choice choice, PackedBatch& batch, PlaceNumbers& places, const ObjectMap& objects) {
  const std::uint64_t* at = words.data();
  const std::uint64_t* const end = at + words.size();
  PackedAccess* to = batch.end();
  const PackedAccess* const room_ends = to + batch.room();
  while (at != end) {
    const PlainRecord* const record = find(*at);
    if (record == nullptr || record->slots >= end - at || record->accesses > room_ends - to || !choice.wants(*record))
      break;
    const std::uint64_t* const slots = at + 1;
    const SlotAccess* access = accesses + record->first;
    const SlotAccess* const last = access + record->accesses;
    PackedAccess* next = to;
    if (reached == Reached::by_each_slot || slots[record->witness] != 0) [[likely]] {
      for (; access != last; ++access) {
        if (reached == Reached::by_each_slot && slots[access->slot] == 0) [[unlikely]]
          break;
        const std::uint64_t address = access->address(slots);
        *next++ = {Address{address}, access->shape, places.number(access->site, address, objects)};
      }
      if (access != last) [[unlikely]]
        break;
    }
    choice.taken(*record);
    to = next;
    at = slots + record->slots;
  }
  batch.add(static_cast<std::size_t>(to - batch.end()));
  return static_cast<std::size_t>(at - words.data());
}

/// Passes over plain records at the front of `words` as long as they are there as a whole and choice.passes(record)
/// holds; those are told to choice.passed(record). Returns the words that they take.
template <Reached reached, class Find, class Choice>
std::size_t pass_plain_records(std::span<const std::uint64_t> words, Find find, Choice choice, PassedRecords& passed) {
  const std::uint64_t* at = words.data();
  const std::uint64_t* const end = at + words.size();
  PassedRecords p;
  while (at != end) {
    const PlainRecord* const record = find(*at);
    if (record == nullptr || record->slots >= end - at || record->accesses == PlainRecord::not_plain ||
        !choice.passes(*record))
      break;
    const std::uint64_t* const slots = at + 1;
    at = slots + record->slots;
    choice.passed(*record);
    if (reached == Reached::by_witness && slots[record->witness] == 0) [[unlikely]]
      continue;
    p.accesses += record->accesses;
    p.writes += record->writes;
    p.modifies += record->modifies;
    p.bytes += record->bytes;
  }
  passed = p;
  return static_cast<std::size_t>(at - words.data());
}

}  // namespace cachescape::collect
