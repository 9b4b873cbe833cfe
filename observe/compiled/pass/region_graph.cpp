#include "observe/compiled/pass/region_graph.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

/// Memory that is used like a register.
struct Cell {
  struct Held {
    std::size_t value = 0;
    const BasicBlock* since = nullptr;
    std::size_t any = 0;  ///< a node that stands for this value and all before it
  };
  std::vector<Held> held;   ///< in the order in which it may have happened
  std::size_t carrier = 0;  ///< of a loop: what it holds from one iteration to the next
};

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
    add_cells();
    for (const BasicBlock* block : region_.all_blocks)
      for (const Instruction& i : *block)
        if (!numbers_.contains(&i)) add(i);
    hand_over();
    for (const BasicBlock* block : region_.blocks) graph_.block_above.push_back(above(*block));
    return std::move(graph_);
  }

 private:
  void add_carrier(const Value& value) {
    numbers_[&value] = add_node({});
    graph_.carriers.push_back(numbers_[&value]);
  }

  /// Memory that the region stores to by one pointer all along holds a value as a register does: what is loaded by that
  /// pointer is what was stored, and comes from the store, not from memory.
  void add_cells() {
    for (const BasicBlock* block : region_.all_blocks) {
      for (const Instruction& i : *block) {
        const auto* store = dyn_cast<StoreInst>(&i);
        if (store == nullptr || !stays(store->getPointerOperand())) continue;
        const auto [at, is_new] = cells_.try_emplace(store->getPointerOperand());
        if (!is_new || region_.loop == nullptr) continue;
        const std::size_t first = add_node({});
        at->second = {{{first, region_.loop->getHeader(), first}}, graph_.carriers.size()};
        graph_.carriers.push_back(first);
      }
    }
  }

  /// What a cell may hold in a block: the last store that is always passed on the way, and those behind it. Where that
  /// is far away, everything that it ever held.
  std::vector<std::size_t> values_in(const Cell& cell, const BasicBlock* block) const {
    constexpr std::size_t most_stores = 16;
    std::vector<std::size_t> values;
    for (auto held = cell.held.rbegin(); held != cell.held.rend(); ++held) {
      if (values.size() == most_stores) {
        values.push_back(held->any);
        break;
      }
      values.push_back(held->value);
      if (dominators_.dominates(held->since, block)) break;
    }
    return values;
  }

  /// Whether a value is the same in all iterations. In code that runs once nothing can change.
  bool stays(const Value* value) const {
    const auto* i = dyn_cast<Instruction>(value);
    return i == nullptr || region_.loop == nullptr || !region_.loop->contains(i);
  }

  std::size_t add_node(ValueNode node) {
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.size() - 1;
  }

  /// Values from outside of the region, constants, and what is computed later, by an inner loop's last iteration, are
  /// passed over.
  void depend(ValueNode& node, const Value* on) const {
    if (on == nullptr) return;
    if (const auto found = numbers_.find(on); found != numbers_.end()) node.from.push_back(found->second);
  }

  void add(const Instruction& i) {
    ValueNode node;
    if (const auto* load = dyn_cast<LoadInst>(&i)) {
      if (const auto cell = cells_.find(load->getPointerOperand());
          cell != cells_.end() && !cell->second.held.empty()) {
        node.from = values_in(cell->second, i.getParent());
        numbers_[&i] = add_node(std::move(node));
        return;
      }
    }
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
    numbers_[&i] = add_node(std::move(node));
    if (const auto* store = dyn_cast<StoreInst>(&i)) {
      const auto cell = cells_.find(store->getPointerOperand());
      if (cell == cells_.end()) return;
      const auto number = numbers_.find(store->getValueOperand());
      // What comes from outside waits for nothing here.
      const std::size_t value = number == numbers_.end() ? add_node({}) : number->second;
      std::vector<Cell::Held>& held = cell->second.held;
      held.push_back(
          {value, i.getParent(), held.empty() ? value : add_node({{held.back().any, value}, no_block, false})});
    }
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
    SmallVector<BasicBlock*, 2> latches;
    region_.loop->getLoopLatches(latches);
    for (const auto& [pointer, cell] : cells_)
      for (const BasicBlock* latch : latches)
        for (const std::size_t value : values_in(cell, latch)) graph_.handovers.push_back({value, cell.carrier});
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
  DenseMap<const Value*, Cell> cells_;  ///< by pointer
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
