// One backward pass: dependency counting, execution by sequence number, captures (architecture decision 6).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// A gradient that `grad` wants: slot `input_nr` of `function`.
struct Capture {
    Node* function;
    std::uint32_t input_nr;
    Tensor result;
};

class GraphTask {
public:
    GraphTask(bool keep_graph, bool create_graph);
    ~GraphTask();
    GraphTask(const GraphTask&) = delete;

    /// Runs from `roots` with `seeds`. `captures` are recorded but need not execute; `executed` inputs run (backward
    /// with inputs). Both empty: everything reachable runs.
    void run(const EdgeList& roots, const std::vector<Tensor>& seeds, std::vector<Capture>& captures,
             const std::vector<Node*>& executed, bool restricted);
    void queue_callback(std::function<void()> fn) { callbacks_.push_back(std::move(fn)); }
    /// Runs `fn` when the pass is over, also after a failure.
    void at_end(std::function<void()> fn) { at_end_.push_back(std::move(fn)); }
    /// Runs `fn` once every accumulator among `nodes` that this pass will still run has run.
    void after(const std::vector<NodePtr>& nodes, std::function<void()> fn);
    std::uint64_t id() const { return id_; }
    /// Was the pass asked for certain inputs (`grad`, or `backward` with inputs)?
    bool restricted() const { return restricted_; }
    bool will_execute(Node* n); ///< part of this pass and on a path to what is wanted
    bool wants(Node* n);        ///< executes or is captured
    Node* current_node() const { return current_; }
    static GraphTask* current();

private:
    PassState& state(Node* n);
    PassState* find_state(Node* n);
    PassState& claim(Node* n, bool& fresh);
    void discover(const EdgeList& roots);
    void mark_wanted(const EdgeList& roots, const std::vector<Capture>& captures, const std::vector<Node*>& executed);
    static void add_gradient(PassState& s, const Node* n, std::uint32_t slot, Tensor&& g);
    void push_ready(Node* n);
    void loop(std::vector<Capture>& captures);
    void accumulated(Node* n);
    void evaluate(Node* n, std::vector<Capture>& captures);
    void run_tensor_hooks(Node* n, GradList& grads);
    void validate(Node* n, GradList& out);
    void check_nan(Node* n, const GradList& out);

    std::uint64_t id_;
    bool keep_graph_, create_graph_, restricted_ = false;
    std::vector<Node*> claimed_;
    std::unordered_map<Node*, PassState> side_; ///< nodes that another running pass holds
    std::vector<std::pair<std::uint64_t, Node*>> ready_;
    std::vector<std::function<void()>> callbacks_, at_end_;
    struct Waiting {
        std::size_t left; ///< accumulators that have not run
        std::function<void()> fn;
    };
    std::unordered_map<Node*, std::vector<std::shared_ptr<Waiting>>> waiting_; ///< by accumulator
    Node* current_ = nullptr;
};

/// Looks at what a built-in node saved, without using it: a node that no gradient reached runs too (E-20), so it fails
/// once its tensors are released, and unpack hooks run.
void look_at_saved(Node& n);
/// Stands entry `i` of a built-in node's saved tensors for an operand that was absent, rather than released?
bool saved_was_absent(const Node& n, std::size_t i);
/// Checks what a node hook returned in place of `before` (T-22).
void check_node_hook(const char* kind, const Node& n, const variable_list& before, const variable_list& after);
/// Checks one gradient against what the slot expects: sums broadcast dims down, casts (E-57).
Tensor validated_gradient(Tensor g, const InputMetadata& expected, const std::function<std::string()>& who);

} // namespace reel::autograd
