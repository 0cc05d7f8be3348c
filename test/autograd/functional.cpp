#include <reel/autograd/functional.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;
namespace F = autograd::functional;

namespace {

Tensor vec(std::vector<double> v) { return tensor(v, kDouble); }
bool close(const Tensor& a, const Tensor& b) {
    return a.sizes().equals(b.sizes()) && (a - b).abs().sum().item<double>() < 1e-10;
}
Tensor diagonal_matrix(const Tensor& d) {
    const Tensor m = zeros({d.size(0), d.size(0)}, kDouble);
    m.diagonal().copy_(d);
    return m;
}
/// y = A x elementwise squared: J = 2 diag(A x) A.
const Tensor& matrix() {
    static const Tensor a = tensor(std::vector<double>{1, 2, 3, 4, 5, 6}, kDouble).view({2, 3});
    return a;
}
Tensor squares(const Tensor& x) {
    const Tensor y = matrix().mv(x);
    return y * y;
}
bool says(const std::exception& e, const char* text) { return std::string(e.what()).find(text) != std::string::npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(functional)

BOOST_AUTO_TEST_CASE(jacobian_of_one_tensor) {
    const Tensor x = vec({1, -1, 2});
    const Tensor want = 2 * matrix().mv(x).view({2, 1}) * matrix();
    BOOST_TEST(close(F::jacobian(squares, x), want));
    BOOST_TEST(!x.grad().defined());
    BOOST_TEST(!x.requires_grad());
}

BOOST_AUTO_TEST_CASE(vjp_and_jvp_are_products_with_the_jacobian) {
    const Tensor x = vec({1, -1, 2}), u = vec({3, -2}), v = vec({0.5, 1, -1});
    const Tensor j = F::jacobian(squares, x);
    const auto [y, left] = F::vjp(squares, {x}, {u});
    BOOST_TEST(close(y[0], squares(x)));
    BOOST_TEST(close(left[0], j.t().mv(u)));
    const auto [same, right] = F::jvp(squares, {x}, {v});
    BOOST_TEST(close(same[0], squares(x)));
    BOOST_TEST(close(right[0], j.mv(v)));
    BOOST_TEST(!right[0].requires_grad());
}

BOOST_AUTO_TEST_CASE(several_inputs_and_outputs) {
    const auto f = [](const variable_list& x) { return variable_list{x[0] * x[1], x[0].sum()}; };
    const Tensor a = vec({1, 2}), b = vec({3, 4});
    const F::nested_list j = F::jacobian(f, variable_list{a, b});
    BOOST_TEST(close(j[0][0], diagonal_matrix(b)));
    BOOST_TEST(close(j[0][1], diagonal_matrix(a)));
    BOOST_TEST(close(j[1][0], ones_like(a)));
    BOOST_TEST(close(j[1][1], zeros_like(b)));
    BOOST_CHECK_EXCEPTION(F::jacobian(f, variable_list{a, b}, false, true), Error,
                          [](const auto& e) { return says(e, "input 1 is not connected"); });
}

BOOST_AUTO_TEST_CASE(hessian_and_its_products) {
    const auto f = [](const Tensor& x) { return (x * x * x).sum() + x[0] * x[1]; };
    const Tensor x = vec({1, 2, 3}), v = vec({1, 0, -1});
    Tensor want = diagonal_matrix(6 * x);
    want.index_put_({0, 1}, 1.0);
    want.index_put_({1, 0}, 1.0);
    BOOST_TEST(close(F::hessian(f, x), want));
    const auto [y, hv] = F::hvp(f, {x}, {v});
    BOOST_TEST(y.item<double>() == 38.0);
    BOOST_TEST(close(hv[0], want.mv(v)));
    BOOST_TEST(close(F::vhp(f, {x}, {v}).second[0], want.mv(v)));
}

BOOST_AUTO_TEST_CASE(create_graph_stays_differentiable) {
    const Tensor x = vec({2, 3}).requires_grad_();
    const Tensor j = F::jacobian([](const Tensor& t) { return t * t; }, x, true);
    j.sum().backward();
    BOOST_TEST(close(x.grad(), vec({2, 2})));
}

BOOST_AUTO_TEST_CASE(vectors_are_checked) {
    const Tensor x = vec({1, 2, 3});
    BOOST_CHECK_EXCEPTION(F::vjp(squares, {x}), ValueError, [](const auto& e) {
        return says(e, "v may only be left out when the output has one element");
    });
    BOOST_CHECK_EXCEPTION(F::jvp(squares, {x}, {vec({1, 2})}), ValueError, [](const auto& e) {
        return says(e, "jvp: v[0] has shape [2], expected that of input 0, [3]");
    });
    BOOST_CHECK_EXCEPTION(F::hessian(squares, x), Error,
                          [](const auto& e) { return says(e, "the function's output has 2 elements, expected one"); });
}

BOOST_AUTO_TEST_SUITE_END()
