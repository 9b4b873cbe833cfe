#include "observe/compiled/pass/allocations.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace cachescape::pass {
namespace {

using namespace llvm;
using Kind = MemoryCall::Kind;

// With other arguments than these, operator new places objects in memory that the program has got already: a place, an
// arena.
bool is_new(StringRef name) {
  if (!name.consume_front("_Znwm") && !name.consume_front("_Znam")) return false;
  name.consume_back("12__hot_cold_t");
  return StringSwitch<bool>(name)
      .Cases("", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t", true)
      .Default(false);
}

bool is_delete(StringRef name) {
  if (!name.consume_front("_ZdlPv") && !name.consume_front("_ZdaPv")) return false;
  return StringSwitch<bool>(name)
      .Cases("", "m", "RKSt9nothrow_t", "St11align_val_t", "mSt11align_val_t", "St11align_val_tRKSt9nothrow_t", true)
      .Default(false);
}

// LLVM's own list is empty where optimisation is off or the program says -fno-builtin.
std::optional<Kind> kind_named(StringRef name) {
  if (is_new(name)) return Kind::allocates;
  if (is_delete(name)) return Kind::frees;
  return StringSwitch<std::optional<Kind>>(name)
      .Cases("malloc", "calloc", "valloc", "pvalloc", "memalign", "aligned_alloc", Kind::allocates)
      .Cases("realloc", "reallocf", "reallocarray", Kind::reallocates)
      .Case("posix_memalign", Kind::allocates_aligned)
      .Cases("mmap", "mmap64", Kind::maps)
      .Case("free", Kind::frees)
      .Case("munmap", Kind::unmaps)
      .StartsWith("_FortranAAllocatableAllocate", Kind::allocates_fortran)
      .StartsWith("_FortranAPointerAllocate", Kind::allocates_fortran)
      .StartsWith("_FortranAAllocatableDeallocate", Kind::frees_fortran)
      .StartsWith("_FortranAPointerDeallocate", Kind::frees_fortran)
      .Case("_FortranAAssign", Kind::assigns_fortran)
      .Default(std::nullopt);
}

std::optional<Kind> kind_of(const CallBase& call) {
  // A function of these names that is static is the file's own.
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr || callee->hasLocalLinkage()) return std::nullopt;
  const auto kind = kind_named(callee->getName());
  if (!kind) return std::nullopt;
  const auto is_pointer = [&](unsigned i) {
    return i < call.arg_size() && call.getArgOperand(i)->getType()->isPointerTy();
  };
  const bool returns_memory = call.getType()->isPointerTy();
  const bool as_declared = *kind == Kind::allocates     ? returns_memory && call.arg_size() >= 1
                           : *kind == Kind::maps        ? returns_memory && call.arg_size() >= 2
                           : *kind == Kind::unmaps      ? call.arg_size() == 2 && is_pointer(0)
                           : *kind == Kind::reallocates ? returns_memory && call.arg_size() >= 2 && is_pointer(0)
                           : *kind == Kind::allocates_aligned
                               ? call.getType()->isIntegerTy() && call.arg_size() == 3 && is_pointer(0)
                               : is_pointer(0);
  return as_declared ? kind : std::nullopt;
}

// Where flang's descriptors have the address.
Value* base_of(Value* descriptor, IRBuilder<>& builder) { return builder.CreateLoad(builder.getPtrTy(), descriptor); }

Value* bytes_of(const CallBase& call, IRBuilder<>& builder) {
  const StringRef name = call.getCalledFunction()->getName();
  Type* word = builder.getInt64Ty();
  const auto argument = [&](unsigned i) -> Value* {
    if (i >= call.arg_size() || !call.getArgOperand(i)->getType()->isIntegerTy()) return ConstantInt::get(word, 0);
    return builder.CreateZExtOrTrunc(call.getArgOperand(i), word);
  };
  if (name == "calloc") return builder.CreateMul(argument(0), argument(1));
  if (name == "reallocarray") return builder.CreateMul(argument(1), argument(2));
  if (name == "posix_memalign") return argument(2);
  const bool second = name.starts_with("realloc") || name == "aligned_alloc" || name == "memalign" ||
                      name.starts_with("mmap") || name == "munmap";
  return argument(second ? 1 : 0);
}

}  // namespace

Value* MemoryCall::named_by() const {
  const bool by_variable =
      kind == Kind::allocates_aligned || kind == Kind::allocates_fortran || kind == Kind::assigns_fortran;
  return by_variable ? call->getArgOperand(0) : call;
}

std::vector<MemoryCall> memory_calls(Function& function) {
  std::vector<MemoryCall> calls;
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&i);
    if (call == nullptr || call->isMustTailCall()) continue;
    if (const auto kind = kind_of(*call)) calls.push_back({call, *kind});
  }
  return calls;
}

Value* freed_memory(const MemoryCall& memory, IRBuilder<>& before) {
  Value* first = memory.call->getArgOperand(0);
  const bool described = memory.kind == Kind::frees_fortran || memory.kind == Kind::assigns_fortran;
  return described ? base_of(first, before) : first;
}

Memory unmapped_memory(const MemoryCall& memory, IRBuilder<>& before) {
  return {memory.call->getArgOperand(0), bytes_of(*memory.call, before)};
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
    case Kind::assigns_fortran: {
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
