// What a gradient scaler asks of optimizers: gradients without their scale, steps that are left out.
#include <reel/optim/amp.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>

#include <reel/autograd.hpp>
#include <reel/optim.hpp>
#include <reel/optim/factory.hpp>

using namespace reel;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();

Tensor number(double x) { return full({}, x, TensorOptions(kFloat)); }

/// One parameter that is fitted to numbers, by an optimizer that steps with gradients under a scale.
struct Scaled {
    Tensor w;
    std::unique_ptr<optim::Optimizer> optimizer;
    explicit Scaled(const std::string& name) {
        manual_seed(5);
        w = randn({4, 3}, kDouble).requires_grad_();
        optimizer = optim::make_optimizer(name, {w}, {{"lr", Value(0.05)}});
    }
    void step(double scale, bool overflows) {
        optimizer->zero_grad();
        if (optimizer->takes(kStrided)) ((w - 1).square().sum() * scale).backward();
        else (embedding(w, tensor({0, 2}), -1, false, true) * scale).square().sum().backward();
        optimizer->found_inf() = number(overflows ? 1 : 0);
        optimizer->step();
    }
};
/// The text of a state dict, numbers included.
std::string text_of(const optim::Optimizer& o) { return o.state_dict().repr(); }

} // namespace

BOOST_AUTO_TEST_SUITE(gradient_scaling)

BOOST_AUTO_TEST_CASE(the_scale_leaves_gradients_of_every_dtype_and_layout) {
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16, kComplexFloat, kComplexDouble})
        for (const double bad : {0.0, inf, -inf, none}) {
            const Tensor plain = full({3, 5}, 8, TensorOptions(t)), turned = full({5, 3}, 4, TensorOptions(t)).t(),
                         part = full({4, 6}, 2, TensorOptions(t)).slice(1, 0, 6, 2), nothing = zeros({0}, t);
            if (bad != 0) part[2][1].fill_(bad);
            const Tensor found = number(0);
            const auto version = plain._version();
            amp::foreach_non_finite_check_and_unscale_({plain, Tensor(), turned, part, nothing}, found, number(0.25));
            BOOST_TEST(found.item<double>() == (bad == 0 ? 0 : 1), dtype_name(t) << ' ' << bad);
            BOOST_TEST(equal(plain, full({3, 5}, 2, TensorOptions(t))));
            BOOST_TEST(equal(turned, full({3, 5}, 1, TensorOptions(t))));
            BOOST_TEST((part[0][0] == 0.5).item<bool>());
            BOOST_TEST(plain._version() > version);
            amp::foreach_non_finite_check_and_unscale_({plain}, found, number(1));
            BOOST_TEST(found.item<double>() == (bad == 0 ? 0 : 1)); // it stays
        }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_named) {
    const auto says = [](const char* part) {
        return [part](const Error& e) { return e.msg().find(part) != std::string::npos; };
    };
    const Tensor g = ones({2});
    BOOST_CHECK_EXCEPTION(amp::foreach_non_finite_check_and_unscale_({g}, zeros({2}), number(1)), ValueError,
                          says("found_inf is float32 of shape [2]; expected one element of float32"));
    BOOST_CHECK_EXCEPTION(amp::foreach_non_finite_check_and_unscale_({g}, number(0), zeros({}, kDouble)), ValueError,
                          says("inv_scale is float64 of shape []; expected one element of float32"));
    BOOST_CHECK_EXCEPTION(amp::foreach_non_finite_check_and_unscale_({ones({2}, kLong)}, number(0), number(1)),
                          TypeError, says("a gradient is int64; expected a floating or complex dtype"));
    const Tensor w = ones({2}).requires_grad_();
    w.mutable_grad() = ones({2});
    optim::SGD sgd({w}, optim::SGDOptions(0.1));
    sgd.found_inf() = zeros({3});
    BOOST_CHECK_EXCEPTION(sgd.step(), ValueError, says("optimizer: found_inf is float32 of shape [3]"));
    optim::LBFGS lbfgs({w}, optim::LBFGSOptions(1));
    lbfgs.found_inf() = number(0);
    BOOST_CHECK_EXCEPTION(lbfgs.step([] { return Tensor(); }), Error, says("LBFGS: a step evaluates the loss"));
}

BOOST_AUTO_TEST_CASE(the_scale_follows_what_was_found) {
    const Tensor scale = number(16), count = zeros({}, kInt);
    const auto round = [&](double found) {
        amp::update_scale_(scale, count, number(found), 2, 0.5, 3);
        return std::pair(scale.item<double>(), count.item<std::int64_t>());
    };
    BOOST_TEST((round(0) == std::pair(16.0, std::int64_t(1))));
    BOOST_TEST((round(0) == std::pair(16.0, std::int64_t(2))));
    BOOST_TEST((round(0) == std::pair(32.0, std::int64_t(0))));
    BOOST_TEST((round(0) == std::pair(32.0, std::int64_t(1))));
    BOOST_TEST((round(1) == std::pair(16.0, std::int64_t(0))));
    scale.fill_(3e38);
    round(0), round(0);
    const auto [most, begun_again] = round(0);
    BOOST_TEST(most == double(3e38f)); // a growth that would be infinite does not happen
    BOOST_TEST(begun_again == 0);
}

BOOST_AUTO_TEST_CASE(steps_that_are_left_out_change_nothing) {
    for (const std::string& name : optim::optimizer_names()) {
        if (name == "LBFGS") continue;
        BOOST_TEST_CONTEXT(name) {
            Scaled never(name), sometimes(name);
            sometimes.step(1, true);
            BOOST_TEST(text_of(*sometimes.optimizer) == text_of(*Scaled(name).optimizer)); // no state was made
            for (int i = 0; i < 3; ++i) {
                never.step(1, false);
                sometimes.step(1, false);
                const std::string before = text_of(*sometimes.optimizer);
                sometimes.step(1, true);
                BOOST_TEST(text_of(*sometimes.optimizer) == before);
                BOOST_TEST(equal(sometimes.w, never.w));
            }
            BOOST_TEST(sometimes.optimizer->step_count() == 7);
        }
    }
}

BOOST_AUTO_TEST_CASE(gradients_are_divided_by_the_scale_that_is_given) {
    for (const std::string& name : optim::optimizer_names()) {
        if (name == "LBFGS") continue;
        Scaled plain(name), scaled(name);
        if (!plain.optimizer->takes(kStrided)) continue; // its loss is not linear in the scale
        scaled.optimizer->grad_scale() = number(1024);
        for (int i = 0; i < 3; ++i) {
            plain.step(1, false);
            scaled.step(1024, false);
            BOOST_TEST(equal(scaled.w, plain.w), name);
            BOOST_TEST(equal(scaled.w.grad(), plain.w.grad()), name); // and stay so
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
