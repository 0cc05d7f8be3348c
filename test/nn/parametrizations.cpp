// Weight norm, spectral norm and orthogonal matrices; numbers are PyTorch 2.15's for the same seeds.
#include <reel/nn/utils/parametrizations.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/nn/utils/parametrize.hpp>
#include <reel/nn/utils/weight_norm.hpp>
#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;
namespace N = reel::nn::utils::parametrizations;

namespace {
bool is(const Tensor& t, std::vector<double> numbers) {
    return allclose(t.detach().reshape({-1}).to(kDouble), tensor(numbers, kDouble), 1e-4, 2e-5);
}
Tensor numbers_up_to(std::int64_t n, std::vector<std::int64_t> sizes) {
    return arange(1., double(n + 1)).view(IntArrayRef(sizes));
}
} // namespace

BOOST_AUTO_TEST_SUITE(parametrizations)

BOOST_AUTO_TEST_CASE(weight_norm_trains_norm_and_direction) {
    manual_seed(0);
    nn::Linear net = N::weight_norm(nn::Linear(3, 2));
    BOOST_TEST(net->named_parameters()["parametrizations.weight.original0"].sizes() == IntArrayRef({2, 1}));
    BOOST_CHECK(is(net->weight, {-0.004323, 0.309716, -0.475185, -0.424895, -0.222369, 0.154821}));
    net(arange(6.).view({2, 3})).sum().backward();
    BOOST_CHECK(is(net->named_parameters()["parametrizations.weight.original0"].grad(), {-3.156926, -2.58521}));
    BOOST_CHECK(is(net->named_parameters()["parametrizations.weight.original1"].grad(),
                   {2.975943, 6.723745, 4.355325, 0.820281, 3.859242, 7.794234}));
    for (const std::optional<std::int64_t> dim : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1)}) {
        nn::Conv2d conv(2, 3, 2);
        const Tensor w = conv->weight.detach().clone();
        N::weight_norm(conv, "weight", dim);
        BOOST_CHECK(allclose(conv->weight, w));
        const Tensor g = conv->named_parameters()["parametrizations.weight.original0"];
        BOOST_TEST(g.numel() == (dim ? 2 : 1));
    }
}
BOOST_AUTO_TEST_CASE(weight_norm_reads_older_state_dicts) {
    nn::Linear older = nn::utils::weight_norm(nn::Linear(3, 2)), net = N::weight_norm(nn::Linear(3, 2));
    const nn::StateDict state = older->state_dict();
    BOOST_TEST(state.contains("weight_g"));
    net->load_state_dict(state);
    const Tensor x = randn({1, 3});
    BOOST_CHECK(allclose(net(x), older(x)));
    BOOST_TEST(has(message_of<IndexError>([&] { N::weight_norm(nn::Linear(2, 2), "weight", 2); }), "dimension"));
}

BOOST_AUTO_TEST_CASE(spectral_norm_divides_by_the_largest_singular_value) {
    manual_seed(0);
    nn::Linear net = N::spectral_norm(nn::Linear(3, 2));
    const Tensor u = net->get_buffer("parametrizations.weight.0._u"), x = arange(6.).view({2, 3});
    BOOST_CHECK(is(u, {0.785607, -0.618725}));
    const Tensor y = net(x);
    BOOST_CHECK(is(y, {-0.985624, 0.590482, -1.760186, -1.655956}));
    y.sum().backward();
    BOOST_CHECK(is(net->get_parameter("parametrizations.weight.original").grad(),
                   {6.779185, 10.857771, 6.635873, 2.815486, 5.039697, 13.801166}));
    BOOST_TEST(linalg_svdvals(net->weight)[0].item<double>() == 1.0, boost::test_tools::tolerance(1e-4));

    net->eval();
    const Tensor before = u.clone();
    net(x);
    BOOST_CHECK(equal(u, before));
    nn::ConvTranspose2d conv = N::spectral_norm(nn::ConvTranspose2d(2, 3, 2));
    BOOST_TEST(conv->get_buffer("parametrizations.weight.0._u").numel() == 3);
    nn::Linear bias = N::spectral_norm(nn::Linear(3, 4), "bias");
    BOOST_TEST(bias->bias.norm().item<double>() == 1.0, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(bias->buffers().empty());
}
BOOST_AUTO_TEST_CASE(spectral_norm_passes_twice_before_going_back) {
    nn::Linear net = N::spectral_norm(nn::Linear(3, 2), "weight", 2);
    const Tensor real = net(randn({2, 3})), fake = net(randn({2, 3}));
    (real.mean() - fake.mean()).backward(); // the vectors that the first call used moved meanwhile
    BOOST_TEST(net->get_parameter("parametrizations.weight.original").grad().defined());
    const auto copy = std::dynamic_pointer_cast<nn::LinearImpl>(net->clone());
    BOOST_CHECK(
        equal(copy->get_buffer("parametrizations.weight.0._u"), net->get_buffer("parametrizations.weight.0._u")));
    BOOST_CHECK(
        !copy->get_buffer("parametrizations.weight.0._u").is_same(net->get_buffer("parametrizations.weight.0._u")));
    const Tensor x = randn({1, 3});
    BOOST_CHECK(equal(nn::call(*copy, x), net(x)));
    BOOST_TEST(has(message_of<ValueError>([] { N::spectral_norm(nn::Linear(2, 2), "weight", 0); }), "is 0; expected"));
    BOOST_TEST(has(message_of<IndexError>([] { N::spectral_norm(nn::Linear(2, 2), "weight", 1, 1e-12, 2); }),
                   "range of [-2, 1], but got 2"));
    BOOST_TEST(message_of<ValueError>([] { N::spectral_norm(nn::Linear(2, 2), "foo"); }) ==
               "spectral_norm: Linear has no parameter or buffer with name 'foo'");
}

BOOST_AUTO_TEST_CASE(orthogonal_keeps_or_makes_orthonormal_columns) {
    struct Case {
        std::optional<std::string> map;
        bool trivial;
        std::int64_t rows, columns;
        std::vector<double> weight, grad;
    };
    const std::vector<double> square{0.709023, 0.691775,  -0.136871, 0.64587, -0.559121,
                                     0.519842, -0.283086, 0.45698,   0.843226},
        high{0.464275, -0.057372, -0.174678, 0.638642, -0.848277, -0.315743, -0.185368, 0.699393},
        wide{0.608004, -0.520821, -0.228754, 0.553849, -0.542327, 0.278772, -0.29918, 0.733934};
    const std::vector<Case> cases{
        {{}, true, 3, 3, square, {0, 0, 0, -0.728552, 0, 0, 4.390567, 6.237852, 0}},
        {{}, true, 4, 2, high, {0, 0, 23.036716, 0, -6.789161, -9.836309, -7.574805, -8.455807}},
        {{}, true, 2, 4, wide, {0, -1.3824, -7.81259, -6.107125, 0, 0, -16.546869, -19.028358}},
        {"cayley", true, 4, 2, high, {0, 0, 11.518358, 0, -3.39458, -4.918155, -3.787402, -4.227903}},
        {"cayley",
         false,
         4,
         2,
         {0.795425, 0.25365, 0.025193, 0.860035, -0.592262, 0.30996, -0.126059, 0.316112},
         {0, 0, 5.506814, 0, 3.632605, 4.740079, 6.321321, 5.782837}},
        {"matrix_exp",
         false,
         3,
         3,
         {0.956859, -0.246015, 0.154589, 0.2804, 0.921295, -0.269426, -0.07614, 0.30115, 0.950532},
         {0, 0, 0, 2.556323, 0, 0, 2.339877, -0.478597, 0}},
        {"householder", false, 3, 3, square, {0, 0, 0, 7.076335, 0, 0, 9.474277, -11.356351, 0}},
        {"householder", false, 2, 4, wide, {0, -1.105558, 3.824108, -4.751222, 0, 0, 13.169624, -4.472726}},
    };
    for (const Case& c : cases) {
        manual_seed(1);
        nn::Linear net(c.columns, c.rows);
        N::orthogonal(net, "weight", c.map, c.trivial);
        BOOST_TEST_INFO(c.map.value_or("default") << " " << c.rows << " " << c.columns);
        BOOST_CHECK(is(net->weight, c.weight));
        BOOST_TEST_INFO(net->weight);
        (net->weight * numbers_up_to(c.rows * c.columns, {c.rows, c.columns})).sum().backward();
        BOOST_CHECK(is(net->get_parameter("parametrizations.weight.original").grad(), c.grad));
        const Tensor tall = c.rows < c.columns ? net->weight.mT() : net->weight;
        BOOST_CHECK(allclose(tall.mT().matmul(tall), eye(std::min(c.rows, c.columns)), 1e-5, 1e-5));
    }
}
BOOST_AUTO_TEST_CASE(orthogonal_stays_so_while_it_trains) {
    nn::Linear net = N::orthogonal(nn::Linear(3, 5));
    optim::SGD sgd(net->parameters(), optim::SGDOptions(.1));
    const Tensor start = net->weight.detach().clone();
    for (int i = 0; i < 5; ++i) {
        sgd.zero_grad();
        (net(randn({4, 3})) - 1).square().sum().backward();
        sgd.step();
    }
    const Tensor w = net->attribute("weight").toTensor().detach();
    BOOST_CHECK(allclose(w.mT().matmul(w), eye(3), 1e-4, 1e-4));
    BOOST_CHECK(!allclose(w, start));
    const Tensor wanted = std::get<0>(linalg_qr(randn({5, 3})));
    net->set_attribute("weight", Value(wanted));
    BOOST_CHECK(allclose(net->weight, wanted, 1e-4, 1e-5));
    BOOST_TEST(net->state_dict().contains("parametrizations.weight.0.base"));
    BOOST_TEST(has(message_of<ValueError>([] { N::orthogonal(nn::Linear(2, 2), "weight", "qr"); }), "'householder'"));
    BOOST_TEST(has(message_of<ValueError>([] { N::orthogonal(nn::Linear(2, 2), "bias"); }), "1 dimensions"));
}

BOOST_AUTO_TEST_SUITE_END()
