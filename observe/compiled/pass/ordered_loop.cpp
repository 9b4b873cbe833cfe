#include "observe/compiled/pass/ordered_loop.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace cachescape::pass {
namespace {

using namespace llvm;

/// The one block behind a loop of one block; null where there are several ways out.
BasicBlock* exit_of(BasicBlock& body) {
  auto* branch = dyn_cast<BranchInst>(body.getTerminator());
  if (branch == nullptr || !branch->isConditional()) return nullptr;
  BasicBlock* exit = branch->getSuccessor(branch->getSuccessor(0) == &body ? 1 : 0);
  return exit->getSinglePredecessor() == &body ? exit : nullptr;
}

/// What the loop computes reaches the code behind it through phis, which then can have the copy's values too.
void reach_exit_by_phis(BasicBlock& body, BasicBlock& exit) {
  for (Instruction& value : body) {
    SmallVector<Use*, 8> uses;
    for (Use& use : value.uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (user->getParent() != &body && !(isa<PHINode>(user) && user->getParent() == &exit)) uses.push_back(&use);
    }
    if (uses.empty()) continue;
    PHINode* phi = PHINode::Create(value.getType(), 2, "", exit.begin());
    phi->addIncoming(&value, &body);
    for (Use* use : uses) use->set(phi);
  }
}

SegmentPlan copied(const SegmentPlan& plan, BasicBlock* block, ValueToValueMapTy& copies) {
  const auto copy = [&](Value* value) -> Value* {
    if (value == nullptr) return nullptr;
    const auto found = copies.find(value);
    return found == copies.end() ? value : static_cast<Value*>(found->second);
  };
  SegmentPlan result = plan;
  result.block = block;
  for (StaticAccess& access : result.accesses) {
    access.instruction = cast<Instruction>(copy(access.instruction));
    access.pointer = copy(access.pointer);
    access.dynamic_size = copy(access.dynamic_size);
    access.mask = copy(access.mask);
    access.index = copy(access.index);
  }
  return result;
}

}  // namespace

std::vector<SegmentPlan> add_ordered_version(const LoopPlan& plan, GlobalVariable* limit, MDNode* unlikely) {
  BasicBlock& body = *plan.body;
  BasicBlock* exit = exit_of(body);
  if (exit == nullptr) return {};
  reach_exit_by_phis(body, *exit);

  BasicBlock* before = plan.before->getParent();
  BasicBlock* to_original = SplitBlock(before, plan.before);
  ValueToValueMapTy copies;
  BasicBlock* copy = CloneBasicBlock(&body, copies, ".ordered", body.getParent());
  copies[&body] = copy;
  copies[to_original] = before;
  remapInstructionsInBlocks({copy}, copies);
  copy->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  for (PHINode& phi : exit->phis()) {
    Value* value = phi.getIncomingValueForBlock(&body);
    const auto found = copies.find(value);
    phi.addIncoming(found == copies.end() ? value : static_cast<Value*>(found->second), copy);
  }
  Instruction* end = before->getTerminator();
  IRBuilder<> builder(end);
  Value* in_pieces = builder.CreateIsNotNull(builder.CreateLoad(builder.getPtrTy(), limit));
  builder.CreateCondBr(in_pieces, copy, to_original, unlikely);
  end->eraseFromParent();

  std::vector<SegmentPlan> trip;
  for (const SegmentPlan& segment : plan.trip) trip.push_back(copied(segment, copy, copies));
  return trip;
}

}  // namespace cachescape::pass
