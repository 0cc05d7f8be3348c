// LAMB: the formula, its options, what is refused. What every optimizer does is tested in every_optimizer.cpp.
#include <reel/optim/lamb.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "message.hpp"
#include "optim/support.hpp"

using namespace reel;
using namespace support;
using reel::testing::message;

namespace {
using Numbers = std::vector<double>;
double norm(const Numbers& v) {
    double s = 0;
    for (const double x : v) s += x * x;
    return std::sqrt(s);
}
/// The paper's step number by number, over `gradients` one after the other.
Numbers steps_by_hand(Numbers p, const std::vector<Numbers>& gradients, const optim::LambOptions& o) {
    const auto [b1, b2] = o.betas();
    Numbers m(p.size()), v(p.size()), u(p.size());
    for (std::size_t t = 1; t <= gradients.size(); ++t) {
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double g = gradients[t - 1][i];
            m[i] = b1 * m[i] + (o.grad_averaging() ? 1 - b1 : 1) * g;
            v[i] = b2 * v[i] + (1 - b2) * g * g;
            const double c1 = o.bias_correction() ? 1 - std::pow(b1, double(t)) : 1;
            const double c2 = o.bias_correction() ? 1 - std::pow(b2, double(t)) : 1;
            u[i] = m[i] / c1 / (std::sqrt(v[i] / c2) + o.eps()) + o.weight_decay() * p[i];
        }
        double ratio = 1;
        if ((o.weight_decay() != 0 || o.always_adapt()) && norm(p) > 0 && norm(u) > 0) ratio = norm(p) / norm(u);
        if (o.trust_clip()) ratio = std::min(ratio, 1.0);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] -= o.lr() * ratio * u[i];
    }
    return p;
}
void check(const optim::LambOptions& o, const Numbers& start = {3, -4, 0.5}) {
    const std::vector<Numbers> gradients{{1, -2, 0.5}, {0.25, 2, -1}, {-0.5, 0.125, 3}};
    const Tensor p = tensor(start, kDouble).requires_grad_();
    optim::Lamb optimizer({p}, o);
    for (const Numbers& g : gradients) {
        p.mutable_grad() = tensor(g, kDouble);
        optimizer.step();
    }
    const Numbers got = list(p), want = steps_by_hand(start, gradients, o);
    for (std::size_t i = 0; i < got.size(); ++i) BOOST_TEST(got[i] == want[i], boost::test_tools::tolerance(1e-12));
}
} // namespace

BOOST_AUTO_TEST_SUITE(lamb)

BOOST_AUTO_TEST_CASE(follows_the_formula_with_every_option) {
    using O = optim::LambOptions;
    check(O(0.1));
    check(O(0.1).bias_correction(false));
    check(O(0.1).betas({0.5, 0.75}).eps(1e-2).weight_decay(0.3));
    check(O(0.1).grad_averaging(false));
    check(O(0.1).trust_clip(true));
    check(O(0.1).trust_clip(true), {0.1, 0.2, -0.1});
    check(O(0.1).weight_decay(0));
    check(O(0.1).weight_decay(0).always_adapt(true));
    check(O(0.1), {0, 0, 0}); // weights of norm 0 take the update as it is
}
BOOST_AUTO_TEST_CASE(a_gradient_of_zero_moves_nothing_but_the_decay) {
    const Tensor p = parameter({3, -4}, {0, 0});
    optim::Lamb({p}, optim::LambOptions(0.1).weight_decay(0)).step();
    BOOST_TEST((list(p) == Numbers{3, -4}));
    p.mutable_grad() = vector_of({0, 0});
    optim::Lamb({p}, optim::LambOptions(0.1).weight_decay(0.5)).step(); // |p| / |0.5 p| 0.5 p = p
    BOOST_TEST(list(p)[0] == 2.7, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(list(p)[1] == -3.6, boost::test_tools::tolerance(1e-12));
}
BOOST_AUTO_TEST_CASE(each_parameter_has_a_length_of_its_own) {
    const Tensor small = parameter({0.03, -0.04}, {1, 1}), large = parameter({30, -40}, {1, 1});
    optim::Lamb({small, large}, optim::LambOptions(0.1).weight_decay(1e-9)).step();
    const auto moved = [](const Tensor& p, double a, double b) { return norm({list(p)[0] - a, list(p)[1] - b}); };
    BOOST_TEST(moved(small, 0.03, -0.04) == 0.1 * 0.05, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(moved(large, 30, -40) == 0.1 * 50, boost::test_tools::tolerance(1e-6));
}
BOOST_AUTO_TEST_CASE(refusals) {
    const auto made = [](const optim::LambOptions& o) {
        return [o] { optim::Lamb({vector_of({1}).requires_grad_()}, o); };
    };
    BOOST_TEST(message(made(optim::LambOptions(-1))).find("Lamb") == 0u);
    BOOST_TEST(message(made(optim::LambOptions(-1))).find("lr") != std::string::npos);
    BOOST_TEST(message(made(optim::LambOptions().eps(-1))).find("eps") != std::string::npos);
    BOOST_TEST(message(made(optim::LambOptions().betas({1, 0.9}))).find("betas") != std::string::npos);
    BOOST_TEST(message(made(optim::LambOptions().weight_decay(-1))).find("weight_decay") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
