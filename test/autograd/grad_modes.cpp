// Grad mode and inference mode (rules E-50, E-51).
#include "tape_helpers.hpp"

#include <thread>

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(grad_modes)

BOOST_AUTO_TEST_CASE(E50_scopes_nest_and_survive_exceptions, *boost::unit_test::label("threads")) { // E-50
    BOOST_TEST(GradMode::is_enabled());                                                             // the default
    {
        NoGradGuard off;
        BOOST_TEST(!GradMode::is_enabled());
        {
            EnableGradGuard on;
            BOOST_TEST(GradMode::is_enabled());
            AutoGradMode again(false);
            BOOST_TEST(!GradMode::is_enabled());
        }
        BOOST_TEST(!GradMode::is_enabled());
        BOOST_TEST(leaf({1}).requires_grad()); // leaves can be made
        BOOST_TEST(ones({1}, TensorOptions(kDouble).requires_grad(true)).requires_grad());
    }
    try {
        NoGradGuard off;
        throw 1;
    } catch (int) {
    }
    BOOST_TEST(GradMode::is_enabled());
    GradMode::set_enabled(false);
    bool in_thread = false;
    std::thread([&] { in_thread = GradMode::is_enabled(); }).join();
    BOOST_TEST(in_thread); // a new thread starts with it on
    BOOST_TEST(!GradMode::is_enabled());
    GradMode::set_enabled(true);
}

BOOST_AUTO_TEST_CASE(E51_tensors_made_in_inference_mode) { // E-51
    const Tensor x = leaf({2});
    Tensor j;
    {
        const InferenceMode guard;
        j = vec({3}) * 1.0;
        BOOST_TEST(j.is_inference());
        BOOST_TEST(!(x * 2.0).requires_grad());
        j.add_(1.0); // inside anything goes
        {
            EnableGradGuard on;
            BOOST_TEST(!GradMode::is_enabled()); // does not bring recording back
            BOOST_TEST(!(x * 2.0).requires_grad());
        }
        {
            const InferenceMode off(false);
            BOOST_TEST(GradMode::is_enabled());
            BOOST_TEST((x * 2.0).requires_grad());
            BOOST_TEST(!(x * 2.0).is_inference());
        }
        BOOST_TEST(!GradMode::is_enabled());
    }
    BOOST_TEST(GradMode::is_enabled());
    BOOST_TEST(item(j) == 4);
    BOOST_CHECK_EXCEPTION(j._version(), Error, says("inference tensors do not track a version"));
    BOOST_CHECK_EXCEPTION(x * j, Error, says("inference tensor cannot be saved for backward", "clone"));
    BOOST_CHECK_NO_THROW(j + x); // nothing is saved
    BOOST_CHECK_EXCEPTION(j.add_(1.0), Error, says("in-place", "inference tensor"));
    {
        NoGradGuard guard;
        BOOST_CHECK_EXCEPTION(j.add_(1.0), Error, says("in-place", "inference tensor"));
    }
    BOOST_CHECK_EXCEPTION(j.requires_grad_(), Error, says("inference tensor"));
    BOOST_TEST(!j.clone().is_inference());
    BOOST_TEST(!(j * 2.0).is_inference());
    BOOST_TEST(j.view({1, 1}).is_inference());
    BOOST_TEST(j.clone().requires_grad_().requires_grad());
}

BOOST_AUTO_TEST_CASE(E51_normal_tensors_in_inference_mode) { // E-51
    const Tensor x = leaf({1, 2}) * 1.0, plain = vec({1, 2});
    Tensor view, plain_view;
    {
        const InferenceMode guard;
        view = x.slice(0, 0, 1);
        plain_view = plain.slice(0, 0, 1);
        BOOST_TEST(!view.is_inference());
        plain.add_(1.0);
        const EnableGradGuard on; // has no effect here, and says so
        BOOST_TEST(!GradMode::is_enabled());
    }
    BOOST_TEST(plain._version() == 1);
    BOOST_CHECK_EXCEPTION(view.add_(1.0), Error, says("inference mode")); // E-47
    BOOST_CHECK_NO_THROW(plain_view.add_(1.0));
}

BOOST_AUTO_TEST_CASE(inference_leaves_are_resized_in_inference_mode) {
    Tensor t;
    {
        InferenceMode guard;
        t = ones({2}, TensorOptions(kDouble).requires_grad(true));
        t.resize_({3});
        BOOST_TEST(t.numel() == 3);
    }
    BOOST_CHECK_THROW(t.resize_({4}), Error);
    BOOST_CHECK_EXCEPTION(leaf({1}).resize_({2}), Error, says("resize_", "requires grad"));
}

BOOST_AUTO_TEST_SUITE_END()
