// Functions and methods of tensors that Python writes over other operators.
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

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

constexpr FunctionLine table[] = {
    {"bool", cast<kBool>},   {"byte", cast<kByte>},     {"char", cast<kChar>}, {"short", cast<kShort>},
    {"int", cast<kInt>},     {"long", cast<kLong>},     {"half", cast<kHalf>}, {"bfloat16", cast<kBFloat16>},
    {"float", cast<kFloat>}, {"double", cast<kDouble>}, {"norm", norm},        {"split", split},
};
} // namespace

std::span<const FunctionLine> tensor_functions() { return table; }

} // namespace reel::jit::trace_impl
