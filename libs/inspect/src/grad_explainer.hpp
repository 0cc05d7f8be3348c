// Reading a recording backwards from a parameter.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <reel/inspect/explain_grad.hpp>

#include "recorder_data.hpp"

namespace reel::inspect {

/// The recording, or what comes after `since` in it, as a graph that can be walked forwards. What is the same for many
/// parameters is worked out once: everything here is linear in the size of the recording.
class GradExplainer {
public:
    GradExplainer(const nn::Module& model, const RecorderData& data, std::uint64_t since);

    /// Which nodes sent the gradient that `leaf` has; those that ran before `cleared` sent one that is gone.
    void sources(const TensorImpl* leaf, std::uint64_t cleared, GradEntry& e) const;
    /// Why nothing came to `leaf`. Sets fate, cause, place, nodes and text.
    void explain(const TensorImpl* leaf, GradEntry& e) const;

private:
    struct Use {
        const Node* node;
        std::size_t edge;
    };
    using Uses = std::vector<Use>;
    using HookEvent = RecorderData::HookEvent;
    /// What can be said about a node and all that was made from its result.
    struct Downstream {
        bool ran = false;                     ///< the pass came there
        const Node* last = nullptr;           ///< of those that something arrived at, the one that ran latest
        std::ptrdiff_t cut = -1, number = -1; ///< the latest cut, the latest item(); -1: none
        std::ptrdiff_t none = -1;             ///< the latest hook that returned none
        std::vector<const Node*> ends;        ///< where it ends: some of the nodes that nothing was made from
        void add(const Downstream& other, const GradExplainer& all);
    };
    struct Called {
        bool off = false; ///< while grad mode was off
        const CallSite* site = nullptr;
    };

    const RecorderData::NodeRun* run_of(const Node* n) const;
    void take_later(const Node*& last, const Node* other) const;
    const Downstream& downstream(const Node* n) const;
    void cut(const RecorderData::CutEvent& c, GradEntry& e) const;
    void unused(const TensorImpl* leaf, GradEntry& e) const;
    void died(const TensorImpl* leaf, const Uses& uses, GradEntry& e) const;
    void lost_on_the_way(const Downstream& d, const Uses& uses, GradEntry& e) const;
    bool interrupted(GradEntry& e) const;

    const RecorderData& data_;
    std::uint64_t since_;
    std::unordered_map<const Node*, Downstream> downstream_;
    std::unordered_map<const TensorImpl*, Uses> of_leaf_;
    std::unordered_map<const TensorImpl*, std::vector<const nn::Module*>> owners_;
    std::unordered_map<const TensorImpl*, std::ptrdiff_t> leaf_cuts_, leaf_none_;
    std::unordered_map<const void*, Called> called_;
};

} // namespace reel::inspect
