// Tensors as plain values: the truth of one element, nested lists.
#include <reel/autograd/ops/convert/plain_values.hpp>
#include <reel/autograd/record.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

namespace {
/// Element `at` (of memory that is dense) and those behind it as lists over the sizes from `dim` on.
Value nested(const Tensor& flat, IntArrayRef sizes, std::size_t dim, std::int64_t& at) {
    if (dim == sizes.size()) {
        const Scalar v = detail::alias_raw(flat, {}, {}, at++).item();
        if (v.isBoolean()) return Value(v.toBool());
        if (v.isIntegral(false)) return Value(v.toLong());
        return v.isComplex() ? Value(v) : Value(v.toDouble());
    }
    std::vector<Value> list;
    detail::checked_reserve("tolist", "a list", list, sizes[dim]);
    for (std::int64_t i = 0; i < sizes[dim]; ++i) list.push_back(nested(flat, sizes, dim + 1, at));
    return Value::list(std::move(list));
}
} // namespace

/// Is the only element of `input` other than zero? Errors: Error unless there is exactly one.
REEL_OP("is_nonzero(Tensor input) -> bool", not_differentiable, samples(call(numbers({1}))))
bool is_nonzero(const Tensor& input) { return input.is_nonzero(); }

/// The elements as lists within lists, one level for each dimension; a plain number when there is none.
REEL_OP("tolist(Tensor input) -> Value", not_differentiable, samples(call(numbers({3, 4}))))
Value tolist(const Tensor& input) {
    const Tensor dense = detail::contiguous_raw(input.detach().cpu());
    std::int64_t at = dense.storage_offset();
    return nested(dense, dense.sizes(), 0, at);
}

} // namespace reel
