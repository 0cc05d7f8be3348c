// One backward pass: from seeds at the roots through the steps of its nodes to leaves and captured gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <reel/autograd/node.hpp>

#include "tape/after_accumulation.hpp"
#include "tape/pass_nodes.hpp"
#include "tape/ready_queue.hpp"
#include "tape/streams.hpp"

namespace reel::autograd {

/// A gradient that `grad` wants: slot `input_nr` of `function`.
struct Capture {
    Node* function;
    std::uint32_t input_nr;
    std::uint32_t next = 0; ///< of the same function, counted from 1; 0 for none
    Tensor result = {};
};

class GraphTask {
public:
    GraphTask(bool keep_graph, bool create_graph) : keep_graph_(keep_graph), create_graph_(create_graph) {}
    ~GraphTask();
    GraphTask(const GraphTask&) = delete;

    /// Runs from `roots` with `seeds`. `captures` are recorded but need not execute; `executed` inputs run (backward
    /// with inputs). Everything reachable runs unless the pass is `restricted` to those two.
    void run(const EdgeList& roots, TensorList seeds, std::vector<Capture>& captures,
             const std::vector<Node*>& executed, bool restricted);
    void queue_callback(std::function<void()> fn) { callbacks_.push_back(std::move(fn)); }
    /// Runs `fn` when the pass is over, also after a failure.
    void at_end(std::function<void()> fn) { at_end_.push_back(std::move(fn)); }
    /// Runs `fn` once every accumulator among `nodes` that this pass will still run has run.
    void after(const std::vector<NodePtr>& nodes, std::function<void()> fn);
    std::uint64_t id() const { return nodes_.pass(); }
    /// Was the pass asked for certain inputs (`grad`, or `backward` with inputs)?
    bool restricted() const { return restricted_; }
    bool will_execute(Node* n) { return nodes_.runs(n); } ///< part of this pass and on a path to what is wanted
    bool wants(Node* n) { return nodes_.wants(n); }       ///< executes or is captured
    Node* current_node() const { return current_; }
    static GraphTask* current();

private:
    // The pass (graph_task.cpp).
    void run_on_a_fresh_stack(const EdgeList& roots, TensorList seeds, std::vector<Capture>& captures,
                              const std::vector<Node*>& executed, bool restricted);
    void restrict_to(const EdgeList& roots, std::vector<Capture>& captures, const std::vector<Node*>& executed);
    void seed(const EdgeList& roots, TensorList seeds);
    void join_streams();
    void run_callbacks();
    // The step of one node (step.cpp).
    void evaluate(Node& n, bool accumulates);
    void capture(const PassState& s, const GradList& grads);
    void route(Node& n, GradList&& out);
    void arrive(PassState& s, Node* n, std::uint32_t slot, Tensor&& g);

    bool keep_graph_, create_graph_, restricted_ = false;
    PassNodes nodes_;
    ReadyQueue ready_;
    Node* current_ = nullptr;
    std::vector<Capture>* captures_ = nullptr; ///< of a pass that has some
    std::vector<std::function<void()>> callbacks_, at_end_;
    AfterAccumulation after_accumulation_;
    PassStreams streams_;
    std::vector<NodePtr> accumulated_; ///< on several streams: whose gradients the caller will read
};

/// The pass of `root.backward(gradient)`, which accumulates into all leaves; the gradient may be undefined.
void backward_from(const Tensor& root, const Tensor& gradient, bool keep_graph, bool create_graph);

} // namespace reel::autograd
