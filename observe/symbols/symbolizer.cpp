#include "observe/symbols/symbolizer.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "observe/symbols/debug_info.hpp"
#include "observe/symbols/demangled.hpp"
#include "observe/symbols/frame_table.hpp"
#include "observe/symbols/symbol_table.hpp"

namespace cachescape::symbols {

struct Symbolizer::Module {
  std::string build_id;
  std::optional<std::uint64_t> bias;
  std::uint64_t first_begin = 0, first_offset = 0;  ///< of one of its mappings
  bool is_opened = false;
  std::optional<ElfFile> file, debug_file;  ///< none where they cannot be used
  std::unique_ptr<DebugInfo> debug_info;    ///< ends before the files that it reads
  SymbolTable symbols;
  std::unordered_map<const Symbol*, std::string> names;
  std::optional<FrameTable> frames;  ///< none before a function without a symbol was asked for

  const std::string& name(const Symbol& symbol) {
    const auto [at, is_new] = names.try_emplace(&symbol);
    if (is_new) at->second = demangled(symbol.name);
    return at->second;
  }

  /// Of a function that no symbol names. Precondition: the file can be used.
  std::optional<std::uint64_t> begin_of_function(std::uint64_t address) {
    if (!frames) frames = FrameTable::of(*file);
    return frames->begin_of_function(address);
  }

  /// The address in the file's own numbering.
  std::uint64_t own_address(std::uint64_t address, const Mapping& mapping) const {
    if (bias) return address - *bias;
    const std::uint64_t offset = address - mapping.begin + mapping.file_offset;
    return file ? file->address_at(offset).value_or(offset) : offset;
  }
};

namespace {

std::string within_module(const std::string& path, std::uint64_t address) {
  return fmt::format("{}+{:#x}", std::filesystem::path(path).filename().string(), address);
}

}  // namespace

Symbolizer::Symbolizer(const std::vector<MappedObject>& objects, std::string folder)
    : debug_folder_(std::move(folder)) {
  for (const MappedObject& object : objects) add(object);
}

void Symbolizer::add(const MappedObject& object) {
  if (object.begin >= object.end) return;
  const auto [at, is_new] =
      numbers_.try_emplace({object.path, object.build_id}, static_cast<std::uint32_t>(modules_.size()));
  if (is_new) {
    paths_.push_back(object.path);
    auto module = std::make_unique<Module>();
    module->build_id = object.build_id;
    module->bias = object.bias;
    module->first_begin = object.begin;
    module->first_offset = object.file_offset;
    modules_.push_back(std::move(module));
  }
  put(object, at->second);
}

Symbolizer::~Symbolizer() = default;

void Symbolizer::put(const MappedObject& object, std::uint32_t module) {
  auto at = mappings_.upper_bound(object.begin);
  if (at != mappings_.begin()) --at;
  while (at != mappings_.end() && at->first < object.end) {
    const auto [begin, old] = *at;
    if (old.end <= object.begin) {
      ++at;
      continue;
    }
    at = mappings_.erase(at);
    if (begin < object.begin) mappings_[begin] = {object.begin, old.begin, old.file_offset, old.module};
    if (old.end > object.end) mappings_[object.end] = old;
  }
  mappings_[object.begin] = {object.end, object.begin, object.file_offset, module};
}

Symbolizer::Module& Symbolizer::opened(std::uint32_t number) {
  Module& module = *modules_[number];
  const std::string& path = paths_[number];
  if (module.is_opened) return module;
  module.is_opened = true;
  if (path.empty() || path.front() == '[') return module;  // [vdso] and the like have no file
  auto file = ElfFile::open(path);
  if (!file) {
    file.error().hint = "its addresses stay without names";
    problems_.push_back(std::move(file).error());
    return module;
  }
  const std::string build_id = file->build_id();
  if (!module.build_id.empty() && build_id != module.build_id) {
    problems_.push_back({ErrorKind::malformed,
                         fmt::format("was built again since the program ran: its build-id was {} and is {}",
                                     module.build_id, build_id.empty() ? "missing" : build_id),
                         path, "record the program again to see its names"});
    return module;
  }
  module.file = std::move(*file);
  if (!module.file->has_section(".debug_info")) module.debug_file = find_debug_file(*module.file, debug_folder_);
  const ElfFile& debug = module.debug_file ? *module.debug_file : *module.file;
  module.debug_info = DebugInfo::of(debug);
  module.symbols = SymbolTable::of(debug);
  if (module.symbols.empty() && module.debug_file) module.symbols = SymbolTable::of(*module.file);
  return module;
}

CodePlace Symbolizer::locate(std::uint64_t address) {
  auto at = mappings_.upper_bound(address);
  if (at == mappings_.begin() || std::prev(at)->second.end <= address) return {};
  const Mapping& mapping = std::prev(at)->second;
  Module& module = opened(mapping.module);
  CodePlace place{Known::module, mapping.module, nowhere, module.own_address(address, mapping)};
  if (!module.file) return place;

  const Symbol* const symbol = module.symbols.function_at(place.address);
  const std::string& name = symbol == nullptr ? std::string() : module.name(*symbol);
  if (module.debug_info != nullptr) place.location = module.debug_info->locate(place.address, name, locations_);
  if (place.location != nowhere) {
    place.known = Known::source;
  } else if (symbol != nullptr) {
    place.known = Known::symbol;
    place.location = locations_.number({name, {}, 0, 0, nowhere});
  } else if (const auto begin = module.begin_of_function(place.address)) {
    place.known = Known::function;
    place.location = locations_.number({within_module(paths_[mapping.module], *begin), {}, 0, 0, nowhere});
  }
  return place;
}

std::vector<CodePlace> Symbolizer::locate(std::span<const std::uint64_t> addresses) {
  std::vector<std::uint32_t> order(addresses.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return addresses[a] < addresses[b]; });
  std::vector<CodePlace> places(addresses.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool again = i > 0 && addresses[order[i]] == addresses[order[i - 1]];
    places[order[i]] = again ? places[order[i - 1]] : locate(addresses[order[i]]);
  }
  return places;
}

std::optional<std::uint64_t> Symbolizer::bias_of(std::uint32_t number) {
  const Module& module = opened(number);
  if (!module.file || module.bias) return module.file ? module.bias : std::nullopt;
  const auto own = module.file->address_at(module.first_offset);
  return own ? std::optional(module.first_begin - *own) : std::nullopt;
}

std::vector<Variable> Symbolizer::variables() {
  std::vector<Variable> all;
  for (std::uint32_t number = 0; number < modules_.size(); ++number) {
    const auto bias = bias_of(number);
    if (!bias) continue;
    const Module& module = *modules_[number];
    std::unordered_map<std::uint64_t, DeclaredVariable> declared;
    if (module.debug_info != nullptr)
      for (DeclaredVariable& v : module.debug_info->variables()) declared.try_emplace(v.address, std::move(v));
    for (const Symbol& symbol : module.symbols.variables()) {
      Variable variable{symbol.address + *bias, symbol.bytes, demangled(symbol.name), number, nowhere};
      if (const auto found = declared.find(symbol.address); found != declared.end()) {
        // Compilers add numbers to the symbols of C's static variables; a C++ symbol says more than the plain name.
        if (variable.name == symbol.name) variable.name = found->second.name;
        if (found->second.line != 0)
          variable.location = locations_.number({{}, found->second.file, found->second.line, 0, nowhere});
      }
      all.push_back(std::move(variable));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return all;
}

std::vector<Variable> Symbolizer::rest_of_data(std::span<const Variable> variables) {
  std::vector<Variable> rest;
  for (std::uint32_t number = 0; number < modules_.size(); ++number) {
    const auto bias = bias_of(number);
    if (!bias) continue;
    const std::string file = std::filesystem::path(paths_[number]).filename();
    auto variable = variables.begin();
    std::uint64_t covered = 0;  // up to there, by variables and sections
    for (const DataSection& section : modules_[number]->file->data_sections()) {
      const std::string name = fmt::format("{} of {}", section.name, file);
      const std::uint64_t end = section.address + *bias + section.bytes;
      covered = std::max(covered, section.address + *bias);
      for (; variable != variables.end() && variable->address < end; ++variable) {
        if (variable->module != number) continue;
        if (variable->address > covered) rest.push_back({covered, variable->address - covered, name, number, nowhere});
        covered = std::max(covered, variable->address + variable->bytes);
      }
      if (covered < end) rest.push_back({covered, end - covered, name, number, nowhere});
      covered = std::max(covered, end);
    }
  }
  std::ranges::stable_sort(rest, {}, &Variable::address);
  return rest;
}

std::string Symbolizer::text(const CodePlace& place) const {
  if (place.known == Known::nothing) return {};
  if (const Symbol* const symbol = modules_[place.module]->symbols.function_at(place.address); symbol != nullptr)
    return fmt::format("{}+{:#x}", modules_[place.module]->name(*symbol), place.address - symbol->address);
  return within_module(paths_[place.module], place.address);
}

}  // namespace cachescape::symbols
