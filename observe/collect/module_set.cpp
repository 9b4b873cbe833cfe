#include "observe/collect/module_set.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>

#include "observe/collect/call_contexts.hpp"
#include "observe/symbols/demangled.hpp"
#include "session/context.h"
#include "session/module.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"

namespace cachescape::collect {
namespace {

using Bytes8 = std::span<const std::uint8_t>;

/// A table of fixed rows inside bytes that are not trusted.
template <class Row>
class Rows {
 public:
  /// Takes its rows from the front of `rest`.
  static std::optional<Rows> take(Bytes8& rest, std::uint64_t count) {
    if (count > rest.size() / sizeof(Row)) return std::nullopt;
    Rows rows(rest.first(count * sizeof(Row)));
    rest = rest.subspan(count * sizeof(Row));
    return rows;
  }
  std::size_t size() const { return bytes_.size() / sizeof(Row); }
  Row operator[](std::size_t i) const {
    Row row;
    std::memcpy(&row, bytes_.data() + i * sizeof(Row), sizeof(Row));
    return row;
  }

 private:
  explicit Rows(Bytes8 bytes) : bytes_(bytes) {}
  Bytes8 bytes_;
};

struct Strings {
  Bytes8 bytes;

  std::string at(std::uint32_t offset) const {
    if (offset >= bytes.size()) return {};
    const auto* const first = reinterpret_cast<const char*>(bytes.data()) + offset;
    return std::string(first, strnlen(first, bytes.size() - offset));
  }
};

using symbols::demangled;

struct Tables {
  Rows<cachescape_location> locations;
  Rows<cachescape_block_info> blocks;
  Rows<cachescape_site> sites;
  Rows<cachescape_count> counts;
  Strings strings;
  std::uint32_t name;
};

std::optional<Tables> tables_of(Bytes8 bytes) {
  auto head = Rows<cachescape_tables>::take(bytes, 1);
  if (!head) return std::nullopt;
  const cachescape_tables h = (*head)[0];
  if (h.magic != CACHESCAPE_MODULE_MAGIC || h.version != CACHESCAPE_SESSION_VERSION) return std::nullopt;
  auto locations = Rows<cachescape_location>::take(bytes, h.locations);
  auto blocks = Rows<cachescape_block_info>::take(bytes, h.blocks);
  auto sites = Rows<cachescape_site>::take(bytes, h.sites);
  auto counts = Rows<cachescape_count>::take(bytes, h.counts);
  if (!locations || !blocks || !sites || !counts || bytes.size() < h.string_bytes) return std::nullopt;
  return Tables{*locations, *blocks, *sites, *counts, {bytes.first(h.string_bytes)}, h.name};
}

/// Words after its slot that an access uses.
std::uint32_t words_of(const cachescape_access& a) {
  const std::uint32_t addresses = (a.flags & CACHESCAPE_VECTOR) != 0 ? 1 : a.lanes;
  return addresses + ((a.flags & CACHESCAPE_SIZED) != 0 ? 1 : 0) + ((a.flags & CACHESCAPE_MASKED) != 0 ? 1 : 0);
}

std::optional<DecodedAccess> decoded(const cachescape_access& a, const cachescape_descriptor& d, std::size_t sites,
                                     std::size_t first_site) {
  const bool strided = (a.flags & CACHESCAPE_STRIDED) != 0;
  const auto kind = static_cast<std::uint8_t>(a.flags & CACHESCAPE_KIND_MASK);
  if (kind > CACHESCAPE_MODIFY || a.lanes == 0 || a.lanes > 64 || a.site >= sites) return std::nullopt;
  if (strided ? d.is_loop == 0 || a.slot >= d.bases : a.slot + words_of(a) > d.slots) return std::nullopt;
  DecodedAccess result;
  result.slot = a.slot;
  result.flags = a.flags;
  result.lanes = a.lanes;
  result.size = a.size;
  result.site = static_cast<std::uint32_t>(first_site + a.site);
  result.shape = AccessShape(static_cast<std::uint32_t>(std::min<std::uint64_t>(a.size, longest_part)),
                             static_cast<AccessKind>(kind));
  result.offset = a.offset;
  result.step = strided ? a.step : 0;
  return result;
}

}  // namespace

bool ModuleSet::update(const SessionFile& session) {
  const std::uint32_t complete = cachescape_load32(&session.header().modules_used);
  bool whole = true;
  for (; read_ < complete && read_ < session.header().max_modules; ++read_) whole &= add(session, read_);
  return whole;
}

bool ModuleSet::add(const SessionFile& session, std::uint32_t entry) {
  const cachescape_module m = *cachescape_module_of(&session.header(), entry);
  const auto tables = tables_of(session.bytes(m.tables_at, m.table_bytes));
  if (!tables) return false;
  auto module = std::make_unique<Module>();
  module->entry = entry;
  module->first_block = static_cast<std::uint32_t>(blocks_.size());
  const std::size_t first_location = locations_.size();
  const std::size_t first_site = sites_.size();
  const auto location = [&](std::uint32_t index_plus_1) {
    return index_plus_1 == 0 || index_plus_1 > tables->locations.size()
               ? nowhere
               : static_cast<std::uint32_t>(first_location + index_plus_1 - 1);
  };

  Bytes8 rest = session.bytes(m.descriptors_at, m.descriptor_bytes);
  const Bytes8 all = rest;
  module->begin = m.descriptors;
  module->bytes = all.size();
  module->by_word.resize(all.size() / 4 + 1);
  module->plain.resize(all.size() / 4 + 1);
  while (!rest.empty()) {
    const std::size_t at = all.size() - rest.size();
    const auto head = Rows<cachescape_descriptor>::take(rest, 1);
    if (!head) return false;
    const cachescape_descriptor d = (*head)[0];
    const auto accesses = Rows<cachescape_access>::take(rest, d.accesses);
    if (!accesses || d.block >= tables->blocks.size()) return false;
    DecodedDescriptor& to = module->descriptors.emplace_back();
    to.slots = d.slots;
    to.bases = d.bases;
    to.is_loop = d.is_loop != 0;
    to.simple = true;
    to.block = module->first_block + d.block;
    // An allocation's descriptor names a site and has no words: it is no record.
    const bool names_site = d.slots == 0 && d.is_loop == 0;
    to.names_site = names_site;
    for (std::size_t i = 0; i < accesses->size(); ++i) {
      cachescape_access raw = (*accesses)[i];
      cachescape_descriptor bounds = d;
      if (names_site) bounds.slots = 1;
      const auto access = decoded(raw, bounds, tables->sites.size(), first_site);
      if (!access) return false;
      to.simple = to.simple && access->simple();
      to.is_long = to.is_long || access->size > longest_part;
      to.accesses.push_back(*access);
    }
    to.plain = to.simple && !to.is_long;
    to.number = descriptors_++;
    for (const DecodedAccess& access : to.accesses) {
      ++to.kinds[static_cast<std::size_t>(access.shape.kind())];
      to.bytes += access.size;
    }
    module->by_word[at / 4] = static_cast<std::uint32_t>(module->descriptors.size());
    if (!to.plain || to.is_loop || names_site) continue;
    module->plain[at / 4] =
        PlainRecord::of(to.accesses, to.number, static_cast<std::uint32_t>(plain_accesses_.size()), d.slots, 0);
    for (const DecodedAccess& access : to.accesses)
      plain_accesses_.push_back({access.slot, access.offset, access.shape, access.site});
  }

  for (std::size_t i = 0; i < tables->counts.size(); ++i)
    if (tables->counts[i].block >= tables->blocks.size()) return false;

  std::map<std::uint32_t, std::string> names;
  const auto function_name = [&](std::uint32_t string) -> const std::string& {
    const auto [entry_of, is_new] = names.try_emplace(string);
    if (is_new) entry_of->second = demangled(tables->strings.at(string));
    return entry_of->second;
  };
  for (std::size_t i = 0; i < tables->locations.size(); ++i) {
    const cachescape_location l = tables->locations[i];
    // A location may only refer to an earlier one: no chain is endless.
    const std::uint32_t outer = l.inlined_at <= i ? location(l.inlined_at) : nowhere;
    locations_.push_back({function_name(l.function), tables->strings.at(l.file), l.line, l.column, outer});
  }
  const std::string module_name = tables->strings.at(tables->name);
  for (std::size_t i = 0; i < tables->blocks.size(); ++i) {
    const cachescape_block_info b = tables->blocks[i];
    Block& block = blocks_.emplace_back();
    block.function = function_name(b.function);
    block.module = module_name;
    block.location = location(b.location);
    block.loop_depth = b.loop_depth;
    block.entry = b.is_entry != 0;
    block.instructions = b.instructions;
    module->block_counters.push_back(b.counter);
  }
  for (std::size_t i = 0; i < tables->sites.size(); ++i) {
    const cachescape_site s = tables->sites[i];
    sites_.push_back({location(s.location), s.block < tables->blocks.size() ? module->first_block + s.block : nowhere,
                      tables->strings.at(s.variable), tables->strings.at(s.type)});
  }
  for (std::size_t i = 0; i < tables->counts.size(); ++i) {
    const cachescape_count c = tables->counts[i];
    std::string metric = tables->strings.at(c.metric);
    if (metric.starts_with("call.")) metric = "call." + demangled(metric.substr(5));
    module->counts.push_back({c.counter, module->first_block + c.block, std::move(metric), c.amount});
  }
  Bytes8 global_bytes = session.bytes(m.globals_at, m.global_count * sizeof(cachescape_global));
  if (const auto globals = Rows<cachescape_global>::take(global_bytes, m.global_count)) {
    for (std::size_t i = 0; i < globals->size(); ++i) {
      const cachescape_global g = (*globals)[i];
      globals_.push_back({Address{g.address}, g.bytes, demangled(tables->strings.at(g.name)), location(g.location)});
    }
  }
  modules_.push_back(std::move(module));
  return true;
}

const DecodedDescriptor* ModuleSet::find_module(std::uint64_t address) {
  for (const auto& module : modules_) {
    if (address - module->begin >= module->bytes) continue;
    last_ = module.get();
    return module->at(address);
  }
  return nullptr;
}

std::vector<std::uint64_t> ModuleSet::plain_counters(const Module& module, const SessionFile& session) {
  const cachescape_module& m = *cachescape_module_of(&session.header(), module.entry);
  std::vector<std::uint64_t> counters(std::min<std::uint64_t>(m.counter_count, session.header().arena_bytes / 8));
  std::uint64_t at = cachescape_load64(&m.counters_at);
  // Arrays are chained towards older ones; a broken chain must not be endless.
  for (unsigned steps = 0; at != 0 && steps < CACHESCAPE_MAX_RINGS * 64; ++steps) {
    const Bytes8 bytes = session.bytes(at, sizeof(cachescape_counters) + counters.size() * sizeof(std::uint64_t));
    if (bytes.empty()) break;
    const auto* const counts = reinterpret_cast<const std::uint64_t*>(bytes.data() + sizeof(cachescape_counters));
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i] += __atomic_load_n(counts + i, __ATOMIC_RELAXED);
    at = reinterpret_cast<const cachescape_counters*>(bytes.data())->next_at;
  }
  return counters;
}

void ModuleSet::count_contexts(const SessionFile& session, CountersByModule& counters, Places& places) const {
  const std::vector<SessionContext> contexts = read_contexts(session);
  if (contexts.empty()) return;
  ContextTable table;
  // By counter: the block that a function begins with, and what is counted.
  struct Meaning {
    std::uint32_t entry = nowhere;
    std::vector<const Count*> counts;
  };
  std::vector<std::vector<Meaning>> meanings(modules_.size());
  std::map<std::uint32_t, std::size_t> by_entry;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = *modules_[m];
    by_entry[module.entry] = m;
    meanings[m].resize(counters[m].size());
    for (std::size_t b = 0; b < module.block_counters.size(); ++b) {
      const auto block = static_cast<std::uint32_t>(module.first_block + b);
      if (blocks_[block].entry && module.block_counters[b] < meanings[m].size())
        meanings[m][module.block_counters[b]].entry = block;
    }
    for (const Count& c : module.counts)
      if (c.counter < meanings[m].size()) meanings[m][c.counter].counts.push_back(&c);
  }
  const auto add = [&](std::uint32_t context, const Meaning& meaning, std::uint64_t executions) {
    if (meaning.entry != nowhere) table[context].calls += executions;
    for (const Count* c : meaning.counts) table.add(context, c->metric, executions * c->amount);
  };

  // What is left in the modules' own counters has no stack.
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    for (std::size_t c = 0; c < counters[m].size(); ++c) {
      const Meaning& meaning = meanings[m][c];
      if (counters[m][c] == 0 || (meaning.entry == nowhere && meaning.counts.empty())) continue;
      const std::uint32_t block = meaning.entry != nowhere ? meaning.entry : meaning.counts.front()->block;
      const std::uint32_t root = table.number(nowhere, ContextTable::no_stack, "");
      add(table.number(root, blocks_[block].function, blocks_[block].module), meaning, counters[m][c]);
    }
  }
  std::vector<std::uint32_t> numbers;
  for (const SessionContext& context : contexts) {
    std::uint32_t& number = numbers.emplace_back(nowhere);
    const std::uint32_t caller = context.parent == nowhere ? nowhere : numbers[context.parent];
    const auto module = by_entry.find(context.module);
    if ((context.flags & CACHESCAPE_CONTEXT_ROOT) != 0 || module == by_entry.end()) continue;
    if (context.counts.empty()) {
      number = table.number(nowhere, ContextTable::others, "");
      continue;
    }
    const std::size_t m = module->second;
    if (context.first_counter >= meanings[m].size() || meanings[m][context.first_counter].entry == nowhere) continue;
    const Block& entry = blocks_[meanings[m][context.first_counter].entry];
    number = table.number(caller, entry.function, entry.module);
    if ((context.flags & CACHESCAPE_CONTEXT_RECURSIVE) != 0) table[number].recursive = true;
    for (std::size_t i = 0; i < context.counts.size() && context.first_counter + i < counters[m].size(); ++i) {
      const std::uint64_t executions = __atomic_load_n(&context.counts[i], __ATOMIC_RELAXED);
      if (executions == 0) continue;
      counters[m][context.first_counter + i] += executions;
      add(number, meanings[m][context.first_counter + i], executions);
    }
  }
  std::move(table).finish(places);
}

Places ModuleSet::counted(const SessionFile& session) const {
  Places places;
  places.locations = locations_;
  places.blocks = blocks_;
  places.sites = sites_;
  CountersByModule counters;
  for (const auto& module : modules_) counters.push_back(plain_counters(*module, session));
  count_contexts(session, counters, places);
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> sums;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = *modules_[m];
    const auto value = [&](std::uint32_t counter) { return counter < counters[m].size() ? counters[m][counter] : 0; };
    for (std::size_t b = 0; b < module.block_counters.size(); ++b)
      places.blocks[module.first_block + b].executions = value(module.block_counters[b]);
    for (const Count& c : module.counts) {
      if (const std::uint64_t n = value(c.counter) * c.amount; n != 0) sums[{c.block, c.metric}] += n;
    }
  }
  for (auto& [key, sum] : sums) places.counted.push_back({key.second, key.first, sum});
  return places;
}

}  // namespace cachescape::collect
