// From the words of a ring's blocks to accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachescape/packed_access.hpp"
#include "cachescape/strided_run.hpp"
#include "observe/collect/allocation_stacks.hpp"
#include "observe/collect/block_sampling.hpp"
#include "observe/collect/code_contexts.hpp"
#include "observe/collect/code_globals.hpp"
#include "observe/collect/code_table.hpp"
#include "observe/collect/module_set.hpp"
#include "observe/collect/object_map.hpp"
#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {

/// Takes what was observed, in order. Places are those of PlaceNumbers, and so are the sites of runs.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void take(const PackedBatch& batch) = 0;
  virtual void take(const StridedRun& run) = 0;
  /// How many of the next accesses need not be taken but may be passed over.
  virtual std::uint64_t unwanted() const { return 0; }
  /// Accesses that came next and were not taken.
  virtual void pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes) = 0;
};

/// What the records of all rings are decoded with.
struct DecoderContext {
  ModuleSet modules;
  CodeTable code;  ///< instead of modules, where code is translated while it runs
  CodeGlobals code_globals;
  CodeContexts code_contexts;
  ObjectMap objects;
  PlaceNumbers places;
  AllocationStacks stacks;
  std::string debug_folder = symbols::debug_folder;  ///< where files of debug information are looked for
  bool want_blocks = false;                          ///< label executions of blocks
  std::optional<BlockSampling> sampling;             ///< by blocks
  std::string region;                                ///< keep only what happens inside it; empty = everything
  const SessionFile* session = nullptr;              ///< holds the names of regions, and stacks of calls
  std::uint64_t broken_blocks = 0;                   ///< blocks of which a part could not be read
  /// A loop tells its trips before it begins: one that is interrupted may have claimed any number. So many are believed
  /// of one record, and so many bytes of one range of memory; what is beyond counts as cut.
  std::uint64_t most_trips = std::uint64_t{1} << 32;
  std::uint64_t most_bytes = std::uint64_t{1} << 36;
  std::uint64_t cut_records = 0;
};

/// One ring's records: remembers a loop whose trips go on in the next block, and whether observation is switched off.
class RecordDecoder {
 public:
  RecordDecoder(DecoderContext& context, ThreadId thread) : context_(context), thread_(thread) {}

  /// Appends the accesses of a block to `batch`, handing it on to `sink` whenever it is full or a loop comes.
  void decode(std::span<const std::uint64_t> words, PackedBatch& batch, AccessSink& sink);
  /// Of words that a thread may still be writing: how many at their beginning are records that are there as a whole.
  std::size_t complete(std::span<const std::uint64_t> words) const;

 private:
  struct Output {
    PackedBatch& batch;
    AccessSink& sink;

    void hand_on() {
      if (batch.empty()) return;
      sink.take(batch);
      batch.clear();
    }
  };

  void decode(std::span<const std::uint64_t> words, Output& out);
  /// To be called whenever tables have grown or a marker was read: what records are decoded with.
  void prepare();
  /// The words of plain records that come first, taken …
  std::size_t plain_records(std::span<const std::uint64_t> words, PackedBatch& batch);
  /// … or passed over, as far as they are unwanted.
  std::size_t pass_plain_records(std::span<const std::uint64_t> words);
  /// … or whichever the blocks that are sampled say.
  std::size_t sample_plain_records(std::span<const std::uint64_t> words, Output& out);
  /// visit<how they were reached>(what finds a record by its first word, accesses of all)
  template <class Visit>
  std::size_t visit_plain_records(Visit visit);
  /// Words consumed; 0 where the record is broken.
  std::size_t compiled_record(std::span<const std::uint64_t> words, Output& out);
  std::size_t marker(std::span<const std::uint64_t> words, Output& out);
  std::size_t take_marker(std::span<const std::uint64_t> words, Output& out);
  std::size_t code_record(std::span<const std::uint64_t> words, Output& out);
  /// That a word of translated code names, or null; looks for news in the session.
  const CodeTable::Descriptor* newest(std::uint64_t word);
  /// The site that a descriptor of translated code names, or nowhere.
  std::uint32_t site_named(std::uint64_t descriptor);
  /// Whether the marker makes sense.
  bool kernel_access(std::span<const std::uint64_t> words, Output& out);
  bool enter_context(std::uint64_t number, std::uint64_t how);
  void count_by_context(const CodeTable::Descriptor& descriptor, const std::uint64_t* slots);
  AllocationOrigin origin_of(std::uint64_t descriptor, std::uint64_t stack);
  void segment(const DecodedDescriptor& descriptor, const std::uint64_t* slots, Output& out);
  void begin_loop(const DecodedDescriptor& descriptor, const std::uint64_t* words, Output& out);
  /// Hands on a loop of which all is known as one.
  void take_run(const DecodedDescriptor& descriptor, std::uint64_t trips, const std::uint64_t* bases, Output& out);
  std::size_t go_on_with_loop(std::span<const std::uint64_t> words, Output& out);
  /// As many trips of a plain loop as were reached, have their words here, and find room; the words that they take.
  std::size_t put_trips(std::span<const std::uint64_t> words, PackedBatch& batch);
  /// As many trips of a plain loop as need not be analysed and have their words here; the words that they take.
  std::size_t pass_trips(std::span<const std::uint64_t> words);
  void trip(const std::uint64_t* slots, Output& out);
  void push(const CodeTable::Descriptor& descriptor, const std::uint64_t* slots, Output& out);
  void push(const DecodedAccess& access, const std::uint64_t* slots, Output& out);
  void push(const DecodedAccess& access, std::uint64_t address, std::uint64_t size, Output& out);
  template <class SomeAccess>
  PackedAccess packed(const SomeAccess& access, std::uint64_t address) {
    return {Address{address}, access.shape, context_.places.number(access.site, address, context_.objects)};
  }

  /// Whether executions of a descriptor are not analysed; they are counted.
  bool passes(const DecodedDescriptor& descriptor, std::uint64_t executions, Output& out);
  /// The same of one trip of the loop that is being read: a long loop may begin unwanted and end wanted.
  bool passes_trip(Output& out);
  bool passes(const CodeTable::Descriptor& descriptor, std::uint32_t number, const std::uint64_t* slots, Output& out);
  /// Whether executions of a descriptor, with at most so many accesses, need not be analysed.
  bool unwanted(std::uint32_t number, std::uint64_t executions, std::uint64_t accesses, Output& out);
  void pass(const DecodedDescriptor& descriptor, std::uint64_t executions);
  void pass(const PassedRecords& passed);
  void tell_passed(Output& out);

  bool off() const { return switched_off_ || (!context_.region.empty() && inside_ == 0); }
  bool is_wanted_region(std::uint64_t tag_at) const;

  DecoderContext& context_;
  ThreadId thread_;
  bool switched_off_ = false;
  std::uint32_t calling_ = 0;                ///< calling context, where any is told
  unsigned inside_ = 0;                      ///< times that the wanted region was begun and not ended
  const DecodedDescriptor* loop_ = nullptr;  ///< whose trips are not all read
  std::uint64_t trips_done_ = 0;
  std::uint64_t trips_left_ = 0;
  bool passing_ = false;  ///< over the loop's trips
  std::uint64_t unwanted_ = 0;
  bool selective_ = false;         ///< some records may be passed over
  bool takes_everything_ = false;  ///< there is nothing to do with a record but to take its accesses …
  bool passes_over_ = false;       ///< … or to count them, as far as they are unwanted …
  bool samples_ = false;           ///< … or one of both, as blocks say
  KindCounts passed_{};            ///< accesses, not yet told
  std::uint64_t passed_bytes_ = 0;
  std::vector<std::uint64_t> bases_;
  StridedRun run_;
};

}  // namespace cachescape::collect
