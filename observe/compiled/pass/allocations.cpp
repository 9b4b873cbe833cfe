#include "observe/compiled/pass/allocations.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace cachescape::pass {
namespace {

using namespace llvm;
using Kind = MemoryCall::Kind;

// In the way that the C library's own are found: by their names, whatever file they come from.
std::optional<Kind> kind_by_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return std::nullopt;
  const auto kind = StringSwitch<std::optional<Kind>>(callee->getName())
                        .Case("posix_memalign", Kind::allocates_aligned)
                        .Cases("mmap", "mmap64", Kind::maps)
                        .Case("munmap", Kind::frees)
                        .StartsWith("_FortranAAllocatableAllocate", Kind::allocates_fortran)
                        .StartsWith("_FortranAPointerAllocate", Kind::allocates_fortran)
                        .StartsWith("_FortranAAllocatableDeallocate", Kind::frees_fortran)
                        .StartsWith("_FortranAPointerDeallocate", Kind::frees_fortran)
                        .Case("_FortranAAssign", Kind::reallocates_fortran)
                        .Default(std::nullopt);
  const unsigned arguments = kind == Kind::allocates_aligned ? 3 : kind == Kind::maps ? 2 : 1;
  const bool as_declared = call.arg_size() >= arguments && call.getArgOperand(0)->getType()->isPointerTy() &&
                           (kind != Kind::maps || call.getType()->isPointerTy()) &&
                           (kind != Kind::allocates_aligned || call.getType()->isIntegerTy());
  return as_declared ? kind : std::nullopt;
}

// Where flang's descriptors have the address.
Value* base_of(Value* descriptor, IRBuilder<>& builder) { return builder.CreateLoad(builder.getPtrTy(), descriptor); }

Value* bytes_of(const CallBase& call, IRBuilder<>& builder) {
  const StringRef name = call.getCalledFunction() == nullptr ? StringRef() : call.getCalledFunction()->getName();
  Type* word = builder.getInt64Ty();
  const auto argument = [&](unsigned i) -> Value* {
    if (i >= call.arg_size() || !call.getArgOperand(i)->getType()->isIntegerTy()) return ConstantInt::get(word, 0);
    return builder.CreateZExtOrTrunc(call.getArgOperand(i), word);
  };
  if (name == "calloc") return builder.CreateMul(argument(0), argument(1));
  if (name == "posix_memalign") return argument(2);
  if (name == "realloc" || name == "reallocf" || name == "aligned_alloc" || name == "memalign" ||
      name.starts_with("mmap"))
    return argument(1);
  return argument(0);
}

}  // namespace

Value* MemoryCall::named_by() const {
  const bool by_variable =
      kind == Kind::allocates_aligned || kind == Kind::allocates_fortran || kind == Kind::reallocates_fortran;
  return by_variable ? call->getArgOperand(0) : call;
}

std::vector<MemoryCall> memory_calls(Function& function, const TargetLibraryInfo& library) {
  std::vector<MemoryCall> calls;
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&i);
    if (call == nullptr || call->isMustTailCall() || isa<IntrinsicInst>(call)) continue;
    if (const auto kind = kind_by_name(*call)) {
      calls.push_back({call, *kind});
      continue;
    }
    // realloc() does both.
    if (getFreedOperand(call, &library) != nullptr) calls.push_back({call, Kind::frees});
    if (isAllocationFn(call, &library)) calls.push_back({call, Kind::allocates});
  }
  return calls;
}

Value* freed_memory(const MemoryCall& memory, const TargetLibraryInfo& library, IRBuilder<>& before) {
  Value* first = memory.call->getArgOperand(0);
  if (memory.kind == Kind::frees_fortran || memory.kind == Kind::reallocates_fortran) return base_of(first, before);
  Value* freed = getFreedOperand(memory.call, &library);
  return freed == nullptr ? first : freed;
}

Memory allocated_memory(const MemoryCall& memory, IRBuilder<>& behind) {
  CallBase& call = *memory.call;
  Value* nothing = ConstantPointerNull::get(behind.getPtrTy());
  switch (memory.kind) {
    case Kind::allocates_aligned: {
      Value* address = behind.CreateLoad(behind.getPtrTy(), call.getArgOperand(0));
      return {behind.CreateSelect(behind.CreateIsNull(&call), address, nothing), bytes_of(call, behind)};
    }
    case Kind::maps: {
      Value* failed = behind.CreateICmpEQ(behind.CreatePtrToInt(&call, behind.getInt64Ty()), behind.getInt64(-1));
      return {behind.CreateSelect(failed, nothing, &call), bytes_of(call, behind)};
    }
    case Kind::allocates_fortran:
    case Kind::reallocates_fortran: {
      Value* descriptor = call.getArgOperand(0);
      const FunctionCallee bytes =
          call.getModule()->getOrInsertFunction("cachescape_fortran_bytes_v1", behind.getInt64Ty(), behind.getPtrTy());
      return {base_of(descriptor, behind), behind.CreateCall(bytes, {descriptor})};
    }
    default:
      return {&call, bytes_of(call, behind)};
  }
}

}  // namespace cachescape::pass
