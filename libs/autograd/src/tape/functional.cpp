#include <reel/autograd/functional.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>

namespace reel::autograd::functional::detail {
namespace {

/// Inputs that the function may be differentiated by: with `create_graph` still connected to the caller's tape.
variable_list prepare(const char* name, const variable_list& inputs, bool create_graph) {
    variable_list x;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        REEL_CHECK_TYPE(inputs[i].defined(), name, ": input ", i, " is undefined; give a tensor");
        x.push_back(create_graph && inputs[i].requires_grad() ? inputs[i].view_as(inputs[i])
                                                              : inputs[i].detach().requires_grad_());
    }
    return x;
}

variable_list finish(variable_list list, bool create_graph) {
    if (!create_graph)
        for (Tensor& t : list) t = t.detach();
    return list;
}

variable_list call(const char* name, const DifferentiableFunction& fn, const variable_list& x) {
    variable_list outputs = fn(x);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        REEL_CHECK_TYPE(outputs[i].defined(), name, ": output ", i, " of the function is undefined");
    return outputs;
}

/// Absent gradients become zeros, or with `strict` an error.
variable_list filled(const char* name, variable_list got, const variable_list& like, bool strict, const char* what) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i].defined()) continue;
        REEL_CHECK(!strict, name, ": with strict=true the output must depend on every input, but ", what, " ", i,
                   " is not connected; leave strict out to get zeros");
        got[i] = zeros_like(like[i]);
    }
    return got;
}

/// Gradients; those outputs that are not on the tape contribute nothing.
variable_list grads(const variable_list& outputs, const variable_list& inputs, const variable_list& seeds,
                    bool create_graph) {
    variable_list roots, live;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (outputs[i].defined() && outputs[i].requires_grad())
            roots.push_back(outputs[i]), live.push_back(i < seeds.size() ? seeds[i] : Tensor());
    if (roots.empty()) return variable_list(inputs.size());
    return grad(roots, inputs, live, true, create_graph, true);
}

void check_vector(const char* name, const char* what, const variable_list& v, const variable_list& like) {
    REEL_CHECK_VALUE(v.size() == like.size(), name, ": v has ", v.size(), " tensors, expected one for each of the ",
                     like.size(), " ", what, "s");
    for (std::size_t i = 0; i < v.size(); ++i) {
        REEL_CHECK_TYPE(v[i].defined(), name, ": v[", i, "] is undefined");
        REEL_CHECK_VALUE(v[i].sizes().equals(like[i].sizes()), name, ": v[", i, "] has shape ", v[i].sizes(),
                         ", expected that of ", what, " ", i, ", ", like[i].sizes());
    }
}

/// `v`, or ones where it may be left out.
variable_list vector_for(const char* name, const char* what, const variable_list& v, const variable_list& like) {
    if (v.empty() && like.size() == 1) {
        REEL_CHECK_VALUE(like[0].numel() == 1, name, ": v may only be left out when the ", what,
                         " has one element; it has ", like[0].numel());
        return {ones_like(like[0]).detach()};
    }
    check_vector(name, what, v, like);
    return v;
}

Tensor scalar_output(const char* name, const variable_list& outputs) {
    REEL_CHECK(outputs.size() == 1, name, ": the function returns ", outputs.size(), " tensors, expected one");
    REEL_CHECK(outputs[0].numel() == 1, name, ": the function's output has ", outputs[0].numel(),
               " elements, expected one; sum it");
    return outputs[0];
}

} // namespace

std::pair<variable_list, variable_list> vjp(const DifferentiableFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
    const AutoGradMode recording(true);
    const variable_list x = prepare("vjp", inputs, create_graph);
    const variable_list outputs = call("vjp", fn, x);
    const variable_list seeds = vector_for("vjp", "output", v, outputs);
    variable_list g = filled("vjp", grads(outputs, x, seeds, create_graph), x, strict, "input");
    return {finish(outputs, create_graph), finish(std::move(g), create_graph)};
}

std::pair<variable_list, variable_list> jvp(const DifferentiableFunction& fn, const variable_list& inputs,
                                            const variable_list& v, bool create_graph, bool strict) {
    const AutoGradMode recording(true);
    const variable_list x = prepare("jvp", inputs, create_graph);
    const variable_list tangents = vector_for("jvp", "input", v, x);
    const variable_list outputs = call("jvp", fn, x);
    // The gradient is linear in its cotangents, so its derivative with respect to them, applied to v, is J v.
    variable_list cotangents;
    for (const Tensor& t : outputs) cotangents.push_back(zeros_like(t).detach().requires_grad_());
    const variable_list g = grads(outputs, x, cotangents, true);
    variable_list r = filled("jvp", grads(g, cotangents, tangents, create_graph), outputs, strict, "output");
    return {finish(outputs, create_graph), finish(std::move(r), create_graph)};
}

nested_list jacobian(const DifferentiableFunction& fn, const variable_list& inputs, bool create_graph, bool strict) {
    const AutoGradMode recording(true);
    const variable_list x = prepare("jacobian", inputs, create_graph);
    nested_list result;
    for (const Tensor& output : call("jacobian", fn, x)) {
        nested_list rows(x.size()); // [input][output element]
        for (std::int64_t k = 0; k < output.numel(); ++k) {
            const Tensor seed = zeros_like(output).detach();
            seed.view(IntArrayRef{-1}).select(0, k).fill_(1);
            const variable_list g = filled("jacobian", grads({output}, x, {seed}, create_graph), x, strict, "input");
            for (std::size_t i = 0; i < x.size(); ++i) rows[i].push_back(g[i]);
        }
        variable_list row;
        for (std::size_t i = 0; i < x.size(); ++i) {
            Dims shape(output.sizes());
            for (const std::int64_t n : x[i].sizes()) shape.push_back(n);
            row.push_back(rows[i].empty() ? x[i].new_zeros(shape) : stack(rows[i]).view(shape));
        }
        result.push_back(finish(std::move(row), create_graph));
    }
    return result;
}

nested_list hessian(const DifferentiableFunction& fn, const variable_list& inputs, bool create_graph, bool strict) {
    const auto gradient = [&](const variable_list& x) {
        nested_list first = jacobian(
            [&](const variable_list& y) {
                return variable_list{scalar_output("hessian", fn(y)).reshape(IntArrayRef{})};
            },
            x, true, strict);
        return first.at(0);
    };
    return jacobian(gradient, inputs, create_graph, strict);
}

std::pair<Tensor, variable_list> hvp(const DifferentiableFunction& fn, const variable_list& inputs,
                                     const variable_list& v, bool create_graph, bool strict) {
    const AutoGradMode recording(true);
    const variable_list x = prepare("hvp", inputs, create_graph);
    const variable_list tangents = vector_for("hvp", "input", v, x);
    const Tensor output = scalar_output("hvp", call("hvp", fn, x));
    const variable_list first = filled("hvp", grads({output}, x, {}, true), x, strict, "input");
    variable_list cotangents;
    for (const Tensor& t : first) cotangents.push_back(zeros_like(t).detach().requires_grad_());
    const variable_list second = grads(first, x, cotangents, true);
    variable_list r = filled("hvp", grads(second, cotangents, tangents, create_graph), x, strict, "input");
    return {finish({output}, create_graph)[0], finish(std::move(r), create_graph)};
}

std::pair<Tensor, variable_list> vhp(const DifferentiableFunction& fn, const variable_list& inputs,
                                     const variable_list& v, bool create_graph, bool strict) {
    const AutoGradMode recording(true);
    const variable_list x = prepare("vhp", inputs, create_graph);
    const variable_list seeds = vector_for("vhp", "input", v, x);
    const Tensor output = scalar_output("vhp", call("vhp", fn, x));
    const variable_list first = filled("vhp", grads({output}, x, {}, true), x, strict, "input");
    variable_list r = filled("vhp", grads(first, x, seeds, create_graph), x, strict, "input");
    return {finish({output}, create_graph)[0], finish(std::move(r), create_graph)};
}

} // namespace reel::autograd::functional::detail
