#include "observe/compiled/pass/module_table.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include "observe/compiled/pass/function_name.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

template <class T>
void append(std::vector<std::uint8_t>& to, const T* from, std::size_t count) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  to.insert(to.end(), bytes, bytes + count * sizeof(T));
}

std::string path_of(const DIScope* scope) {
  if (scope == nullptr || scope->getFilename().empty()) return {};
  if (sys::path::is_absolute(scope->getFilename()) || scope->getDirectory().empty()) return scope->getFilename().str();
  SmallString<256> path(scope->getDirectory());
  sys::path::append(path, scope->getFilename());
  return path.str().str();
}

}  // namespace

ModuleTable::ModuleTable(StringRef source, StringRef compiler) : source_(string(source)), compiler_(string(compiler)) {}

std::uint32_t ModuleTable::string(StringRef text) {
  if (text.empty()) return 0;
  const auto [entry, is_new] = string_offsets_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
  if (is_new) {
    strings_.append(text.data(), text.find('\0') == StringRef::npos ? text.size() : text.find('\0'));
    strings_.push_back('\0');
  }
  return entry->second;
}

std::uint32_t ModuleTable::function(StringRef linkage_name) {
  const auto [entry, is_new] = functions_.try_emplace(linkage_name);
  if (is_new) entry->second = string(function_name(linkage_name));
  return entry->second;
}

std::uint32_t ModuleTable::add_location(const cachescape_location& l) {
  const auto [entry, is_new] = location_numbers_.try_emplace({l.function, l.file, l.line, l.column, l.inlined_at},
                                                             static_cast<std::uint32_t>(locations_.size() + 1));
  if (is_new) locations_.push_back(l);
  return entry->second;
}

std::uint32_t ModuleTable::location(const DILocation* at) {
  if (at == nullptr) return 0;
  const DISubprogram* subprogram = at->getScope()->getSubprogram();
  const std::uint32_t inlined_at = location(at->getInlinedAt());
  StringRef name;
  if (subprogram != nullptr)
    name = subprogram->getLinkageName().empty() ? subprogram->getName() : subprogram->getLinkageName();
  return add_location({function(name), string(path_of(at->getScope())), at->getLine(), at->getColumn(), inlined_at});
}

std::uint32_t ModuleTable::declaration(StringRef function, StringRef file, unsigned line) {
  return add_location({string(function), string(file), line, 0, 0});
}

std::uint32_t ModuleTable::block(const cachescape_block_info& block) {
  blocks_.push_back(block);
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

std::uint32_t ModuleTable::site(const cachescape_site& site) {
  sites_.push_back(site);
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

std::uint64_t ModuleTable::descriptor(const cachescape_descriptor& head, ArrayRef<cachescape_access> accesses) {
  const std::uint64_t at = descriptors_.size();
  append(descriptors_, &head, 1);
  append(descriptors_, accesses.data(), accesses.size());
  return at;
}

std::vector<std::uint8_t> ModuleTable::bytes() const {
  const auto size = [](const auto& part) { return static_cast<std::uint32_t>(part.size()); };
  const cachescape_tables head{CACHESCAPE_MODULE_MAGIC,
                               CACHESCAPE_SESSION_VERSION,
                               source_,
                               compiler_,
                               size(locations_),
                               size(blocks_),
                               size(sites_),
                               size(counts_),
                               size(strings_),
                               0};
  std::vector<std::uint8_t> all;
  append(all, &head, 1);
  append(all, locations_.data(), locations_.size());
  append(all, blocks_.data(), blocks_.size());
  append(all, sites_.data(), sites_.size());
  append(all, counts_.data(), counts_.size());
  append(all, strings_.data(), strings_.size());
  return all;
}

}  // namespace cachescape::pass
