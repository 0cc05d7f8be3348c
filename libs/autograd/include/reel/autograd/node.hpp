// A vertex of the tape: what a recorded op leaves behind so that gradients can flow through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/detail/output_slots.hpp>
#include <reel/autograd/hook_function.hpp>
#include <reel/autograd/hook_table.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/autograd/work.hpp>

namespace reel::autograd {

/// Gradients going into or out of one node. Undefined entries mean "no gradient".
using GradList = SmallVector<Tensor, 3>;

/// Where a gradient goes: a node and one of its input slots.
struct Edge {
    NodePtr function;
    std::uint32_t input_nr = 0;
    Edge() = default;
    Edge(NodePtr f, std::uint32_t nr) : function(std::move(f)), input_nr(nr) {}
    bool is_valid() const { return bool(function); }
    friend bool operator==(const Edge& a, const Edge& b) {
        return a.function == b.function && a.input_nr == b.input_nr;
    }
};
using EdgeList = SmallVector<Edge, 2>;

/// What the engine must know of one forward output: gradients arriving there are checked against it (E-57).
struct InputMetadata {
    [[no_unique_address]] reel::detail::CompactSizes sizes;
    ScalarType dtype = ScalarType::Undefined;
    Device device = kCPU;
    bool differentiable = true;
    InputMetadata() = default;
    explicit InputMetadata(const Tensor& t);
    Tensor zeros() const;
};

using NodePreHook = HookFunction<std::optional<variable_list>(const variable_list& grad_outputs)>;
using NodePostHook =
    HookFunction<std::optional<variable_list>(const variable_list& grad_inputs, const variable_list& grad_outputs)>;
using TensorHookFn = std::function<Tensor(const Tensor&)>;

struct NodeExtras; // hooks, metadata, anomaly trace: allocated only when used (src/tape/node_extras.hpp)

/// Where an op was called: the user's source line, when recording of it is on.
struct CreationSite {
    std::string module_path, trace;
};

/// Counted, pooled. `apply` receives one gradient per forward output and returns one per edge.
class Node : public RefCounted {
public:
    virtual ~Node();
    static void* operator new(std::size_t n);
    static void operator delete(void* p, std::size_t n) noexcept;
    /// Drops a reference; long chains are destroyed iteratively (E-27).
    static void release(Node* n);

    /// `MulBackward0`.
    virtual std::string name() const = 0;
    /// `Mul`.
    std::string forward_op_name() const;
    /// Computes the gradients with respect to the inputs. May consume `grads`.
    virtual GradList apply(GradList&& grads) = 0;
    variable_list operator()(variable_list grads); ///< apply for users, outside of a pass
    /// Frees saved tensors; using the node afterwards is the error of E-35.
    virtual void release_variables() {}
    /// What the node holds for its backward, in its own order, for walking the tape; absent operands and released
    /// tensors are undefined.
    virtual std::vector<Tensor> saved_tensors() const { return {}; }
    /// What `apply` spends, by the shapes of the operands.
    virtual Work work() const { return Work::kElements; }
    /// Should run even when every incoming gradient is undefined, with zeros for them (identity nodes, Functions).
    virtual bool materializes_undefined() const { return false; }
    /// Does each slot stand for the very tensor behind the edge of the same number (a module's gates)? Then in-place
    /// work on what it returned for a leaf is work on that leaf (E-42).
    virtual bool is_alias() const { return false; }
    /// Runs as soon as ready and marks the end of the tape.
    virtual bool is_accumulator() const { return false; }

    std::uint64_t sequence_nr() const { return sequence_nr_; }
    std::uint64_t topological_nr() const;
    std::uint64_t thread_id() const { return thread_id_; }
    NodePtr getptr() { return NodePtr(this); }

    const EdgeList& next_edges() const { return edges_; }
    const Edge& next_edge(std::size_t i) const { return edges_[i]; }
    std::uint32_t num_outputs() const { return std::uint32_t(edges_.size()); } ///< gradients it produces
    std::uint32_t num_inputs() const { return std::uint32_t(inputs_.size()); } ///< gradients it receives
    const InputMetadata& input_metadata(std::size_t i) const { return inputs_[i]; }
    void add_next_edge(Edge e) { edges_.push_back(std::move(e)); }
    void set_next_edges(EdgeList e) { edges_ = std::move(e); }
    /// Announces one forward output; returns its slot.
    std::uint32_t add_input_metadata(const Tensor& t);
    std::uint32_t add_input_metadata(InputMetadata m);
    /// Is the gradient for edge `i` wanted (edge valid, and on a path to the requested inputs of the running pass)?
    bool should_compute_output(std::size_t i) const;

    RemovableHandle register_prehook(NodePreHook fn);
    RemovableHandle register_posthook(NodePostHook fn);
    /// Hook on one forward output (tensor hooks live here for non-leaves, T-6).
    RemovableHandle add_tensor_hook(std::uint32_t output_nr, TensorHookFn fn);
    /// Free-form annotations (T-34).
    ValueDict& metadata();

    NodeExtras* extras() const { return extras_.get(); }
    NodeExtras& ensure_extras();
    const std::string& creation_trace() const; ///< empty unless anomaly mode was on
    const std::string& module_path() const;    ///< empty unless recorded

protected:
    /// Does somebody look for the node without holding it, by `try_add_ref`?
    enum class Found : bool { kByHolders, kWeakly };
    explicit Node(Found by = Found::kByHolders);
    /// Ends and frees the node; for those that lie in memory of another size than their type's.
    virtual void destroy() noexcept { delete this; }

private:
    friend class PassNodes;
    // A graph is as large as its nodes are: the order leaves no gaps, the first member lies behind the count.
    std::uint32_t thread_id_ : 31;
    std::uint32_t found_weakly_ : 1;
    std::uint64_t sequence_nr_;
    EdgeList edges_;
    [[no_unique_address]] reel::detail::MostlyOne<InputMetadata> inputs_;
    // What the pass that claimed this node knows of it stands there, at that place; other concurrent passes keep theirs
    // in a side table.
    std::uint32_t place_in_pass_ = 0;
    std::atomic<std::uint64_t> pass_{0};
    struct ExtrasDeleter {
        void operator()(NodeExtras* e) const noexcept;
    };
    std::unique_ptr<NodeExtras, ExtrasDeleter> extras_;
    mutable std::uint32_t topological_nr_ = 0;
};

/// The node and slot that a gradient of `t` flows to; for a leaf that requires grad its accumulator; else invalid.
Edge gradient_edge(const Tensor& t);
namespace impl {
/// The accumulator of a leaf, made on first use, held weakly by the leaf (T-33).
using autograd::gradient_edge;
NodePtr grad_accumulator(const Tensor& leaf);
/// Gives a tensor a name for messages and tools.
void set_name(const Tensor& tensor, const std::string& name);
} // namespace impl
/// The node being evaluated on this thread, null outside of a backward.
Node* get_current_node();

} // namespace reel::autograd

/// Edges as keys of unordered containers.
template <> struct std::hash<reel::autograd::Edge> {
    std::size_t operator()(const reel::autograd::Edge& e) const noexcept {
        const std::size_t h = std::hash<const void*>()(e.function.get());
        return h ^ (std::hash<std::uint32_t>()(e.input_nr) + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2));
    }
};
