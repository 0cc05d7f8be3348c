// The parts of the pointwise machinery that do not depend on the rule.
#include "ops/pointwise/run.hpp"

#include <algorithm>

#include <reel/autograd/detail/launch_observer.hpp>
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernel.hpp>

#include "cpu/element.hpp"
#include "cpu/strided.hpp"

namespace reel::pointwise::detail {

using namespace reel::detail;

void throw_unsupported(const char* name, ScalarType t) {
    REEL_THROW(NotImplementedError, name, ": input: there is no kernel for ", dtype_name(t),
               "; convert the operands first");
}
Tensor plain_number(const Scalar& number) { return wrapped_number(number); }
ScalarType promoted(ArrayRef<const Tensor*> operands) { return result_type_of(operands); }

Tensor following(const Tensor& t, Device where) {
    bool single = t.is_cpu() && !where.is_cpu();
    for (std::size_t d = 0; d < t.sizes().size(); ++d) single = single && (t.strides()[d] == 0 || t.sizes()[d] == 1);
    if (!single) return t;
    const Dims none(0);
    const Tensor there = empty_raw(none, t.scalar_type(), where);
    if (t.numel() > 0) copy_raw(there, alias_raw(t, none, none, t.storage_offset()));
    return expand_raw(there, t.sizes());
}

namespace {
void run_on_host(const LoopLaunch& l);
LoopLaunch launch_of(const Launch& l, int n, const Tensor* const* t);
/// A rule that only the host can compute, on operands that live elsewhere: they are copied there, the result back.
void run_through_host(const Launch& l, int n, const Tensor* const* t) {
    Tensor here[cpu::max_operands];
    const Tensor* operands[cpu::max_operands];
    for (int i = 0; i < n; ++i) {
        here[i] = empty_raw(t[i]->sizes(), t[i]->scalar_type());
        if (i > 0) copy_raw(here[i], *t[i]);
        operands[i] = &here[i];
    }
    run_on_host(launch_of(l, n, operands));
    copy_raw(*t[0], here[0]);
}

/// Operands on the device: plain numbers and 0-dim tensors follow the result there, others must live there already.
void run_on_device(const Launch& l, int n, const Tensor* const* t) {
    const Device where = t[0]->device();
    const DeviceLoop kernel = l.device ? l.device[int(where.type())] : nullptr;
    if (!kernel && !device_hooks(where.type()).rules_go_through_host)
        throw_no_kernel(l.name, *t[0], {true, l.device && l.device[int(kCUDA)]});
    Tensor moved[cpu::max_operands];
    const Tensor* operands[cpu::max_operands] = {t[0]};
    for (int i = 1; i < n; ++i) {
        moved[i] = following(*t[i], where);
        operands[i] = &moved[i];
        check_one_device(l.name, *t[0], {operands[i]});
    }
    if (!kernel) return run_through_host(l, n, operands);
    if (!kernel(l.rule, operands, n)) throw_no_kernel(l.name, *t[1], {true}); // none for the dtype
}
/// Byte strides; those of which no step is made may be too long for bytes.
Dims byte_strides(const Tensor& t) {
    Dims bytes;
    for (const std::int64_t s : t.strides())
        bytes.push_back(std::int64_t(std::uint64_t(s) * std::uint64_t(t.itemsize())));
    return bytes;
}
/// One element in the place of all?
bool is_uniform(const Tensor& t) {
    for (std::size_t d = 0; d < t.sizes().size(); ++d)
        if (t.strides()[d] != 0 && t.sizes()[d] != 1) return false;
    return true;
}
/// The loop over operands on the CPU, of which one may be a plain number.
void run_on_host(const LoopLaunch& l) {
    const Tensor& out = *l.at[0];
    char* data[cpu::max_operands];
    std::int64_t steps[cpu::max_operands];
    const bool rows = out.is_contiguous(), out_dense = rows || out.is_non_overlapping_and_dense();
    bool flat = true;
    for (int i = 0; i < l.count; ++i) {
        if (!l.at[i]) {
            data[i] = const_cast<char*>(static_cast<const char*>(l.number));
            steps[i] = 0;
            continue;
        }
        const Tensor& t = *l.at[i];
        data[i] = static_cast<char*>(host_data(t, l.name));
        const bool uniform = i > 0 && is_uniform(t);
        steps[i] = uniform ? 0 : std::int64_t(t.itemsize());
        flat =
            flat && (uniform || (t.is_contiguous() ? rows : !rows && out_dense && t.strides().equals(out.strides())));
    }
    if (flat) return cpu::for_each_flat(out.numel(), l.count, data, steps, l.loop, l.rule);
    Dims bytes[cpu::max_operands];
    const std::int64_t* strides[cpu::max_operands];
    for (int i = 0; i < l.count; ++i) {
        bytes[i] = l.at[i] ? byte_strides(*l.at[i]) : Dims(out.sizes().size());
        strides[i] = bytes[i].data();
    }
    cpu::for_each_strided(int(out.dim()), out.sizes().data(), l.count, data, strides, l.loop, l.rule);
}
void launch(const LoopLaunch& l) {
    if (launch_observer) [[unlikely]]
        note_loop(l);
    run_on_host(l);
}
LoopLaunch launch_of(const Launch& l, int n, const Tensor* const* t) {
    return {l.name, l.loop, l.rule, l.rule_bytes, n, t, nullptr, 0};
}
/// The loop over `n` tensors of one shape, the result first.
void run_loop(const Launch& l, int n, const Tensor* const* t) {
    const Tensor& out = *t[0];
    if (out.numel() == 0) return;
    if (out.is_meta()) { // nothing to run, but whoever is no number must be there, too
        for (int i = 1; i < n; ++i) {
            const Tensor there = following(*t[i], out.device());
            check_one_device(l.name, out, {&there});
        }
        return;
    }
    for (int i = 0; i < n; ++i)
        if (!t[i]->is_cpu()) {
            REEL_CHECK_NOT_IMPLEMENTED(!t[i]->is_meta(), l.name, ": operands live on ", out.device(),
                                       " and meta, where there is no data; move one of them with to() or to_empty()");
            return run_on_device(l, n, t);
        }
    launch(launch_of(l, n, t));
}

/// Uninitialised, on the device of the first operand that is not on the CPU.
template <std::size_t n>
Tensor result_for(const Launch& l, IntArrayRef sizes, const Tensor* const (&x)[n], const Tensor* like) {
    Device device = x[0]->device();
    for (std::size_t i = 1; i < n && device.is_cpu(); ++i) device = x[i]->device();
    if (like && !like->is_contiguous() && like->is_non_overlapping_and_dense())
        return empty_strided_raw(sizes, like->strides(), l.result, device);
    return empty_raw(sizes, l.result, device);
}
/// Do its elements lie dense, but in another order than those of `out`? Turning all of them first costs less than to
/// jump from one to the next.
bool lies_turned(const Tensor& t, const Tensor& out) {
    constexpr std::int64_t few = 1024;
    return t.numel() >= few && t.itemsize() >= 4 && t.is_cpu() && out.is_cpu() && t.is_non_overlapping_and_dense() &&
           !t.strides().equals(out.strides());
}
template <std::size_t n> Tensor run_general(const Launch& l, const Tensor* const (&x)[n]) {
    Dims sizes = x[0]->sizes();
    for (std::size_t i = 1; i < n; ++i)
        if (!x[i]->sizes().equals(sizes)) sizes = broadcast_shapes(l.name, sizes, x[i]->sizes());
    Tensor cast[n], wide[n];
    const Tensor* t[n + 1];
    const Tensor* like = nullptr;
    for (std::size_t i = 0; i < n; ++i) {
        const Tensor*& operand = t[i + 1] = x[i];
        if (operand->scalar_type() != l.compute) operand = &(cast[i] = cast_raw(*operand, l.compute));
        if (!operand->sizes().equals(sizes)) operand = &(wide[i] = expand_raw(*operand, sizes));
        else if (!like) like = operand;
    }
    const Tensor out = result_for(l, sizes, x, like);
    t[0] = &out;
    Tensor turned[n];
    for (std::size_t i = 0; i < n; ++i)
        if (lies_turned(*t[i + 1], out)) {
            turned[i] = empty_strided_raw(sizes, out.strides(), l.compute, out.device());
            copy_raw(turned[i], *t[i + 1]);
            t[i + 1] = &turned[i];
        }
    run_loop(l, int(n) + 1, t);
    return out;
}
template <std::size_t n>
[[gnu::cold]] void note_dense(Loop loop, const void* rule, std::size_t rule_bytes, const Tensor& out,
                              const Tensor* const (&x)[n]) {
    const Tensor* all[n + 1] = {&out};
    std::copy(x, x + n, all + 1);
    note_loop({nullptr, loop, rule, rule_bytes, int(n) + 1, all, nullptr, 0});
}
/// Dense operands on the CPU, all of the result's shape.
template <std::size_t n>
Tensor run_dense(Loop loop, const void* rule, std::size_t rule_bytes, ScalarType result, const Tensor* const (&x)[n]) {
    Tensor out = empty_raw(x[0]->sizes(), result);
    if (launch_observer) [[unlikely]]
        note_dense(loop, rule, rule_bytes, out, x);
    const std::int64_t in = std::int64_t(elementSize(x[0]->scalar_type()));
    char* data[n + 1] = {static_cast<char*>(out.impl()->data())};
    std::int64_t steps[n + 1] = {std::int64_t(elementSize(result))};
    for (std::size_t i = 0; i < n; ++i) {
        data[i + 1] = static_cast<char*>(x[i]->impl()->data());
        steps[i + 1] = in;
    }
    cpu::for_each_flat(out.numel(), int(n) + 1, data, steps, loop, rule);
    return out;
}
template <std::size_t n> Tensor run_all(const Launch& l, const Tensor* const (&x)[n]) {
    bool dense = true;
    for (const Tensor* t : x)
        dense = dense && t->scalar_type() == l.compute && t->is_contiguous() && t->is_cpu() &&
                t->sizes().equals(x[0]->sizes());
    return dense ? run_dense(l.loop, l.rule, l.rule_bytes, l.result, x) : run_general(l, x);
}
} // namespace

Tensor run(const Launch& l, const Tensor& x) {
    const Tensor* const operands[] = {&x};
    return run_all(l, operands);
}
Tensor run(const Launch& l, const Tensor& x, const Tensor& o) {
    const Tensor* const operands[] = {&x, &o};
    return run_all(l, operands);
}
Tensor run(const Launch& l, const Tensor& x, const Tensor& o, const Tensor& z) {
    const Tensor* const operands[] = {&x, &o, &z};
    return run_all(l, operands);
}
Tensor run_alike(Loop loop, const void* rule, std::size_t rule_bytes, const Tensor& x) {
    const Tensor* const operands[] = {&x};
    return run_dense(loop, rule, rule_bytes, x.scalar_type(), operands);
}
Tensor run_alike(Loop loop, const void* rule, std::size_t rule_bytes, const Tensor& x, const Tensor& o) {
    const Tensor* const operands[] = {&x, &o};
    return run_dense(loop, rule, rule_bytes, x.scalar_type(), operands);
}
void run_into(const Launch& l, const Tensor& out, const Tensor& x, const Tensor& o) {
    const Tensor* const all[] = {&out, &x, &o};
    run_loop(l, 3, all);
}

Tensor run(const Launch& l, const Tensor& x, const Scalar& number, bool swapped) {
    alignas(cpu::most_element_bytes) char element[cpu::most_element_bytes];
    cpu::write_element(number, l.compute, element);
    if (x.scalar_type() == l.compute && x.is_cpu() && !x.is_sparse() && x.is_contiguous() && !launch_observer)
        [[likely]] {
        Tensor out = empty_raw(x.sizes(), l.result);
        char* const from = static_cast<char*>(x.impl()->data());
        char* const data[] = {static_cast<char*>(out.impl()->data()), swapped ? element : from,
                              swapped ? from : element};
        const auto step = std::int64_t(elementSize(l.compute));
        const std::int64_t steps[] = {std::int64_t(elementSize(l.result)), swapped ? 0 : step, swapped ? step : 0};
        cpu::for_each_flat(out.numel(), 3, data, steps, l.loop, l.rule);
        return out;
    }
    const Tensor cx = cast_raw(x, l.compute);
    Tensor out = empty_like_raw(cx, l.result);
    if (out.numel() == 0 || out.is_meta()) return out;
    const Tensor* const all[] = {&out, swapped ? nullptr : &cx, swapped ? &cx : nullptr};
    launch({l.name, l.loop, l.rule, l.rule_bytes, 3, all, element, elementSize(l.compute)});
    return out;
}
} // namespace reel::pointwise::detail

namespace reel::detail {
void run_launch(const LoopLaunch& launch) { pointwise::detail::run_on_host(launch); }
} // namespace reel::detail
