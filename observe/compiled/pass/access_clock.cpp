#include "observe/compiled/pass/access_clock.hpp"

#include <optional>

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "observe/compiled/pass/block_counts.hpp"
#include "observe/compiled/pass/runtime_symbols.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

/// The collector takes a longer access as several.
constexpr std::uint64_t longest_part = 4096;

bool is_by_value(const StaticAccess& access) { return access.dynamic_size != nullptr || access.mask != nullptr; }

std::uint64_t parts(const StaticAccess& access) {
  return access.size <= longest_part ? 1 : (access.size + longest_part - 1) / longest_part;
}

/// Accesses of a block between two calls.
struct Stretch {
  Instruction* first = nullptr;
  std::uint64_t accesses = 0;
};

struct BlockAccesses {
  Stretch opening;  ///< before any call
  std::vector<Stretch> others;
};

BlockAccesses accesses_of(BasicBlock& block, std::vector<StaticAccess>& by_value) {
  BlockAccesses found;
  Stretch* stretch = &found.opening;
  for (Instruction& i : block) {
    AccessList accesses;
    append_accesses(i, block.getModule()->getDataLayout(), accesses);
    for (const StaticAccess& access : accesses) {
      if (is_by_value(access)) {
        by_value.push_back(access);
        continue;
      }
      if (stretch->first == nullptr) stretch->first = &i;
      stretch->accesses += parts(access);
    }
    if (may_run_other_code(i)) stretch = &found.others.emplace_back();
  }
  std::erase_if(found.others, [](const Stretch& s) { return s.accesses == 0; });
  return found;
}

bool calls_nothing(const Function& function) {
  for (const BasicBlock& block : function)
    for (const Instruction& i : block)
      if (may_run_other_code(i)) return false;
  return true;
}

/// The loop's trips less one, if they are known in front of it and the block runs in each.
const SCEV* known_trips(Loop* loop, const BasicBlock& block, const DominatorTree& dominators,
                        ScalarEvolution& evolution) {
  if (loop == nullptr || !loop->isInnermost() || !loop->isLoopSimplifyForm() || !runs_alone(*loop)) return nullptr;
  if (loop->getExitingBlock() != loop->getLoopLatch() || !dominators.dominates(&block, loop->getLoopLatch()))
    return nullptr;
  const SCEV* trips = evolution.getBackedgeTakenCount(loop);
  return isa<SCEVCouldNotCompute>(trips) ? nullptr : trips;
}

Instruction* start_of(BasicBlock& block) {
  if (&block == &block.getParent()->getEntryBlock()) return &*block.getFirstNonPHIOrDbgOrAlloca();
  return &*block.getFirstInsertionPt();
}

}  // namespace

ClockPlan plan_clock(Function& function, DominatorTree& dominators, LoopInfo& loops, ScalarEvolution& evolution) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  const PostDominatorTree after(function);
  const bool alone = calls_nothing(function);
  ClockPlan plan;
  MapVector<BasicBlock*, Stretch> openings;
  for (BasicBlock& block : function) {
    const BlockAccesses found = accesses_of(block, plan.by_value);
    for (const Stretch& s : found.others) plan.steps.push_back({s.first, s.accesses, nullptr});
    if (found.opening.accesses == 0) continue;
    // Together with another block's only where no call lies between: one that does not return must not count the rest.
    Loop* loop = loops.getLoopFor(&block);
    const bool movable = loop == nullptr ? alone : runs_alone(*loop);
    BasicBlock* to = movable ? representative(block, dominators, after, loops) : &block;
    Stretch& sum = openings[to];
    sum.accesses += found.opening.accesses;
    if (to == &block) sum.first = found.opening.first;
  }
  DenseMap<const Loop*, Value*> expanded;
  for (const auto& [block, sum] : openings) {
    Loop* loop = loops.getLoopFor(block);
    const SCEV* trips = known_trips(loop, *block, dominators, evolution);
    Instruction* before = trips == nullptr ? nullptr : loop->getLoopPreheader()->getTerminator();
    SCEVExpander expander(evolution, layout, "cachescape");
    if (before != nullptr && expander.isSafeToExpandAt(trips, before)) {
      Value*& value = expanded[loop];
      if (value == nullptr) value = expander.expandCodeFor(trips, trips->getType(), before->getIterator());
      plan.steps.push_back({before, sum.accesses, value});
    } else {
      plan.steps.push_back({sum.first != nullptr ? sum.first : start_of(*block), sum.accesses, nullptr});
    }
  }
  return plan;
}

ClockWriter::ClockWriter(Module& module)
    : module_(module),
      left_(runtime_thread_local(module, "cachescape_accesses_left", Type::getInt64Ty(module.getContext()))),
      tick_(runtime_slow_path(module, "cachescape_tick",
                              FunctionType::get(Type::getVoidTy(module.getContext()), false))) {}

void ClockWriter::subtract(Instruction* before, Value* accesses) {
  IRBuilder<> builder(before);
  Type* word = builder.getInt64Ty();
  Value* left = builder.CreateSub(builder.CreateLoad(word, left_), accesses);
  builder.CreateStore(left, left_);
  MDNode* unlikely = MDBuilder(module_.getContext()).createBranchWeights(1, 1 << 20);
  Instruction* then = SplitBlockAndInsertIfThen(builder.CreateICmpSLT(left, ConstantInt::get(word, 0)),
                                                before->getIterator(), false, unlikely);
  IRBuilder<>(then).CreateCall(tick_)->setCallingConv(CallingConv::PreserveAll);
}

void ClockWriter::write(const ClockPlan& plan) {
  Type* word = Type::getInt64Ty(module_.getContext());
  for (const StaticAccess& access : plan.by_value) {
    IRBuilder<> builder(access.instruction);
    if (access.dynamic_size != nullptr) {
      Value* bytes = builder.CreateZExtOrTrunc(access.dynamic_size, word);
      subtract(access.instruction,
               builder.CreateLShr(builder.CreateAdd(bytes, ConstantInt::get(word, longest_part - 1)),
                                  ConstantInt::get(word, 12)));
      continue;
    }
    Value* lanes = access.mask;
    if (access.mask_by_sign)
      lanes =
          builder.CreateIsNeg(builder.CreateBitCast(lanes, VectorType::getInteger(cast<VectorType>(lanes->getType()))));
    const unsigned count = cast<FixedVectorType>(lanes->getType())->getNumElements();
    Value* bits =
        builder.CreateZExtOrTrunc(builder.CreateBitCast(lanes, IntegerType::get(module_.getContext(), count)), word);
    if (access.lanes < count) bits = builder.CreateAnd(bits, (std::uint64_t{1} << access.lanes) - 1);
    subtract(access.instruction, access.side_by_side ? builder.CreateZExt(builder.CreateIsNotNull(bits), word)
                                                     : builder.CreateUnaryIntrinsic(Intrinsic::ctpop, bits));
  }
  for (const ClockStep& step : plan.steps) {
    Value* accesses = ConstantInt::get(word, step.accesses);
    if (step.trips_less_one != nullptr) {
      IRBuilder<> builder(step.before);
      Value* trips = builder.CreateAdd(builder.CreateZExtOrTrunc(step.trips_less_one, word), ConstantInt::get(word, 1));
      accesses = builder.CreateMul(trips, accesses);
    }
    subtract(step.before, accesses);
  }
}

}  // namespace cachescape::pass
