#include "observe/compiled/pass/static_counts.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"
#include "observe/compiled/pass/source_names.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

class Counter {
 public:
  Counter(const BasicBlock& block, std::map<std::string, std::uint64_t>& counts)
      : layout_(block.getModule()->getDataLayout()), counts_(counts) {}

  void count(const Instruction& i) {
    if (!counts_as_instruction(i)) return;
    add("instructions", 1);
    add(std::string("op.") + i.getOpcodeName(), 1);
    accesses(i);
    if (i.isTerminator()) {
      branch(i);
    } else {
      operation(i);
    }
    if (auto* call = dyn_cast<CallBase>(&i)) called(*call);
  }

 private:
  void add(const std::string& metric, std::uint64_t amount) {
    if (amount != 0) counts_[metric] += amount;
  }

  static unsigned lanes(const Type* type) {
    auto* vector = dyn_cast<FixedVectorType>(type);
    return vector == nullptr ? 1 : vector->getNumElements();
  }

  void accesses(const Instruction& i) {
    AccessList found;
    append_accesses(const_cast<Instruction&>(i), layout_, found);
    for (const StaticAccess& access : found) {
      const bool reads = access.kind != CACHESCAPE_WRITE;
      const bool writes = access.kind != CACHESCAPE_READ;
      const std::uint64_t bytes = access.size * access.lanes;
      add("loads", reads ? 1 : 0);
      add("stores", writes ? 1 : 0);
      add("bytes.loaded", reads ? bytes : 0);
      add("bytes.stored", writes ? bytes : 0);
      if (isa<AnyMemIntrinsic>(i)) continue;
      const Type* type = i.getType()->isVoidTy() ? i.getOperand(0)->getType() : i.getType();
      add((writes ? "store." : "load.") + simple_type(type), 1);
    }
    if (auto* memory = dyn_cast<AnyMemIntrinsic>(&i)) {
      const char* name = isa<AnyMemSetInst>(memory) ? "memset" : isa<AnyMemMoveInst>(memory) ? "memmove" : "memcpy";
      add(std::string(name) + ".calls", 1);
      if (auto* length = dyn_cast<ConstantInt>(memory->getLength()))
        add(std::string(name) + ".bytes", length->getZExtValue());
    }
  }

  static std::string simple_type(const Type* type) {
    if (auto* vector = dyn_cast<FixedVectorType>(type))
      return SourceNames::type(vector->getElementType()) + "x" + std::to_string(vector->getNumElements());
    return SourceNames::type(type);
  }

  void branch(const Instruction& i) {
    if (auto* jump = dyn_cast<BranchInst>(&i)) {
      add(jump->isConditional() ? "branches.conditional" : "branches.unconditional", 1);
    } else if (isa<SwitchInst>(i) || isa<IndirectBrInst>(i)) {
      add("branches.indirect", 1);
    } else if (!isa<UnreachableInst>(i)) {
      add("branches.other", 1);
    }
  }

  void operation(const Instruction& i) {
    std::uint64_t flops = 0;
    std::uint64_t integers = 0;
    const unsigned n = lanes(i.getType());
    if (isa<BinaryOperator>(i)) {
      (i.getType()->isFPOrFPVectorTy() ? flops : integers) = n;
    } else if (i.getOpcode() == Instruction::FNeg) {
      flops = n;
    } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) {
      switch (intrinsic->getIntrinsicID()) {
        case Intrinsic::fma:
        case Intrinsic::fmuladd:
          flops = std::uint64_t{2} * n;
          break;
        case Intrinsic::sqrt:
        case Intrinsic::minnum:
        case Intrinsic::maxnum:
        case Intrinsic::fabs:
          flops = n;
          break;
        case Intrinsic::vector_reduce_fadd:
        case Intrinsic::vector_reduce_fmul:
          flops = lanes(intrinsic->getArgOperand(1)->getType());
          break;
        default:
          break;
      }
    }
    if (flops + integers == 0) return;
    add("flops", flops);
    add("int.ops", integers);
    std::uint64_t bits = i.getType()->getPrimitiveSizeInBits().getFixedValue();
    for (const Use& operand : i.operands())
      if (!isa<Function>(operand)) bits += operand->getType()->getPrimitiveSizeInBits().getFixedValue();
    add("op.bits", bits);
    if (flops != 0) add("flop.bits", bits);
    if (n > 1) {
      add("vector.ops", 1);
      add("vector." + simple_type(i.getType()), 1);
    }
  }

  void called(const CallBase& call) {
    if (isa<IntrinsicInst>(call) || call.isInlineAsm()) return;
    add("calls", 1);
    const Function* callee = call.getCalledFunction();
    add("call." + (callee == nullptr ? std::string("(indirect)") : callee->getName().str()), 1);
  }

  const DataLayout& layout_;
  std::map<std::string, std::uint64_t>& counts_;
};

}  // namespace

bool counts_as_instruction(const Instruction& i) {
  if (isa<DbgInfoIntrinsic>(i) || isa<PHINode>(i)) return false;
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
  return intrinsic == nullptr || !intrinsic->isAssumeLikeIntrinsic();
}

std::map<std::string, std::uint64_t> static_counts(const BasicBlock& block) {
  std::map<std::string, std::uint64_t> counts;
  Counter counter(block, counts);
  for (const Instruction& i : block) counter.count(i);
  return counts;
}

}  // namespace cachescape::pass
