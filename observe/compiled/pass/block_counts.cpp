#include "observe/compiled/pass/block_counts.hpp"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace cachescape::pass {
namespace {

using namespace llvm;

bool can_insert(BasicBlock& block) { return block.getFirstInsertionPt() != block.end(); }

}  // namespace

BasicBlock* representative(BasicBlock& block, const DominatorTree& dominators, const PostDominatorTree& after,
                           const LoopInfo& loops) {
  BasicBlock* best = &block;
  const DomTreeNode* node = dominators.getNode(&block);
  if (node == nullptr) return best;
  for (node = node->getIDom(); node != nullptr; node = node->getIDom()) {
    BasicBlock* above = node->getBlock();
    if (loops.getLoopFor(above) == loops.getLoopFor(&block) && after.dominates(&block, above)) best = above;
  }
  return best;
}

bool runs_alone(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block)
      if (may_run_other_code(i)) return false;
  return true;
}

CountPlan plan_counts(Function& function, ModuleTable& table, DominatorTree& dominators, LoopInfo& loops,
                      ScalarEvolution& evolution) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  PostDominatorTree after(function);
  CountPlan plan;
  DenseMap<const Loop*, Value*> expanded;
  std::vector<BasicBlock*> followers;
  for (BasicBlock& block : function) {
    if (representative(block, dominators, after, loops) != &block) {
      followers.push_back(&block);
      continue;
    }
    CounterPlan& counter = plan.counters.emplace_back();
    counter.block = &block;
    counter.counter = table.counter();
    plan.of_block[&block] = counter.counter;
    Loop* loop = loops.getLoopFor(&block);
    if (loop == nullptr || !loop->isInnermost() || !loop->isLoopSimplifyForm() || !runs_alone(*loop)) continue;
    const SCEV* trips_less_one = evolution.getBackedgeTakenCount(loop);
    Instruction* before = loop->getLoopPreheader()->getTerminator();
    SCEVExpander expander(evolution, layout, "cachescape");
    if (!isa<SCEVCouldNotCompute>(trips_less_one) && loop->getExitingBlock() == loop->getLoopLatch() &&
        dominators.dominates(&block, loop->getLoopLatch()) && expander.isSafeToExpandAt(trips_less_one, before)) {
      Value*& value = expanded[loop];
      if (value == nullptr)
        value = expander.expandCodeFor(trips_less_one, trips_less_one->getType(), before->getIterator());
      counter.trips_less_one = value;
      counter.hoisted = loop;
    } else if (loop->hasDedicatedExits()) {
      counter.promoted = loop;
    }
  }
  for (BasicBlock* block : followers)
    plan.of_block[block] = plan.of_block.lookup(representative(*block, dominators, after, loops));
  return plan;
}

void add_to_counter(Instruction* before, Value* counters, std::uint32_t counter, Value* amount) {
  IRBuilder<> builder(before);
  Type* word = builder.getInt64Ty();
  Value* at = builder.CreateConstInBoundsGEP1_64(word, counters, counter);
  builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word, at), amount), at);
}

LoadInst* write_counts(Function& function, const CountPlan& plan, GlobalVariable* counters) {
  Instruction* start = &*function.getEntryBlock().getFirstInsertionPt();
  IRBuilder<> entry(start);
  Type* word = entry.getInt64Ty();
  Value* one = ConstantInt::get(word, 1);
  std::vector<AllocaInst*> sums;
  for (const CounterPlan& counter : plan.counters)
    sums.push_back(counter.promoted == nullptr ? nullptr : entry.CreateAlloca(word, nullptr, "cachescape.count"));
  LoadInst* base = entry.CreateLoad(entry.getPtrTy(), counters, "cachescape.counters");
  for (std::size_t i = 0; i < plan.counters.size(); ++i) {
    const CounterPlan& counter = plan.counters[i];
    if (counter.hoisted != nullptr) {
      Instruction* before = counter.hoisted->getLoopPreheader()->getTerminator();
      IRBuilder<> builder(before);
      add_to_counter(before, base, counter.counter,
                     builder.CreateAdd(builder.CreateZExtOrTrunc(counter.trips_less_one, word), one));
    } else if (counter.promoted != nullptr) {
      IRBuilder<>(counter.promoted->getLoopPreheader()->getTerminator())
          .CreateStore(ConstantInt::get(word, 0), sums[i]);
      IRBuilder<> builder(&*counter.block->getFirstInsertionPt());
      builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word, sums[i]), one), sums[i]);
      SmallVector<BasicBlock*, 4> exits;
      counter.promoted->getUniqueExitBlocks(exits);
      for (BasicBlock* exit : exits) {
        Instruction* at = &*exit->getFirstInsertionPt();
        add_to_counter(at, base, counter.counter, IRBuilder<>(at).CreateLoad(word, sums[i]));
      }
    } else if (can_insert(*counter.block)) {
      Instruction* at = counter.block == &function.getEntryBlock() ? start : &*counter.block->getFirstInsertionPt();
      add_to_counter(at, base, counter.counter, one);
    }
  }
  std::vector<AllocaInst*> promotable;
  for (AllocaInst* sum : sums)
    if (sum != nullptr) promotable.push_back(sum);
  if (!promotable.empty()) {
    DominatorTree tree(function);
    PromoteMemToReg(promotable, tree);
  }
  return base;
}

}  // namespace cachescape::pass
