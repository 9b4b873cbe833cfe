#include "observe/collect/plain_records.hpp"

#include "observe/collect/record_decoder.hpp"
#include "session/record.h"

namespace cachescape::collect {
namespace {

/// All are wanted.
struct Every {
  bool wants(const PlainRecord&) const { return true; }
  void taken(const PlainRecord&) const {}
};

/// None is, as long as they have no more accesses together.
struct AtMost {
  std::uint64_t accesses;

  bool passes(const PlainRecord& record) const { return record.accesses <= accesses; }
  void passed(const PlainRecord& record) { accesses -= record.accesses; }
};

/// Blocks say.
struct ByBlocks {
  BlockSampling& sampling;

  bool wants(const PlainRecord& record) { return sampling.wants(record.number); }
  void taken(const PlainRecord& record) { sampling.take(record.number, 1, record.accesses); }
  bool passes(const PlainRecord& record) { return !sampling.wants(record.number); }
  void passed(const PlainRecord& record) { sampling.pass(record.number, 1); }
};

}  // namespace

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
    return take_plain_records<reached>(words, find, accesses, Every{}, batch, context_.places, context_.objects);
  });
}

std::size_t RecordDecoder::pass_plain_records(std::span<const std::uint64_t> words) {
  PassedRecords passed;
  const std::size_t used = visit_plain_records([&]<Reached reached>(auto find, const SlotAccess*) {
    return collect::pass_plain_records<reached>(words, find, AtMost{unwanted_}, passed);
  });
  unwanted_ -= passed.accesses;
  pass(passed);
  return used;
}

// Stretches that are analysed and those that are not take turns.
std::size_t RecordDecoder::sample_plain_records(std::span<const std::uint64_t> words, Output& out) {
  ByBlocks choice{*context_.sampling};
  return visit_plain_records([&]<Reached reached>(auto find, const SlotAccess* accesses) {
    std::size_t used = 0;
    while (used != words.size()) {
      PassedRecords passed;
      used += collect::pass_plain_records<reached>(words.subspan(used), find, choice, passed);
      pass(passed);
      const PlainRecord* const next = used == words.size() ? nullptr : find(words[used]);
      if (next == nullptr || next->accesses == PlainRecord::not_plain || !choice.wants(*next)) break;
      tell_passed(out);
      if (next->accesses > out.batch.room()) out.hand_on();
      const std::size_t taken = take_plain_records<reached>(words.subspan(used), find, accesses, choice, out.batch,
                                                            context_.places, context_.objects);
      used += taken;
      if (taken == 0) break;
    }
    return used;
  });
}

void RecordDecoder::pass(const PassedRecords& passed) {
  passed_[static_cast<std::size_t>(AccessKind::read)] += passed.accesses - passed.writes - passed.modifies;
  passed_[static_cast<std::size_t>(AccessKind::write)] += passed.writes;
  passed_[static_cast<std::size_t>(AccessKind::modify)] += passed.modifies;
  passed_bytes_ += passed.bytes;
}

}  // namespace cachescape::collect
