#include "exported/batches.hpp"

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

namespace reel::jit {

BatchStep batch_step(const std::string& target) {
    constexpr std::string_view family = "torch._functorch.predispatch.";
    if (!target.starts_with(family)) return BatchStep::None;
    const std::string_view name = std::string_view(target).substr(family.size());
    if (name == "_vmap_increment_nesting") return BatchStep::Begin;
    if (name == "_vmap_decrement_nesting") return BatchStep::End;
    if (name == "_add_batch_dim") return BatchStep::Take;
    if (name == "_remove_batch_dim") return BatchStep::Join;
    return name == "lazy_load_decompositions" ? BatchStep::Nothing : BatchStep::None;
}

namespace {
std::int64_t dimension(const std::vector<IValue>& inputs, std::size_t i) {
    REEL_CHECK_VALUE(i < inputs.size() && inputs[0].isTensor(), "takes a tensor and a dimension, got ", inputs.size(),
                     " arguments");
    return inputs[i].toInt();
}
} // namespace

// tensor, dimension, level
Tensor Batch::take(const std::vector<IValue>& inputs) const {
    const std::int64_t dim = dimension(inputs, 1);
    const Tensor& t = inputs[0].toTensor();
    REEL_CHECK_VALUE(t.size(dim) == size, "dimension ", dim, " of a tensor of shape ", t.sizes(), " has not the ", size,
                     " slices of its region");
    if (size > 0) return t.select(dim, slice);
    // What a slice would look like, with the history of the batch that has none.
    return t.sum(dim).to(t.scalar_type());
}
// tensor, level, number of slices, dimension
void Batch::join(std::size_t slot, const std::vector<IValue>& inputs) {
    Result& r = results[slot];
    r.dim = dimension(inputs, 3);
    r.slices.push_back(inputs[0].toTensor());
}
Tensor Batch::joined(const Result& result) const {
    const Tensor all = reel::stack(result.slices, result.dim);
    return size > 0 ? all : all.narrow(result.dim, 0, 0);
}

} // namespace reel::jit
