#include "observe/compiled/pass/instrumenter.hpp"

#include <limits>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "observe/compiled/pass/allocations.hpp"
#include "observe/compiled/pass/static_counts.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

/// Our own functions: of the runtime, of mark.h and of mark.f90.
bool is_ours(const Function& function) {
  return function.getName().starts_with("cachescape_") || function.getName().starts_with("_QMcachescape_markP");
}

/// After an invoke that returns, the thread's place is loaded again: that needs an edge of its own.
void give_invokes_their_own_edges(Function& function) {
  std::vector<InvokeInst*> invokes;
  for (Instruction& i : instructions(function))
    if (auto* invoke = dyn_cast<InvokeInst>(&i)) invokes.push_back(invoke);
  for (InvokeInst* invoke : invokes) {
    if (invoke->getNormalDest()->getSinglePredecessor() == nullptr)
      SplitEdge(invoke->getParent(), invoke->getNormalDest());
  }
}

/// What the optimiser or the source says about functions is no longer true once they write records. Only functions of
/// the C library never do, whoever defines the others.
void forget_conclusions(Module& module, const TargetLibraryInfo& library) {
  for (Function& function : module) {
    LibFunc known;
    if (function.isIntrinsic() || (function.isDeclaration() && library.getLibFunc(function, known))) continue;
    function.removeFnAttr(Attribute::Memory);
    function.removeFnAttr(Attribute::Speculatable);
    function.removeFnAttr(Attribute::NoSync);
    for (User* user : function.users()) {
      auto* call = dyn_cast<CallBase>(user);
      if (call == nullptr || call->getCalledOperand() != &function) continue;
      call->removeFnAttr(Attribute::Memory);
      call->removeFnAttr(Attribute::Speculatable);
    }
  }
}

/// Stacks of calls are found by frame pointers, also through functions that are not instrumented; those that call
/// nothing are in none.
void keep_frame_pointers(Module& module) {
  for (Function& function : module) {
    const StringRef kept = function.getFnAttribute("frame-pointer").getValueAsString();
    if (!function.isDeclaration() && kept != "all") function.addFnAttr("frame-pointer", "non-leaf");
  }
}

Constant* bytes_global(Module& module, ArrayRef<std::uint8_t> bytes, const char* name) {
  Constant* data = ConstantDataArray::get(module.getContext(), bytes);
  auto* global = new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, name);
  global->setAlignment(Align(8));
  return global;
}

}  // namespace

Instrumenter::Instrumenter(Module& module, FunctionAnalysisManager& analyses, const PassOptions& options)
    : module_(module),
      analyses_(analyses),
      options_(options),
      table_(module.getSourceFileName(), options.late ? "LLVM, machine view" : "LLVM, source view"),
      names_(module) {}

bool Instrumenter::run() {
  const Selection selection(module_, options_);
  if (options_.accesses && options_.frames) keep_frame_pointers(module_);
  std::vector<Function*> functions;
  for (Function& function : module_)
    if (!is_ours(function) && selection.wants(function)) functions.push_back(&function);
  if (functions.empty()) return false;

  LLVMContext& context = module_.getContext();
  auto* bytes = ArrayType::get(Type::getInt8Ty(context), 0);
  descriptors_ =
      new GlobalVariable(module_, bytes, true, GlobalValue::ExternalLinkage, nullptr, "cachescape.descriptors.planned");
  if (options_.accesses) writer_.emplace(module_);
  if (options_.clock) clock_.emplace(module_);
  if (options_.counters) {
    counters_ = new GlobalVariable(module_, PointerType::getUnqual(context), false, GlobalValue::InternalLinkage,
                                   ConstantPointerNull::get(PointerType::getUnqual(context)), "cachescape.counters",
                                   nullptr, GlobalValue::InitialExecTLSModel);
  }
  if (options_.stacks) contexts_.emplace(module_);
  if (options_.accesses || options_.clock || options_.stacks)
    forget_conclusions(module_, analyses_.getResult<TargetLibraryAnalysis>(*functions.front()));
  for (Function* function : functions) {
    instrument(*function);
    analyses_.invalidate(*function, PreservedAnalyses::none());
  }
  // A clock needs no tables.
  if (options_.accesses || options_.counters) {
    add_start();
  } else {
    descriptors_->eraseFromParent();
  }
  return true;
}

void Instrumenter::add_blocks(Function& function, LoopInfo& loops) {
  block_numbers_.clear();
  site_numbers_.clear();
  for (BasicBlock& block : function) {
    std::uint32_t location = 0;
    std::uint32_t instructions = 0;
    for (const Instruction& i : block) {
      if (isa<DbgInfoIntrinsic>(i) || isa<PHINode>(i)) continue;
      ++instructions;
      if (location == 0) location = table_.location(i.getDebugLoc().get());
    }
    block_numbers_[&block] =
        table_.block({table_.function(function.getName()), location, std::numeric_limits<std::uint32_t>::max(),
                      loops.getLoopDepth(&block), instructions, &block == &function.getEntryBlock() ? 1U : 0U});
  }
}

void Instrumenter::add_counts(Function& function, const CountPlan& plan, const SerialLoads& serial) {
  for (const BasicBlock& block : function) {
    const std::uint32_t number = block_numbers_.lookup(&block);
    const std::uint32_t counter = plan.of_block.lookup(&block);
    table_.block_at(number).counter = counter;
    for (const auto& [metric, amount] : static_counts(block))
      table_.count({counter, number, table_.string(metric), static_cast<std::uint32_t>(amount)});
    if (const auto waits = serial.find(&block); waits != serial.end())
      table_.count({counter, number, table_.string("loads.serial"), waits->second});
  }
}

std::uint32_t Instrumenter::site(const Instruction& instruction, Value* pointer, std::uint32_t block) {
  const auto known = site_numbers_.find({&instruction, pointer});
  if (known != site_numbers_.end()) return known->second;
  const std::uint32_t number = table_.site({table_.location(instruction.getDebugLoc().get()), block,
                                            table_.string(names_.accessed(instruction, pointer)),
                                            table_.string(SourceNames::type(accessed_type(instruction)))});
  site_numbers_[{&instruction, pointer}] = number;
  return number;
}

Constant* Instrumenter::descriptor(const AccessList& accesses, cachescape_descriptor head) {
  SmallVector<cachescape_access, 16> described;
  for (const StaticAccess& a : accesses) {
    unsigned flags = a.kind;
    if (a.dynamic_size != nullptr) flags |= CACHESCAPE_SIZED;
    if (a.mask != nullptr) flags |= CACHESCAPE_MASKED;
    if (a.strided) flags |= CACHESCAPE_STRIDED;
    if (a.side_by_side) flags |= CACHESCAPE_VECTOR;
    described.push_back({static_cast<std::uint16_t>(a.slot), static_cast<std::uint8_t>(flags),
                         static_cast<std::uint8_t>(a.lanes), static_cast<std::int32_t>(a.offset),
                         static_cast<std::uint32_t>(a.size), site(*a.instruction, a.pointer, head.block),
                         static_cast<std::int32_t>(a.step)});
  }
  head.accesses = static_cast<std::uint16_t>(described.size());
  auto* word = Type::getInt64Ty(module_.getContext());
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(module_.getContext()), descriptors_,
                                                ConstantInt::get(word, table_.descriptor(head, described)));
}

void Instrumenter::add_allocations(Function& function, std::vector<Instruction*>& other_code) {
  using Kind = MemoryCall::Kind;
  LLVMContext& context = module_.getContext();
  Type* nothing = Type::getVoidTy(context);
  Type* pointer = PointerType::getUnqual(context);
  const auto tell_freed = [&](IRBuilder<>& builder, Value* address) {
    const FunctionCallee freed = module_.getOrInsertFunction("cachescape_freed_v1", nothing, pointer);
    other_code.push_back(builder.CreateCall(freed, {address}));
  };
  const auto tell_unmapped = [&](IRBuilder<>& builder, const Memory& memory) {
    const FunctionCallee unmapped =
        module_.getOrInsertFunction("cachescape_unmapped_v1", nothing, pointer, Type::getInt64Ty(context));
    other_code.push_back(builder.CreateCall(unmapped, {memory.address, memory.bytes}));
  };
  for (const MemoryCall& memory : memory_calls(function)) {
    CallBase* call = memory.call;
    IRBuilder<> before(call);
    if (memory.frees()) tell_freed(before, freed_memory(memory, before));
    if (memory.kind == Kind::unmaps) tell_unmapped(before, unmapped_memory(memory, before));
    if (!memory.allocates()) continue;
    Value* old = memory.kind == Kind::assigns_fortran ? freed_memory(memory, before) : nullptr;
    StaticAccess site;
    site.instruction = call;
    site.pointer = memory.named_by();
    Constant* where = descriptor({site}, {0, 0, 0, 0, block_numbers_.lookup(call->getParent())});
    auto* invoke = dyn_cast<InvokeInst>(call);
    const BasicBlock::iterator after =
        invoke != nullptr ? invoke->getNormalDest()->getFirstInsertionPt() : std::next(call->getIterator());
    IRBuilder<> behind(after->getParent(), after);
    Memory allocated = allocated_memory(memory, behind);
    if (old != nullptr) {
      Value* same = behind.CreateICmpEQ(old, allocated.address);
      Value* none = ConstantPointerNull::get(behind.getPtrTy());
      tell_freed(behind, behind.CreateSelect(same, none, old));
      allocated.address = behind.CreateSelect(same, none, allocated.address);
    }
    const FunctionCallee tell =
        module_.getOrInsertFunction(options_.frames ? "cachescape_allocated_by_stack_v1" : "cachescape_allocated_v1",
                                    nothing, pointer, Type::getInt64Ty(context), pointer);
    other_code.push_back(behind.CreateCall(tell, {allocated.address, allocated.bytes, where}));
  }
}

void Instrumenter::add_jumps(Function& function, std::vector<Instruction*>& other_code) {
  std::vector<CallInst*> calls;
  for (Instruction& i : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&i); call != nullptr && call->canReturnTwice()) calls.push_back(call);
  for (CallInst* call : calls) {
    IRBuilder<> builder(call->getParent(), std::next(call->getIterator()));
    other_code.push_back(
        builder.CreateCall(module_.getOrInsertFunction("cachescape_jumped_v1", Type::getVoidTy(module_.getContext()))));
  }
}

void Instrumenter::instrument(Function& function) {
  give_invokes_their_own_edges(function);
  analyses_.invalidate(function, PreservedAnalyses::none());
  auto& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function);
  auto& loops = analyses_.getResult<LoopAnalysis>(function);
  auto& dominators = analyses_.getResult<DominatorTreeAnalysis>(function);
  auto& assumptions = analyses_.getResult<AssumptionAnalysis>(function);
  for (Loop* loop : loops) simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
  // What is planned behind a loop then knows its results by phis, which also hold when the loop has a second version.
  for (Loop* loop : loops) formLCSSARecursively(*loop, dominators, &loops, &evolution);

  // Everything that asks analyses comes before anything that changes the flow of control.
  add_blocks(function, loops);
  std::optional<CountPlan> counts;
  const std::uint32_t first_counter = table_.counters();
  std::vector<MemIntrinsic*> ranges;
  if (options_.counters) {
    for (Instruction& i : instructions(function))
      if (auto* range = dyn_cast<MemIntrinsic>(&i); range != nullptr && !isa<ConstantInt>(range->getLength()))
        ranges.push_back(range);
    const SerialLoads serial = serial_loads(function, loops, dominators);
    counts = plan_counts(function, table_, dominators, loops, evolution);
    add_counts(function, *counts, serial);
  }
  ClockPlan clock;
  if (options_.clock) clock = plan_clock(function, dominators, loops, evolution);
  std::vector<Instruction*> other_code;
  for (Instruction& i : instructions(function))
    if (may_run_other_code(i)) other_code.push_back(&i);
  const std::vector<Instruction*> program_calls = other_code;
  RecordPlan records;
  if (options_.accesses) records = plan_records(function, loops, evolution);

  LoadInst* counters = nullptr;
  if (counts) {
    counters = write_counts(function, *counts, counters_);
    for (MemIntrinsic* range : ranges) {
      const std::uint32_t counter = table_.counter();
      const std::uint32_t block = block_numbers_.lookup(range->getParent());
      const char* metric = isa<MemSetInst>(range)    ? "memset.bytes"
                           : isa<MemMoveInst>(range) ? "memmove.bytes"
                                                     : "memcpy.bytes";
      table_.count({counter, block, table_.string(metric), 1});
      if (isa<MemTransferInst>(range)) table_.count({counter, block, table_.string("bytes.loaded"), 1});
      table_.count({counter, block, table_.string("bytes.stored"), 1});
      IRBuilder<> builder(range);
      add_to_counter(range, counters, counter, builder.CreateZExtOrTrunc(range->getLength(), builder.getInt64Ty()));
    }
  }
  if (options_.clock) clock_->write(clock);
  if (options_.accesses) {
    add_allocations(function, other_code);
    add_jumps(function, other_code);
    const auto number = [&](const BasicBlock* block) { return block_numbers_.lookup(block); };
    if (!records.empty()) {
      writer_->write(
          function, records, other_code,
          [&](const SegmentPlan& s) {
            return descriptor(s.accesses, {static_cast<std::uint16_t>(s.slots), 0, 0, 0, number(s.block)});
          },
          [&](const LoopPlan& l) {
            return descriptor(l.accesses, {static_cast<std::uint16_t>(l.slots),
                                           static_cast<std::uint16_t>(l.base_values.size()), 0, 1, number(l.body)});
          });
    }
  }
  if (options_.stacks) contexts_->write(function, counters, first_counter, table_.counters(), program_calls);
}

Constant* Instrumenter::globals_table(std::uint64_t& count) {
  LLVMContext& context = module_.getContext();
  Type* word = Type::getInt64Ty(context);
  Type* half = Type::getInt32Ty(context);
  auto* row = StructType::get(context, {word, word, half, half});
  std::vector<Constant*> rows;
  const DataLayout& layout = module_.getDataLayout();
  for (GlobalVariable& global : module_.globals()) {
    if (global.isDeclaration() || global.isThreadLocal() || global.hasPrivateLinkage() ||
        global.hasAvailableExternallyLinkage() || global.getName().starts_with("llvm.") ||
        global.getName().starts_with("cachescape") || global.getAddressSpace() != 0 || global.hasSection())
      continue;
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global.getDebugInfo(expressions);
    std::uint32_t location = 0;
    StringRef name = global.getName();
    if (!expressions.empty()) {
      const DIGlobalVariable* variable = expressions[0]->getVariable();
      name = variable->getName();
      location = table_.declaration("", variable->getFilename(), variable->getLine());
    }
    rows.push_back(ConstantStruct::get(
        row, {ConstantExpr::getPtrToInt(&global, word),
              ConstantInt::get(word, layout.getTypeAllocSize(global.getValueType()).getFixedValue()),
              ConstantInt::get(half, table_.string(name)), ConstantInt::get(half, location)}));
  }
  count = rows.size();
  auto* type = ArrayType::get(row, rows.size());
  return new GlobalVariable(module_, type, true, GlobalValue::PrivateLinkage, ConstantArray::get(type, rows),
                            "cachescape.globals");
}

// A constructor that runs before all others tells the runtime of this module.
void Instrumenter::add_start() {
  LLVMContext& context = module_.getContext();
  Type* word = Type::getInt64Ty(context);
  auto* pointer = PointerType::getUnqual(context);
  const auto number = [&](std::uint64_t n) { return ConstantInt::get(word, n); };

  Constant* descriptors = bytes_global(module_, table_.descriptors(), "cachescape.descriptors");
  descriptors_->replaceAllUsesWith(descriptors);
  descriptors_->eraseFromParent();
  std::uint64_t global_count = 0;
  Constant* globals = globals_table(global_count);
  const std::vector<std::uint8_t> table = table_.bytes();
  Constant* tables = bytes_global(module_, table, "cachescape.tables");

  Constant* set_counters = ConstantPointerNull::get(pointer);
  if (counters_ != nullptr) {
    // Threads that the runtime does not know share these.
    auto* array = ArrayType::get(word, table_.counters());
    auto* shared = new GlobalVariable(module_, array, false, GlobalValue::InternalLinkage,
                                      ConstantAggregateZero::get(array), "cachescape.shared.counters");
    shared->setAlignment(Align(64));
    counters_->setInitializer(shared);
    auto* set = Function::Create(FunctionType::get(pointer, {pointer}, false), GlobalValue::InternalLinkage,
                                 "cachescape_set_counters", module_);
    set->addFnAttr(Attribute::NoInline);
    IRBuilder<> builder(BasicBlock::Create(context, "", set));
    Value* before = builder.CreateLoad(pointer, counters_);
    builder.CreateStore(set->getArg(0), counters_);
    builder.CreateRet(before);
    set_counters = set;
  }
  Constant* start =
      ConstantStruct::getAnon({descriptors, number(table_.descriptors().size()), tables, number(table.size()), globals,
                               number(global_count), number(table_.counters()), set_counters});
  auto* start_global =
      new GlobalVariable(module_, start->getType(), true, GlobalValue::PrivateLinkage, start, "cachescape.start");
  if (contexts_) contexts_->define_functions(start_global);
  auto* constructor = Function::Create(FunctionType::get(Type::getVoidTy(context), false), GlobalValue::InternalLinkage,
                                       "cachescape_module_constructor", module_);
  IRBuilder<> builder(BasicBlock::Create(context, "", constructor));
  builder.CreateCall(module_.getOrInsertFunction("cachescape_module_v1", Type::getVoidTy(context), pointer),
                     {start_global});
  builder.CreateRetVoid();
  appendToGlobalCtors(module_, constructor, 0);
}

}  // namespace cachescape::pass
