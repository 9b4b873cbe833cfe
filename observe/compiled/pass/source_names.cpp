#include "observe/compiled/pass/source_names.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace cachescape::pass {
namespace {

using namespace llvm;

constexpr unsigned longest_walk = 16;
constexpr unsigned deepest_load = 3;

const DIType* without_qualifiers(const DIType* type) {
  while (auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case dwarf::DW_TAG_typedef:
      case dwarf::DW_TAG_const_type:
      case dwarf::DW_TAG_volatile_type:
      case dwarf::DW_TAG_restrict_type:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

const DIDerivedType* member_at(const DICompositeType& structure, std::uint64_t offset) {
  const DIDerivedType* best = nullptr;
  for (const DINode* element : structure.getElements()) {
    auto* member = dyn_cast<DIDerivedType>(element);
    if (member == nullptr || member->getTag() != dwarf::DW_TAG_member || member->isStaticMember()) continue;
    const std::uint64_t begin = member->getOffsetInBits() / 8;
    if (begin <= offset && (best == nullptr || begin >= best->getOffsetInBits() / 8)) best = member;
  }
  return best;
}

/// How well a variable's scope fits the place that asks: the same inlined call is best.
int fit(const DILocation* variable, const DILocation* access) {
  if (variable == nullptr || access == nullptr) return 1;
  const auto same = [](const DILocation* a, const DILocation* b) {
    return a->getInlinedAt() == b->getInlinedAt() && a->getScope()->getSubprogram() == b->getScope()->getSubprogram();
  };
  if (same(variable, access)) return 8;
  for (const DILocation* outer = access->getInlinedAt(); outer != nullptr; outer = outer->getInlinedAt())
    if (same(variable, outer)) return 4;
  return 1;
}

std::string debug_name(const Instruction& access, Value* value) {
  if (auto* global = dyn_cast<GlobalVariable>(value)) {
    SmallVector<DIGlobalVariableExpression*, 1> expressions;
    global->getDebugInfo(expressions);
    return expressions.empty() ? global->getName().str() : expressions[0]->getVariable()->getName().str();
  }
  if (isa<Constant>(value)) return {};
  SmallVector<DbgVariableIntrinsic*, 4> intrinsics;
  SmallVector<DbgVariableRecord*, 4> records;
  findDbgUsers(intrinsics, value, &records);
  std::string best;
  int best_fit = 0;
  const auto consider = [&](const DILocalVariable* variable, const DIExpression* expression, const DILocation* at) {
    if (variable == nullptr) return;
    const int f = 2 * fit(at, access.getDebugLoc().get()) + (expression->isFragment() ? 0 : 1);
    if (f <= best_fit) return;
    best_fit = f;
    best = variable->getName().str();
  };
  for (const DbgVariableRecord* r : records) consider(r->getVariable(), r->getExpression(), r->getDebugLoc().get());
  for (const DbgVariableIntrinsic* i : intrinsics)
    consider(i->getVariable(), i->getExpression(), i->getDebugLoc().get());
  return best;
}

/// The value that a PHI carries around a loop comes from outside.
Value* from_outside(PHINode& phi) {
  for (Value* incoming : phi.incoming_values()) {
    Value* stripped = incoming->stripInBoundsOffsets();
    if (stripped != &phi && !isa<UndefValue>(stripped)) return incoming;
  }
  return nullptr;
}

}  // namespace

SourceNames::SourceNames(const Module& module) {
  DebugInfoFinder finder;
  finder.processModule(module);
  for (const DIType* type : finder.types()) {
    if (auto* structure = dyn_cast<DICompositeType>(type)) {
      if (!structure->getIdentifier().empty()) structures_[structure->getIdentifier()] = structure;
      if (!structure->getName().empty()) structures_[structure->getName()] = structure;
    }
  }
  for (const DIType* type : finder.types()) {
    auto* alias = dyn_cast<DIDerivedType>(type);
    if (alias == nullptr || alias->getTag() != dwarf::DW_TAG_typedef) continue;
    if (auto* structure = dyn_cast_or_null<DICompositeType>(alias->getBaseType()))
      structures_.try_emplace(alias->getName(), structure);
  }
}

// Type-based alias information names the structure and the offset of the member.
std::string SourceNames::field(const Instruction& access) const {
  const MDNode* tag = access.getMetadata(LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3) return {};
  auto* base = dyn_cast<MDNode>(tag->getOperand(0));
  if (base == nullptr || base->getNumOperands() == 0) return {};
  auto* name = dyn_cast<MDString>(base->getOperand(0));
  auto* offset_value = mdconst::dyn_extract<ConstantInt>(tag->getOperand(2));
  if (name == nullptr || offset_value == nullptr) return {};
  const auto known = structures_.find(name->getString());
  if (known == structures_.end()) return {};
  const DICompositeType* structure = known->second;
  std::uint64_t offset = offset_value->getZExtValue();
  std::string text = structure->getName().str();
  for (unsigned depth = 0; depth < 4; ++depth) {
    const DIDerivedType* member = member_at(*structure, offset);
    if (member == nullptr) break;
    text += ".";
    text += member->getName();
    offset -= member->getOffsetInBits() / 8;
    auto* inner = dyn_cast_or_null<DICompositeType>(without_qualifiers(member->getBaseType()));
    if (inner == nullptr) break;
    if (inner->getTag() == dwarf::DW_TAG_array_type) {
      text += "[]";
      break;
    }
    structure = inner;
  }
  return text;
}

std::string SourceNames::variable(const Instruction& access, Value* pointer, unsigned depth) const {
  Value* value = pointer;
  bool indexed = false;
  for (unsigned step = 0; step < longest_walk; ++step) {
    if (std::string name = debug_name(access, value); !name.empty()) return indexed ? name + "[]" : name;
    if (auto* element = dyn_cast<GEPOperator>(value)) {
      indexed |= !element->hasAllConstantIndices();
      value = element->getPointerOperand();
    } else if (auto* phi = dyn_cast<PHINode>(value)) {
      Value* outside = from_outside(*phi);
      if (outside == nullptr) return {};
      indexed = true;
      value = outside;
    } else if (auto* select = dyn_cast<SelectInst>(value)) {
      value = select->getTrueValue();
    } else if (auto* load = dyn_cast<LoadInst>(value)) {
      if (depth == deepest_load) return {};
      std::string name = field(*load);
      if (name.empty()) name = variable(access, load->getPointerOperand(), depth + 1);
      return name.empty() ? name : indexed ? name + "[]" : "*" + name;
    } else {
      return isa<Argument>(value) && value->hasName() ? value->getName().str() : std::string();
    }
  }
  return {};
}

std::string SourceNames::accessed(const Instruction& access, Value* pointer) const {
  if (std::string name = field(access); !name.empty()) return name;
  std::string name = pointer->getType()->isPointerTy() ? variable(access, pointer, 0) : std::string();
  return name.empty() && pointer == &access ? stored_into(access, 0) : name;
}

// Through what flang builds its descriptors by, and choices between allocations.
std::string SourceNames::stored_into(const Value& value, unsigned depth) const {
  for (const User* user : value.users()) {
    std::string name;
    if (const auto* store = dyn_cast<StoreInst>(user); store != nullptr && store->getValueOperand() == &value) {
      name = accessed(*store, const_cast<Value*>(store->getPointerOperand()));
    } else if ((isa<InsertValueInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user)) && depth < deepest_load) {
      name = stored_into(*user, depth + 1);
    }
    if (!name.empty()) return name;
  }
  return {};
}

std::string SourceNames::type(const Type* type) {
  if (auto* vector = dyn_cast<FixedVectorType>(type))
    return "<" + std::to_string(vector->getNumElements()) + " x " + SourceNames::type(vector->getElementType()) + ">";
  if (type->isPointerTy()) return "ptr";
  if (type->isIntegerTy()) return "i" + std::to_string(type->getIntegerBitWidth());
  if (type->isFloatingPointTy()) return "f" + std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
  return "other";
}

}  // namespace cachescape::pass
