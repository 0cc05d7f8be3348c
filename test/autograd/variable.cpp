#include <reel/autograd/variable.hpp>

#include "tape_helpers.hpp"

#include <reel/autograd/function.hpp>

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(variable)

BOOST_AUTO_TEST_CASE(a_leaf_of_given_data) {
    const Tensor data = ones({2}, requires_grad()) * 3;
    const Tensor leaf = autograd::make_variable(data, true), plain = autograd::make_variable(data);
    BOOST_TEST(leaf.is_leaf());
    BOOST_TEST(leaf.requires_grad());
    BOOST_TEST(leaf.data_ptr() == data.data_ptr());
    BOOST_TEST(!plain.requires_grad());
    (leaf * leaf).sum().backward();
    BOOST_TEST(leaf.grad().equal(full({2}, 6.0)));
    BOOST_CHECK_THROW(autograd::make_variable(ones({2}, kLong), true), Error);
}
BOOST_AUTO_TEST_CASE(undefined_gradients_reach_what_made_a_tensor) {
    struct Watch : autograd::Function<Watch> {
        static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, bool materialize) {
            ctx->set_materialize_grads(materialize);
            return x.clone();
        }
        static autograd::variable_list backward(autograd::AutogradContext*, const autograd::variable_list& g) {
            seen().push_back(g[0].defined());
            return {g[0], Tensor()};
        }
        static std::vector<bool>& seen() {
            static std::vector<bool> s;
            return s;
        }
    };
    const Tensor x = ones({1}, requires_grad());
    const auto out = autograd::UndefinedGrad().apply({Watch::apply(x, true), Watch::apply(x, false)});
    BOOST_TEST(out.size() == 2u);
    BOOST_TEST(out[0].equal(x));
    out[0].backward();
    out[1].backward();
    // Both gradients of the pass over one node are undefined; the first Function asked for zeros in their place.
    BOOST_TEST(Watch::seen().size() == 4u);
    BOOST_TEST(std::count(Watch::seen().begin(), Watch::seen().end(), true) == 2);
}
BOOST_AUTO_TEST_CASE(handles_answer_as_libtorchs_do) {
    const Tensor x = ones({3}, requires_grad());
    const std::shared_ptr<autograd::Node> fn = (x * 2).grad_fn();
    BOOST_TEST(fn->name() == "MulBackward0");
    const std::shared_ptr<autograd::Node> none = x.grad_fn();
    BOOST_TEST(!none);
    double memory[] = {1, 2};
    const Tensor blob = from_blob(memory, {2}, kDouble);
    BOOST_TEST(blob.storage().data_ptr().get() == memory);
    BOOST_TEST(!blob.storage().data_ptr().get_context());
    BOOST_TEST(blob.storage().nbytes() == sizeof memory);
    BOOST_TEST(blob.storage().data() == memory);
    BOOST_TEST(blob.storage().device().is_cpu());
    const Tensor owned = from_blob(
        memory, {2}, [](void*) {}, kDouble);
    BOOST_TEST(owned.storage().data_ptr().get_context());
}

BOOST_AUTO_TEST_SUITE_END()
