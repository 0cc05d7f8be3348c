// Pushing tangents along recorded nodes.
#include <reel/autograd/forward_ad.hpp>

#include <atomic>
#include <unordered_map>
#include <unordered_set>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>

#include "tape/function_node.hpp"
#include "tape/gradient_checks.hpp"
#include "tensor/raw.hpp"

namespace reel::autograd::forward_ad {

namespace {

std::atomic<std::uint64_t> next_level{1};
thread_local std::uint64_t open_level = 0;

/// Where a tangent joins the tape; gradients pass through unchanged.
class DualNode final : public Node {
public:
    DualNode(const Tensor& p, Tensor t, std::uint64_t l) : primal(p), tangent(std::move(t)), level(l) {
        add_next_edge(primal.requires_grad() ? gradient_edge(primal) : Edge());
        add_input_metadata(primal);
    }
    std::string name() const override { return "MakeDualBackward0"; }
    GradList apply(GradList&& grads) override { return std::move(grads); }

    const Tensor primal, tangent;
    const std::uint64_t level;
};

/// Nodes behind `root`, operands before results.
std::vector<Node*> operands_first(Node* root) {
    struct Frame {
        Node* node;
        std::size_t next;
    };
    std::vector<Node*> order;
    std::unordered_set<Node*> seen{root};
    std::vector<Frame> stack{{root, 0}};
    while (!stack.empty()) {
        Frame& f = stack.back();
        if (f.next < f.node->next_edges().size()) {
            Node* n = f.node->next_edge(f.next++).function.get();
            if (n && seen.insert(n).second) stack.push_back({n, 0});
            continue;
        }
        order.push_back(f.node);
        stack.pop_back();
    }
    return order;
}

/// The backward rule u -> J^T u is linear in u, so its own backward, fed with tangents, gives J t.
variable_list through_rule(Node& n, const variable_list& by_edge, bool create_graph) {
    EnableGradGuard guard;
    GradList grads;
    variable_list dummies;
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < n.num_inputs(); ++i) {
        const InputMetadata& m = n.input_metadata(i);
        if (m.dtype == ScalarType::Undefined || !isDifferentiableType(m.dtype)) {
            grads.push_back(Tensor());
            continue;
        }
        dummies.push_back(m.zeros().requires_grad_());
        outputs.push_back(i);
        grads.push_back(dummies.back());
    }
    GradList pulled = n.apply(std::move(grads));
    variable_list roots, seeds;
    for (std::size_t i = 0; i < by_edge.size() && i < pulled.size(); ++i) {
        if (!by_edge[i].defined() || !pulled[i].defined() || !pulled[i].requires_grad()) continue;
        const Edge& e = n.next_edge(i);
        roots.push_back(validated_gradient(std::move(pulled[i]), e.function->input_metadata(e.input_nr),
                                           [&] { return str(n.name(), ": result ", i); }));
        seeds.push_back(by_edge[i]);
    }
    variable_list result(n.num_inputs());
    if (roots.empty()) return result;
    const variable_list pushed = grad(roots, dummies, seeds, true, create_graph, true);
    for (std::size_t k = 0; k < outputs.size(); ++k) result[outputs[k]] = pushed[k];
    return result;
}

variable_list push(Node& n, const variable_list& by_edge, bool create_graph) {
    auto* function = dynamic_cast<FunctionNode*>(&n);
    if (!function) return through_rule(n, by_edge, create_graph);
    REEL_CHECK_NOT_IMPLEMENTED(function->has_jvp(), n.forward_op_name(),
                               ": this Function has no jvp, so there is no forward mode through it; give it a "
                               "static jvp(ctx, tangents)");
    AutoGradMode mode(create_graph);
    return function->push_tangents(by_edge);
}

} // namespace

std::uint64_t enter_dual_level() {
    REEL_CHECK(!open_level, "enter_dual_level: a level is open already; levels do not nest");
    return open_level = next_level.fetch_add(1);
}
void exit_dual_level(std::uint64_t level) {
    REEL_CHECK(open_level == level && level, "exit_dual_level: level ", level, " is not the open one");
    open_level = 0;
}
DualLevel::~DualLevel() {
    if (open_level == level_) open_level = 0;
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent) {
    REEL_CHECK(open_level, "make_dual: no dual level is open; make a DualLevel first");
    REEL_CHECK_VALUE(primal.defined() && tangent.defined(), "make_dual: primal and tangent must be defined");
    REEL_CHECK_VALUE(isDifferentiableType(primal.scalar_type()), "make_dual: the primal is ",
                     dtype_name(primal.scalar_type()), "; expected a floating or complex dtype");
    REEL_CHECK_VALUE(tangent.sizes().equals(primal.sizes()) && tangent.scalar_type() == primal.scalar_type(),
                     "make_dual: the tangent is ", dtype_name(tangent.scalar_type()), " ", tangent.sizes(),
                     "; expected ", dtype_name(primal.scalar_type()), " ", primal.sizes(), " as the primal");
    const Tensor dual = reel::detail::alias_raw(primal);
    dual.impl()->set_history(NodePtr(new DualNode(primal, tangent, open_level)), 0);
    return dual;
}

DualTensor unpack_dual(const Tensor& t, bool create_graph) {
    REEL_CHECK(open_level, "unpack_dual: no dual level is open");
    if (!t.requires_grad()) return {t, Tensor()};
    const Edge root = gradient_edge(t);
    if (!root.is_valid()) return {t, Tensor()};
    std::unordered_map<const Node*, variable_list> tangents;
    for (Node* n : operands_first(root.function.get())) {
        if (const auto* dual = dynamic_cast<const DualNode*>(n)) {
            if (dual->level == open_level) tangents.emplace(n, variable_list{dual->tangent});
            continue;
        }
        variable_list by_edge(n->num_outputs());
        bool any = false;
        for (std::size_t i = 0; i < by_edge.size(); ++i) {
            const Edge& e = n->next_edge(i);
            const auto it = e.is_valid() ? tangents.find(e.function.get()) : tangents.end();
            if (it == tangents.end() || e.input_nr >= it->second.size()) continue;
            by_edge[i] = it->second[e.input_nr];
            any = any || by_edge[i].defined();
        }
        if (any) tangents.emplace(n, push(*n, by_edge, create_graph));
    }
    const auto it = tangents.find(root.function.get());
    DualTensor result{t, it == tangents.end() ? Tensor() : it->second[root.input_nr]};
    if (const auto* dual = dynamic_cast<const DualNode*>(root.function.get()); dual && dual->level == open_level)
        result.primal = dual->primal;
    return result;
}

} // namespace reel::autograd::forward_ad
