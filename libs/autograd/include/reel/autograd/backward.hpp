// Running the tape backwards: from roots into leaves, or into requested gradients.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel {
template <class Key, class Value> class OrderedDict;
}

namespace reel::autograd {

/// A place on the tape: a node's output slot. It keeps the graph alive (T-35).
using GradientEdge = Edge;

/// Names of tensors: `grad` then answers under the same names (E-77). Exactly this type, no class derived from it.
template <class Map>
concept NamedTensors = std::same_as<Map, OrderedDict<std::string, Tensor>>;

/// A root or an input of a pass: a tensor, or a gradient edge in its place (T-35).
class GradientPoint {
public:
    GradientPoint(Tensor t) : tensor_(std::move(t)) {}
    GradientPoint(GradientEdge e) : edge_(std::move(e)), is_edge_(true) {}
    bool is_edge() const { return is_edge_; }
    const Tensor& tensor() const { return tensor_; }   ///< undefined for an edge
    const GradientEdge& edge() const { return edge_; } ///< invalid for a tensor

private:
    Tensor tensor_;
    GradientEdge edge_;
    bool is_edge_ = false;
};

/// Roots or inputs as callers write them: `{loss}`, `{x, edge}`, a vector of tensors or of edges, named tensors.
class GradientPoints {
public:
    GradientPoints() = default;
    GradientPoints(std::initializer_list<GradientPoint> points) : points_(points) {}
    GradientPoints(const variable_list& tensors) : points_(tensors.begin(), tensors.end()) {}
    GradientPoints(const edge_list& edges) : points_(edges.begin(), edges.end()) {}
    template <NamedTensors Map> GradientPoints(const Map& named) {
        for (const auto& item : named) points_.emplace_back(item.value());
    }
    std::size_t size() const { return points_.size(); }
    bool empty() const { return points_.empty(); }
    const GradientPoint& operator[](std::size_t i) const { return points_[i]; }

private:
    std::vector<GradientPoint> points_;
};

/// The arguments of `Tensor::backward` by their names.
struct TensorBackwardOptions {
    Tensor gradient = {};                     ///< ones for a single element
    std::optional<bool> retain_graph = {};    ///< as `create_graph` unless given
    bool create_graph = false;                ///< the pass itself is recorded
    std::optional<variable_list> inputs = {}; ///< accumulate into these alone
};
/// The arguments of `autograd::backward` behind the roots, by their names:
/// `backward({loss}, BackwardOptions{.retain_graph = true})`. (Without the type's name g++ reads such a list as seeds.)
struct BackwardOptions {
    variable_list grad_tensors = {};
    std::optional<bool> retain_graph = {};
    bool create_graph = false;
    GradientPoints inputs = {};
};
/// The arguments of `autograd::grad` behind the inputs, by their names:
/// `grad({y}, {x}, GradOptions{.create_graph = true})`.
struct GradOptions {
    variable_list grad_outputs = {};
    std::optional<bool> retain_graph = {};
    bool create_graph = false;
    std::optional<bool> allow_unused = {};
    bool materialize_grads = false;
};

/// Accumulates into the leaves (or only into `inputs`). Rules E-10 to E-19. `grad_tensors` may be empty, or hold one
/// (possibly undefined) seed per root. Among `inputs`, the edge of a leaf accumulates into that leaf; the edge of
/// another tensor stores nothing.
void backward(const GradientPoints& roots, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const GradientPoints& inputs = {});
/// The same with names. (Templates, so that `{}` still means no seeds.)
template <std::same_as<BackwardOptions> Options> void backward(const GradientPoints& roots, const Options& o) {
    backward(roots, o.grad_tensors, o.retain_graph, o.create_graph, o.inputs);
}

/// Gradients of `outputs` with respect to `inputs`; touches no `.grad`. An unused input is an error unless
/// `allow_unused` (undefined) or `materialize_grads` (zeros; an error for an unused edge). Rules E-10 to E-17.
variable_list grad(const GradientPoints& outputs, const GradientPoints& inputs, const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   std::optional<bool> allow_unused = std::nullopt, bool materialize_grads = false);
template <std::same_as<GradOptions> Options>
variable_list grad(const GradientPoints& outputs, const GradientPoints& inputs, const Options& o) {
    return grad(outputs, inputs, o.grad_outputs, o.retain_graph, o.create_graph, o.allow_unused, o.materialize_grads);
}
/// The same for named inputs: the gradients come under the names of their inputs (E-77).
template <NamedTensors Map>
Map grad(const GradientPoints& outputs, const Map& inputs, const variable_list& grad_outputs = {},
         std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
         std::optional<bool> allow_unused = std::nullopt, bool materialize_grads = false) {
    const variable_list g = grad(outputs, GradientPoints(inputs), grad_outputs, retain_graph, create_graph,
                                 allow_unused, materialize_grads);
    Map result;
    std::size_t i = 0;
    for (const auto& item : inputs) result.insert(item.key(), g[i++]);
    return result;
}

/// Queues `fn` to run when the running pass has succeeded (E-26). Throws outside of a pass.
void queue_callback(std::function<void()> fn);
/// Id of the pass running on this thread, -1 outside of one.
std::int64_t current_graph_task_id();

/// In this scope a gradient that nobody else holds becomes a leaf's `.grad` with its own strides, where it would
/// otherwise be copied into the leaf's layout (E-79). Thread-local; counts while the pass runs.
class RelaxGradLayoutGuard {
public:
    RelaxGradLayoutGuard();
    ~RelaxGradLayoutGuard();
    RelaxGradLayoutGuard(const RelaxGradLayoutGuard&) = delete;

private:
    bool previous_;
};

} // namespace reel::autograd
