// Checks of gradients on their way from node to node.
#include "tape/gradient_checks.hpp"

#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tape/anomaly.hpp"

namespace reel::autograd {

namespace {
bool lies_there(const Tensor& g, Device device) {
    return g.device().type() == device.type() && (!device.is_cuda() || g.device().index() == device.index());
}
} // namespace

Tensor validated_gradient(Tensor g, const InputMetadata& expected, const std::function<std::string()>& who) {
    if (!g.defined() || expected.dtype == ScalarType::Undefined) return g;
    if (!g.sizes().equals(expected.sizes)) {
        const std::size_t extra = g.sizes().size() - expected.sizes.size();
        bool ok = g.sizes().size() >= expected.sizes.size();
        for (std::size_t i = 0; ok && i < expected.sizes.size(); ++i)
            ok = expected.sizes[i] == g.sizes()[i + extra] || expected.sizes[i] == 1;
        REEL_CHECK(ok, who(), " is a gradient of shape ", g.sizes(), "; expected ", IntArrayRef(expected.sizes),
                   " or a shape that broadcasts from it");
        g = reel::sum_to_size(g, expected.sizes);
    }
    if (g.scalar_type() != expected.dtype) {
        REEL_CHECK(isComplexType(expected.dtype) || !g.is_complex(), who(), " is a ", dtype_name(g.scalar_type()),
                   " gradient for a real tensor of ", dtype_name(expected.dtype), "; take its real part");
        g = g.to(expected.dtype);
    }
    if (!lies_there(g, expected.device)) {
        REEL_CHECK(g.dim() == 0, who(), " is a gradient on ", g.device(), "; expected it on ", expected.device);
        g = g.to(TensorOptions(expected.device));
    }
    return g;
}

void validate_outputs(const Node& n, GradList& out) {
    REEL_CHECK(out.size() == n.num_outputs(), n.name(), " returned ", out.size(), " gradients; expected ",
               n.num_outputs(), ", one per input of the forward operation");
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Edge& e = n.next_edge(i);
        if (!out[i].defined()) continue;
        if (!e.is_valid()) {
            // Hooks on identity nodes see a gradient for every tensor (B-13); other nodes show none here (T-20).
            if (!n.materializes_undefined()) out[i].reset();
            continue;
        }
        const InputMetadata& m = e.function->input_metadata(e.input_nr);
        if (out[i].sizes().equals(m.sizes) && out[i].scalar_type() == m.dtype && lies_there(out[i], m.device))
            [[likely]]
            continue;
        out[i] = validated_gradient(std::move(out[i]), m, [&] { return str(n.name(), ": result ", i); });
    }
}

void check_replacements(const char* kind, const Node& n, const variable_list& before, const variable_list& after) {
    REEL_CHECK(after.size() == before.size(), n.name(), ": ", kind, " returned ", after.size(), " gradients, expected ",
               before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
        if (after[i].defined() && !after[i].is_same(before[i]))
            check_replacement(before[i], after[i], [&] { return str(n.name(), ": ", kind, ": result ", i); });
}

void refuse_nan(const Node& n, const GradList& out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!out[i].defined() || out[i].is_meta() || !isDifferentiableType(out[i].scalar_type())) continue;
        NoGradGuard guard;
        const Tensor elements = out[i].is_sparse() ? out[i]._values() : out[i];
        if (!reel::any(reel::isnan(elements)).item().toBool()) continue;
        Error error(str(n.name(), " returned NaN in its result ", i));
        explain_failure(n, [&](const std::string& line) { error.add_context(line); });
        throw error;
    }
}

} // namespace reel::autograd
