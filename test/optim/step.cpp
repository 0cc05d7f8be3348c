// The fused steps against the textbook, for every layout and dtype that a parameter may have.
#include <reel/optim/detail/step.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/detail/outer_product.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_impl.hpp>
#include <reel/optim.hpp>
#include <reel/optim/detail/steps/sgd.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;

namespace {
/// Five steps of Adam on plain numbers.
std::vector<double> textbook_adam(std::vector<double> p, const std::vector<std::vector<double>>& gradients, double lr,
                                  double decay) {
    std::vector<double> m(p.size()), v(p.size());
    for (std::size_t t = 0; t < gradients.size(); ++t)
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double g = gradients[t][i] + decay * p[i];
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            const double mh = m[i] / (1 - std::pow(0.9, t + 1)), vh = v[i] / (1 - std::pow(0.999, t + 1));
            p[i] -= lr * mh / (std::sqrt(vh) + 1e-8);
        }
    return p;
}
/// The same five steps by the library, on a parameter with the layout that `place` gives it.
template <class Place> Tensor library_adam(Place place, ScalarType dtype, IntArrayRef sizes, double decay) {
    const Tensor p = place(wave(sizes, 0, dtype)).detach().requires_grad_();
    optim::Adam adam({p}, optim::AdamOptions(0.05).weight_decay(decay));
    for (int t = 0; t < 5; ++t) {
        p.mutable_grad() = wave(sizes, t + 1, dtype);
        adam.step();
    }
    return p;
}
std::vector<double> expected(IntArrayRef sizes, double decay) {
    std::vector<std::vector<double>> gradients;
    for (int t = 0; t < 5; ++t) gradients.push_back(list(wave(sizes, t + 1)));
    return textbook_adam(list(wave(sizes, 0)), gradients, 0.05, decay);
}
void check_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
    BOOST_TEST_REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        BOOST_TEST(std::abs(got[i] - want[i]) <= tolerance, got[i] << " and " << want[i] << " at " << i);
}
/// A gradient that is kept as a column and a row.
Tensor kept_outer(const Tensor& left, const Tensor& right) {
    auto product = std::make_unique<reel::detail::OuterProduct>(left, right, -0.0);
    const std::size_t bytes = std::size_t(left.numel() * right.numel()) * left.itemsize();
    TensorImplPtr impl(new TensorImpl(Storage::defer(bytes, std::move(product)), left.scalar_type(), kCPU));
    impl->set_contiguous({left.numel(), right.numel()});
    return Tensor(std::move(impl));
}
/// A rule that no optimizer of the library has: p -= rate sign(g).
struct sign_step : optim::steps::StepRule {
    static constexpr int states = 0;
    template <class T> void operator()(T* x) const {
        const T g = begin(x);
        x[0] = x[0] - T(lr) * T((g > 0) - (g < 0));
    }
};
int sign_calls = 0;
void step_by_sign(const Tensor& param, const sign_step& rule, const optim::StepOperands& operands) {
    ++sign_calls;
    BOOST_TEST(operands.size == 2);
    BOOST_TEST(operands.dtype == kDouble);
    BOOST_TEST(operands.count == param.numel());
    for (std::int64_t i = 0; i < operands.count; ++i) {
        double x[2];
        for (int a = 0; a < 2; ++a) x[a] = reinterpret_cast<const double*>(operands.data[a])[i];
        rule(x);
        reinterpret_cast<double*>(operands.data[0])[i] = x[0];
    }
}
} // namespace

BOOST_AUTO_TEST_SUITE(step)

BOOST_AUTO_TEST_CASE(adam_is_the_textbooks_for_sizes_around_the_vector_width) {
    for (const std::int64_t n : {1, 3, 8, 15, 16, 17, 33, 100})
        for (const double decay : {0.0, 0.1})
            check_close(list(library_adam([](Tensor t) { return t; }, kDouble, {n}, decay)), expected({n}, decay),
                        1e-12);
}
BOOST_AUTO_TEST_CASE(layouts_do_not_change_the_result) {
    const IntArrayRef sizes = {6, 10};
    const auto want = expected({6, 10}, 0.1);
    check_close(list(library_adam([](Tensor t) { return t; }, kDouble, {6, 10}, 0.1)), want, 1e-12);
    check_close(list(library_adam([](Tensor t) { return t.t().contiguous().t(); }, kDouble, {6, 10}, 0.1)), want,
                1e-12);
    const auto spread = [](Tensor t) {
        const Tensor wide = reel::zeros({12, 20}, t.scalar_type());
        const Tensor view = wide.slice(0, 0, 12, 2).slice(1, 1, 20, 2);
        view.copy_(t);
        return view;
    };
    check_close(list(library_adam(spread, kDouble, {6, 10}, 0.1)), want, 1e-12);
    (void)sizes;
}
BOOST_AUTO_TEST_CASE(float32_and_16_bit_parameters_step_in_float32) {
    check_close(list(library_adam([](Tensor t) { return t; }, kFloat, {50}, 0.1)), expected({50}, 0.1), 2e-5);
    check_close(list(library_adam([](Tensor t) { return t; }, kBFloat16, {50}, 0.0)), expected({50}, 0.0), 3e-2);
}
BOOST_AUTO_TEST_CASE(complex_parameters_step_as_pairs_of_numbers) {
    const Tensor p = reel::zeros({3}, kComplexDouble).requires_grad_();
    Tensor g = reel::zeros({3}, kComplexDouble);
    for (int i = 0; i < 3; ++i) g.data_ptr<std::complex<double>>()[i] = {double(i), -1};
    p.mutable_grad() = g;
    optim::SGD({p}, optim::SGDOptions(0.5)).step();
    for (int i = 0; i < 3; ++i)
        BOOST_TEST((p.data_ptr<std::complex<double>>()[i] == std::complex<double>(-0.5 * i, 0.5)));
}
BOOST_AUTO_TEST_CASE(what_states_begin_with_holds_for_both_parts_of_a_complex_number) {
    const auto moved = [](auto make) {
        const Tensor p = reel::zeros({1}, kComplexDouble).requires_grad_();
        Tensor g = reel::zeros({1}, kComplexDouble);
        g.data_ptr<std::complex<double>>()[0] = {2, -2};
        p.mutable_grad() = g;
        make(p)->step();
        return p.data_ptr<std::complex<double>>()[0];
    };
    const std::complex<double> summed = moved([](const Tensor& p) {
        return std::make_shared<optim::Adagrad>(std::vector<Tensor>{p},
                                                optim::AdagradOptions(0.5).initial_accumulator_value(5));
    });
    BOOST_TEST(std::abs(summed - std::complex<double>(-1, 1) / 3.0) < 1e-9); // 0.5 * 2 / sqrt(5 + 2 * 2)
    const std::complex<double> signs = moved([](const Tensor& p) {
        return std::make_shared<optim::Rprop>(std::vector<Tensor>{p}, optim::RpropOptions(0.1));
    });
    BOOST_TEST(std::abs(signs - std::complex<double>(-0.1, 0.1)) < 1e-12);
}
BOOST_AUTO_TEST_CASE(the_number_of_threads_does_not_change_a_bit) {
    const int before = get_num_threads();
    const auto run = [](int threads) {
        set_num_threads(threads);
        return list(library_adam([](Tensor t) { return t; }, kFloat, {200003}, 0.1));
    };
    const auto one = run(1), three = run(3);
    set_num_threads(before);
    BOOST_TEST((one == three));
}
BOOST_AUTO_TEST_CASE(operands_that_do_not_fit_are_refused_before_anything_is_written) {
    const Tensor p = parameter({1, 2}, {1, 1});
    const optim::steps::sgd_step rule{{.lr = 1}};
    BOOST_CHECK_EXCEPTION(optim::apply_step("SGD", rule, p, vector_of({1, 2, 3}), {}), Error, [](const Error& e) {
        return e.msg() == "SGD: the gradient has shape [3], the parameter has [2]";
    });
    BOOST_CHECK_THROW(optim::apply_step("SGD", rule, p, vector_of({1, 2}, kFloat), {}), Error);
    BOOST_TEST(list(p)[0] == 1.0);
}
BOOST_AUTO_TEST_CASE(a_rule_without_a_kernel_for_the_device_is_refused_by_name) {
    const Tensor p = parameter({1, 2}, {1, 1});
    BOOST_CHECK_EXCEPTION(
        optim::apply_step("Sign", sign_step{{.lr = 1}}, p, vector_of({1, 2}), {}), NotImplementedError,
        [](const Error& e) { return e.msg() == "Sign: there is no step for float64 parameters on cpu"; });
    const Tensor nowhere = reel::zeros({2}, TensorOptions(kFloat).device(kMeta)).requires_grad_();
    nowhere.mutable_grad() = reel::zeros({2}, TensorOptions(kFloat).device(kMeta));
    optim::SGD sgd({nowhere}, optim::SGDOptions(1));
    BOOST_CHECK_EXCEPTION(sgd.step(), NotImplementedError, [](const Error& e) {
        return e.msg() == "SGD: there is no step for float32 parameters on meta";
    });
}
BOOST_AUTO_TEST_CASE(a_kernel_that_is_set_for_a_rule_steps_whatever_the_layout) {
    optim::step_kernel<sign_step>.set(kCPU, &step_by_sign);
    const auto version = [](const Tensor& t) { return t.impl()->version(); };
    const Tensor wide = reel::zeros({2, 4}, kDouble), every_other = wide.slice(1, 0, 4, 2);
    const Tensor dense = reel::zeros({2, 2}, kDouble), g = reel::zeros({2, 2}, kDouble);
    g.copy_(vector_of({3, -2, 0, 5}).reshape({2, 2}));
    sign_calls = 0;
    for (const Tensor& p : {dense, every_other}) {
        const auto before = version(p);
        optim::apply_step("Sign", sign_step{{.lr = 0.5}}, p, g, {});
        BOOST_TEST((list(p.contiguous()) == std::vector<double>{-0.5, 0.5, 0, -0.5}));
        BOOST_TEST(version(p) > before);
    }
    BOOST_TEST(sign_calls == 2);
    BOOST_TEST((list(wide.contiguous()) == std::vector<double>{-0.5, 0, 0.5, 0, 0, 0, -0.5, 0}));
    BOOST_TEST((list(g) == std::vector<double>{3, -2, 0, 5}));
    optim::apply_step("Sign", sign_step{{.lr = 1}}, reel::zeros({0}, kDouble), reel::zeros({0}, kDouble), {});
    BOOST_TEST(sign_calls == 2); // nothing to do
    optim::step_kernel<sign_step>.set(kCPU, nullptr);
}
BOOST_AUTO_TEST_CASE(nesterov_and_dampening_follow_their_formulas) {
    const Tensor p = parameter({1}, {2});
    optim::SGD sgd({p}, optim::SGDOptions(0.1).momentum(0.5).dampening(0.25));
    sgd.step(); // b = 2, p = 0.8
    sgd.step(); // b = 1 + 0.75 * 2 = 2.5, p = 0.55
    BOOST_TEST(std::abs(list(p)[0] - 0.55) < 1e-15);
    const Tensor q = parameter({1}, {2});
    optim::SGD nesterov({q}, optim::SGDOptions(0.1).momentum(0.5).nesterov(true).maximize(true));
    nesterov.step(); // g = -2, b = -2, p = 1 + 0.1 * (2 + 1)
    BOOST_TEST(std::abs(list(q)[0] - 1.3) < 1e-15);
}

BOOST_AUTO_TEST_CASE(a_gradient_that_is_an_outer_product_is_stepped_without_being_written) {
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const std::string& name : optim::optimizer_names()) {
            if (name == "LBFGS" || name == "SparseAdam") continue; // these read gradients as tensors
            const std::int64_t rows = 300, columns = 261;
            const Tensor start = wave({rows, columns}, 0, dtype);
            Tensor results[2];
            bool kept = true, was_kept = false;
            for (const bool whole : {false, true}) {
                const Tensor p = start.clone().requires_grad_();
                const auto o = optim::make_optimizer(name, {p});
                for (int t = 1; t < 4; ++t) {
                    const Tensor left = wave({rows, 1}, t, dtype), right = wave({1, columns}, t + 5, dtype);
                    left[3].fill_(0);
                    p.mutable_grad() = kept_outer(left, right);
                    if (whole) p.grad().data_ptr();
                    else was_kept = p.grad().storage()->deferred();
                    o->step();
                    if (!whole) kept = kept && p.grad().storage()->deferred();
                }
                results[whole] = p.detach();
            }
            BOOST_TEST(was_kept);
            BOOST_TEST(equal(results[0], results[1]), name);
            // whatever steps by a rule for one element leaves it as it is
            const bool by_rule = name != "Adafactor" && name != "Lamb" && name != "Muon";
            BOOST_TEST(kept == by_rule, name);
        }
}
BOOST_AUTO_TEST_CASE(a_sparse_gradient_is_stepped_as_a_dense_one) {
    const Tensor p = ones({4, 3}, kFloat).requires_grad_();
    optim::steps::sgd_step rule;
    rule.lr = 1;
    optim::apply_step("own", rule, p, ones({4, 3}, kFloat).to_sparse(), {});
    BOOST_TEST(equal(p, zeros({4, 3}, kFloat)));
}
BOOST_AUTO_TEST_CASE(such_a_gradient_is_written_where_the_parameter_lies_otherwise) {
    const Tensor p = wave({261, 300}, 0, kFloat).t().detach().requires_grad_();
    const Tensor q = p.detach().contiguous().requires_grad_();
    for (const Tensor& t : {p, q}) {
        t.mutable_grad() = kept_outer(wave({300, 1}, 1, kFloat), wave({1, 261}, 2, kFloat));
        optim::Adam({t}, optim::AdamOptions(0.05)).step();
    }
    BOOST_TEST(equal(p, q));
    BOOST_TEST(!p.grad().storage()->deferred());
}

BOOST_AUTO_TEST_SUITE_END()
