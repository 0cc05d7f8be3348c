#include "sharding/gather_parameters.hpp"

#include <reel/autograd/function.hpp>

#include "sharding/unit.hpp"

namespace reel::distributed {

using autograd::variable_list;

namespace {
/// What one call of the function is about: no tensors of the graph.
struct Gathered {
    std::shared_ptr<Unit> unit;
    std::vector<std::size_t> parameters;
    variable_list whole;
};

struct GatherParameters : autograd::Function<GatherParameters> {
    static constexpr bool once_differentiable = true;
    static variable_list forward(autograd::AutogradContext* ctx, const Gathered& call, const variable_list&) {
        ctx->set_materialize_grads(false); // whether anybody has a gradient is told to the others
        ctx->saved_data.set("call", Value::box(Gathered{call.unit, call.parameters, {}}));
        variable_list outputs;
        for (const Tensor& whole : call.whole) outputs.push_back(whole.detach());
        return outputs;
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list gradients) {
        const Value held = ctx->saved_data.at("call");
        const auto& call = held.get<Gathered>();
        variable_list rows = call.unit->reduce(call.parameters, gradients);
        call.unit->drop();                   // every use of this call's whole parameters has had its gradient
        rows.insert(rows.begin(), Tensor()); // the call itself
        return rows;
    }
};
} // namespace

std::vector<Tensor> with_history(const std::shared_ptr<Unit>& unit, const std::vector<Tensor>& whole) {
    Gathered call{unit, {}, {}};
    variable_list rows;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (!unit->parameters()[i].local.requires_grad()) continue;
        call.parameters.push_back(i);
        call.whole.push_back(whole[i]);
        rows.push_back(unit->parameters()[i].local);
    }
    std::vector<Tensor> result = whole;
    if (rows.empty()) return result;
    const variable_list outputs = GatherParameters::apply(call, rows);
    for (std::size_t k = 0; k < outputs.size(); ++k) result[call.parameters[k]] = outputs[k];
    return result;
}

} // namespace reel::distributed
