// Which tensors require grad, what `.grad` may hold, what freezing does (rules E-1 to E-9, E-78, E-84).
#include "tape_helpers.hpp"

#include <reel/autograd/node.hpp>

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(requires_grad)

BOOST_AUTO_TEST_CASE(E1_an_output_requires_grad_when_recording_an_input_and_its_dtype_say_so) { // E-1
    const Tensor x = leaf({1, 2}), plain = vec({1, 2});
    BOOST_TEST((x * plain).requires_grad());
    BOOST_TEST(!(plain * plain).requires_grad());
    BOOST_TEST(!x.argmax().requires_grad()); // integers never do
    BOOST_TEST(!(x > plain).requires_grad());
    BOOST_TEST(x.to(kComplexDouble).requires_grad());
    BOOST_TEST(!x.to(kInt).requires_grad());
    NoGradGuard guard;
    BOOST_TEST(!(x * plain).requires_grad());
}

BOOST_AUTO_TEST_CASE(E2_only_floating_and_complex_tensors_can) { // E-2
    const Tensor i = ones({2}, kLong);
    BOOST_CHECK_EXCEPTION(i.requires_grad_(), Error, says("only floating and complex", "int64"));
    BOOST_CHECK_NO_THROW(i.requires_grad_(false));
    BOOST_CHECK_EXCEPTION(ones({2}, TensorOptions(kInt).requires_grad(true)), Error, says("floating and complex"));
    BOOST_TEST(ones({2}, TensorOptions(kComplexFloat).requires_grad(true)).requires_grad());
    BOOST_TEST(ones({2}, kHalf).requires_grad_().requires_grad());
}

BOOST_AUTO_TEST_CASE(E3_a_non_leaf_cannot_stop) { // E-3
    const Tensor x = leaf({1}), y = x * 2.0;
    BOOST_CHECK_EXCEPTION(y.requires_grad_(false), Error, says("leaves", "detach()", "MulBackward0"));
    BOOST_CHECK_NO_THROW(y.requires_grad_(true));
    BOOST_TEST(!y.is_leaf());
    x.requires_grad_(false);
    BOOST_TEST(!x.requires_grad());
}

BOOST_AUTO_TEST_CASE(E4_a_leaf_is_what_has_no_grad_function) { // E-4
    const Tensor x = leaf({1}), plain = vec({1});
    BOOST_TEST(x.is_leaf());
    BOOST_TEST((plain * 2.0).is_leaf());
    BOOST_TEST(!(x * 2.0).is_leaf());
    BOOST_TEST((x * 2.0).detach().is_leaf());
    BOOST_TEST(!x.grad_fn());
    BOOST_TEST(bool((x * 2.0).grad_fn()));
}

BOOST_AUTO_TEST_CASE(E6_what_may_be_assigned_to_grad) { // E-6
    const Tensor x = leaf({1, 2});
    BOOST_CHECK_EXCEPTION(x.set_grad(x), Error, says("its own gradient"));
    BOOST_CHECK_EXCEPTION(x.set_grad(vec({1})), Error, says("shape [1]", "expected [2]"));
    BOOST_CHECK_EXCEPTION(x.set_grad(ones({2}, kFloat)), Error, says("float32", "expected float64"));
    const Tensor g = vec({3, 4});
    x.set_grad(g);
    BOOST_TEST(x.grad().is_same(g));
    x.set_grad(Tensor());
    BOOST_TEST(!x.grad().defined());
    const Tensor plain = vec({1, 2});
    plain.set_grad(g);
    BOOST_TEST(plain.grad().is_same(g));
}

BOOST_AUTO_TEST_CASE(E7_reading_the_gradient_of_a_non_leaf_warns) { // E-7
    const Tensor x = leaf({1}), y = x * 2.0;
    Warnings warnings;
    BOOST_TEST(!y.grad().defined());
    BOOST_TEST(warnings.mention("not a leaf"));
    BOOST_TEST(warnings.mention("retain_grad()"));
    warnings.texts.clear();
    y.retain_grad();
    (void)y.grad();
    (void)x.grad();
    BOOST_TEST(warnings.texts.empty());
}

BOOST_AUTO_TEST_CASE(E8_a_leaf_frozen_after_the_forward_ignores_its_gradient) { // E-8
    const Tensor x = leaf({1});
    std::string order;
    x.register_hook([&](const Tensor& g) { order += g.defined() ? 't' : '-'; });
    x.register_post_accumulate_grad_hook([&](const Tensor& t) {
        order += 'p';
        BOOST_TEST(!t.grad().defined());
    });
    const Tensor y = x * 2.0;
    x.requires_grad_(false);
    y.backward();
    BOOST_TEST(order == "tp");
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(E9_replacing_the_data_of_a_leaf) { // E-9
    const Tensor x = leaf({1, 2});
    (x * 1.0).sum().backward();
    const TensorImpl* object = x.unsafeGetTensorImpl();
    const auto version = x._version();
    const Tensor g = x.grad();
    const auto accumulator = autograd::impl::grad_accumulator(x);
    x.set_data(vec({5, 6, 7}));
    BOOST_TEST(x.unsafeGetTensorImpl() == object);
    BOOST_TEST(x.requires_grad());
    BOOST_TEST(x.grad().is_same(g));
    BOOST_TEST(x._version() == version);
    REEL_TEST_VALUES(x, 5, 6, 7);
    BOOST_TEST(autograd::impl::grad_accumulator(x).get() == accumulator.get()); // a new size keeps it
    x.set_data(ones({2}, kFloat));
    BOOST_TEST(x.scalar_type() == kFloat);
    BOOST_TEST(autograd::impl::grad_accumulator(x).get() != accumulator.get()); // a new dtype does not
    BOOST_CHECK_EXCEPTION(x.set_data(ones({2}, kLong)), Error, says("int64", "floating or complex"));
    BOOST_CHECK_EXCEPTION(x.set_data(empty({2}, TensorOptions(kFloat).device(Device(kMeta)))), Error, says("meta"));
}

BOOST_AUTO_TEST_CASE(E9_E51_data_from_inference_mode) { // E-9, E-51
    const Tensor x = leaf({1, 2}), w = leaf({3, 4});
    Tensor made;
    {
        const InferenceMode on;
        made = vec({5, 6});
    }
    x.set_data(made);
    BOOST_TEST(x.is_inference());
    BOOST_TEST(x.requires_grad());
    BOOST_TEST(x._version() == 0); // it goes on counting, and may be written
    BOOST_CHECK_EXCEPTION(x * w, Error, says("cannot be saved for backward"));
    {
        const NoGradGuard guard;
        x.mul_(2.0);
    }
    BOOST_TEST(x._version() == 1);
    REEL_TEST_VALUES(x, 10, 12);
    x.set_data(vec({7, 8}));
    BOOST_TEST(!x.is_inference());
    (x * w).sum().backward();
    REEL_TEST_VALUES(x.grad(), 3, 4);
}

BOOST_AUTO_TEST_CASE(E78_the_dtype_that_gradients_are_cast_to) { // E-78
    const Tensor x = ones({2}, kFloat).requires_grad_();
    BOOST_TEST(*x.grad_dtype() == kFloat);
    BOOST_CHECK_EXCEPTION((x * 2.0).set_grad_dtype(kDouble), Error, says("only leaves"));
    x.set_grad_dtype(kDouble);
    ScalarType seen = ScalarType::Undefined;
    auto handle = x.register_hook([&](const Tensor& g) { seen = g.scalar_type(); });
    const Tensor y = (x * 2.0).sum();
    y.backward({}, true);
    BOOST_TEST((seen == kDouble)); // cast before the tensor hooks
    BOOST_TEST((x.grad().scalar_type() == kDouble));
    BOOST_TEST((autograd::grad({y}, {x}, {}, true)[0].scalar_type() == kDouble));
    BOOST_CHECK_EXCEPTION(x.set_grad(ones({2}, kFloat)), Error, says("expected float64"));
    BOOST_CHECK_EXCEPTION(x.set_grad_dtype(kFloat), Error, says("float64 is present"));
    x.set_grad(Tensor());
    x.set_grad_dtype(std::nullopt); // anything goes
    BOOST_TEST(!x.grad_dtype().has_value());
    BOOST_CHECK_NO_THROW(x.set_grad(ones({2}, kHalf)));
}

BOOST_AUTO_TEST_CASE(E84_freezing_is_looked_at_when_the_op_is_recorded) { // E-84
    const Tensor w = leaf({2}), x = leaf({3});
    w.requires_grad_(false);
    const Tensor y = w * x;
    w.requires_grad_();
    y.backward();
    BOOST_TEST(!w.grad().defined());
    BOOST_TEST(item(x.grad()) == 2);
    (w * 5.0).backward();
    const Tensor g = w.grad();
    w.requires_grad_(false); // keeps what is there
    BOOST_TEST(w.grad().is_same(g));
    BOOST_TEST(item(g) == 5);
    w.requires_grad_();
    (w * 1.0).backward(); // accumulates on top of it
    BOOST_TEST(item(w.grad()) == 6);
}

BOOST_AUTO_TEST_SUITE_END()
