#include <reel/autograd/gradcheck.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {

Tensor leaf(IntArrayRef size, ScalarType t = kDouble) { return (rand(size).to(t) + 0.5).detach().requires_grad_(); }
bool says(const std::exception& e, const char* text) { return std::string(e.what()).find(text) != std::string::npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(gradcheck)

BOOST_AUTO_TEST_CASE(right_gradients_pass_to_second_order) {
    const auto f = [](const variable_list& x) { return x[0] * x[1].exp() + x[0] * x[0]; };
    BOOST_TEST(autograd::gradcheck(f, {leaf({3, 2}), leaf({2})}));
    BOOST_TEST(autograd::gradgradcheck(f, {leaf({3, 2}), leaf({2})}));
}

BOOST_AUTO_TEST_CASE(functions_of_one_tensor_and_of_several_outputs) {
    BOOST_TEST(autograd::gradcheck([](const Tensor& x) { return x.exp(); }, {leaf({4})}));
    BOOST_TEST(autograd::gradcheck([](const Tensor& x) { return variable_list{x * 2, x * x}; }, {leaf({4})}));
}

BOOST_AUTO_TEST_CASE(complex_inputs_count_as_pairs) {
    const Tensor z = view_as_complex(rand({3, 2}, TensorOptions(kDouble))).detach().requires_grad_();
    BOOST_TEST(autograd::gradcheck([](const Tensor& x) { return x * x; }, {z}));
    BOOST_TEST(autograd::gradgradcheck([](const Tensor& x) { return x * x; }, {z}));
}

BOOST_AUTO_TEST_CASE(a_wrong_gradient_is_found_and_named) {
    // Detaching one factor makes the recorded gradient half of the true one.
    const auto wrong = [](const Tensor& x) { return x * x.detach(); };
    const Tensor x = leaf({3});
    BOOST_CHECK_EXCEPTION(autograd::gradcheck(wrong, {x}), autograd::GradcheckError, [](const auto& e) {
        return says(e, "Jacobian mismatch for output 0 with respect to input 0: entry [0] by [0]");
    });
    BOOST_TEST(!autograd::gradcheck(wrong, {x}, 1e-6, 1e-5, 1e-3, false));
}

BOOST_AUTO_TEST_CASE(a_wrong_second_gradient_is_found) {
    // The hook answers with the right value, but off the tape.
    const auto f = [](const Tensor& x) {
        Tensor y = x * 1;
        y.register_hook([](const Tensor& g) { return g.defined() ? g.detach() : g; });
        return y * y;
    };
    const Tensor x = leaf({3});
    BOOST_TEST(autograd::gradcheck(f, {x}));
    BOOST_CHECK_THROW(autograd::gradgradcheck(f, {x}), autograd::GradcheckError);
}

BOOST_AUTO_TEST_CASE(inputs_are_checked) {
    const auto f = [](const Tensor& x) { return x * 2; };
    BOOST_CHECK_EXCEPTION(autograd::gradcheck(f, {leaf({2}, kFloat)}), ValueError, [](const auto& e) {
        return says(e, "gradcheck: input 0 is float32, finite differences need float64 or complex128");
    });
    BOOST_CHECK_EXCEPTION(autograd::gradcheck(f, {leaf({2}).detach()}), ValueError,
                          [](const auto& e) { return says(e, "no input requires grad"); });
}

namespace {
struct NeedsOne : autograd::Function<NeedsOne> { // backward that takes one undefined gradient, but not two
    static variable_list forward(autograd::AutogradContext* ctx, const Tensor& x) {
        ctx->set_materialize_grads(false);
        return {x * 2, x * 3};
    }
    static variable_list backward(autograd::AutogradContext*, variable_list g) {
        if (!g[0].defined()) return {g[1] * 3};
        return {g[1].defined() ? g[0] * 2 + g[1] * 3 : g[0] * 2};
    }
};
struct OwnGradient : autograd::Function<OwnGradient> { // answers with one when nothing arrives
    static variable_list forward(autograd::AutogradContext* ctx, const Tensor& x) {
        ctx->set_materialize_grads(false);
        return {x * 2, x * 3};
    }
    static variable_list backward(autograd::AutogradContext*, variable_list g) {
        if (!g[0].defined() && !g[1].defined()) return {ones({2}, kDouble)};
        if (!g[0].defined()) return {g[1] * 3};
        return {g[1].defined() ? g[0] * 2 + g[1] * 3 : g[0] * 2};
    }
};
} // namespace
BOOST_AUTO_TEST_CASE(undefined_gradients_are_tried) {
    BOOST_CHECK_EXCEPTION(
        autograd::gradcheck([](const Tensor& x) { return NeedsOne::apply(x); }, {leaf({2})}), autograd::GradcheckError,
        [](const auto& e) { return says(e, "backward does not take undefined gradients of its outputs"); });
    BOOST_CHECK_EXCEPTION(autograd::gradcheck([](const Tensor& x) { return OwnGradient::apply(x); }, {leaf({2})}),
                          autograd::GradcheckError, [](const auto& e) {
                              return says(e, "undefined and zero gradients of the outputs give a gradient of input 0");
                          });
}

BOOST_AUTO_TEST_SUITE_END()
