// Reversible instance norm.
#include <boost/test/unit_test.hpp>

#include "nn/norms.hpp"

using namespace reel;
using namespace reel::testing;
namespace norms = nn::norms;
using autograd::variable_list;

namespace {
norms::RINorm make(std::int64_t dim, bool affine = true, double eps = 1e-5) {
    norms::RINorm m(norms::RINormOptions(dim).affine(affine).eps(eps));
    m->to(kDouble);
    disturb(*m);
    return m;
}
} // namespace

BOOST_AUTO_TEST_SUITE(norms_rinorm)

BOOST_AUTO_TEST_CASE(RI_1_parameters_when_affine) {
    norms::RINorm m(3);
    BOOST_TEST(m->affine_weight.equal(ones({3})));
    BOOST_TEST(m->affine_bias.equal(zeros({3})));
    std::string names;
    for (const auto& item : m->state_dict()) names += item.key() + " ";
    BOOST_TEST(names == "affine_weight affine_bias ");
    norms::RINorm plain(norms::RINormOptions(3).affine(false));
    BOOST_TEST(plain->state_dict().size() == 0);
    BOOST_TEST(plain->named_parameters().size() == 0);
}
BOOST_AUTO_TEST_CASE(RI_2_statistics_are_plain_fields_without_gradient) {
    norms::RINorm m = make(4);
    BOOST_TEST(m->repr() == "RINorm()");
    BOOST_TEST(!m->mean.defined());
    for (const char* method : {"transform", "inverse"})
        BOOST_TEST(has(message_of<AttributeError>([&] {
                           if (method[0] == 't') m->transform(randn({2, 5, 4}));
                           else m->inverse(randn({2, 5, 4, 1}));
                       }),
                       {"RINorm", method, "'mean' and 'stdev' do not exist yet"}));
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{3, 6, 4}, {2, 1, 4}, {2, 3, 2, 4}, {1, 2, 3, 2, 4}}) {
        const Tensor x = (randn(sizes, kDouble) * 3 + 100).requires_grad_();
        m(x);
        std::vector<std::int64_t> axes;
        for (std::int64_t i = 1; i + 1 < x.dim(); ++i) axes.push_back(i);
        BOOST_TEST(farthest(m->mean, x.mean(axes, true)) < 1e-12);
        BOOST_TEST(farthest(m->stdev, sqrt(x.var(axes, false, true) + 1e-5)) < 1e-12);
        BOOST_TEST(m->mean.sizes() == x.mean(axes, true).sizes());
        BOOST_TEST(!m->mean.requires_grad());
        BOOST_TEST(!m->stdev.requires_grad());
    }
    BOOST_TEST(m->buffers().empty());
    BOOST_TEST(m->state_dict().size() == 2);
    m->to(kFloat);
    BOOST_TEST((m->mean.scalar_type() == kDouble)); // left as it was
    m->eval();
    const Tensor other = randn({3, 5, 4}) + 7;
    m(other);
    BOOST_TEST(farthest(m->mean, other.mean({1}, true)) < 1e-5);
}
BOOST_AUTO_TEST_CASE(RI_2_a_refused_input_leaves_the_statistics) {
    norms::RINorm m = make(4);
    m(randn({2, 5, 4}, kDouble));
    const Tensor mean = m->mean.clone();
    BOOST_CHECK_THROW(m(randn({2, 5, 3}, kDouble)), Error);
    BOOST_CHECK_THROW(m(ones({2, 5, 4}, kLong)), Error);
    BOOST_TEST(m->mean.equal(mean));
}
BOOST_AUTO_TEST_CASE(RI_3_transforms_by_its_own_statistics) {
    for (const bool affine : {true, false}) {
        norms::RINorm m = make(3, affine);
        const Tensor x = randn({2, 8, 3}, kDouble) * 4 + 9, y = m(x);
        Tensor want = (x - x.mean({1}, true)) / sqrt(x.var({1}, false, true) + 1e-5);
        if (affine) want = want * m->affine_weight + m->affine_bias;
        BOOST_TEST(farthest(y, want) < 1e-12);
        // one layout or another, one instance or many
        const Tensor wide = randn({3, 700, 40}, kDouble).transpose(0, 2);
        want = (wide - wide.mean({1}, true)) / sqrt(wide.var({1}, false, true) + 1e-5);
        if (affine) want = want * m->affine_weight + m->affine_bias;
        BOOST_TEST(farthest(m(wide), want) < 1e-11);
    }
    norms::RINorm m(2);
    BOOST_TEST(isnan(m(zeros({2, 0, 2}))).numel() == 0);
    BOOST_TEST(m(zeros({0, 5, 2})).sizes() == IntArrayRef({0, 5, 2}));
    BOOST_TEST(m(ones({1, 5, 2})).equal(zeros({1, 5, 2}))); // a constant series
}
BOOST_AUTO_TEST_CASE(RI_4_transform_uses_what_is_there) {
    norms::RINorm m = make(3);
    m(randn({2, 5, 3}, kDouble) + 4);
    const Tensor mean = m->mean, later = randn({2, 9, 3}, kDouble) + 4;
    BOOST_TEST(farthest(m->transform(later), (later - mean) / m->stdev * m->affine_weight + m->affine_bias) < 1e-12);
    BOOST_TEST(m->mean.equal(mean));
    BOOST_TEST(m->transform(randn({2, 1, 3}, kDouble)).sizes() == IntArrayRef({2, 1, 3}));
    BOOST_TEST(has(message_of([&] {
                       m->transform(randn({4, 5, 3}, kDouble));
                   }),
                   {"RINorm.transform", "[4, 5, 3]", "batch of 4", "batch of 2"}));
    BOOST_TEST(has(message_of([&] {
                       m->transform(randn({2, 5, 1}, kDouble));
                   }),
                   {"RINorm.transform", "1 series", "3"}));
    BOOST_TEST(has(message_of([&] {
                       m->transform(randn({2, 5, 2, 3}, kDouble));
                   }),
                   {"RINorm.transform", "4 axes", "expected 3"}));
}
BOOST_AUTO_TEST_CASE(RI_5_inverse_gives_the_scale_back) {
    norms::RINorm m = make(3), plain = make(3, false);
    const Tensor x = randn({2, 5, 3}, kDouble) * 10 + 50;
    const Tensor back = m->inverse(m(x).unsqueeze(-1)).squeeze(-1);
    const Tensor unit = (x - m->mean) / m->stdev, off = back - x;
    // eps^2 is added to the weight, here only: relative to the normalised value, the way back falls short by about
    // 1e-10
    BOOST_TEST(farthest(off, -unit * m->stdev * 1e-10 / (m->affine_weight + 1e-10)) < 1e-12);
    BOOST_TEST(off.abs().max().item<double>() > 1e-11);
    BOOST_TEST(farthest(plain->inverse(plain(x).unsqueeze(-1)).squeeze(-1), x) < 1e-13);
    // several parameters, other lengths
    const Tensor y = randn({2, 9, 3, 2}, kDouble);
    const Tensor want =
        (y - m->affine_bias.unsqueeze(-1)) / (m->affine_weight.unsqueeze(-1) + 1e-10) * m->stdev.unsqueeze(-1) +
        m->mean.unsqueeze(-1);
    BOOST_TEST(farthest(m->inverse(y), want) < 1e-12);
    BOOST_TEST(has(message_of([&] {
                       m->inverse(randn({2, 5, 3}, kDouble));
                   }),
                   {"RINorm.inverse", "[2, 5, 3]", "3 axes", "expected 4", "n_params"}));
    BOOST_TEST(has(message_of([&] { m->inverse(randn({3, 5, 3, 1}, kDouble)); }), {"RINorm.inverse", "batch of 3"}));
    BOOST_TEST(has(message_of([&] { m->inverse(randn({2, 5, 1, 3}, kDouble)); }), {"RINorm.inverse", "1 series"}));
    const NoGradGuard no_grad;
    m->affine_weight.zero_();
    BOOST_TEST(farthest(m->inverse(m(x).unsqueeze(-1)).squeeze(-1), m->mean.expand({2, 5, 3})) < 1e-12);
}
BOOST_AUTO_TEST_CASE(RI_6_statistics_are_constants_to_the_gradient) {
    norms::RINorm m = make(4);
    const Tensor x = randn({3, 6, 4}, kDouble).requires_grad_(), cot = randn({3, 6, 4}, kDouble);
    m(x).backward(cot);
    BOOST_TEST(farthest(x.grad(), cot * m->affine_weight / m->stdev) < 1e-14);
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{3, 6, 4}, {1, 1, 4}, {2, 2, 3, 4}}) {
        for (const bool affine : {true, false}) {
            norms::RINorm n = make(4, affine);
            const Tensor in = randn(sizes, kDouble).requires_grad_();
            n(in); // the differences are taken around these statistics
            check_gradient([&] { return n->transform(in); }, in);
            std::vector<std::int64_t> more = sizes;
            more.push_back(2);
            const Tensor y = randn(more, kDouble).requires_grad_();
            check_gradient([&] { return n->inverse(y); }, y);
            for (const Tensor& p : n->parameters()) {
                check_gradient([&] { return n(in); }, p);
                check_gradient([&] { return n->inverse(y); }, p);
            }
            BOOST_TEST(autograd::gradgradcheck([&](const variable_list& v) { return n->transform(v[0]); }, {in}));
            BOOST_TEST(autograd::gradgradcheck([&](const variable_list& v) { return n->inverse(v[0]); }, {y}));
        }
    }
}
BOOST_AUTO_TEST_CASE(RI_6_second_derivatives_that_mix_input_and_parameters) {
    norms::RINorm m = make(2);
    const Tensor x = randn({3, 4, 2}, kDouble).requires_grad_(), cot = randn({3, 4, 2}, kDouble);
    m(x);
    check_gradient([&] { return autograd::grad({m->transform(x)}, {m->affine_weight}, {cot}, true, true)[0]; }, x);
    check_gradient([&] { return autograd::grad({m->transform(x)}, {x}, {cot}, true, true)[0]; }, m->affine_weight);
    // frozen parameters
    m->requires_grad_(false);
    check_gradient([&] { return m->transform(x); }, x);
    const Tensor fixed = randn({3, 4, 2}, kDouble);
    BOOST_TEST(!m(fixed).requires_grad());
}
BOOST_AUTO_TEST_CASE(RI_6_forward_mode) {
    norms::RINorm m = make(2), frozen = make(2), plain = make(2, false);
    frozen->requires_grad_(false);
    const Tensor x = randn({3, 4, 2}, kDouble).requires_grad_(), t = randn({3, 4, 2}, kDouble);
    for (const norms::RINorm& n : {m, frozen, plain}) {
        n(x);
        const autograd::forward_ad::DualLevel level;
        const auto dual = autograd::forward_ad::make_dual(x, t);
        const Tensor slope = n->affine_weight.defined() ? n->affine_weight / n->stdev : 1 / n->stdev;
        BOOST_TEST(farthest(autograd::forward_ad::unpack_dual(n->transform(dual)).tangent, t * slope) < 1e-13);
    }
}
BOOST_AUTO_TEST_CASE(RI_7_two_axes_are_refused_unless_asked_to_match) {
    norms::RINorm m(4), match(norms::RINormOptions(4).match_two_d(true));
    BOOST_TEST(has(message_of<ValueError>([&] { m(randn({3, 4})); }), {"RINorm", "[3, 4]", "2 axes", "three or more"}));
    BOOST_TEST(has(message_of<ValueError>([&] { m(randn({4})); }), {"RINorm", "1 axis", "match_two_d"}));
    BOOST_CHECK_THROW(match(randn({})), ValueError);
    const Tensor x = randn({3, 4}), y = match(x);
    BOOST_TEST(match->mean.sizes() == IntArrayRef({1, 1}));
    BOOST_TEST(farthest(match->mean, x.mean()) < 1e-6);
    BOOST_TEST(farthest(y, (x - x.mean()) / sqrt(x.var(false) + 1e-5)) < 1e-5);
    BOOST_TEST(farthest(match->inverse(y.unsqueeze(-1)).squeeze(-1), x) < 1e-5);
    BOOST_TEST(match(randn({4})).sizes() == IntArrayRef({4}));
    BOOST_TEST(match->mean.sizes() == IntArrayRef({1}));
}
BOOST_AUTO_TEST_CASE(RI_8_sizes_of_the_last_axis) {
    norms::RINorm m(4), plain(norms::RINormOptions(4).affine(false));
    BOOST_TEST(has(message_of([&] { m(randn({2, 5, 3})); }), {"RINorm", "[2, 5, 3]", "3 series", "4"}));
    BOOST_TEST(has(message_of([&] { m(randn({2, 5, 1})); }), {"RINorm", "1 series", "4"})); // would broadcast
    BOOST_TEST(has(message_of([] { norms::RINorm(1)(randn({2, 5, 3})); }), {"RINorm", "3 series", "1"}));
    BOOST_TEST(plain(randn({2, 5, 7})).sizes() == IntArrayRef({2, 5, 7}));
    BOOST_CHECK_THROW(norms::RINorm(-1), ValueError);
}
BOOST_AUTO_TEST_CASE(RI_9_around_a_model) {
    // The first two of three columns are targets; what the norm saw is overwritten by what it made.
    norms::RINorm m(2);
    nn::Linear model(15, 8);
    const Tensor past = cat({randn({4, 5, 2}) * 20 + 300, randn({4, 5, 1})}, 2);
    const Tensor input = past.clone();
    input.narrow(2, 0, 2).copy_(m(input.narrow(2, 0, 2)));
    BOOST_TEST(farthest(input.narrow(2, 0, 2).mean({1}), zeros({4, 2})) < 1e-4);
    BOOST_TEST(input.narrow(2, 2, 1).equal(past.narrow(2, 2, 1)));
    const Tensor forecast = m->inverse(model(input.flatten(1)).view({4, 4, 2, 1}));
    forecast.pow(2).sum().backward();
    for (const Tensor& p : {model->weight, m->affine_weight, m->affine_bias}) BOOST_TEST(p.grad().defined());
    BOOST_TEST(farthest(forecast.mean({1, 3}), past.narrow(2, 0, 2).mean({1})) < 80); // on the scale of the input
}
BOOST_AUTO_TEST_CASE(RI_10_goldens) {
    const Tensor x = tensor({1., 2., 6.}, kDouble).view({1, 3, 1});
    norms::RINorm m(1), plain(norms::RINormOptions(1).affine(false));
    m->to(kDouble);
    const Tensor y = m(x);
    BOOST_TEST(m->mean.item<double>() == 3);
    BOOST_TEST(std::abs(m->stdev.item<double>() - 2.16024921) < 1e-8);
    BOOST_TEST(farthest(y.flatten(), tensor({-.92581911, -.46290955, 1.38872866}, kDouble)) < 1e-8);
    BOOST_TEST(farthest(m->inverse(y.unsqueeze(-1)).flatten(),
                        tensor({1.0000000002, 2.0000000001, 5.9999999997}, kDouble)) < 1e-10);
    BOOST_TEST(farthest(plain->inverse(plain(x).unsqueeze(-1)).flatten(), x.flatten()) < 1e-14);
}
BOOST_AUTO_TEST_CASE(RI_11_round_trip) {
    for (const bool affine : {true, false}) {
        norms::RINorm m(norms::RINormOptions(7).affine(affine));
        const Tensor x = randn({3, 4, 7});
        BOOST_TEST(m->inverse(m(x).unsqueeze(-1)).squeeze(-1).isclose(x).all().item<bool>());
    }
}
BOOST_AUTO_TEST_CASE(RI_2_a_clone_has_statistics_of_its_own) {
    norms::RINorm m = make(3);
    m(randn({2, 5, 3}, kDouble));
    const auto copy = std::dynamic_pointer_cast<norms::RINormImpl>(m->clone());
    BOOST_REQUIRE(copy);
    BOOST_TEST(copy->mean.equal(m->mean));
    BOOST_TEST(copy->mean.data_ptr() != m->mean.data_ptr());
    BOOST_TEST(copy->affine_weight.equal(m->affine_weight));
    BOOST_TEST(copy->affine_weight.data_ptr() != m->affine_weight.data_ptr());
    const Tensor y = randn({2, 5, 3, 1}, kDouble);
    BOOST_TEST(copy->inverse(y).equal(m->inverse(y)));
    copy->mean.zero_();
    BOOST_TEST(!copy->mean.equal(m->mean));
}
BOOST_AUTO_TEST_CASE(RI_3_half_dtypes_and_hooks) {
    for (const ScalarType t : {kHalf, kBFloat16}) {
        norms::RINorm m(2);
        m->to(t);
        const Tensor x = (randn({3, 16, 2}) * 2 + 1).to(t).requires_grad_(), y = m(x);
        BOOST_TEST((y.scalar_type() == t));
        const Tensor exact = x.to(kDouble);
        BOOST_TEST(farthest(y, (exact - exact.mean({1}, true)) / sqrt(exact.var({1}, false, true) + 1e-5)) <
                   (t == kHalf ? 8e-3 : 6e-2));
        BOOST_TEST(farthest(m->inverse(y.unsqueeze(-1)).squeeze(-1), x) < (t == kHalf ? 2e-2 : 2e-1));
        y.sum().backward();
        BOOST_TEST((x.grad().scalar_type() == t && m->affine_weight.grad().scalar_type() == t));
    }
    norms::RINorm m(2);
    std::string order;
    m->register_forward_pre_hook([&](nn::Module&, const Args&) { order += "pre "; });
    m->register_forward_hook([&](nn::Module&, const Args&, const Value&) { order += "post "; });
    m->register_full_backward_hook([&](nn::Module&, const variable_list& in, const variable_list&) {
        order += in[0].defined() ? "backward" : "nothing";
    });
    const Tensor x = randn({2, 4, 2}).requires_grad_();
    m(x).sum().backward();
    BOOST_TEST(order == "pre post backward");
    const nn::ModulePtr named = nn::make_module("norms.RINorm", {2}, {{"affine", false}, {"eps", 1e-3}});
    BOOST_TEST(named->as<norms::RINorm>()->options.eps() == 1e-3);
}

BOOST_AUTO_TEST_SUITE_END()
