// A recording made ready to run again: where its memory lies, which loops run as one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/loop_group.hpp"
#include "replay/outer_gradients.hpp"
#include "replay/recording.hpp"

namespace reel::jit::replay {

/// Where a block of memory lies while a plan runs.
enum class Region : std::uint8_t {
    Unused,
    Block,    ///< a loop group's own, which lives from one end of the group to the other only
    Scratch,  ///< the plan's own
    Saved,    ///< from a forward run to its backward runs
    Result,   ///< handed out: fresh at every run
    Kept,     ///< handed out as what a step has kept
    Argument, ///< whatever comes in
    Outside,
};

/// A tensor that a run takes or makes.
struct Slot {
    int memory = -1; ///< -1: none
    Dims sizes, strides;
    std::int64_t offset = 0;
    ScalarType dtype = ScalarType::Undefined;
    bool requires_grad = false;
};

/// Part of a plan that runs at once: kernels' calls and loop groups.
struct Program {
    struct Item {
        std::unique_ptr<KernelCall> call; ///< null for a group
        LoopGroup group;
    };
    std::vector<Item> items;
    std::vector<int> results; ///< blocks that are handed out
    std::vector<std::string> names;
    std::size_t fused_loops = 0, groups = 0;
};

/// Memory by number, programs over it. Runs of one plan share its scratch memory: one at a time.
struct Plan {
    /// A tensor from outside that a run writes.
    struct Change {
        int memory;
        std::uint32_t raises; ///< how often that raises its version
    };
    std::vector<Memory> memories;
    std::vector<Region> regions;
    std::vector<std::size_t> offsets; ///< in scratch or saved memory
    std::vector<char*> at;            ///< where each block is now
    std::vector<int> outside;         ///< those that belong to somebody else
    Program forward, backward;
    std::vector<Slot> arguments, outputs, seeds, gradients;
    std::vector<bool> read_by_backward; ///< of memories
    std::size_t scratch_bytes = 0, saved_bytes = 0;
    std::vector<Change> changes;
    std::vector<OuterGradient> kept; ///< by their steps in the backward
    bool draws = false;              ///< does it draw random numbers?

    StoragePtr scratch;
    StoragePtr saved_now;  ///< what saved memories are bound to
    StoragePtr saved_pool; ///< handed out again once nobody else has it

    /// Points a block, and the tensors in it, to `storage` at `offset` bytes.
    void bind(int memory, const StoragePtr& storage, std::size_t offset);
    /// The tensors in it let go.
    void unbind(int memory);
    void use_saved(const StoragePtr& block);
    /// A block for what one call keeps; null when nothing is kept.
    StoragePtr fresh_saved();
    void run(const Program& program);
    /// What the last backward run has kept in the place of that block.
    StoragePtr take_kept(int memory) const;
    /// Raises the versions of what a run has changed.
    void note_changes() const;
};

/// What is known of a recording beside its steps.
struct Recording {
    Recorder recorder;
    std::size_t forward_steps = 0;
    std::vector<Slot> arguments, outputs, seeds, gradients;
    std::size_t first_leaf = 0; ///< among the gradients; those before go to arguments
};

/// Fuses loops, finds places for memory. Throws nothing; a recording that cannot be planned has given up.
std::unique_ptr<Plan> make_plan(Recording&& recording);

} // namespace reel::jit::replay
