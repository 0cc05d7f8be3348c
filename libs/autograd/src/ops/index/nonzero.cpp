// Where the non-zero elements are.
#include <reel/autograd/host_data.hpp>

#include "ops/shape/shape_util.hpp"

#include <complex>

#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// True where elements differ from zero, row-major.
std::vector<char> truth(const Tensor& t) {
    const Tensor x = contiguous_raw(t);
    std::vector<char> out;
    checked_reserve("nonzero", "a mask", out, x.numel());
    out.resize(std::size_t(x.numel()));
    dispatch_all(x.scalar_type(), "nonzero", [&]<class T>() {
        const T* p = static_cast<const T*>(host_data(x, "nonzero"));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = p[i] != T(0);
    });
    return out;
}

/// Coordinates, one row each; at most `limit` of them if that is not negative.
Tensor coordinates(const char* op, const Tensor& input, std::int64_t limit) {
    require_host(input, op);
    const std::vector<char> set = truth(input);
    std::int64_t found = 0;
    for (const bool b : set) found += b;
    if (limit >= 0) found = std::min(found, limit);
    const std::int64_t dims = input.dim();
    const Tensor out = empty_raw({found, dims}, kLong, input.device());
    std::int64_t* row = host_data<std::int64_t>(out, op);
    Dims at(std::size_t(dims), 0);
    for (std::size_t i = 0; i < set.size() && found > 0; ++i) {
        if (set[i]) {
            row = std::copy(at.begin(), at.end(), row);
            --found;
        }
        for (std::int64_t d = dims; d-- > 0;) {
            if (++at[std::size_t(d)] < input.sizes()[std::size_t(d)]) break;
            at[std::size_t(d)] = 0;
        }
    }
    return out;
}
} // namespace

/// The coordinates of the non-zero elements: int64, one row per element. `as_tuple`: one tensor per dimension instead
/// (`nonzero_numpy` in C++).
REEL_OP("nonzero(Tensor input) -> Tensor", not_differentiable, method, out)
Tensor nonzero(const Tensor& input) { return coordinates("nonzero", input, -1); }
REEL_OP("nonzero(Tensor input, *, bool as_tuple) -> Value", not_differentiable, cpp("nonzero_as"))
Value nonzero_as(const Tensor& input, bool as_tuple) {
    return as_tuple ? Value(nonzero_numpy(input)) : Value(nonzero(input));
}
REEL_OP("nonzero_numpy(Tensor input) -> Tensor[]", not_differentiable, method, samples(call(numbers({3, 4}) > 0)))
std::vector<Tensor> nonzero_numpy(const Tensor& input) {
    const Tensor rows = nonzero(input.dim() == 0 ? input.reshape({1}) : input);
    std::vector<Tensor> out;
    for (std::int64_t d = 0; d < rows.size(1); ++d) out.push_back(contiguous_raw(select_raw(rows, 1, d)));
    return out;
}

/// The first `size` rows of `nonzero`, padded with `fill_value`: a result whose shape does not depend on the data.
REEL_OP("nonzero_static(Tensor input, *, int size, int fill_value=-1) -> Tensor", not_differentiable, method, out)
Tensor nonzero_static(const Tensor& input, std::int64_t size, std::int64_t fill_value) {
    REEL_CHECK(size >= 0, "nonzero_static: size must not be negative, got ", size);
    check_sizes("nonzero_static", {size, std::max<std::int64_t>(input.dim(), 1)}, kLong);
    const Tensor found = coordinates("nonzero_static", input, size);
    const Tensor out = empty_raw({size, input.dim()}, kLong, input.device());
    fill_raw(out, Scalar(fill_value));
    if (found.numel() > 0) assign_raw(narrow_raw(out, 0, 0, found.size(0)), found);
    return out;
}

/// `nonzero` under NumPy's name.
REEL_OP("argwhere(Tensor input) -> Tensor", not_differentiable, method)
Tensor argwhere(const Tensor& input) { return nonzero(input); }

/// The coordinates where `condition` holds, one tensor per dimension.
REEL_OP("where(Tensor condition) -> Tensor[]", not_differentiable, samples(call(numbers({3, 4}) > 0)))
std::vector<Tensor> where(const Tensor& condition) { return nonzero_numpy(condition); }

} // namespace reel
