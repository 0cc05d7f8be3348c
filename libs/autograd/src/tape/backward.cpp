// Entry checks of backward and grad (rules E-10 to E-19, E-85).
#include <reel/autograd/backward.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/ops.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/engine.hpp"

namespace reel::autograd {

namespace {

std::vector<Tensor> make_seeds(const variable_list& roots, const variable_list& given) {
    REEL_CHECK(given.empty() || given.size() == roots.size(), "backward: got ", given.size(), " gradients for ",
               roots.size(), " outputs; give one (possibly undefined) gradient per output");
    std::vector<Tensor> seeds;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const Tensor& out = roots[i];
        const Tensor g = given.empty() ? Tensor() : given[i];
        if (g.defined()) {
            REEL_CHECK(g.sizes().equals(out.sizes()), "backward: gradient ", i, " has shape ", g.sizes(),
                       ", but output ", i, " has shape ", out.sizes());
            REEL_CHECK(g.is_complex() == out.is_complex(), "backward: gradient ", i, " is ",
                       dtype_name(g.scalar_type()), ", but output ", i, " is ", dtype_name(out.scalar_type()),
                       "; both must be real or both complex");
            seeds.push_back(g.scalar_type() == out.scalar_type() ? g : g.to(out.scalar_type()));
        } else {
            REEL_CHECK(!out.is_complex(), "backward: output ", i, " is complex; give its gradient explicitly");
            REEL_CHECK(out.numel() == 1,
                       "backward: a gradient can be left out only for outputs of one element; output ", i,
                       " has shape ", out.sizes());
            NoGradGuard guard;
            seeds.push_back(reel::ones_like(out));
        }
    }
    return seeds;
}

EdgeList make_roots(const variable_list& tensors) {
    EdgeList roots;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].defined(), "backward: output ", i, " is undefined");
        const Edge e = gradient_edge(tensors[i]);
        REEL_CHECK(e.is_valid(), "backward: output ", i,
                   " does not require grad and has no grad_fn: nothing in its history requires grad");
        roots.push_back(e);
    }
    return roots;
}

} // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors, std::optional<bool> retain_graph,
              bool create_graph, const variable_list& inputs) {
    if (tensors.empty()) return;
    if (create_graph)
        REEL_WARN_ONCE("backward with create_graph=true makes a reference cycle between a parameter and its gradient; "
                       "use grad(), or clear .grad afterwards");
    const EdgeList roots = make_roots(tensors);
    const std::vector<Tensor> seeds = make_seeds(tensors, grad_tensors);
    std::vector<Capture> captures;
    std::vector<Node*> executed;
    EdgeList keep;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        REEL_CHECK(inputs[i].defined() && inputs[i].requires_grad(), "backward: input ", i, " does not require grad");
        if (!inputs[i].is_leaf()) inputs[i].retain_grad(); // E-16: for good
        keep.push_back(gradient_edge(inputs[i]));
        executed.push_back(keep.back().function.get());
    }
    GraphTask task(retain_graph.value_or(create_graph), create_graph);
    task.run(roots, seeds, captures, executed, !inputs.empty());
}

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, std::optional<bool> allow_unused,
                   bool materialize_grads) {
    REEL_CHECK(!inputs.empty(), "grad: inputs is empty; name the tensors whose gradients are wanted");
    REEL_CHECK_VALUE(!materialize_grads || allow_unused.value_or(true),
                     "grad: materialize_grads=true implies allow_unused=true, but allow_unused=false was passed");
    const bool unused_ok = allow_unused.value_or(materialize_grads);
    EdgeList keep;
    std::vector<Capture> captures;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        REEL_CHECK(inputs[i].defined() && inputs[i].requires_grad(), "grad: input ", i, " does not require grad");
        keep.push_back(gradient_edge(inputs[i]));
        captures.push_back({keep.back().function.get(), keep.back().input_nr, Tensor()});
    }
    if (!outputs.empty()) {
        const EdgeList roots = make_roots(outputs);
        const std::vector<Tensor> seeds = make_seeds(outputs, grad_outputs);
        GraphTask task(retain_graph.value_or(create_graph), create_graph);
        task.run(roots, seeds, captures, {}, true);
    }
    variable_list result;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Tensor g = std::move(captures[i].result);
        if (!g.defined()) {
            REEL_CHECK(unused_ok, "grad: input ", i,
                       " was not used in the graph of the outputs (or only undefined gradients "
                       "reached it); pass allow_unused=true to get an undefined tensor for it");
            if (materialize_grads) {
                g = reel::zeros_like(inputs[i]);
                if (create_graph) g.requires_grad_();
            }
        }
        result.push_back(std::move(g));
    }
    return result;
}

} // namespace reel::autograd
