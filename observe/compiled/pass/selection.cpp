#include "observe/compiled/pass/selection.hpp"

#include <cstdlib>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/Instructions.h>

#include "observe/symbols/fortran_name.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

constexpr StringRef ignore_annotation = "cachescape.ignore";

Error refused(const Twine& why) { return createStringError("cachescape: CACHESCAPE_PASS: " + why); }

bool matches(const std::string& expression, StringRef text) { return Regex(expression).match(text); }

std::string source_name(StringRef linkage_name) {
  const auto fortran = symbols::fortran_name({linkage_name.data(), linkage_name.size()});
  return fortran ? *fortran : demangle(linkage_name);
}

StringRef source_file(const Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  return subprogram == nullptr ? StringRef(function.getParent()->getSourceFileName()) : subprogram->getFilename();
}

}  // namespace

Expected<PassOptions> PassOptions::from_environment() {
  PassOptions options;
  const char* text = std::getenv("CACHESCAPE_PASS");
  if (text == nullptr) return options;
  SmallVector<StringRef, 8> settings;
  StringRef(text).split(settings, ';', -1, false);
  for (const StringRef setting : settings) {
    const auto [key, value] = setting.split('=');
    std::string* expression = key == "only"          ? &options.only_functions
                              : key == "except"      ? &options.except_functions
                              : key == "only-file"   ? &options.only_files
                              : key == "except-file" ? &options.except_files
                                                     : nullptr;
    if (expression != nullptr) {
      std::string error;
      if (!Regex(value).isValid(error)) return refused(key + "=" + value + ": " + error);
      *expression = value.str();
    } else if (key == "accesses" && value == "clock") {
      options.accesses = false;
      options.clock = true;
    } else if (key == "counters" && value == "stack") {
      options.counters = true;
      options.stacks = true;
    } else if (key == "accesses" || key == "counters" || key == "frames") {
      if (value != "on" && value != "off") {
        const char* const allowed = key == "accesses"   ? "on, clock or off"
                                    : key == "counters" ? "on, stack or off"
                                                        : "on or off";
        return refused(key + " must be " + allowed + ", not " + value);
      }
      if (key == "accesses") options.clock = false;
      if (key == "counters") options.stacks = false;
      (key == "accesses" ? options.accesses : key == "counters" ? options.counters : options.frames) = value == "on";
    } else if (key == "view" && (value == "source" || value == "machine")) {
      options.late = value == "machine";
    } else {
      return refused("what is \"" + setting +
                     "\"? (accesses, counters, frames, view=source|machine, only, except, only-file, except-file)");
    }
  }
  return options;
}

Selection::Selection(Module& module, const PassOptions& options) : options_(options) {
  // A resolver runs before the program is relocated.
  for (const GlobalIFunc& indirect : module.ifuncs()) ignored_.insert(indirect.getResolverFunction());
  const GlobalVariable* annotations = module.getGlobalVariable("llvm.global.annotations");
  if (annotations == nullptr || !annotations->hasInitializer()) return;
  auto* list = dyn_cast<ConstantArray>(annotations->getInitializer());
  if (list == nullptr) return;
  for (const Use& entry : list->operands()) {
    auto* fields = dyn_cast<ConstantStruct>(entry);
    if (fields == nullptr || fields->getNumOperands() < 2) continue;
    auto* function = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    auto* text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (function == nullptr || text == nullptr || !text->hasInitializer()) continue;
    auto* characters = dyn_cast<ConstantDataArray>(text->getInitializer());
    if (characters != nullptr && characters->isCString() && characters->getAsCString() == ignore_annotation)
      ignored_.insert(function);
  }
}

bool Selection::wants(const Function& function) const {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || ignored_.contains(&function))
    return false;
  if (function.hasFnAttribute(Attribute::Naked) || function.isPresplitCoroutine() ||
      function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return false;
  for (const BasicBlock& block : function) {
    if (isa<CallBrInst>(block.getTerminator()) || block.isEHPad() != block.isLandingPad()) return false;
  }
  const std::string name = source_name(function.getName());
  const StringRef file = source_file(function);
  return (options_.only_functions.empty() || matches(options_.only_functions, name)) &&
         (options_.except_functions.empty() || !matches(options_.except_functions, name)) &&
         (options_.only_files.empty() || matches(options_.only_files, file)) &&
         (options_.except_files.empty() || !matches(options_.except_files, file));
}

}  // namespace cachescape::pass
