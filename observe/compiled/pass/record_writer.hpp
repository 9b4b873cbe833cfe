// Writes the code that appends a function's records to the thread's block.
//
// The place where the next word goes is a thread-local variable of the runtime. Within a function it is kept in a
// register: loaded at the start and after whatever may run other instrumented code, stored before that and at returns.
#pragma once

#include <functional>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/record_plan.hpp"

namespace cachescape::pass {

class RecordWriter {
 public:
  /// Declares what the runtime provides.
  explicit RecordWriter(llvm::Module& module);

  /// Gives the constant address of a record's descriptor.
  using SegmentDescriptor = std::function<llvm::Constant*(const SegmentPlan&)>;
  using LoopDescriptor = std::function<llvm::Constant*(const LoopPlan&)>;

  /// Changes the control flow: analyses of the function are void afterwards. `other_code` are the instructions during
  /// which other instrumented code may run, calls of the runtime among them.
  void write(llvm::Function& function, const RecordPlan& plan, const std::vector<llvm::Instruction*>& other_code,
             const SegmentDescriptor& segment_descriptor, const LoopDescriptor& loop_descriptor);

 private:
  void write_segment(const SegmentPlan& plan, llvm::Constant* descriptor);
  void write_loop(const LoopPlan& plan, llvm::Constant* descriptor);
  void write_ordered_version(const LoopPlan& plan, const SegmentDescriptor& segment_descriptor);
  void write_slots(const StaticAccess& access, llvm::Value* record, std::uint64_t first_word);
  /// Reserves words before an instruction; returns where they are. Splits the block.
  llvm::Value* reserve(llvm::Instruction* before, std::uint64_t words);
  llvm::Value* word(llvm::IRBuilder<>& builder, llvm::Value* value);
  void keep_place_in_register(llvm::Function& function, const std::vector<llvm::Instruction*>& other_code);

  llvm::Module& module_;
  llvm::Type* i8_;
  llvm::Type* i64_;
  llvm::PointerType* pointer_;
  llvm::MDNode* unlikely_;
  llvm::GlobalVariable* next_;
  llvm::GlobalVariable* end_;
  llvm::GlobalVariable* limit_;
  llvm::FunctionCallee refill_;
  llvm::AllocaInst* place_ = nullptr;  ///< of the function being written
};

}  // namespace cachescape::pass
