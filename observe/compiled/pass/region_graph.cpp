#include "observe/compiled/pass/region_graph.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

class Builder {
 public:
  Builder(const Function& function, const Region& region, const DominatorTree& dominators)
      : function_(function), region_(region), dominators_(dominators) {
    for (std::size_t b = 0; b < region.blocks.size(); ++b) own_[region.blocks[b]] = b;
  }

  LoadGraph build() {
    if (region_.loop == nullptr) {
      for (const Argument& argument : function_.args()) add_carrier(argument);
    } else {
      for (const PHINode& phi : region_.loop->getHeader()->phis()) add_carrier(phi);
    }
    for (const BasicBlock* block : region_.all_blocks)
      for (const Instruction& i : *block)
        if (!numbers_.contains(&i)) add(i);
    hand_over();
    for (const BasicBlock* block : region_.blocks) graph_.block_above.push_back(above(*block));
    return std::move(graph_);
  }

 private:
  void add_carrier(const Value& value) {
    graph_.carriers.push_back(graph_.nodes.size());
    add_node(value, {});
  }

  void add_node(const Value& value, ValueNode node) {
    numbers_[&value] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  /// Values from outside of the region, constants, and what is computed later, by an inner loop's last iteration, are
  /// passed over.
  void depend(ValueNode& node, const Value* on) const {
    if (on == nullptr) return;
    if (const auto found = numbers_.find(on); found != numbers_.end()) node.from.push_back(found->second);
  }

  void add(const Instruction& i) {
    ValueNode node;
    AccessList accesses;
    append_accesses(const_cast<Instruction&>(i), function_.getParent()->getDataLayout(), accesses);
    if (const auto own = own_.find(i.getParent()); own != own_.end()) node.block = own->second;
    bool reads = false;
    for (const StaticAccess& access : accesses) {
      if (access.kind == CACHESCAPE_WRITE) continue;
      reads = true;
      depend(node, access.pointer);
      depend(node, access.index);
      depend(node, access.mask);
      depend(node, access.dynamic_size);
    }
    node.load = reads && node.block != no_block;
    if (const auto* call = dyn_cast<CallBase>(&i); call != nullptr && !reads) {
      for (const Use& argument : call->args()) depend(node, argument);
    } else if (!reads) {
      for (const Use& operand : i.operands()) depend(node, operand);
    }
    add_node(i, std::move(node));
  }

  void hand_over() {
    if (region_.loop == nullptr) {
      for (const BasicBlock* block : region_.all_blocks) {
        for (const Instruction& i : *block) {
          const auto* call = dyn_cast<CallBase>(&i);
          if (call == nullptr || call->getCalledFunction() != &function_) continue;
          for (std::size_t a = 0; a < graph_.carriers.size() && a < call->arg_size(); ++a)
            hand_over(call->getArgOperand(static_cast<unsigned>(a)), a);
        }
      }
      return;
    }
    std::size_t carrier = 0;
    for (const PHINode& phi : region_.loop->getHeader()->phis()) {
      for (unsigned in = 0; in < phi.getNumIncomingValues(); ++in)
        if (region_.loop->contains(phi.getIncomingBlock(in))) hand_over(phi.getIncomingValue(in), carrier);
      ++carrier;
    }
  }

  void hand_over(const Value* value, std::size_t carrier) {
    if (const auto found = numbers_.find(value); found != numbers_.end())
      graph_.handovers.push_back({found->second, carrier});
  }

  std::size_t above(const BasicBlock& block) const {
    const DomTreeNode* node = dominators_.getNode(&block);
    while (node != nullptr && (node = node->getIDom()) != nullptr)
      if (const auto own = own_.find(node->getBlock()); own != own_.end()) return own->second;
    return no_block;
  }

  const Function& function_;
  const Region& region_;
  const DominatorTree& dominators_;
  DenseMap<const BasicBlock*, std::size_t> own_;
  DenseMap<const Value*, std::size_t> numbers_;
  LoadGraph graph_;
};

}  // namespace

std::vector<Region> regions_of(const Function& function, const LoopInfo& loops) {
  std::vector<Region> regions(1);
  DenseMap<const Loop*, std::size_t> number;
  number[nullptr] = 0;
  for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(&function)) {
    const Loop* own = loops.getLoopFor(block);
    for (const Loop* loop = own;; loop = loop->getParentLoop()) {
      const auto [at, is_new] = number.try_emplace(loop, regions.size());
      if (is_new) regions.push_back({loop, {}, {}});
      Region& region = regions[at->second];
      if (loop == own) region.blocks.push_back(block);
      region.all_blocks.push_back(block);
      if (loop == nullptr) break;
    }
  }
  std::erase_if(regions, [](const Region& region) { return region.blocks.empty(); });
  return regions;
}

LoadGraph region_graph(const Function& function, const Region& region, const DominatorTree& dominators) {
  return Builder(function, region, dominators).build();
}

}  // namespace cachescape::pass
