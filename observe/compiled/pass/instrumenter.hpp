// Instruments one module: plans, writes, and adds the tables that say what was written.
#pragma once

#include <optional>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "observe/compiled/pass/access_clock.hpp"
#include "observe/compiled/pass/block_counts.hpp"
#include "observe/compiled/pass/call_contexts.hpp"
#include "observe/compiled/pass/module_table.hpp"
#include "observe/compiled/pass/record_writer.hpp"
#include "observe/compiled/pass/selection.hpp"
#include "observe/compiled/pass/serial_loads.hpp"
#include "observe/compiled/pass/source_names.hpp"

namespace cachescape::pass {

class Instrumenter {
 public:
  Instrumenter(llvm::Module& module, llvm::FunctionAnalysisManager& analyses, const PassOptions& options);

  /// Whether anything was changed.
  bool run();

 private:
  void instrument(llvm::Function& function);
  void add_blocks(llvm::Function& function, llvm::LoopInfo& loops);
  void add_counts(llvm::Function& function, const CountPlan& plan, const SerialLoads& serial);
  std::uint32_t site(const llvm::Instruction& instruction, llvm::Value* pointer, std::uint32_t block);
  llvm::Constant* descriptor(const AccessList& accesses, cachescape_descriptor head);
  /// Calls of the runtime around allocations; each is code during which the thread's place must be stored.
  void add_allocations(llvm::Function& function, std::vector<llvm::Instruction*>& other_code);
  /// Calls of the runtime after setjmp(), which may return once more, out of a signal handler.
  void add_jumps(llvm::Function& function, std::vector<llvm::Instruction*>& other_code);
  void add_start();
  llvm::Constant* globals_table(std::uint64_t& count);

  llvm::Module& module_;
  llvm::FunctionAnalysisManager& analyses_;
  PassOptions options_;
  ModuleTable table_;
  SourceNames names_;
  std::optional<RecordWriter> writer_;
  std::optional<ClockWriter> clock_;
  std::optional<ContextWriter> contexts_;
  llvm::GlobalVariable* descriptors_ = nullptr;  ///< stands for them until all are known
  llvm::GlobalVariable* counters_ = nullptr;     ///< thread-local pointer to the module's counters
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> block_numbers_;  ///< of the function being instrumented
  /// And its sites: an access of a loop is in two descriptors.
  llvm::DenseMap<std::pair<const llvm::Instruction*, const llvm::Value*>, std::uint32_t> site_numbers_;
};

}  // namespace cachescape::pass
