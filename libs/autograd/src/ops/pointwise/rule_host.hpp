// From a pointwise rule to an op on tensors: promotion, broadcasting, the strided engine, the tape.
#pragma once

#include <string_view>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/pointwise.hpp> // the rules' derivatives call them on tensors
#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "cpu/pointwise.hpp"
#include "tensor/promotion.hpp"
#include "tensor/raw.hpp"

namespace reel::pointwise {

using autograd::GradList;
using autograd::RuleContext;

namespace detail {

using namespace reel::detail;

template <class Op, class T>
void scalar_unary(char* const* d, const std::int64_t* s, std::int64_t n, const void* context) {
    const Op& op = *static_cast<const Op*>(context);
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<T*>(d[0] + i * s[0]) = op.f(*reinterpret_cast<const T*>(d[1] + i * s[1]));
}
template <class Op, class T>
void scalar_binary(char* const* d, const std::int64_t* s, std::int64_t n, const void* context) {
    const Op& op = *static_cast<const Op*>(context);
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<T*>(d[0] + i * s[0]) =
            op.f(*reinterpret_cast<const T*>(d[1] + i * s[1]), *reinterpret_cast<const T*>(d[2] + i * s[2]));
}
/// Integer, bool and complex loops are compiled once, for every machine.
template <class Op, bool Binary> cpu::Loop scalar_loop(ScalarType t) {
#define REEL_CASE(T)                                                                                                   \
    case dtype_of<T>:                                                                                                  \
        if constexpr (Binary) return &scalar_binary<Op, T>;                                                            \
        else return &scalar_unary<Op, T>;
    if constexpr (Op::types & complex) switch (t) {
            REEL_CASE(std::complex<float>)
            REEL_CASE(std::complex<double>)
        default:
            break;
        }
    if constexpr (Op::types & integral) switch (t) {
            REEL_CASE(std::uint8_t)
            REEL_CASE(std::int8_t)
            REEL_CASE(std::int16_t)
            REEL_CASE(std::int32_t)
            REEL_CASE(std::int64_t)
        default:
            break;
        }
    if constexpr (Op::types & boolean) switch (t) {
            REEL_CASE(bool)
        default:
            break;
        }
#undef REEL_CASE
    return nullptr;
}
[[noreturn]] void throw_unsupported(const char* name, ScalarType t);
template <class Op, bool Binary> cpu::Loop forward_loop(const char* name, ScalarType t) {
    if (cpu::Loop l = cpu::loop_table<Op>.forward[int(t)]) [[likely]]
        return l;
    if (cpu::Loop l = scalar_loop<Op, Binary>(t)) return l;
    throw_unsupported(name, t);
}

/// `device`: the rule's kernels elsewhere, by device kind (`device_loop<Op>`); without it the operands must be on the
/// CPU. `name` is the op's, for errors.
void run_unary(const char* name, cpu::Loop loop, const void* op, const Tensor& out, const Tensor& x,
               const DeviceLoop* device = nullptr);
void run_binary(const char* name, cpu::Loop loop, const void* op, const Tensor& out, const Tensor& x, const Tensor& o,
                const DeviceLoop* device = nullptr);
/// Casts `operands` to `compute`, broadcasts them, runs the loop into a fresh tensor of dtype `result`.
Tensor run_elementwise(const char* name, cpu::Loop loop, const void* op, ScalarType compute, ScalarType result,
                       const Tensor* operands, std::size_t n);
/// `t` on the device where the result lives: a plain number or one element of the CPU's, expanded or not, follows it
/// there; others stay as they are.
Tensor following(const Tensor& t, Device where);
/// An uninitialised result laid out like its dense operands.
Tensor result_like(const Tensor& x, const Tensor& o, IntArrayRef sizes, ScalarType dtype);

} // namespace detail

template <class Op> Tensor unary_forward(const char* name, const Op& op, const Tensor& input) {
    ScalarType t = input.scalar_type();
    if (Op::result == Result::ToFloat && isIntegralType(t, true)) t = get_default_dtype();
    const cpu::Loop loop = detail::forward_loop<Op, false>(name, t);
    const Tensor x = detail::cast_raw(input, t);
    Tensor out = detail::empty_like_raw(x, t);
    detail::run_unary(name, loop, &op, out, x, device_loop<Op>);
    return out;
}

/// The op on a tensor, recorded.
template <class Op> Tensor unary_op(const char* name, const Op& op, const Tensor& input) {
    Tensor out = unary_forward(name, op, input);
    if constexpr (requires { &Op::template df<Tensor>; }) {
        if (!autograd::needs_recording_of(name, out, input)) return out;
        static const Tensor absent;
        const auto rule = [op](RuleContext& c) -> GradList {
            const Tensor saved = Op::saves == Saves::Nothing ? Tensor() : c.saved(0);
            const Tensor& g = c.grad();
            if constexpr (Op::fused) {
                const cpu::Loop loop =
                    GradMode::is_enabled() ? nullptr : cpu::loop_table<Op>.backward[int(g.scalar_type())];
                if (loop && g.is_cpu() && g.scalar_type() == saved.scalar_type()) {
                    Tensor gx = detail::result_like(g, saved, g.sizes(), g.scalar_type());
                    detail::run_binary("backward", loop, &op, gx, g, saved);
                    return {gx};
                }
            }
            return {op.df(g, saved, saved)};
        };
        if constexpr (Op::saves == Saves::Nothing) autograd::record(name, {input}, out, {}, rule);
        else if constexpr (Op::saves == Saves::Input) autograd::record(name, {input}, out, {input}, rule);
        else autograd::record(name, {input}, out, {out}, rule);
    }
    return out;
}

/// The gradient of a real operand of a complex result is real.
inline Tensor fit_gradient(Tensor g, bool complex_operand) {
    return g.defined() && g.is_complex() && !complex_operand ? reel::real(g) : g;
}

template <class Op>
void record_binary(const char* name, const Op& op, const Tensor& x, const Tensor& o, const Tensor& out) {
    const bool gx = x.requires_grad(), go = o.requires_grad();
    const unsigned reads = (gx ? Op::reads_da : 0) | (go ? Op::reads_db : 0);
    static const Tensor absent;
    autograd::record(name, {x, o}, out, {reads & a ? x : absent, reads & b ? o : absent},
                     [op, cx = x.is_complex(), co = o.is_complex()](RuleContext& c) -> GradList {
                         const Tensor& g = c.grad();
                         const Tensor x = c.saved(0), o = c.saved(1);
                         return {c.needs(0) ? fit_gradient(op.da(g, x, o, Tensor()), cx) : Tensor(),
                                 c.needs(1) ? fit_gradient(op.db(g, x, o, Tensor()), co) : Tensor()};
                     });
}

template <class Op> Tensor binary_op(const char* name, const Op& op, const Tensor& x, const Tensor& o) {
    const ScalarType tx = x.scalar_type();
    Tensor out;
    if (tx == o.scalar_type() && x.is_contiguous() && o.is_contiguous() && x.sizes().equals(o.sizes()) && x.is_cpu() &&
        o.is_cpu() && cpu::loop_table<Op>.forward[int(tx)]) [[likely]] {
        out = detail::empty_raw(x.sizes(), tx);
        const std::int64_t size = std::int64_t(elementSize(tx)), steps[3] = {size, size, size};
        char* data[3] = {static_cast<char*>(out.impl()->data()), static_cast<char*>(x.impl()->data()),
                         static_cast<char*>(o.impl()->data())};
        cpu::for_each_flat(out.numel(), 3, data, steps, cpu::loop_table<Op>.forward[int(tx)], &op);
    } else {
        ScalarType t = result_type(x, o);
        if (Op::result == Result::ToFloat && isIntegralType(t, true)) t = get_default_dtype();
        const cpu::Loop loop = detail::forward_loop<Op, true>(name, t);
        const Dims sizes = detail::broadcast_shapes(name, x.sizes(), o.sizes());
        const Tensor cx = detail::cast_raw(x, t), co = detail::cast_raw(o, t);
        out = detail::result_like(cx, co, sizes, t);
        detail::run_binary(name, loop, &op, out, detail::expand_raw(cx, sizes), detail::expand_raw(co, sizes),
                           device_loop<Op>);
    }
    if (autograd::needs_recording_of(name, out, x, o)) record_binary(name, op, x, o, out);
    return out;
}

/// One operand is a plain number: no tensor is made for it. `swapped`: the number comes first.
template <class Op>
Tensor binary_number(const char* name, const Op& op, const Tensor& x, const Scalar& number, bool swapped = false) {
    if (!x.is_cpu() && !x.is_meta()) { // a device takes numbers as tensors
        const Tensor plain = detail::wrapped_number(number);
        return swapped ? binary_op(name, op, plain, x) : binary_op(name, op, x, plain);
    }
    ScalarType t = result_type(x, number);
    if (Op::result == Result::ToFloat && isIntegralType(t, true)) t = get_default_dtype();
    const cpu::Loop loop = detail::forward_loop<Op, true>(name, t);
    const Tensor cx = detail::cast_raw(x, t);
    Tensor out = detail::empty_like_raw(cx, t);
    alignas(16) unsigned char element[16];
    switch (t) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        *reinterpret_cast<T*>(element) = number.to<T>();                                                               \
        break;
        REEL_FORALL_SCALAR_TYPES(REEL_CASE)
#undef REEL_CASE
    default:
        break;
    }
    const std::int64_t size = std::int64_t(elementSize(t));
    if (out.numel() > 0) {
        if (!x.is_meta()) {
            char* const number_data = reinterpret_cast<char*>(element);
            char* const tensor_data = static_cast<char*>(host_data(cx, name));
            char* data[3] = {static_cast<char*>(host_data(out, name)), swapped ? number_data : tensor_data,
                             swapped ? tensor_data : number_data};
            if (cx.is_contiguous() || out.strides().equals(cx.strides())) {
                const std::int64_t steps[3] = {size, swapped ? 0 : size, swapped ? size : 0};
                cpu::for_each_flat(out.numel(), 3, data, steps, loop, &op);
            } else {
                Dims so(out.sizes().size()), sx(out.sizes().size()), zero(out.sizes().size());
                for (std::size_t i = 0; i < so.size(); ++i)
                    so[i] = out.strides()[i] * size, sx[i] = cx.strides()[i] * size;
                const std::int64_t* strides[3] = {so.data(), swapped ? zero.data() : sx.data(),
                                                  swapped ? sx.data() : zero.data()};
                cpu::for_each_strided(int(out.dim()), out.sizes().data(), 3, data, strides, loop, &op);
            }
        }
    }
    if (!autograd::needs_recording_of(name, out, x)) return out;
    static const Tensor absent;
    const unsigned reads = swapped ? Op::reads_db & b : Op::reads_da & a;
    const auto rule = [op, number, swapped, cx = x.is_complex()](RuleContext& c) -> GradList {
        const Tensor saved = c.saved(0), plain = detail::wrapped_number(number);
        GradList out{fit_gradient(
            swapped ? op.db(c.grad(), plain, saved, Tensor()) : op.da(c.grad(), saved, plain, Tensor()), cx)};
        out.resize(c.node().num_outputs());
        return out;
    };
    // As operand of + - * / the number has a place among the edges (T-20, T-34); an exponent is none, `rsub` has one.
    if (swapped || std::string_view(name) == "pow") autograd::record(name, {x}, out, {reads ? x : absent}, rule);
    else autograd::record(name, {x, absent}, out, {reads ? x : absent}, rule);
    return out;
}

} // namespace reel::pointwise
