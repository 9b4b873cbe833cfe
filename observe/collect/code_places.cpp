#include "observe/collect/code_places.hpp"

#include <map>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "observe/collect/call_contexts.hpp"
#include "observe/collect/callers_location.hpp"
#include "observe/symbols/symbolizer.hpp"

namespace cachescape::collect {
namespace {

/// Every mapping at addresses of its own: in the program, one may have taken the place of another.
class Apart {
 public:
  explicit Apart(const CodeTable& code) : code_(code) {
    std::uint64_t free = 0;
    for (const Mapping& m : code.mappings()) {
      begins_.push_back(free);
      objects_.push_back({code.files()[m.file].path,
                          free,
                          free + (m.end - m.begin),
                          m.file_offset,
                          {},
                          code.files()[m.file].build_id});
      free += m.end - m.begin;
    }
  }
  const std::vector<symbols::MappedObject>& objects() const { return objects_; }
  /// Beyond all files where there is none.
  std::uint64_t operator()(const CodeSite& site) const {
    if (site.mapping == nowhere) return ~std::uint64_t{0};
    return begins_[site.mapping] + (site.address - code_.mappings()[site.mapping].begin);
  }

 private:
  const CodeTable& code_;
  std::vector<std::uint64_t> begins_;
  std::vector<symbols::MappedObject> objects_;
};

std::string function_around(std::uint32_t location, const std::vector<Location>& locations) {
  std::string function;
  for (std::uint32_t at = location; at != nowhere; at = locations[at].inlined_at) function = locations[at].function;
  return function;
}

/// What stands for the function where nothing tells it.
std::string unknown_function(const std::string& module) {
  return module.empty() ? "(generated code)" : "(" + module.substr(module.rfind('/') + 1) + ")";
}

/// Numbers of functions as blocks.
class Functions {
 public:
  Functions(Places& places, const std::vector<std::string>& modules) : places_(places), modules_(modules) {}

  /// The function around a location, in a module; either may be nowhere.
  std::uint32_t around(std::uint32_t location, std::uint32_t module) {
    const auto [known, is_new] = around_.try_emplace({location, module});
    if (!is_new) return known->second;
    const std::string path = module == nowhere ? std::string() : modules_[module];
    std::string function = function_around(location, places_.locations);
    if (function.empty()) function = unknown_function(path);
    return known->second = number(function, path);
  }

 private:
  std::uint32_t number(const std::string& function, const std::string& module) {
    const auto next = static_cast<std::uint32_t>(places_.blocks.size());
    const auto [entry, is_new] = numbers_.try_emplace({function, module}, next);
    if (is_new) {
      Block& block = places_.blocks.emplace_back();
      block.function = function;
      block.module = module;
    }
    return entry->second;
  }

  Places& places_;
  const std::vector<std::string>& modules_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> around_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
};

/// What the kernel does for a call, as if it was inlined there.
std::uint32_t within_kernel(std::uint32_t call, std::vector<Location>& locations) {
  Location inside;
  inside.function = "[kernel]";
  if (call != nowhere) {
    inside.file = locations[call].file;
    inside.line = locations[call].line;
  }
  inside.inlined_at = call;
  locations.push_back(std::move(inside));
  return static_cast<std::uint32_t>(locations.size() - 1);
}

/// `first_call` is where the locations of calls that led to allocations begin.
void name_heap_objects(const ObjectMap& map, std::uint32_t first_call, Places& places) {
  for (const auto& [origin, number] : map.heap_origins()) {
    if (origin.site >= places.sites.size()) continue;
    Object& object = places.objects[number];
    const Site& made_by = places.sites[origin.site];
    const std::uint32_t made_at = origin.location == nowhere ? made_by.location : first_call + origin.location;
    object.name.clear();
    object.location = callers_location(made_at, places.locations);
    if (object.location != nowhere) object.name = places.locations[object.location].function;
    if (object.name.empty() && made_by.block != nowhere) object.name = places.blocks[made_by.block].function;
    if (origin.others) object.name += " (other call stacks)";
  }
}

/// Appends locations that refer to each other; the number of the first.
std::uint32_t append(const std::vector<Location>& more, std::vector<Location>& locations) {
  const auto first = static_cast<std::uint32_t>(locations.size());
  for (Location location : more) {
    if (location.inlined_at != nowhere) location.inlined_at += first;
    locations.push_back(std::move(location));
  }
  return first;
}

/// Instructions that were executed, by where a row of them begins in a file.
std::map<std::uint64_t, std::uint64_t> executed_instructions(const CodeTable& code, const SessionFile& session,
                                                             const Apart& apart) {
  std::map<std::uint64_t, std::uint64_t> executed;
  for (const CodeCount& count : code.counts())
    if (const std::uint64_t times = count.executions(session); times > 0)
      add_to(executed[apart(count.first)], times * count.instructions);
  return executed;
}

/// Counters of each call stack and, by its last function, of functions. `functions` are blocks, by context.
void add_contexts(const DecoderContext& context, const SessionFile& session,
                  const std::vector<std::uint32_t>& functions, Places& places) {
  const std::vector<CodeContext>& contexts = context.code.contexts();
  if (contexts.empty()) return;
  ContextTable table;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> by_function;
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const Block& function = places.blocks[functions[i]];
    const bool known = contexts[i].function.address != 0;
    // What calls main() is the same for all.
    const bool has_callers = known && contexts[i].caller != 0 && function.function != "main";
    const std::uint32_t caller = has_callers ? numbers[contexts[i].caller] : nowhere;
    const std::uint32_t number = known    ? table.number(caller, function.function, function.module)
                                 : i == 0 ? table.number(nowhere, ContextTable::no_stack, "")
                                          : table.number(nowhere, ContextTable::others, "");
    numbers.push_back(number);
    const auto add = [&](const char* metric, std::uint64_t value) {
      if (value == 0) return;
      table.add(number, metric, value);
      if (metric != std::string_view("instructions")) by_function[{functions[i], metric}] += value;
    };
    add("instructions", contexts[i].instructions(session));
    if (i >= context.code_contexts.counts().size()) continue;
    const CodeContexts::Counts& counts = context.code_contexts.counts()[i];
    table[number].calls += counts.calls;
    if (counts.recursive) table[number].recursive = true;
    add("loads", counts.loads);
    add("stores", counts.stores);
    add("bytes.loaded", counts.bytes_loaded);
    add("bytes.stored", counts.bytes_stored);
  }
  for (const auto& [key, value] : by_function) places.counted.push_back({key.second, key.first, value});
  std::move(table).finish(places);
}

}  // namespace

Places places_of_code(const DecoderContext& context, std::vector<bool> wanted, std::vector<Error>& problems) {
  const CodeTable& code = context.code;
  const ObjectMap& objects = context.objects;
  wanted.resize(code.sites().size());
  for (const auto& [origin, number] : objects.heap_origins())
    if (origin.site < wanted.size()) wanted[origin.site] = true;
  const Apart apart(code);
  std::vector<std::uint32_t> sites;
  std::vector<std::uint64_t> addresses;
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    sites.push_back(i);
    addresses.push_back(apart(code.sites()[i]));
  }
  std::map<std::uint64_t, std::uint64_t> executed;
  if (context.session != nullptr) executed = executed_instructions(code, *context.session, apart);
  for (const auto& [address, instructions] : executed) addresses.push_back(address);
  for (const CodeContext& called : code.contexts()) addresses.push_back(apart(called.function));
  symbols::Symbolizer symbolizer(apart.objects(), context.debug_folder);
  const auto found = symbolizer.locate(addresses);
  problems = symbolizer.problems();

  Places places;
  places.locations = context.code_globals.locations();
  const std::uint32_t first = append(symbolizer.locations(), places.locations);
  const std::uint32_t first_call = append(context.modules.locations(), places.locations);
  Functions functions(places, symbolizer.modules());
  places.sites.resize(code.sites().size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const symbols::CodePlace& place = found[i];
    Site& site = places.sites[sites[i]];
    if (place.location != nowhere) site.location = first + place.location;
    site.block = functions.around(site.location, place.module);
    if (code.sites()[sites[i]].calls_kernel) site.location = within_kernel(site.location, places.locations);
  }
  auto place = found.begin() + static_cast<std::ptrdiff_t>(sites.size());
  const auto next_function = [&] {
    const std::uint32_t location = place->location == nowhere ? nowhere : first + place->location;
    return functions.around(location, place++->module);
  };
  std::map<std::uint32_t, std::uint64_t> instructions;  // by function
  for (const auto& [address, times] : executed) add_to(instructions[next_function()], times);
  for (const auto& [block, times] : instructions) places.counted.push_back({"instructions", block, times});
  if (context.session != nullptr) {
    std::vector<std::uint32_t> of_contexts;
    for (std::size_t i = 0; i < code.contexts().size(); ++i) of_contexts.push_back(next_function());
    add_contexts(context, *context.session, of_contexts, places);
  }
  places.objects = objects.objects();
  name_heap_objects(objects, first_call, places);
  return places;
}

}  // namespace cachescape::collect
