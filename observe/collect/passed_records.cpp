// Records that are not analysed: which they are, and what is counted of them.
#include <algorithm>

#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {

bool RecordDecoder::unwanted(std::uint32_t number, std::uint64_t executions, std::uint64_t accesses, Output& out) {
  if (context_.sampling) {
    if (!context_.sampling->wants(number)) {
      context_.sampling->pass(number, executions);
      return true;
    }
    context_.sampling->take(number, executions, accesses);
  } else if (accesses <= unwanted_) {
    return true;
  }
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
  pass(descriptor, executions);
  return true;
}

void RecordDecoder::pass(const DecodedDescriptor& descriptor, std::uint64_t executions) {
  unwanted_ -= std::min(unwanted_, descriptor.accesses.size() * executions);
  for (std::size_t k = 0; k < access_kinds; ++k) passed_[k] += descriptor.kinds[k] * executions;
  passed_bytes_ += descriptor.bytes * executions;
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
  return selective_ && !context_.sampling && passes(*loop_, 1, out);
}

void RecordDecoder::tell_passed(Output& out) {
  if (passed_ == KindCounts{}) return;
  out.hand_on();
  out.sink.pass_over(thread_, passed_, passed_bytes_);
  passed_ = {};
  passed_bytes_ = 0;
}

}  // namespace cachescape::collect
