// The two layer norms of the variants.
#include <boost/test/unit_test.hpp>

#include "nn/norms.hpp"

using namespace reel;
using namespace reel::testing;
namespace norms = nn::norms;
using autograd::variable_list;

BOOST_AUTO_TEST_SUITE(norms_layer_norm)

BOOST_AUTO_TEST_CASE(LN_1_layer_norm_of_a_size) {
    norms::LayerNorm m(4);
    BOOST_TEST(m->repr() == "LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)");
    BOOST_TEST(m->weight.equal(ones({4})));
    BOOST_TEST(m->bias.equal(zeros({4})));
    disturb(*m);
    const Tensor x = randn({3, 2, 4}) * 3 + 5, mean = x.mean({-1}, true), var = x.var({-1}, false, true);
    BOOST_TEST(farthest(m(x), (x - mean) / sqrt(var + 1e-5) * m->weight + m->bias) < 1e-5);
    m->eval();
    BOOST_TEST(farthest(m(x), (x - mean) / sqrt(var + 1e-5) * m->weight + m->bias) < 1e-5);
}
BOOST_AUTO_TEST_CASE(LN_1_options_and_their_text) {
    norms::LayerNorm bare(norms::LayerNormOptions({3, 4}).eps(0.1).bias(false));
    BOOST_TEST(bare->repr() == "LayerNorm((3, 4), eps=0.1, elementwise_affine=True, bias=False)");
    BOOST_TEST(!bare->bias.defined());
    BOOST_TEST(bare->state_dict().size() == 1);
    norms::LayerNorm none(norms::LayerNormOptions(4).elementwise_affine(false));
    BOOST_TEST(none->repr() == "LayerNorm((4,), eps=1e-05, elementwise_affine=False, bias=False)");
    BOOST_TEST(none->state_dict().size() == 0);
    const Tensor x = randn({2, 3, 4});
    BOOST_TEST(farthest(bare(x).mean({1, 2}), zeros({2})) < 1e-5);
    BOOST_TEST(has(message_of([&] { bare(randn({2, 4, 3})); }), {"[2, 4, 3]", "[3, 4]"}));
    BOOST_TEST(
        has(message_of<ValueError>([] { norms::LayerNorm m(norms::LayerNormOptions(std::vector<std::int64_t>{})); }),
            "input_size is empty"));
    BOOST_TEST(has(message_of<ValueError>([] { norms::LayerNorm m(-2); }), {"LayerNorm", "(-2,)", "negative"}));
}
BOOST_AUTO_TEST_CASE(LN_1_by_name_with_options_by_keyword_only) {
    const nn::ModulePtr m = nn::make_module("norms.LayerNorm", {5}, {{"eps", 1e-12}, {"bias", false}});
    BOOST_TEST(m->repr() == "LayerNorm((5,), eps=1e-12, elementwise_affine=True, bias=False)");
    BOOST_TEST(m->as<norms::LayerNorm>());
    BOOST_TEST(nn::make_module("LayerNorm", {5})->as<nn::LayerNorm>()); // the ordinary one keeps its name
    BOOST_TEST(has(message_of<TypeError>([] {
                       nn::make_module("norms.LayerNorm", {5, 1e-3});
                   }),
                   {"LayerNorm", "1 argument by position", "got 2"}));
    BOOST_TEST(has(message_of<TypeError>([] {
                       nn::make_module("norms.LayerNorm", {5}, {{"size", 3}});
                   }),
                   {"LayerNorm", "'size'"}));
}
BOOST_AUTO_TEST_CASE(LN_2_no_bias_has_no_parameters_at_all) {
    norms::LayerNormNoBias m(5);
    BOOST_TEST(m->repr() == "LayerNormNoBias((5,), eps=1e-05, elementwise_affine=False, bias=False)");
    BOOST_TEST(m->parameters().empty());
    BOOST_TEST(m->state_dict().size() == 0);
    const Tensor x = randn({3, 5});
    BOOST_TEST(m(x).equal(layer_norm(x, {5})));
    // bias is taken and does nothing; an affine argument is one too many, whatever its value
    const nn::ModulePtr biased = nn::make_module("norms.LayerNormNoBias", {5}, {{"bias", true}, {"eps", 0.1}});
    BOOST_TEST(biased->repr() == "LayerNormNoBias((5,), eps=0.1, elementwise_affine=False, bias=False)");
    BOOST_TEST(biased->state_dict().size() == 0);
    for (const bool affine : {true, false})
        BOOST_TEST(has(message_of<TypeError>([&] {
                           nn::make_module("norms.LayerNormNoBias", {5}, {{"elementwise_affine", affine}});
                       }),
                       {"LayerNormNoBias", "'elementwise_affine'", "given twice"}));
    BOOST_CHECK_THROW(nn::make_module("norms.LayerNormNoBias", {5, 0.1}), TypeError);
}
BOOST_AUTO_TEST_CASE(LN_4_zeros_give_finite_output) {
    const Tensor x = zeros({1, 4, 4});
    norms::LayerNorm a(4);
    norms::LayerNormNoBias b(4);
    norms::RMSNorm c(4);
    for (const Tensor& y : {a(x), b(x), c(x)}) {
        BOOST_TEST(y.sizes() == x.sizes());
        BOOST_TEST(isfinite(y).all().item<bool>());
    }
}
BOOST_AUTO_TEST_CASE(LN_1_LN_2_gradients_of_both_orders) {
    norms::LayerNorm m(norms::LayerNormOptions({2, 3}).eps(1e-3));
    norms::LayerNormNoBias n(3);
    m->to(kDouble);
    disturb(*m);
    const Tensor x = randn({4, 2, 3}, kDouble).requires_grad_();
    for (const Tensor& t : {x, m->weight, m->bias}) check_gradient([&] { return m(x); }, t);
    check_gradient([&] { return n(x); }, x);
    BOOST_TEST(autograd::gradgradcheck([&](const variable_list& v) { return m(v[0]); }, {x}));
    BOOST_TEST(autograd::gradgradcheck([&](const variable_list& v) { return n(v[0]); }, {x}));
}
BOOST_AUTO_TEST_CASE(LN_1_half_dtypes_and_copies) {
    for (const ScalarType t : {kHalf, kBFloat16}) {
        norms::LayerNorm m(8);
        m->to(t);
        const Tensor x = randn({3, 8}).to(t), y = m(x);
        BOOST_TEST((y.scalar_type() == t));
        BOOST_TEST(farthest(y, layer_norm(x.to(kDouble), {8})) < (t == kHalf ? 2e-3 : 2e-2));
    }
    norms::LayerNorm m(3);
    disturb(*m);
    const auto copy = std::dynamic_pointer_cast<norms::LayerNormImpl>(m->clone());
    BOOST_REQUIRE(copy);
    BOOST_TEST(copy->weight.equal(m->weight));
    BOOST_TEST(copy->weight.data_ptr() != m->weight.data_ptr());
}

BOOST_AUTO_TEST_SUITE_END()
