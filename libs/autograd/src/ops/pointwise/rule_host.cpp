// The parts of the pointwise machinery that do not depend on the op.
#include "ops/pointwise/rule_host.hpp"

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernel.hpp>

namespace reel::pointwise::detail {

void throw_unsupported(const char* name, ScalarType t) {
    REEL_THROW(NotImplementedError, name, ": input: there is no kernel for ", dtype_name(t),
               "; convert the operands first");
}

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
/// Operands on the device: plain numbers and 0-dim tensors follow the result there, others must live there already.
void run_on_device(const void* op, int n, const Tensor* const* t, const char* what, const DeviceLoop* device) {
    const Device where = t[0]->device();
    const DeviceLoop kernel = device ? device[int(where.type())] : nullptr;
    if (!kernel) throw_no_kernel(what, *t[0], {true, device && device[int(kCUDA)]});
    Tensor moved[cpu::max_operands];
    const Tensor* operands[cpu::max_operands] = {t[0]};
    for (int i = 1; i < n; ++i) {
        moved[i] = following(*t[i], where);
        operands[i] = &moved[i];
        check_one_device(what, *t[0], {operands[i]});
    }
    if (!kernel(op, operands, n)) throw_no_kernel(what, *t[0], {true}); // none for the dtype
}
void run(cpu::Loop loop, const void* op, int n, const Tensor* const* t, const char* what, const DeviceLoop* device) {
    const Tensor& out = *t[0];
    if (out.numel() == 0) return;
    if (out.is_meta()) { // nothing to run, but whoever is no number must be there, too
        for (int i = 1; i < n; ++i) {
            const Tensor there = following(*t[i], out.device());
            check_one_device(what, out, {&there});
        }
        return;
    }
    for (int i = 0; i < n; ++i)
        if (!t[i]->is_cpu()) {
            REEL_CHECK_NOT_IMPLEMENTED(!t[i]->is_meta(), what, ": operands live on ", out.device(),
                                       " and meta, where there is no data; move one of them with to() or to_empty()");
            return run_on_device(op, n, t, what, device);
        }
    char* data[cpu::max_operands];
    bool flat = true;
    for (int i = 0; i < n; ++i) {
        data[i] = static_cast<char*>(host_data(*t[i], what));
        flat = flat &&
               (t[i]->is_contiguous() || (t[i]->strides().equals(out.strides()) && out.is_non_overlapping_and_dense()));
        flat = flat && t[i]->is_contiguous() == t[0]->is_contiguous();
    }
    std::int64_t steps[cpu::max_operands];
    if (flat) {
        for (int i = 0; i < n; ++i) steps[i] = std::int64_t(t[i]->itemsize());
        return cpu::for_each_flat(out.numel(), n, data, steps, loop, op);
    }
    Dims bytes[cpu::max_operands];
    const std::int64_t* strides[cpu::max_operands];
    for (int i = 0; i < n; ++i) {
        // A stride of which no step is made may be too long for bytes.
        for (const std::int64_t s : t[i]->strides())
            bytes[i].push_back(std::int64_t(std::uint64_t(s) * std::uint64_t(t[i]->itemsize())));
        strides[i] = bytes[i].data();
    }
    cpu::for_each_strided(int(out.dim()), out.sizes().data(), n, data, strides, loop, op);
}
} // namespace

void run_unary(const char* name, cpu::Loop loop, const void* op, const Tensor& out, const Tensor& x,
               const DeviceLoop* device) {
    const Tensor* t[] = {&out, &x};
    run(loop, op, 2, t, name, device);
}
void run_binary(const char* name, cpu::Loop loop, const void* op, const Tensor& out, const Tensor& x, const Tensor& o,
                const DeviceLoop* device) {
    const Tensor* t[] = {&out, &x, &o};
    run(loop, op, 3, t, name, device);
}

Tensor run_elementwise(const char* name, cpu::Loop loop, const void* op, ScalarType compute, ScalarType result,
                       const Tensor* operands, std::size_t n) {
    Dims sizes = operands[0].sizes();
    for (std::size_t i = 1; i < n; ++i) sizes = reel::detail::broadcast_shapes(name, sizes, operands[i].sizes());
    Tensor wide[cpu::max_operands], plain[cpu::max_operands];
    const Tensor* t[cpu::max_operands];
    const Tensor* like = nullptr;
    Device device = operands[0].device();
    for (std::size_t i = 0; i < n; ++i) {
        plain[i] = reel::detail::cast_raw(operands[i], compute);
        wide[i + 1] = reel::detail::expand_raw(plain[i], sizes);
        t[i + 1] = &wide[i + 1];
        if (!like && plain[i].sizes().equals(sizes)) like = &plain[i];
        if (device.is_cpu()) device = operands[i].device();
    }
    if (like && !like->is_contiguous() && like->is_non_overlapping_and_dense())
        wide[0] = reel::detail::empty_strided_raw(sizes, like->strides(), result, device);
    else wide[0] = reel::detail::empty_raw(sizes, result, device);
    t[0] = &wide[0];
    run(loop, op, int(n) + 1, t, name, nullptr);
    return wide[0];
}

Tensor result_like(const Tensor& x, const Tensor& o, IntArrayRef sizes, ScalarType dtype) {
    for (const Tensor* t : {&x, &o})
        if (t->sizes().equals(sizes)) {
            const Device device = t->is_cpu() ? (t == &x ? o : x).device() : t->device();
            if (t->is_contiguous() || !t->is_non_overlapping_and_dense()) return empty_raw(sizes, dtype, device);
            return empty_strided_raw(sizes, t->strides(), dtype, device);
        }
    return empty_raw(sizes, dtype, x.is_cpu() ? o.device() : x.device());
}

} // namespace reel::pointwise::detail
