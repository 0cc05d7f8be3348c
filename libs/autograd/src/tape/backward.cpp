// Entry checks of backward and grad (rules E-10 to E-19, E-85).
#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>

#include "tape/autograd_meta.hpp"
#include "tape/gradient_checks.hpp"
#include "tape/graph_task.hpp"
#include "tape/modes.hpp"

namespace reel::autograd {

namespace {

/// What is known of a root: its edge, and its metadata as of a tensor.
struct Root {
    Edge edge;
    InputMetadata meta;
};
// Nearly every pass has one root.
using Roots = SmallVector<Root, 1>;
using Seeds = SmallVector<Tensor, 1>;

Root root_at(const Tensor& t, std::size_t i) {
    REEL_CHECK(t.defined(), "backward: output ", i, " is undefined");
    Edge e = gradient_edge(t);
    REEL_CHECK(e.is_valid(), "backward: output ", i,
               " does not require grad and has no grad_fn: nothing in its history requires grad");
    return {std::move(e), InputMetadata(t)};
}

Roots make_roots(const GradientPoints& points) {
    Roots roots;
    roots.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const GradientPoint& p = points[i];
        if (p.is_edge()) {
            REEL_CHECK(p.edge().is_valid(), "backward: output ", i, " is an invalid gradient edge");
            roots.push_back({p.edge(), p.edge().function->input_metadata(p.edge().input_nr)});
            continue;
        }
        roots.push_back(root_at(p.tensor(), i));
    }
    return roots;
}

Seeds make_seeds(const Roots& roots, TensorList given) {
    REEL_CHECK(given.empty() || given.size() == roots.size(), "backward: got ", given.size(), " gradients for ",
               roots.size(), " outputs; give one (possibly undefined) gradient per output");
    Seeds seeds;
    seeds.reserve(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const InputMetadata& out = roots[i].meta;
        const IntArrayRef sizes = out.sizes;
        const Tensor g = given.empty() ? Tensor() : given[i];
        if (g.defined()) {
            REEL_CHECK(g.sizes().equals(sizes), "backward: gradient ", i, " has shape ", g.sizes(), ", but output ", i,
                       " has shape ", sizes);
            REEL_CHECK(g.is_complex() == isComplexType(out.dtype), "backward: gradient ", i, " is ",
                       dtype_name(g.scalar_type()), ", but output ", i, " is ", dtype_name(out.dtype),
                       "; both must be real or both complex");
            // Dtype and device are settled as for every gradient that arrives there (E-58).
            const InputMetadata& slot = roots[i].edge.function->input_metadata(roots[i].edge.input_nr);
            seeds.push_back(validated_gradient(g, slot, [&] { return str("backward: gradient ", i); }));
        } else {
            REEL_CHECK(!isComplexType(out.dtype), "backward: output ", i, " is complex; give its gradient explicitly");
            std::int64_t numel = 1;
            for (const std::int64_t n : sizes) numel *= n;
            REEL_CHECK(numel == 1, "backward: a gradient can be left out only for outputs of one element; output ", i,
                       " has shape ", sizes);
            NoGradGuard guard;
            seeds.push_back(reel::ones(sizes, TensorOptions(out.dtype).device(out.device)));
        }
    }
    return seeds;
}

EdgeList edges_of(const Roots& roots) {
    EdgeList r;
    r.reserve(roots.size());
    for (const Root& root : roots) r.push_back(root.edge);
    return r;
}

Edge input_edge(const char* what, const GradientPoints& inputs, std::size_t i) {
    const GradientPoint& p = inputs[i];
    if (p.is_edge()) {
        REEL_CHECK(p.edge().is_valid(), what, ": input ", i, " is an invalid gradient edge");
        return p.edge();
    }
    REEL_CHECK(p.tensor().defined() && p.tensor().requires_grad(), what, ": input ", i, " does not require grad");
    return gradient_edge(p.tensor());
}

void warn_of_cycle() {
    REEL_WARN_ONCE("Using backward() with create_graph=True makes a reference cycle between a parameter and its "
                   "gradient; use grad(), or clear .grad afterwards");
}

} // namespace

void backward_from(const Tensor& root, const Tensor& gradient, bool keep_graph, bool create_graph) {
    if (create_graph) warn_of_cycle();
    const Roots roots{root_at(root, 0)};
    const Seeds seeds = make_seeds(roots, TensorList(gradient));
    std::vector<Capture> none;
    GraphTask task(keep_graph, create_graph);
    task.run(edges_of(roots), seeds, none, {}, false);
}

RelaxGradLayoutGuard::RelaxGradLayoutGuard() : previous_(std::exchange(tape_modes().relaxed_layout, true)) {}
RelaxGradLayoutGuard::~RelaxGradLayoutGuard() { tape_modes().relaxed_layout = previous_; }

void backward(const GradientPoints& points, const variable_list& grad_tensors, std::optional<bool> retain_graph,
              bool create_graph, const GradientPoints& inputs) {
    EdgeList keep;
    keep.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) keep.push_back(input_edge("backward", inputs, i)); // E-85: always
    if (points.empty()) return;
    if (create_graph) warn_of_cycle();
    const Roots roots = make_roots(points);
    const Seeds seeds = make_seeds(roots, grad_tensors);
    std::vector<Capture> captures;
    std::vector<Node*> executed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_edge() && !inputs[i].tensor().is_leaf()) inputs[i].tensor().retain_grad(); // E-16: for good
        if (keep[i].is_valid()) executed.push_back(keep[i].function.get()); // not of a view that ends gradients (E-49)
    }
    GraphTask task(retain_graph.value_or(create_graph), create_graph);
    task.run(edges_of(roots), seeds, captures, executed, !inputs.empty());
}

variable_list grad(const GradientPoints& outputs, const GradientPoints& inputs, const variable_list& grad_outputs,
                   std::optional<bool> retain_graph, bool create_graph, std::optional<bool> allow_unused,
                   bool materialize_grads) {
    REEL_CHECK(!inputs.empty(), "grad: inputs is empty; name the tensors whose gradients are wanted");
    REEL_CHECK_VALUE(!materialize_grads || allow_unused.value_or(true),
                     "grad: materialize_grads=true implies allow_unused=true, but allow_unused=false was passed");
    const bool unused_ok = allow_unused.value_or(materialize_grads);
    EdgeList keep;
    std::vector<Capture> captures;
    keep.reserve(inputs.size());
    captures.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        keep.push_back(input_edge("grad", inputs, i));
        captures.push_back({keep.back().function.get(), keep.back().input_nr});
    }
    if (!outputs.empty()) {
        const Roots roots = make_roots(outputs);
        const Seeds seeds = make_seeds(roots, grad_outputs);
        GraphTask task(retain_graph.value_or(create_graph), create_graph);
        task.run(edges_of(roots), seeds, captures, {}, true);
    }
    variable_list result;
    result.reserve(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Tensor g = std::move(captures[i].result);
        if (!g.defined()) {
            REEL_CHECK(unused_ok, "grad: input ", i,
                       " was not used in the graph of the outputs (or only undefined gradients "
                       "reached it); pass allow_unused=true to get an undefined tensor for it");
            if (materialize_grads) {
                REEL_CHECK(!inputs[i].is_edge(), "grad: input ", i,
                           " is a gradient edge that was not used; materialize_grads makes zeros for tensors only");
                NoGradGuard guard;
                g = reel::zeros_like(inputs[i].tensor());
                if (create_graph) g.requires_grad_();
            }
        }
        result.push_back(std::move(g));
    }
    return result;
}

} // namespace reel::autograd
