#include "observe/compiled/pass/record_writer.hpp"

#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "observe/compiled/pass/ordered_loop.hpp"
#include "observe/compiled/pass/runtime_symbols.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

constexpr std::uint64_t word_bytes = 8;

}  // namespace

RecordWriter::RecordWriter(Module& module)
    : module_(module),
      i8_(Type::getInt8Ty(module.getContext())),
      i64_(Type::getInt64Ty(module.getContext())),
      pointer_(PointerType::getUnqual(module.getContext())),
      unlikely_(MDBuilder(module.getContext()).createBranchWeights(1, 1 << 20)),
      next_(runtime_thread_local(module, "cachescape_next", pointer_)),
      end_(runtime_thread_local(module, "cachescape_end", pointer_)),
      limit_(runtime_thread_local(module, "cachescape_limit", pointer_)),
      refill_(runtime_slow_path(module, "cachescape_refill", FunctionType::get(pointer_, {pointer_}, false))) {}

void RecordWriter::write(Function& function, const RecordPlan& plan, const std::vector<Instruction*>& other_code,
                         const SegmentDescriptor& segment_descriptor, const LoopDescriptor& loop_descriptor) {
  place_ =
      IRBuilder<>(&*function.getEntryBlock().getFirstInsertionPt()).CreateAlloca(pointer_, nullptr, "cachescape.place");
  for (const SegmentPlan& segment : plan.segments) write_segment(segment, segment_descriptor(segment));
  for (const LoopPlan& loop : plan.loops) {
    write_ordered_version(loop, segment_descriptor);
    write_loop(loop, loop_descriptor(loop));
  }
  keep_place_in_register(function, other_code);
}

Value* RecordWriter::word(IRBuilder<>& builder, Value* value) {
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, i64_);
  if (auto* vector = dyn_cast<FixedVectorType>(value->getType())) {
    const auto bits = static_cast<unsigned>(vector->getPrimitiveSizeInBits().getFixedValue());
    value = builder.CreateBitCast(value, IntegerType::get(module_.getContext(), bits));
  }
  return builder.CreateZExtOrTrunc(value, i64_);
}

Value* RecordWriter::reserve(Instruction* before, std::uint64_t words) {
  IRBuilder<> builder(before);
  Value* place = builder.CreateLoad(pointer_, place_);
  Value* after = builder.CreateConstGEP1_64(i8_, place, words * word_bytes);
  Value* full = builder.CreateICmpUGT(after, builder.CreateLoad(pointer_, end_));
  BasicBlock* head = before->getParent();
  Instruction* then = SplitBlockAndInsertIfThen(full, before->getIterator(), false, unlikely_);
  CallInst* fresh = IRBuilder<>(then).CreateCall(refill_, {place});
  fresh->setCallingConv(CallingConv::PreserveAll);
  IRBuilder<> merged(before->getParent(), before->getParent()->begin());
  PHINode* record = merged.CreatePHI(pointer_, 2);
  record->addIncoming(place, head);
  record->addIncoming(fresh, then->getParent());
  IRBuilder<> tail(before);
  tail.CreateStore(tail.CreateConstGEP1_64(i8_, record, words * word_bytes), place_);
  return record;
}

void RecordWriter::write_slots(const StaticAccess& access, Value* record, std::uint64_t first_word) {
  IRBuilder<> builder(access.instruction);
  std::uint64_t at = first_word;
  const auto store = [&](Value* value) {
    builder.CreateAlignedStore(word(builder, value), builder.CreateConstGEP1_64(i8_, record, at++ * word_bytes),
                               Align(word_bytes));
  };
  if (access.index != nullptr) {
    for (unsigned lane = 0; lane < access.lanes; ++lane) {
      Value* index = builder.CreateSExtOrTrunc(builder.CreateExtractElement(access.index, lane), i64_);
      store(builder.CreateGEP(i8_, access.pointer, builder.CreateMul(index, ConstantInt::get(i64_, access.scale))));
    }
  } else if (access.pointer->getType()->isVectorTy()) {
    for (unsigned lane = 0; lane < access.lanes; ++lane) store(builder.CreateExtractElement(access.pointer, lane));
  } else {
    store(access.pointer);
  }
  if (access.dynamic_size != nullptr) store(access.dynamic_size);
  if (access.mask == nullptr) return;
  if (access.mask_by_sign) {
    Type* integers = VectorType::getInteger(cast<VectorType>(access.mask->getType()));
    store(builder.CreateIsNeg(builder.CreateBitCast(access.mask, integers)));
  } else if (access.packed) {
    // As many lanes as are on, from the first.
    Value* all = ConstantInt::get(i64_, ~std::uint64_t{0});
    Value* on = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, word(builder, access.mask));
    Value* off = builder.CreateSub(ConstantInt::get(i64_, 64), on);
    store(builder.CreateSelect(builder.CreateIsNull(on), ConstantInt::get(i64_, 0), builder.CreateLShr(all, off)));
  } else {
    store(access.mask);
  }
}

void RecordWriter::write_segment(const SegmentPlan& plan, Constant* descriptor) {
  Value* record = reserve(plan.accesses.front().instruction, 1 + plan.slots);
  IRBuilder<> builder(plan.accesses.front().instruction);
  builder.CreateAlignedStore(descriptor, record, Align(word_bytes));
  SmallSet<unsigned, 16> written;
  for (const StaticAccess& access : plan.accesses)
    if (written.insert(access.slot).second) write_slots(access, record, 1 + access.slot);
}

void RecordWriter::write_loop(const LoopPlan& plan, Constant* descriptor) {
  if (plan.slots != 0) {
    Instruction* first = nullptr;
    for (const StaticAccess& access : plan.accesses)
      if (!access.strided && first == nullptr) first = access.instruction;
    Value* slots = reserve(first, plan.slots);
    SmallSet<unsigned, 16> written;
    for (const StaticAccess& access : plan.accesses)
      if (!access.strided && written.insert(access.slot).second) write_slots(access, slots, access.slot);
  }
  Value* record = reserve(plan.before, 2 + plan.base_values.size());
  IRBuilder<> builder(plan.before);
  builder.CreateAlignedStore(descriptor, record, Align(word_bytes));
  Value* trips = builder.CreateAdd(builder.CreateZExtOrTrunc(plan.trip_value, i64_), ConstantInt::get(i64_, 1));
  builder.CreateAlignedStore(trips, builder.CreateConstGEP1_64(i8_, record, word_bytes), Align(word_bytes));
  for (std::size_t base = 0; base < plan.base_values.size(); ++base) {
    builder.CreateAlignedStore(word(builder, plan.base_values[base]),
                               builder.CreateConstGEP1_64(i8_, record, (2 + base) * word_bytes), Align(word_bytes));
  }
}

void RecordWriter::write_ordered_version(const LoopPlan& plan, const SegmentDescriptor& segment_descriptor) {
  const std::vector<SegmentPlan> trip = add_ordered_version(plan, limit_, unlikely_);
  // The descriptors are those of the original's accesses, which have their sites.
  for (std::size_t i = 0; i < trip.size(); ++i) write_segment(trip[i], segment_descriptor(plan.trip[i]));
}

void RecordWriter::keep_place_in_register(Function& function, const std::vector<Instruction*>& other_code) {
  const auto load = [&](BasicBlock::iterator at) {
    IRBuilder<> builder(at->getParent(), at);
    builder.CreateStore(builder.CreateLoad(pointer_, next_), place_);
  };
  const auto store = [&](Instruction* before) {
    IRBuilder<> builder(before);
    builder.CreateStore(builder.CreateLoad(pointer_, place_), next_);
  };
  load(std::next(place_->getIterator()));
  for (Instruction* i : other_code) {
    store(i);
    if (auto* invoke = dyn_cast<InvokeInst>(i)) {
      load(invoke->getNormalDest()->getFirstInsertionPt());
    } else if (!cast<CallBase>(i)->isMustTailCall()) {
      load(std::next(i->getIterator()));
    }
  }
  for (BasicBlock& block : function) {
    // All edges to a landing pad come from calls that have stored their place.
    if (block.isLandingPad()) load(block.getFirstInsertionPt());
    Instruction* last = block.getTerminator();
    if ((isa<ReturnInst>(last) || isa<ResumeInst>(last)) && block.getTerminatingMustTailCall() == nullptr) store(last);
  }
  DominatorTree tree(function);
  PromoteMemToReg({place_}, tree);
  place_ = nullptr;
}

}  // namespace cachescape::pass
