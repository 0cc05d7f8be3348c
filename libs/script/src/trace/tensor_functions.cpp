// Functions and methods of tensors that Python writes over other operators.
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

/// Of Reel's three overloads: (input, dtype), (input, device, dtype) and (input, tensor), each with non_blocking, copy,
/// memory_format. A device alone goes by the tensor's options, which name its dtype and layout, too.
IValue to(Tracer& t, const Args& a) {
    const bool two = a.size() == 6;
    IValue device = two ? a[1] : IValue(), dtype = two ? a[2] : a[1];
    const IValue &non_blocking = a[a.size() - 3], &copy = a[a.size() - 2], &format = a.back();
    if (device.isString()) device = Device(device.toStringRef());
    if (dtype.isTensor()) {
        const Tensor other = dtype.toTensor();
        device = other.device(), dtype = other.scalar_type();
    }
    if (device.isNone() && !dtype.isNone()) return t.aten("aten::to.dtype", {a[0], dtype, non_blocking, copy, format});
    if (!device.isNone() && !dtype.isNone())
        return t.aten("aten::to.device", {a[0], device, dtype, non_blocking, copy, format});
    if (device.isNone() && format.isNone() && !copy.toBool()) return a[0];
    const Tensor& x = a[0].toTensor();
    if (device.isNone()) device = x.device();
    constexpr std::int64_t strided = 0;
    return t.aten("aten::to.dtype_layout", {a[0], x.scalar_type(), strided, device, {}, non_blocking, copy, format});
}
IValue numpy_t(Tracer& t, const Args& a) { return t.aten("aten::numpy_T", {a[0]}); }
IValue matrix_h(Tracer& t, const Args& a) { return t.aten("aten::matrix_H", {a[0]}); }

template <ScalarType T> IValue cast(Tracer& t, const Args& a) {
    return t.aten("aten::to.dtype", {a[0], IValue(T), false, false, a[1]});
}
/// input, p, dim, keepdim, out, dtype: norms of vectors are one operator, whatever the function's name.
IValue norm(Tracer& t, const Args& a) {
    IValue p = a[1].isNone() ? IValue(2) : a[1];
    if (p.isString() && p.toStringRef() == "fro") p = 2;
    const IValue dims = a[2].isNone() ? IValue() : expanded(a[2], 1);
    if (p.isString()) return t.aten("aten::linalg_matrix_norm.str_ord", {a[0], p, dims, a[3], a[5]});
    return t.aten("aten::linalg_vector_norm", {a[0], p, dims, a[3], a[5]});
}
/// input, split_size_or_sections, dim
IValue split(Tracer& t, const Args& a) {
    return t.aten(a[1].isSequence() ? "aten::split_with_sizes" : "aten::split.Tensor", {a[0], a[1], a[2]});
}
/// `all` and `any` of one dimension have an overload of their own: input, dim, keepdim
IValue of_dims(Tracer& t, const std::string& name, const Args& a) {
    if (a.size() < 2 || a[1].isNone()) return t.aten(name, {a[0]});
    if (a[1].isSequence() && a[1].elements().size() != 1) return t.aten(name + ".dims", {a[0], a[1], a[2]});
    return t.aten(name + ".dim", {a[0], expanded(a[1], 1).elements()[0], a[2]});
}
IValue all(Tracer& t, const Args& a) { return of_dims(t, "aten::all", a); }
IValue any(Tracer& t, const Args& a) { return of_dims(t, "aten::any", a); }
/// input, sorted, return_inverse, return_counts, dim
IValue unique(Tracer& t, const Args& a) {
    Args out = a[4].isNone() ? t.aten("aten::_unique2", {a[0], a[1], a[2], a[3]}).elements()
                             : t.aten("aten::unique_dim", {a[0], a[4], a[1], a[2], a[3]}).elements();
    if (!a[3].toBool()) out.erase(out.begin() + 2);
    if (!a[2].toBool()) out.erase(out.begin() + 1);
    return out.size() == 1 ? out[0] : IValue::tuple(out);
}
/// a, b, dims: a number of them, or those of each operand
IValue tensordot(Tracer& t, const Args& a) {
    Args left, right;
    if (a[2].isInt())
        for (std::int64_t i = 0, n = a[2].toInt(); i < n; ++i) {
            left.emplace_back(i - n);
            right.emplace_back(i);
        }
    else {
        const bool each = a.size() > 3 && a[3].isSequence();
        left = (each ? a[2] : a[2].elements().at(0)).elements();
        right = (each ? a[3] : a[2].elements().at(1)).elements();
    }
    return t.aten("aten::tensordot", {a[0], a[1], list(std::move(left)), list(std::move(right))});
}

constexpr FunctionLine table[] = {
    {"bool", cast<kBool>},
    {"byte", cast<kByte>},
    {"char", cast<kChar>},
    {"short", cast<kShort>},
    {"int", cast<kInt>},
    {"long", cast<kLong>},
    {"half", cast<kHalf>},
    {"bfloat16", cast<kBFloat16>},
    {"float", cast<kFloat>},
    {"double", cast<kDouble>},
    {"norm", norm},
    {"split", split},
    {"all", all},
    {"any", any},
    {"unique", unique},
    {"tensordot", tensordot},
    {"to", to},
    {"T", numpy_t},
    {"H", matrix_h},
};
} // namespace

std::span<const FunctionLine> tensor_functions() { return table; }

} // namespace reel::jit::trace_impl
