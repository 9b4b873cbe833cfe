#include "observe/compiled/pass/accesses.hpp"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace cachescape::pass {
namespace {

using namespace llvm;

// The widest vector whose mask fits into a word.
constexpr unsigned most_lanes = 64;

class Appender {
 public:
  Appender(Instruction& instruction, const DataLayout& layout, AccessList& to)
      : instruction_(instruction), layout_(layout), to_(to) {}

  void append() {
    if (auto* load = dyn_cast<LoadInst>(&instruction_)) {
      plain(load->getPointerOperand(), load->getType(), CACHESCAPE_READ);
    } else if (auto* store = dyn_cast<StoreInst>(&instruction_)) {
      plain(store->getPointerOperand(), store->getValueOperand()->getType(), CACHESCAPE_WRITE);
    } else if (auto* modify = dyn_cast<AtomicRMWInst>(&instruction_)) {
      plain(modify->getPointerOperand(), modify->getType(), CACHESCAPE_MODIFY);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction_)) {
      plain(exchange->getPointerOperand(), exchange->getCompareOperand()->getType(), CACHESCAPE_MODIFY);
    } else if (auto* memory = dyn_cast<AnyMemIntrinsic>(&instruction_)) {
      if (auto* transfer = dyn_cast<AnyMemTransferInst>(memory))
        range(transfer->getRawSource(), memory->getLength(), CACHESCAPE_READ);
      range(memory->getRawDest(), memory->getLength(), CACHESCAPE_WRITE);
    } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction_)) {
      vector(*intrinsic);
    }
  }

 private:
  void plain(Value* pointer, Type* type, std::uint8_t kind) {
    const TypeSize size = layout_.getTypeStoreSize(type);
    if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return;
    StaticAccess& access = to_.emplace_back();
    access.instruction = &instruction_;
    access.pointer = pointer;
    access.size = size.getKnownMinValue();
    access.kind = kind;
  }

  void range(Value* pointer, Value* length, std::uint8_t kind) {
    if (pointer->getType()->getPointerAddressSpace() != 0) return;
    auto* constant = dyn_cast<ConstantInt>(length);
    if (constant != nullptr && constant->isZero()) return;
    if (constant != nullptr && constant->getValue().ugt(UINT32_MAX)) constant = nullptr;
    StaticAccess& access = to_.emplace_back();
    access.instruction = &instruction_;
    access.pointer = pointer;
    access.kind = kind;
    if (constant != nullptr) {
      access.size = constant->getZExtValue();
    } else {
      access.dynamic_size = length;
    }
  }

  void vector(IntrinsicInst& intrinsic) {
    switch (intrinsic.getIntrinsicID()) {
      case Intrinsic::masked_load:
        lanes(intrinsic.getArgOperand(0), intrinsic.getType(), intrinsic.getArgOperand(2), CACHESCAPE_READ, true);
        break;
      case Intrinsic::masked_store:
        lanes(intrinsic.getArgOperand(1), intrinsic.getArgOperand(0)->getType(), intrinsic.getArgOperand(3),
              CACHESCAPE_WRITE, true);
        break;
      case Intrinsic::masked_gather:
        lanes(intrinsic.getArgOperand(0), intrinsic.getType(), intrinsic.getArgOperand(2), CACHESCAPE_READ, false);
        break;
      case Intrinsic::masked_scatter:
        lanes(intrinsic.getArgOperand(1), intrinsic.getArgOperand(0)->getType(), intrinsic.getArgOperand(3),
              CACHESCAPE_WRITE, false);
        break;
      case Intrinsic::masked_expandload:
        lanes(intrinsic.getArgOperand(0), intrinsic.getType(), intrinsic.getArgOperand(1), CACHESCAPE_READ, true);
        pack();
        break;
      case Intrinsic::masked_compressstore:
        lanes(intrinsic.getArgOperand(1), intrinsic.getArgOperand(0)->getType(), intrinsic.getArgOperand(2),
              CACHESCAPE_WRITE, true);
        pack();
        break;
      case Intrinsic::x86_sse3_ldu_dq:
      case Intrinsic::x86_avx_ldu_dq_256:
        plain(intrinsic.getArgOperand(0), intrinsic.getType(), CACHESCAPE_READ);
        break;
      case Intrinsic::x86_sse2_maskmov_dqu:
        lanes(intrinsic.getArgOperand(2), intrinsic.getArgOperand(0)->getType(), intrinsic.getArgOperand(1),
              CACHESCAPE_WRITE, true);
        to_.back().mask_by_sign = true;
        break;
      case Intrinsic::x86_avx_maskload_pd:
      case Intrinsic::x86_avx_maskload_ps:
      case Intrinsic::x86_avx_maskload_pd_256:
      case Intrinsic::x86_avx_maskload_ps_256:
      case Intrinsic::x86_avx2_maskload_d:
      case Intrinsic::x86_avx2_maskload_q:
      case Intrinsic::x86_avx2_maskload_d_256:
      case Intrinsic::x86_avx2_maskload_q_256:
        lanes(intrinsic.getArgOperand(0), intrinsic.getType(), intrinsic.getArgOperand(1), CACHESCAPE_READ, true);
        to_.back().mask_by_sign = true;
        break;
      case Intrinsic::x86_avx_maskstore_pd:
      case Intrinsic::x86_avx_maskstore_ps:
      case Intrinsic::x86_avx_maskstore_pd_256:
      case Intrinsic::x86_avx_maskstore_ps_256:
      case Intrinsic::x86_avx2_maskstore_d:
      case Intrinsic::x86_avx2_maskstore_q:
      case Intrinsic::x86_avx2_maskstore_d_256:
      case Intrinsic::x86_avx2_maskstore_q_256:
        lanes(intrinsic.getArgOperand(0), intrinsic.getArgOperand(2)->getType(), intrinsic.getArgOperand(1),
              CACHESCAPE_WRITE, true);
        to_.back().mask_by_sign = true;
        break;
      case Intrinsic::x86_avx2_gather_d_d:
      case Intrinsic::x86_avx2_gather_d_d_256:
      case Intrinsic::x86_avx2_gather_d_pd:
      case Intrinsic::x86_avx2_gather_d_pd_256:
      case Intrinsic::x86_avx2_gather_d_ps:
      case Intrinsic::x86_avx2_gather_d_ps_256:
      case Intrinsic::x86_avx2_gather_d_q:
      case Intrinsic::x86_avx2_gather_d_q_256:
      case Intrinsic::x86_avx2_gather_q_d:
      case Intrinsic::x86_avx2_gather_q_d_256:
      case Intrinsic::x86_avx2_gather_q_pd:
      case Intrinsic::x86_avx2_gather_q_pd_256:
      case Intrinsic::x86_avx2_gather_q_ps:
      case Intrinsic::x86_avx2_gather_q_ps_256:
      case Intrinsic::x86_avx2_gather_q_q:
      case Intrinsic::x86_avx2_gather_q_q_256:
        lanes_at(intrinsic, intrinsic.getArgOperand(1), intrinsic.getType(), intrinsic.getArgOperand(3),
                 CACHESCAPE_READ);
        to_.back().mask_by_sign = true;
        break;
      default:
        wide(intrinsic);
        break;
    }
  }

  // AVX-512's, of which there are some fifty that differ by their types only.
  void wide(IntrinsicInst& intrinsic) {
    const StringRef name = intrinsic.getCalledFunction()->getName();
    if (name.starts_with("llvm.x86.avx512.mask.gather")) {
      lanes_at(intrinsic, intrinsic.getArgOperand(1), intrinsic.getType(), intrinsic.getArgOperand(3), CACHESCAPE_READ);
    } else if (name.starts_with("llvm.x86.avx512.mask.scatter")) {
      lanes_at(intrinsic, intrinsic.getArgOperand(0), intrinsic.getArgOperand(3)->getType(), intrinsic.getArgOperand(1),
               CACHESCAPE_WRITE);
    }
  }

  void pack() {
    if (!to_.empty() && to_.back().instruction == &instruction_) to_.back().packed = true;
  }

  // Gathers are (what lanes keep that are off, base, indices, mask, scale), scatters (base, mask, indices, values,
  // scale).
  void lanes_at(IntrinsicInst& intrinsic, Value* base, Type* type, Value* mask, std::uint8_t kind) {
    Value* index = intrinsic.getArgOperand(2);
    lanes(base, type, mask, kind, false);
    StaticAccess& access = to_.back();
    access.index = index;
    access.scale = cast<ConstantInt>(intrinsic.getArgOperand(4))->getZExtValue();
    // Wide indices of narrow elements, or the other way round: as many as there are of both.
    access.lanes = std::min(access.lanes, cast<FixedVectorType>(index->getType())->getNumElements());
  }

  void lanes(Value* pointer, Type* type, Value* mask, std::uint8_t kind, bool side_by_side) {
    auto* vector = dyn_cast<FixedVectorType>(type);
    if (vector == nullptr || vector->getNumElements() > most_lanes) return;
    StaticAccess& access = to_.emplace_back();
    access.instruction = &instruction_;
    access.pointer = pointer;
    access.size = layout_.getTypeStoreSize(vector->getElementType()).getFixedValue();
    access.kind = kind;
    access.lanes = vector->getNumElements();
    access.side_by_side = side_by_side;
    access.mask = mask;
  }

  Instruction& instruction_;
  const DataLayout& layout_;
  AccessList& to_;
};

}  // namespace

void append_accesses(Instruction& instruction, const DataLayout& layout, AccessList& to) {
  Appender(instruction, layout, to).append();
}

const Type* accessed_type(const Instruction& instruction) {
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getCompareOperand()->getType();
  if (!instruction.getType()->isVoidTy()) return instruction.getType();
  const Type* first = instruction.getOperand(0)->getType();
  // Stores have the value first. AVX's masked stores and scatters have the pointer first, and the value last but for
  // a number.
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (intrinsic == nullptr || isa<AnyMemIntrinsic>(intrinsic) || !first->isPointerTy()) return first;
  for (const Use& argument : reverse(intrinsic->args()))
    if (argument->getType()->isVectorTy()) return argument->getType();
  return first;
}

bool may_run_other_code(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) return false;
  const Function* callee = call->getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return true;
  // Pure functions such as sin() are left; allocation functions, around which the runtime is told, are not pure.
  return !(callee->doesNotAccessMemory() && callee->doesNotThrow() && callee->willReturn());
}

bool acquires(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return isAcquireOrStronger(load->getOrdering());
  if (const auto* modify = dyn_cast<AtomicRMWInst>(&instruction)) return isAcquireOrStronger(modify->getOrdering());
  if (const auto* fence = dyn_cast<FenceInst>(&instruction)) return isAcquireOrStronger(fence->getOrdering());
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isAcquireOrStronger(exchange->getSuccessOrdering());
  return false;
}

}  // namespace cachescape::pass
