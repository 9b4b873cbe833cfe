// The plugin that clang, flang and lld load: instruments each module once, where the wrapper asks for it.
#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/TargetParser/Triple.h>

#include "observe/compiled/pass/instrumenter.hpp"

namespace {

using namespace llvm;

// Left in a module that is instrumented, so that link-time optimisation does not do it again.
constexpr const char* done = "cachescape.instrumented";

/// The runtime is for Linux on x86-64, with pointers of 64 bits: other code stays as it is.
bool can_run_here(const Module& module) {
  const Triple target(module.getTargetTriple());
  return target.getArch() == Triple::x86_64 && target.isOSLinux() && !target.isX32();
}

class InstrumentPass : public PassInfoMixin<InstrumentPass> {
 public:
  enum class Stage { early, late, link };
  explicit InstrumentPass(Stage stage) : stage_(stage) {}

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto read = cachescape::pass::PassOptions::from_environment();
    if (!read) {
      // Said once for a module, though the pass stands in several places.
      std::string why = toString(read.takeError());
      if (stage_ != Stage::late) module.getContext().emitError(why);
      return PreservedAnalyses::all();
    }
    const cachescape::pass::PassOptions& options = *read;
    const bool here = stage_ == Stage::link || (stage_ == Stage::late) == options.late;
    if (!here || module.getNamedMetadata(done) != nullptr || module.empty() || !can_run_here(module))
      return PreservedAnalyses::all();
    auto& functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    cachescape::pass::Instrumenter instrumenter(module, functions, options);
    if (!instrumenter.run()) return PreservedAnalyses::all();
    module.getOrInsertNamedMetadata(done);
    PreservedAnalyses preserved = PreservedAnalyses::none();
    // It claims that calls leave globals alone, which is no longer so.
    preserved.abandon<GlobalsAA>();
    return preserved;
  }
  static bool isRequired() { return true; }

 private:
  Stage stage_;
};

void register_passes(PassBuilder& builder) {
  using Stage = InstrumentPass::Stage;
  builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(InstrumentPass(Stage::early)); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(InstrumentPass(Stage::late)); });
  builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(InstrumentPass(Stage::link)); });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "cachescape", "1", register_passes};
}
