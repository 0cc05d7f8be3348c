// Many tensors as one vector, and back: buckets of gradients.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/shape/flatten_dense.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "tensor/checked_size.hpp"

namespace reel {

using namespace detail;

/// The elements of all tensors, one tensor after the other, each in row-major order: a vector of the dtype that holds
/// them all. Gradients go back to their tensors. `unflatten_dense_tensors` cuts such a vector up again.
REEL_OP("flatten_dense_tensors(Tensor[] tensors) -> Tensor", composite,
        samples(call(tensors({numbers({2, 3}), numbers({}, 4), numbers({0, 2}), numbers({4}, 5)})),
                call(tensors({numbers({2, 2}, kComplexDouble), numbers({3}, kComplexDouble)}))))
Tensor flatten_dense_tensors(TensorList tensors) {
    REEL_CHECK(!tensors.empty(), "flatten_dense_tensors: expected a non-empty list of tensors");
    std::vector<Tensor> flat;
    flat.reserve(tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].defined(), "flatten_dense_tensors: tensor ", i, " of the list is undefined");
        flat.push_back(reshape(tensors[i], {-1}));
    }
    return cat(flat, 0);
}
/// Views of consecutive stretches of the vector `flat` with the sizes of `tensors`, of which nothing else is read.
/// Those without elements have memory of their own, so that `resize_` lets none of them grow into another. `flat` may
/// be longer; a shorter one is an Error.
REEL_OP("unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]", composite, view,
        not_differentiable("tensors"), any_device("tensors"),
        samples(call(numbers({9}), tensors({numbers({2, 3}), numbers({}, 4), numbers({2}, 5)}))))
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, TensorList tensors) {
    const char* const op = "unflatten_dense_tensors";
    REEL_CHECK(flat.dim() == 1, op, ": flat must have one dimension, got sizes ", flat.sizes());
    std::vector<Tensor> out;
    out.reserve(tensors.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].defined(), op, ": tensor ", i, " of the list is undefined");
        const std::int64_t n = tensors[i].numel(), end = checked_add(op, "the sum of the sizes", start, n);
        REEL_CHECK(end <= flat.size(0), op, ": flat has ", flat.size(0), " elements, but tensor ", i, " of sizes ",
                   tensors[i].sizes(), " ends at ", end);
        const Tensor part = view(narrow(flat, 0, start, n), tensors[i].sizes());
        out.push_back(n == 0 ? reel::clone(part) : part);
        start = end;
    }
    return out;
}

} // namespace reel
