#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace properties {

Outcome outcome_of(const std::function<variable_list()>& f) {
    Outcome out;
    try {
        out.tensors = f();
    } catch (const NotImplementedError& e) {
        out.error = e.what();
        out.unsupported = true;
    } catch (const Error& e) {
        out.error = e.what();
    }
    return out;
}

namespace {
/// Wherever it lies: what is compared is compared by the host.
Tensor dense(const Tensor& t) { return t.detach().resolve_conj().cpu().contiguous(); }
Tensor wide(const Tensor& t) { return dense(t).to(t.is_complex() ? kComplexDouble : kDouble); }
} // namespace

bool same_bits(const Tensor& a, const Tensor& b) {
    const NoGradGuard guard;
    if (a.scalar_type() != b.scalar_type() || !a.sizes().equals(b.sizes())) return false;
    const Tensor p = dense(a), q = dense(b);
    if (p.nbytes() == 0 || std::memcmp(p.data_ptr(), q.data_ptr(), p.nbytes()) == 0) return true;
    if (p.is_complex()) return same_bits(view_as_real(p), view_as_real(q));
    if (!p.is_floating_point()) return false;
    const Tensor equal = logical_or(logical_and(isnan(p), isnan(q)), logical_and(p == q, signbit(p) == signbit(q)));
    return equal.all().item().toBool();
}

std::string difference_between(const Tensor& a, const Tensor& b, double bound, double least) {
    const NoGradGuard guard;
    if (a.defined() != b.defined()) return a.defined() ? "only the first is there" : "only the second is there";
    if (!a.defined() || same_bits(a, b)) return {};
    if (a.scalar_type() != b.scalar_type())
        return str(dtype_name(a.scalar_type()), " beside ", dtype_name(b.scalar_type()));
    if (!a.sizes().equals(b.sizes())) return str("shape ", a.sizes(), " beside ", b.sizes());
    const Tensor p = wide(a), q = wide(b), size = maximum(p.abs(), q.abs());
    const Tensor finite = isfinite(size);
    if (!equal(finite, logical_and(isfinite(p), isfinite(q)))) return "one is finite where the other is not";
    const Tensor apart = where(finite, (p - q).abs(), zeros_like(size));
    const double most = apart.max().item().toDouble(),
                 scale = where(finite, size, zeros_like(size)).max().item().toDouble();
    const Tensor odd = logical_and(logical_not(finite), logical_not(isclose(p, q, 0, 0, true)));
    if (odd.any().item().toBool()) return "they differ where they are not finite";
    if (most <= bound * std::max(scale, least)) return {};
    return str("they are ", most, " apart, at a magnitude of ", scale);
}

std::string difference_between(const variable_list& a, const variable_list& b, double bound, double least) {
    if (a.size() != b.size()) return str(a.size(), " tensors beside ", b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const std::string what = difference_between(a[i], b[i], bound, least); !what.empty())
            return a.size() == 1 ? what : str("number ", i, ": ", what);
    return {};
}

variable_list gradients_of(const Sample& sample, const variable_list& operands) {
    variable_list inputs, roots, seeds;
    for (const Tensor& t : operands)
        if (t.requires_grad()) inputs.push_back(t);
    for (const Tensor& y : sample.run_on(operands)) {
        if (!y.requires_grad()) continue;
        roots.push_back(y);
        seeds.push_back(noise_like(y, 300 + roots.size()).to(y.scalar_type()));
    }
    if (roots.empty() || inputs.empty()) return {};
    return autograd::grad(roots, inputs, seeds, false, false, true);
}

} // namespace properties
