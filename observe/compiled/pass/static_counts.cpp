#include "observe/compiled/pass/static_counts.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"
#include "observe/compiled/pass/function_name.hpp"
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
      const std::string type = simple_type(accessed_type(i));
      add("load." + type, reads ? 1 : 0);
      add("store." + type, writes ? 1 : 0);
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
    } else if (isa<IndirectBrInst>(i)) {
      add("branches.indirect", 1);
    } else if (!isa<UnreachableInst>(i)) {
      add("branches.other", 1);
    }
  }

  static std::uint64_t flops_of(const IntrinsicInst& i) {
    const unsigned n = lanes(i.getType());
    switch (i.getIntrinsicID()) {
      case Intrinsic::fma:
      case Intrinsic::fmuladd:
      case Intrinsic::experimental_constrained_fma:
      case Intrinsic::experimental_constrained_fmuladd:
        return std::uint64_t{2} * n;
      case Intrinsic::sqrt:
      case Intrinsic::minnum:
      case Intrinsic::maxnum:
      case Intrinsic::minimum:
      case Intrinsic::maximum:
      case Intrinsic::fabs:
      case Intrinsic::copysign:
      case Intrinsic::floor:
      case Intrinsic::ceil:
      case Intrinsic::trunc:
      case Intrinsic::rint:
      case Intrinsic::nearbyint:
      case Intrinsic::round:
      case Intrinsic::roundeven:
      // Arithmetic where the program may change how numbers are rounded, with -frounding-math for one.
      case Intrinsic::experimental_constrained_fadd:
      case Intrinsic::experimental_constrained_fsub:
      case Intrinsic::experimental_constrained_fmul:
      case Intrinsic::experimental_constrained_fdiv:
      case Intrinsic::experimental_constrained_frem:
      case Intrinsic::experimental_constrained_sqrt:
        return n;
      case Intrinsic::vector_reduce_fadd:
      case Intrinsic::vector_reduce_fmul:
        return lanes(i.getArgOperand(1)->getType());
      case Intrinsic::vector_reduce_fmin:
      case Intrinsic::vector_reduce_fmax:
        return lanes(i.getArgOperand(0)->getType());
      default:
        return 0;
    }
  }

  // What the optimiser makes of arithmetic, of rotations and of comparisons with a choice.
  static std::uint64_t integer_operations_of(const IntrinsicInst& i) {
    switch (i.getIntrinsicID()) {
      case Intrinsic::sadd_with_overflow:
      case Intrinsic::uadd_with_overflow:
      case Intrinsic::ssub_with_overflow:
      case Intrinsic::usub_with_overflow:
      case Intrinsic::smul_with_overflow:
      case Intrinsic::umul_with_overflow:
      case Intrinsic::sadd_sat:
      case Intrinsic::uadd_sat:
      case Intrinsic::ssub_sat:
      case Intrinsic::usub_sat:
      case Intrinsic::sshl_sat:
      case Intrinsic::ushl_sat:
      case Intrinsic::fshl:
      case Intrinsic::fshr:
      case Intrinsic::abs:
      case Intrinsic::smin:
      case Intrinsic::smax:
      case Intrinsic::umin:
      case Intrinsic::umax:
      case Intrinsic::ctpop:
      case Intrinsic::ctlz:
      case Intrinsic::cttz:
      case Intrinsic::bswap:
      case Intrinsic::bitreverse:
      case Intrinsic::vector_reduce_add:
      case Intrinsic::vector_reduce_mul:
      case Intrinsic::vector_reduce_and:
      case Intrinsic::vector_reduce_or:
      case Intrinsic::vector_reduce_xor:
      case Intrinsic::vector_reduce_smin:
      case Intrinsic::vector_reduce_smax:
      case Intrinsic::vector_reduce_umin:
      case Intrinsic::vector_reduce_umax:
        return lanes(i.getArgOperand(0)->getType());
      default:
        return 0;
    }
  }

  // Of what goes in and comes out, without an intrinsic's flags.
  static std::uint64_t bits_of(const Instruction& i) {
    const auto bits = [](const Type* type) -> std::uint64_t { return type->getPrimitiveSizeInBits().getFixedValue(); };
    std::uint64_t sum = 0;
    if (const auto* both = dyn_cast<StructType>(i.getType())) {
      for (const Type* part : both->elements()) sum += bits(part);
    } else {
      sum = bits(i.getType());
    }
    const auto* call = dyn_cast<CallBase>(&i);
    for (unsigned n = 0; n < (call == nullptr ? i.getNumOperands() : call->arg_size()); ++n)
      if (call == nullptr || !call->paramHasAttr(n, Attribute::ImmArg)) sum += bits(i.getOperand(n)->getType());
    return sum;
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
      flops = flops_of(*intrinsic);
      integers = integer_operations_of(*intrinsic);
    }
    if (flops + integers == 0) return;
    add("flops", flops);
    add("int.ops", integers);
    const std::uint64_t bits = bits_of(i);
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
    add("call." + (callee == nullptr ? std::string("(indirect)") : function_name(callee->getName())), 1);
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
  counts["blocks"] = 1;
  Counter counter(block, counts);
  for (const Instruction& i : block) counter.count(i);
  return counts;
}

}  // namespace cachescape::pass
