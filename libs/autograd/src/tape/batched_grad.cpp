// One pass for each of a batch of seeds.
#include <reel/autograd/batched_grad.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

#include <algorithm>

#include <reel/autograd/error.hpp>

namespace reel::autograd {

namespace {

IntArrayRef sizes_of(const GradientPoint& p) {
    if (!p.is_edge()) return p.tensor().sizes();
    return p.edge().function->input_metadata(p.edge().input_nr).sizes;
}
/// How many seeds there are of each output.
std::int64_t batch_of(const GradientPoints& outputs, const variable_list& seeds) {
    REEL_CHECK(seeds.size() == outputs.size() && !seeds.empty(), "grad_batched: got ", seeds.size(),
               " batches of gradients for ", outputs.size(), " outputs; give one for each");
    std::int64_t batch = -1;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        if (!seeds[i].defined()) continue;
        const IntArrayRef out = sizes_of(outputs[i]), sizes = seeds[i].sizes();
        const bool fits = sizes.size() == out.size() + 1 && sizes.slice(1).equals(out);
        REEL_CHECK(fits, "grad_batched: gradient ", i, " has shape ", sizes, "; expected a dimension of the batch and ",
                   "the shape ", out, " of output ", i);
        REEL_CHECK(batch < 0 || batch == sizes[0], "grad_batched: gradient ", i, " is a batch of ", sizes[0],
                   ", those before it are batches of ", batch);
        batch = sizes[0];
    }
    REEL_CHECK(batch >= 0, "grad_batched: no gradient is defined, so that there is no batch");
    return batch;
}
/// The results of all passes for one input; undefined where none has one.
Tensor joined(const std::vector<variable_list>& passes, std::size_t input) {
    const auto some = std::find_if(passes.begin(), passes.end(), [&](const auto& p) { return p[input].defined(); });
    if (some == passes.end()) return {};
    variable_list all;
    for (const variable_list& p : passes)
        all.push_back(p[input].defined() ? p[input] : reel::zeros_like((*some)[input]));
    return reel::stack(all);
}

} // namespace

variable_list grad_batched(const GradientPoints& outputs, const GradientPoints& inputs,
                           const variable_list& grad_outputs, std::optional<bool> retain_graph, bool create_graph,
                           std::optional<bool> allow_unused, bool materialize_grads) {
    const std::int64_t batch = batch_of(outputs, grad_outputs);
    std::vector<variable_list> passes;
    for (std::int64_t b = 0; b < batch; ++b) {
        variable_list seeds;
        for (const Tensor& g : grad_outputs) seeds.push_back(g.defined() ? reel::select(g, 0, b) : Tensor());
        const bool last = b + 1 == batch;
        passes.push_back(
            grad(outputs, inputs, seeds, last ? retain_graph : true, create_graph, allow_unused, materialize_grads));
    }
    variable_list r;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (batch > 0) {
            r.push_back(joined(passes, i));
            continue;
        }
        std::vector<std::int64_t> sizes{0};
        for (const std::int64_t n : sizes_of(inputs[i])) sizes.push_back(n);
        r.push_back(inputs[i].is_edge() ? reel::zeros(sizes) : inputs[i].tensor().detach().new_zeros(sizes));
    }
    return r;
}

} // namespace reel::autograd
