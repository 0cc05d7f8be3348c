// Ops of one's own: a function with a schema, and a pointwise rule with the loops that Reel's own rules have.
#include <cstdio>

#include <reel/autograd/define_op.hpp>
#include <reel/autograd/pointwise/apply.hpp>
#include <reel/autograd/pointwise/vectorize.hpp>
#include <reel/reel.hpp>

using namespace reel;

// A schema and a function: from then on an op, with names, defaults and messages.
const auto swish = ops::def("my.swish(Tensor x, Tensor beta=1) -> Tensor",
                            [](const Tensor& x, const Tensor& beta) { return x * sigmoid(x * beta); });

namespace rules {
using namespace reel::pointwise;

/// x sigmoid(x) gate in one loop: one text for vectors, for single numbers and, with T = Tensor, for derivatives.
struct swiglu_op : binary<Result::ToFloat, floating, a | b, a>, vector_form {
    static constexpr bool fused = true; // so are the derivatives: one loop for each operand
    template <class T> REEL_HD T f(T x, T gate) const { return x * sigmoid(x) * gate; }
    template <class T> REEL_HD T da(T g, T x, T gate, T) const {
        const T s = sigmoid(x);
        return g * gate * s * (x * (k<T>(1) - s) + k<T>(1));
    }
    template <class T> REEL_HD T db(T g, T x, T, T) const { return g * x * sigmoid(x); }
};
const bool vectorized = vectorize<swiglu_op>(); // for the instruction set of this source: -march=native
} // namespace rules

Tensor swiglu(const Tensor& x, const Tensor& gate) {
    return pointwise::apply("my.swiglu", rules::swiglu_op(), x, gate);
}
const auto by_name = ops::def("my.swiglu(Tensor x, Tensor gate) -> Tensor", &swiglu);

int main() {
    manual_seed(0);
    const Tensor x = randn({1000, 64}).requires_grad_(), gate = randn({64}).requires_grad_();

    const ops::Op& op = ops::registry().at("my.swish");
    const Tensor same = op.call({x}, {{"beta", tensor(2.0)}}).toTensor();
    std::printf("swish by name and as a function: %s\n", equal(same, swish(x, tensor(2.0))) ? "equal" : "different");
    try {
        op.call({x, "two"});
    } catch (const TypeError& e) {
        std::printf("%s\n", e.what());
    }

    const Tensor fused = swiglu(x, gate), composed = x * sigmoid(x) * gate;
    std::printf("swiglu: largest difference %.1e\n", (fused - composed).abs().max().item<double>());
    const auto g = autograd::grad({fused.sum()}, {x, gate}), h = autograd::grad({composed.sum()}, {x, gate});
    const bool close = allclose(g[0], h[0], 1e-4, 1e-5) && allclose(g[1], h[1], 1e-4, 1e-3);
    std::printf("its gradients: %s\n", close ? "the same" : "different");

    const Tensor p = randn({3, 4}, kDouble).requires_grad_(), q = randn({4}, kDouble).requires_grad_();
    const auto f = [](const autograd::variable_list& v) { return autograd::variable_list{swiglu(v[0], v[1])}; };
    const bool right = autograd::gradcheck(f, {p, q}) && autograd::gradgradcheck(f, {p, q});
    return close && right ? 0 : 1;
}
