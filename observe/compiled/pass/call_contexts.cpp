#include "observe/compiled/pass/call_contexts.hpp"

#include <cstddef>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "observe/compiled/pass/accesses.hpp"
#include "observe/compiled/pass/runtime_symbols.hpp"
#include "session/context.h"

namespace cachescape::pass {
namespace {

using namespace llvm;

/// Allocas belong to the first block, which is about to end early.
void move_allocas_before(Instruction* first) {
  std::vector<AllocaInst*> later;
  for (Instruction& i : *first->getParent()) {
    auto* alloca = dyn_cast<AllocaInst>(&i);
    if (alloca != nullptr && alloca->isStaticAlloca() && first->comesBefore(alloca)) later.push_back(alloca);
  }
  for (AllocaInst* alloca : later) alloca->moveBefore(first);
}

/// Whether the compiler may make a jump of a call whose result is returned. Programs that call in circles so rely on
/// it, and a store behind the call would fill their stack; where there can be no circle the caller rather stays to be
/// seen.
bool may_become_jump(const CallInst& call) {
  const Function* called = call.getCalledFunction();
  return call.isMustTailCall() || (call.isTailCall() && !call.getFunction()->doesNotRecurse() &&
                                   (called == nullptr || !called->doesNotRecurse()));
}

/// The call right before an instruction, if it may become a jump.
CallInst* jump_before(Instruction* i) {
  auto* call = dyn_cast_or_null<CallInst>(i->getPrevNonDebugInstruction());
  return call != nullptr && may_run_other_code(*call) && may_become_jump(*call) ? call : nullptr;
}

/// What a function is left by.
struct Exits {
  SmallPtrSet<const Instruction*, 4> jumps;  ///< calls, behind which nothing may stand
  std::vector<Instruction*> others;          ///< in front of each of these something may
};

/// Finds the exits, and keeps jumps apart that share a return with other ways to it.
Exits find_exits(Function& function) {
  std::vector<Instruction*> ends;
  for (BasicBlock& block : function)
    if (isa<ReturnInst>(block.getTerminator()) || isa<ResumeInst>(block.getTerminator()))
      ends.push_back(block.getTerminator());
  Exits exits;
  for (Instruction* end : ends) {
    if (const CallInst* jump = jump_before(end)) {
      exits.jumps.insert(jump);
      continue;
    }
    BasicBlock* block = end->getParent();
    std::vector<CallInst*> jumps;
    SmallSetVector<BasicBlock*, 4> from;
    for (BasicBlock* before : predecessors(block)) {
      CallInst* jump = isa<BranchInst>(before->getTerminator()) ? jump_before(before->getTerminator()) : nullptr;
      if (jump != nullptr && before->getSingleSuccessor() == block) {
        jumps.push_back(jump);
      } else {
        from.insert(before);
      }
    }
    const bool only_returns = isa<ReturnInst>(end) && block->getFirstNonPHIOrDbg() == end;
    if (!only_returns || jumps.empty() ||
        any_of(from, [](const BasicBlock* b) { return isa<IndirectBrInst>(b->getTerminator()); })) {
      exits.others.push_back(end);
      continue;
    }
    exits.jumps.insert(jumps.begin(), jumps.end());
    if (!from.empty()) exits.others.push_back(SplitBlockPredecessors(block, from.getArrayRef(), "")->getTerminator());
  }
  return exits;
}

}  // namespace

ContextWriter::ContextWriter(Module& module)
    : module_(module),
      pointer_(PointerType::getUnqual(module.getContext())),
      function_type_(StructType::get(pointer_, Type::getInt32Ty(module.getContext()),
                                     Type::getInt32Ty(module.getContext()), Type::getInt32Ty(module.getContext()),
                                     Type::getInt32Ty(module.getContext()))),
      current_(runtime_thread_local(module, "cachescape_context", pointer_)),
      find_(runtime_slow_path(module, "cachescape_context_of",
                              FunctionType::get(pointer_, {pointer_, pointer_}, false))) {}

// The context that calls from the caller's have led to last is asked first; a signal handler may change it at any time,
// so it is loaded once.
ContextWriter::Looked ContextWriter::look_up(LoadInst* plain, const Written& function) {
  move_allocas_before(plain);
  IRBuilder<> builder(plain);
  Type* byte = builder.getInt8Ty();
  const auto recent = offsetof(cachescape_context, recent) +
                      function.hash % CACHESCAPE_RECENT_CONTEXTS * sizeof(cachescape_context::recent[0]);
  // As if they were all of the module's, so that they have the same numbers.
  const auto counts = static_cast<std::int64_t>(sizeof(cachescape_context)) -
                      static_cast<std::int64_t>(function.first * sizeof(std::uint64_t));
  const auto at = [&](Value* context, std::int64_t offset) {
    return builder.CreateGEP(byte, context, builder.getInt64(static_cast<std::uint64_t>(offset)));
  };
  const auto name_of = [&](Value* context) {
    return builder.CreateLoad(pointer_, at(context, offsetof(cachescape_context, function)));
  };
  MDNode* likely = MDBuilder(module_.getContext()).createBranchWeights(1 << 20, 1);

  Value* caller = builder.CreateLoad(pointer_, current_, "cachescape.caller");
  Value* last = builder.CreateLoad(pointer_, at(caller, static_cast<std::int64_t>(recent)));
  BasicBlock* head = plain->getParent();
  BasicBlock* tail = SplitBlock(head, plain);
  BasicBlock* check = BasicBlock::Create(module_.getContext(), "", head->getParent(), tail);
  BasicBlock* miss = BasicBlock::Create(module_.getContext(), "", head->getParent(), tail);
  head->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(head);
  builder.CreateCondBr(builder.CreateIsNotNull(last), check, miss, likely);
  builder.SetInsertPoint(check);
  Value* counts_of_last = at(last, counts);
  builder.CreateCondBr(builder.CreateICmpEQ(name_of(last), function.function), tail, miss, likely);
  builder.SetInsertPoint(miss);
  CallInst* found = builder.CreateCall(find_, {caller, function.function});
  found->setCallingConv(CallingConv::PreserveAll);
  Value* is_own = builder.CreateICmpEQ(name_of(found), function.function);
  Value* of_module = builder.CreateLoad(pointer_, plain->getPointerOperand());
  Value* counts_of_found = builder.CreateSelect(is_own, at(found, counts), of_module);
  builder.CreateBr(tail);

  builder.SetInsertPoint(plain);
  PHINode* own = builder.CreatePHI(pointer_, 2, "cachescape.context");
  own->addIncoming(last, check);
  own->addIncoming(found, miss);
  PHINode* counters = builder.CreatePHI(pointer_, 2, "cachescape.counters");
  counters->addIncoming(counts_of_last, check);
  counters->addIncoming(counts_of_found, miss);
  plain->replaceAllUsesWith(counters);
  plain->eraseFromParent();
  return {caller, own};
}

void ContextWriter::write(Function& function, LoadInst* plain, std::uint32_t first, std::uint32_t end,
                          const std::vector<Instruction*>& other_code) {
  auto* name = new GlobalVariable(module_, function_type_, true, GlobalValue::InternalLinkage,
                                  ConstantAggregateZero::get(function_type_), "cachescape.function");
  written_.push_back({name, first, end - first, static_cast<std::uint32_t>(xxh3_64bits(function.getName()))});
  const Looked contexts = look_up(plain, written_.back());
  // Who calls nothing need not say who it is.
  if (other_code.empty()) return;
  const auto store = [&](Value* context, BasicBlock::iterator before) {
    IRBuilder<> builder(before->getParent(), before);
    builder.CreateStore(context, current_);
  };
  store(contexts.own, cast<Instruction>(contexts.own)->getParent()->getFirstInsertionPt());
  // After each call, because what was called may have been left by an exception that code between us has caught, or by
  // longjmp().
  const Exits exits = find_exits(function);
  for (Instruction* i : other_code) {
    if (auto* invoke = dyn_cast<InvokeInst>(i)) {
      store(contexts.own, invoke->getNormalDest()->getFirstInsertionPt());
    } else if (exits.jumps.contains(i)) {
      store(contexts.caller, i->getIterator());
    } else if (const auto next = std::next(i->getIterator()); !isa<UnreachableInst>(*next)) {
      store(contexts.own, next);
    }
  }
  for (BasicBlock& block : function)
    if (block.isLandingPad()) store(contexts.own, block.getFirstInsertionPt());
  for (Instruction* end : exits.others) store(contexts.caller, end->getIterator());
}

void ContextWriter::define_functions(Constant* module_start) {
  Type* half = Type::getInt32Ty(module_.getContext());
  const auto number = [&](std::uint32_t n) { return ConstantInt::get(half, n); };
  for (const Written& w : written_)
    w.function->setInitializer(ConstantStruct::get(
        function_type_, {module_start, number(w.first), number(w.counters), number(w.hash), number(0)}));
}

}  // namespace cachescape::pass
