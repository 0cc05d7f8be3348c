// Questions to tensors: sizes, dtype, device, their one number (rules SC-33, SC-44).
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/type_promotion.hpp>

#include "ops/numbers.hpp"
#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

const Tensor& self(Span a) { return a[0].toTensor(); }
IValue ints(IntArrayRef list) { return IValue::list(std::vector<IValue>(list.begin(), list.end())); }

IValue sizes(Span a) { return ints(self(a).sizes()); }
IValue size(Span a) { return self(a).size(a[1].toInt()); }
IValue strides(Span a) { return ints(self(a).strides()); }
IValue stride(Span a) { return self(a).stride(a[1].toInt()); }
IValue storage_offset(Span a) { return self(a).storage_offset(); }
IValue dim(Span a) { return Int(self(a).dim()); }
IValue numel(Span a) { return Int(self(a).numel()); }
IValue length(Span a) {
    REEL_CHECK_TYPE(self(a).dim() > 0, "len() of a 0-d tensor");
    return self(a).size(0);
}
IValue element_size(Span a) { return self(a).element_size(); }
IValue nbytes(Span a) { return Int(self(a).nbytes()); }
IValue dtype(Span a) { return number_of_dtype(self(a).scalar_type()); }
IValue device(Span a) { return self(a).device(); }
IValue get_device(Span a) { return self(a).get_device(); }
IValue layout(Span) { return Int(0); } // strided, the only one
IValue requires_grad(Span a) { return self(a).requires_grad(); }
IValue is_floating_point(Span a) { return self(a).is_floating_point(); }
IValue is_complex(Span a) { return self(a).is_complex(); }
IValue is_signed(Span a) { return self(a).is_signed(); }
IValue is_leaf(Span a) { return self(a).is_leaf(); }
IValue is_cpu(Span a) { return self(a).is_cpu(); }
IValue is_cuda(Span a) { return self(a).is_cuda(); }
IValue is_meta(Span a) { return self(a).is_meta(); }
IValue is_contiguous(Span a) { return self(a).is_contiguous(); }
IValue is_contiguous_as(Span a) {
    const std::string_view word = memory_format_of_number(a[1].toInt());
    return self(a).is_contiguous(word == "channels_last"      ? MemoryFormat::ChannelsLast
                                 : word == "channels_last_3d" ? MemoryFormat::ChannelsLast3d
                                                              : MemoryFormat::Contiguous);
}
IValue is_same_size(Span a) { return self(a).is_same_size(a[1].toTensor()); }
/// Layouts, devices and states that no tensor has here.
IValue no(Span) { return false; }
IValue nameless(Span) { return {}; }
IValue grad(Span a) { return self(a).grad().defined() ? IValue(self(a).grad()) : IValue(); }
IValue data(Span a) { return self(a).data(); }
IValue detach(Span a) { return self(a).detach(); }
IValue detach_(Span a) {
    Tensor t = self(a);
    t.detach_();
    return t;
}
IValue requires_grad_(Span a) { return self(a).requires_grad_(a[1].toBool()); }
IValue retain_grad(Span a) {
    self(a).retain_grad();
    return {};
}
IValue retains_grad(Span a) { return self(a).retains_grad(); }

const Tensor& one_element(Span a) {
    REEL_CHECK(self(a).numel() == 1, "a Tensor with ", self(a).numel(), " elements cannot be converted to Scalar");
    return self(a);
}
IValue item(Span a) { return one_element(a).item(); }
IValue to_int(Span a) {
    const IValue v = one_element(a).item();
    if (!v.isDouble()) return v.toScalar().toLong();
    const double d = v.toDouble();
    constexpr double limit = 9223372036854775808.;
    return d >= -limit && d < limit ? Int(d) : std::numeric_limits<Int>::min();
}
IValue to_float(Span a) { return one_element(a).item().toDouble(); }
IValue to_bool(Span a) {
    REEL_CHECK(self(a).numel() > 0, "Boolean value of Tensor with no values is ambiguous");
    REEL_CHECK(self(a).numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    return self(a).item().toBool();
}
IValue to_complex(Span a) { return one_element(a).item().toComplexDouble(); }

/// A tensor where a number is asked for.
const Tensor& implicit_scalar(Span a) {
    REEL_CHECK(!self(a).requires_grad(), "Cannot input a tensor that requires grad as a scalar argument");
    REEL_CHECK(self(a).dim() == 0, "Cannot input a tensor of dimension other than 0 as a scalar argument");
    return self(a);
}
IValue int_implicit(Span a) {
    REEL_CHECK(isIntegralType(implicit_scalar(a).scalar_type(), false), "Cannot input a tensor of type ",
               toString(self(a).scalar_type()), " as an integral argument");
    return self(a).item().toLong();
}
IValue float_implicit(Span a) {
    REEL_CHECK(self(a).is_floating_point() || isIntegralType(self(a).scalar_type(), true),
               "Cannot input a tensor of type ", toString(self(a).scalar_type()), " as a float argument");
    return implicit_scalar(a).item().toDouble();
}
IValue complex_implicit(Span a) { return implicit_scalar(a).item().toComplexDouble(); }
IValue scalar_implicit(Span a) { return implicit_scalar(a).item(); }

IValue assert_metadata(Span a) {
    const Tensor& t = self(a);
    const auto equal = [&](const IValue& wanted, IntArrayRef had) {
        const auto list = wanted.toIntVector();
        return std::equal(list.begin(), list.end(), had.begin(), had.end());
    };
    REEL_CHECK(a[1].isNone() || equal(a[1], t.sizes()), "Tensor sizes mismatch!");
    REEL_CHECK(a[2].isNone() || equal(a[2], t.strides()), "Tensor strides mismatch!");
    const auto wanted = optional_dtype(a[3]);
    REEL_CHECK(!wanted || *wanted == t.scalar_type(), "Tensor dtype mismatch! Expected: ", wanted.value_or(kFloat),
               ", Got: ", t.scalar_type());
    return {};
}
IValue assert_true(Span a) {
    REEL_CHECK(a[0].isTensor() ? a[0].toTensor().item().toBool() : a[0].toScalar().toBool(), a[1].toStringRef());
    return {};
}
IValue promote(Span a) { return number_of_dtype(promote_types(*optional_dtype(a[0]), *optional_dtype(a[1]))); }
/// Of two tensors, or numbers: those stand for the dtypes that they would have as tensors and give way to them.
IValue result_dtype(Span a) {
    const IValue &x = a[0], &y = a[1];
    if (x.isTensor())
        return number_of_dtype(y.isTensor() ? result_type(x.toTensor(), y.toTensor())
                                            : result_type(x.toTensor(), y.toScalar()));
    if (y.isTensor()) return number_of_dtype(result_type(x.toScalar(), y.toTensor()));
    return number_of_dtype(result_type(x.toScalar(), y.toScalar()));
}
/// Sizes that a bias or an addend would have to be summed to; None when they are the same.
IValue size_if_not_equal(Span a) { return a[0].toIntVector() == a[1].toIntVector() ? IValue() : a[0]; }
IValue broadcast_shapes(Span a) {
    const auto x = a[0].toIntVector(), y = a[1].toIntVector();
    std::vector<Int> out(std::max(x.size(), y.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Int m = i < x.size() ? x[x.size() - 1 - i] : 1, n = i < y.size() ? y[y.size() - 1 - i] : 1;
        REEL_CHECK(m == n || m == 1 || n == 1,
                   "Shape mismatch: objects cannot be broadcast to a single shape: ", a[0].repr(), " and ",
                   a[1].repr());
        out[out.size() - 1 - i] = m == 1 ? n : m;
    }
    return out;
}
IValue nested_lists(const Tensor& t) {
    if (t.dim() == 0) return t.item();
    std::vector<IValue> rows;
    for (Int i = 0; i < t.size(0); ++i) rows.push_back(nested_lists(t.select(0, i)));
    return IValue::list(std::move(rows));
}
IValue tolist(Span a) { return nested_lists(self(a).detach()); }

constexpr Line lines[] = {
    {"aten::size", sizes},
    {"aten::size.int", size},
    {"aten::sym_size", sizes},
    {"aten::sym_size.int", size},
    {"aten::stride", strides},
    {"aten::stride.int", stride},
    {"aten::sym_stride", strides},
    {"aten::sym_stride.int", stride},
    {"aten::storage_offset", storage_offset},
    {"aten::sym_storage_offset", storage_offset},
    {"aten::dim", dim},
    {"aten::numel", numel},
    {"aten::sym_numel", numel},
    {"aten::len.Tensor", length},
    {"aten::element_size", element_size},
    {"aten::get_device", get_device},
    {"aten::is_floating_point", is_floating_point},
    {"aten::is_complex", is_complex},
    {"aten::is_signed", is_signed},
    {"aten::is_leaf", is_leaf},
    {"aten::is_conj", no},
    {"aten::is_neg", no},
    {"aten::is_inference", no},
    {"aten::is_contiguous", is_contiguous},
    {"aten::is_contiguous.memory_format", is_contiguous_as},
    {"aten::is_same_size", is_same_size},
    {"aten::data", data},
    {"aten::detach", detach},
    {"aten::detach_", detach_},
    {"aten::requires_grad_", requires_grad_},
    {"aten::retain_grad", retain_grad, true},
    {"aten::retains_grad", retains_grad},
    {"aten::item", item},
    {"aten::Int.Tensor", to_int},
    {"aten::Float.Tensor", to_float},
    {"aten::Bool.Tensor", to_bool},
    {"aten::Complex.Tensor", to_complex},
    {"aten::IntImplicit", int_implicit},
    {"aten::FloatImplicit", float_implicit},
    {"aten::ComplexImplicit", complex_implicit},
    {"aten::ScalarImplicit", scalar_implicit},
    {"aten::_assert_tensor_metadata", assert_metadata, true},
    {"aten::_assert_scalar", assert_true, true},
    {"aten::_assert_async.msg", assert_true, true},
    {"aten::promote_types", promote},
    {"aten::result_type.Tensor", result_dtype},
    {"aten::result_type.Scalar", result_dtype},
    {"aten::result_type.Scalar_Tensor", result_dtype},
    {"aten::result_type.Scalar_Scalar", result_dtype},
    {"aten::_local_scalar_dense", item},
    {"aten::_size_if_not_equal", size_if_not_equal},
    {"aten::broadcast_shapes", broadcast_shapes},
    {"aten::_infer_size", broadcast_shapes},
    {"prim::tolist", tolist},
    {"prim::dtype", dtype},
    {"prim::device", device},
    {"prim::layout", layout},
    {"prim::requires_grad", requires_grad},
    {"prim::grad", grad},
    {"prim::data", data},
    {"prim::nbytes", nbytes},
    {"prim::itemsize", element_size},
    {"prim::name", nameless},
    {"prim::is_cpu", is_cpu},
    {"prim::is_cuda", is_cuda},
    {"prim::is_meta", is_meta},
    {"prim::is_xpu", no},
    {"prim::is_quantized", no},
    {"prim::is_ipu", no},
    {"prim::is_maia", no},
    {"prim::is_vulkan", no},
    {"prim::is_mps", no},
    {"prim::is_mkldnn", no},
    {"prim::is_sparse_csr", no},
    {"prim::is_xla", no},
    {"prim::is_sparse", no},
    {"prim::is_mtia", no},
};

} // namespace

std::span<const Line> tensors() { return lines; }

} // namespace reel::jit::own
