// Comparing compiled functions with the functions themselves.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/script/compiled_function.hpp>

namespace reel::testing {

inline bool same(const Tensor& a, const Tensor& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (!a.sizes().equals(b.sizes()) || a.scalar_type() != b.scalar_type()) return false;
    const Tensor x = a.detach().contiguous(), y = b.detach().contiguous();
    return x.numel() == 0 || std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// Leaves with the values of `t`.
inline std::vector<Tensor> leaves(const std::vector<Tensor>& t) {
    std::vector<Tensor> r;
    for (const Tensor& one : t) r.push_back(one.detach().clone().requires_grad_(one.requires_grad()));
    return r;
}
/// A weighting of results, so that every element's gradient differs.
inline Tensor weighed(const Tensor& result) {
    const Tensor t = result.is_complex() ? view_as_real(result) : result;
    return (t * (arange(t.numel(), TensorOptions(t.scalar_type())).view(t.sizes()) * 0.25 + 0.5)).sum();
}
/// Calls a compiled function until it is replayed, and compares values and gradients of three more calls.
template <class C, class F, class... Make> bool like_eager(const C& compiled, F f, Make... make) {
    bool good = true;
    for (int i = 0; i < 5; ++i) {
        const std::vector<Tensor> a = leaves({make()...}), b = leaves(a);
        const auto run = [&]<std::size_t... I>(const auto& g, const std::vector<Tensor>& in,
                                               std::index_sequence<I...>) {
            return g(in[I]...);
        };
        const auto each = std::make_index_sequence<sizeof...(Make)>{};
        const Tensor y = run(compiled, a, each), z = run(f, b, each);
        good = good && same(y, z) && y.requires_grad() == z.requires_grad();
        if (!z.requires_grad()) continue;
        weighed(y).backward();
        weighed(z).backward();
        for (std::size_t k = 0; k < a.size(); ++k)
            if (a[k].requires_grad()) good = good && same(a[k].grad(), b[k].grad());
    }
    return good && compiled.explain().replays == 3;
}
inline auto numbers(std::initializer_list<std::int64_t> sizes, bool grad = true, ScalarType t = kFloat) {
    return [sizes = std::vector<std::int64_t>(sizes), grad, t] {
        return randn(sizes, TensorOptions(t)).requires_grad_(grad);
    };
}
/// Why calls with these arguments are eager; empty when they are not.
template <class C> std::string why(const C& compiled) {
    const jit::CompileReport r = compiled.explain();
    if (!r.eager.empty()) return r.eager[0];
    return r.graphs.empty() ? "" : r.graphs.back().why_eager;
}
template <class F> std::string refusal(F f, const Tensor& x) {
    const auto compiled = jit::compile(f);
    for (int i = 0; i < 3; ++i) compiled(x);
    return compiled.explain().replays == 0 ? why(compiled) : "it was replayed";
}

inline Tensor chain(const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 40; ++i) y = y * 1.01 + 0.001;
    return tanh(y).sigmoid() * x;
}

} // namespace reel::testing
