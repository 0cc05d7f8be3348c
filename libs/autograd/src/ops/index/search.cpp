// Positions in sorted sequences, membership.
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/ops/index/search.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/pointwise/run.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// Both as the dtype that holds their values, row-major.
void to_common(const char* op, Tensor& a, Tensor& b) {
    const ScalarType t = result_type(a, b);
    REEL_CHECK_NOT_IMPLEMENTED(!isComplexType(t), op, ": complex numbers have no order");
    a = contiguous_raw(cast_raw(a, t));
    b = contiguous_raw(cast_raw(b, t));
}

/// Brings a 0-dim operand on the CPU to the device of the other one, and tells which that is.
Device to_one_device(Tensor& a, Tensor& b) {
    Tensor& number = a.is_cpu() && a.dim() == 0 ? a : b;
    const Device device = (&number == &a ? b : a).device();
    if (number.is_cpu() && number.dim() == 0 && device != number.device()) number = number.to(device);
    return b.device();
}

bool right_side(bool right, std::optional<std::string_view> side) {
    if (!side) return right;
    REEL_CHECK(*side == "left" || *side == "right", "searchsorted: side must be 'left' or 'right', got '", *side, "'");
    REEL_CHECK(!right || *side == "right", "searchsorted: side 'left' contradicts right=true");
    return *side == "right";
}

/// `sequence`: one row, or as many rows as `values` has; `order` sorts them, if defined.
Tensor positions(const char* op, Tensor sequence, Tensor values, const Tensor& order, bool out_int32, bool right) {
    if (reel::detail::thread_modes.observers) recording::not_recorded(op, {sequence, values});
    const Dims sizes(values.sizes());
    to_common(op, sequence, values);
    const Tensor out = empty_raw(sizes, kLong, to_one_device(sequence, values));
    kernels::searchsorted(op, out, sequence, values, order.defined() ? contiguous_raw(order) : Tensor(), right);
    return out_int32 ? cast_raw(out, kInt) : out;
}
} // namespace

/// Where each value of `input` would go into the innermost dimension of `sorted_sequence` to keep it sorted: before
/// equal elements, behind them if `right` (or side 'right'). `sorter` holds the indices that sort the sequence.
REEL_OP("searchsorted(Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str? side=None, "
        "Tensor? sorter=None) -> Tensor",
        not_differentiable, out_exact)
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
    const Tensor& s = sorted_sequence;
    REEL_CHECK(s.dim() > 0, "searchsorted: sorted_sequence must have at least one dimension");
    REEL_CHECK(s.scalar_type() == input.scalar_type() || input.dim() == 0,
               "searchsorted: sorted_sequence and input must have one dtype, got ", toString(s.scalar_type()), " and ",
               toString(input.scalar_type()));
    if (s.dim() > 1) {
        bool fits = input.dim() == s.dim();
        for (std::int64_t d = 0; fits && d + 1 < s.dim(); ++d) fits = s.size(d) == input.size(d);
        REEL_CHECK(fits, "searchsorted: sorted_sequence ", s.sizes(), " and input ", input.sizes(),
                   " must agree in all dimensions but the last");
    }
    if (sorter.defined()) {
        REEL_CHECK(sorter.scalar_type() == kLong && sorter.sizes().equals(s.sizes()),
                   "searchsorted: sorter must be int64 of sizes ", s.sizes(), ", got ", toString(sorter.scalar_type()),
                   " ", sorter.sizes());
        checked_index("searchsorted", sorter, s.size(-1));
    }
    return positions("searchsorted", s, input, sorter, out_int32, right_side(right, side));
}
REEL_OP("searchsorted(Tensor sorted_sequence, Scalar input, *, bool out_int32=False, bool right=False, str? side=None, "
        "Tensor? sorter=None) -> Tensor",
        not_differentiable, out_exact)
Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& input, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
    REEL_CHECK(sorted_sequence.dim() == 1, "searchsorted: a number fits a sorted_sequence of one dimension, got sizes ",
               sorted_sequence.sizes());
    return searchsorted(sorted_sequence, wrapped_number(input), out_int32, right, side, sorter);
}

/// The number of the interval between `boundaries` (sorted, one dimension) that each element falls into; `right`:
/// intervals are closed on the left.
REEL_OP("bucketize(Tensor input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        not_differentiable, out_exact)
Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32, bool right) {
    REEL_CHECK(boundaries.dim() == 1, "bucketize: boundaries must have one dimension, got sizes ", boundaries.sizes());
    return positions("bucketize", boundaries, input, {}, out_int32, right);
}
REEL_OP("bucketize(Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor",
        not_differentiable, out_exact)
Tensor bucketize(const Scalar& input, const Tensor& boundaries, bool out_int32, bool right) {
    return bucketize(wrapped_number(input), boundaries, out_int32, right);
}

/// Which elements occur among `test_elements`; `invert`: which do not.
REEL_OP("isin(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
        not_differentiable, out_exact)
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
    Tensor x = elements, among = test_elements;
    to_common("isin", x, among);
    const Tensor out = empty_raw(elements.sizes(), kBool, to_one_device(x, among));
    kernels::isin(out, x, among, invert);
    return out;
}
REEL_OP("isin(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
        not_differentiable, out_exact)
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique, bool invert) {
    return isin(elements, wrapped_number(test_element), assume_unique, invert);
}
REEL_OP("isin(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
        not_differentiable, out_exact)
Tensor isin(const Scalar& element, const Tensor& test_elements, bool assume_unique, bool invert) {
    return isin(wrapped_number(element), test_elements, assume_unique, invert);
}

} // namespace reel
