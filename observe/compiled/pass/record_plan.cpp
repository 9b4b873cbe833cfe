#include "observe/compiled/pass/record_plan.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace cachescape::pass {
namespace {

using namespace llvm;

constexpr std::size_t most_accesses = 60;
constexpr unsigned most_slots = CACHESCAPE_MOST_SLOTS;

std::optional<std::int64_t> constant_difference(ScalarEvolution& evolution, const SCEV* a, const SCEV* b) {
  if (a->getType() != b->getType()) return std::nullopt;
  auto* difference = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(a, b));
  if (difference == nullptr || !difference->getAPInt().isSignedIntN(31)) return std::nullopt;
  return difference->getAPInt().getSExtValue();
}

/// Gives each access a slot, or the slot of an earlier one at a constant distance.
class SlotAssignment {
 public:
  explicit SlotAssignment(ScalarEvolution& evolution) : evolution_(evolution) {}

  void assign(StaticAccess& access) {
    if (access.simple() && shares(access)) return;
    access.slot = slots_;
    access.offset = 0;
    slots_ += access.words();
    if (access.simple()) leaders_.push_back({access.pointer, access.slot});
  }
  unsigned slots() const { return slots_; }

 private:
  struct Leader {
    Value* pointer;
    unsigned slot;
  };

  bool shares(StaticAccess& access) {
    for (const Leader& leader : leaders_) {
      if (leader.pointer == access.pointer) {
        access.slot = leader.slot;
        access.offset = 0;
        return true;
      }
      const auto difference =
          constant_difference(evolution_, evolution_.getSCEV(access.pointer), evolution_.getSCEV(leader.pointer));
      if (difference) {
        access.slot = leader.slot;
        access.offset = *difference;
        return true;
      }
    }
    return false;
  }

  ScalarEvolution& evolution_;
  SmallVector<Leader, 8> leaders_;
  unsigned slots_ = 0;
};

/// Makes an access of a loop strided, if its address is a start plus a constant step per trip.
bool plan_strided(StaticAccess& access, LoopPlan& plan, ScalarEvolution& evolution, SCEVExpander& expander) {
  if (!access.simple()) return false;
  const SCEV* address = evolution.getSCEV(access.pointer);
  const SCEV* start = nullptr;
  std::int64_t step = 0;
  if (evolution.isLoopInvariant(address, plan.loop)) {
    start = address;
  } else if (auto* recurrence = dyn_cast<SCEVAddRecExpr>(address)) {
    if (recurrence->getLoop() != plan.loop || !recurrence->isAffine()) return false;
    auto* constant = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
    if (constant == nullptr || !constant->getAPInt().isSignedIntN(31)) return false;
    start = recurrence->getStart();
    step = constant->getAPInt().getSExtValue();
  } else {
    return false;
  }
  if (!expander.isSafeToExpandAt(start, plan.before)) return false;
  access.strided = true;
  access.step = step;
  for (unsigned base = 0; base < plan.starts.size(); ++base) {
    if (const auto difference = constant_difference(evolution, start, plan.starts[base])) {
      access.slot = base;
      access.offset = *difference;
      return true;
    }
  }
  access.slot = static_cast<unsigned>(plan.starts.size());
  access.offset = 0;
  plan.starts.push_back(start);
  return true;
}

void plan_segments(BasicBlock& block, ScalarEvolution& evolution, const DataLayout& layout,
                   std::vector<SegmentPlan>& to) {
  SegmentPlan segment;
  segment.block = &block;
  const auto close = [&] {
    if (segment.accesses.empty()) return;
    SlotAssignment slots(evolution);
    for (StaticAccess& access : segment.accesses) slots.assign(access);
    segment.slots = slots.slots();
    to.push_back(segment);
    segment.accesses.clear();
  };
  unsigned words = 0;
  for (Instruction& i : block) {
    AccessList found;
    append_accesses(i, layout, found);
    for (const StaticAccess& access : found) {
      if (segment.accesses.size() == most_accesses || words + access.words() > most_slots) {
        close();
        words = 0;
      }
      segment.accesses.push_back(access);
      words += access.words();
    }
    if (may_run_other_code(i) || acquires(i)) {
      close();
      words = 0;
    }
  }
  close();
}

std::optional<LoopPlan> plan_loop(Loop& loop, ScalarEvolution& evolution, const DataLayout& layout) {
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || loop.getNumBlocks() != 1) return std::nullopt;
  LoopPlan plan;
  plan.loop = &loop;
  plan.body = loop.getHeader();
  plan.before = loop.getLoopPreheader()->getTerminator();
  plan.trips_less_one = evolution.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(plan.trips_less_one)) return std::nullopt;
  SCEVExpander expander(evolution, layout, "cachescape");
  if (!expander.isSafeToExpandAt(plan.trips_less_one, plan.before)) return std::nullopt;
  for (Instruction& i : *loop.getHeader()) {
    if (may_run_other_code(i)) return std::nullopt;
    append_accesses(i, layout, plan.accesses);
  }
  if (plan.accesses.empty() || plan.accesses.size() > most_accesses) return std::nullopt;
  bool any = false;
  SlotAssignment slots(evolution);
  for (StaticAccess& access : plan.accesses) {
    if (plan_strided(access, plan, evolution, expander)) {
      any = true;
    } else {
      slots.assign(access);
    }
  }
  plan.slots = slots.slots();
  if (!any || plan.slots > most_slots) return std::nullopt;
  plan_segments(*plan.body, evolution, layout, plan.trip);
  return plan;
}

void expand(LoopPlan& plan, ScalarEvolution& evolution, const DataLayout& layout) {
  SCEVExpander expander(evolution, layout, "cachescape");
  plan.trip_value =
      expander.expandCodeFor(plan.trips_less_one, plan.trips_less_one->getType(), plan.before->getIterator());
  for (const SCEV* start : plan.starts)
    plan.base_values.push_back(expander.expandCodeFor(start, start->getType(), plan.before->getIterator()));
}

}  // namespace

RecordPlan plan_records(Function& function, LoopInfo& loops, ScalarEvolution& evolution) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  RecordPlan plan;
  SmallPtrSet<const BasicBlock*, 16> in_loops;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (auto planned = plan_loop(*loop, evolution, layout)) {
      in_loops.insert(loop->getHeader());
      plan.loops.push_back(std::move(*planned));
    }
  }
  for (BasicBlock& block : function) {
    if (!in_loops.contains(&block)) plan_segments(block, evolution, layout, plan.segments);
  }
  for (LoopPlan& loop : plan.loops) expand(loop, evolution, layout);
  return plan;
}

}  // namespace cachescape::pass
