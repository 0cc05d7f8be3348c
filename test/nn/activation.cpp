// Activation modules against their functions, in place, printed.
#include <reel/nn/modules/activation.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(activation)

BOOST_AUTO_TEST_CASE(modules_call_their_functions) {
    const Tensor x = randn({3, 4});
    const auto same = [](const Tensor& a, const Tensor& b) { return (a == b).all().item<bool>(); };
    BOOST_TEST(same(nn::ReLU()(x), reel::relu(x)));
    BOOST_TEST(same(nn::GELU(nn::GELUOptions().approximate("tanh"))(x), reel::gelu(x, "tanh")));
    BOOST_TEST(same(nn::LeakyReLU(nn::LeakyReLUOptions(0.3))(x), reel::leaky_relu(x, 0.3)));
    BOOST_TEST(same(nn::LeakyReLU(0.3)(x), reel::leaky_relu(x, 0.3))); // the first option, as in Python
    BOOST_TEST(same(nn::ELU(2)(x), reel::elu(x, 2)));
    nn::Sequential net{nn::LeakyReLU(0.2), nn::CELU(0.5)};
    BOOST_TEST(same(net(x), reel::celu(reel::leaky_relu(x, 0.2), 0.5)));
    BOOST_TEST(same(nn::ELU(nn::ELUOptions(2))(x), reel::elu(x, 2)));
    BOOST_TEST(same(nn::Softplus(nn::SoftplusOptions().beta(3))(x), reel::softplus(x, 3)));
    BOOST_TEST(same(nn::Softmax(1)(x), reel::softmax(x, 1)));
    BOOST_TEST(same(nn::Threshold(0.1, 5)(x), reel::threshold(x, 0.1, 5.0)));
}
BOOST_AUTO_TEST_CASE(in_place_ones_overwrite_and_still_differentiate) {
    const Tensor x = randn({5}).requires_grad_(), y = x * 1;
    const Tensor z = nn::SiLU(nn::SiLUOptions(true))(y);
    BOOST_TEST(z.is_same(y));
    z.sum().backward();
    const Tensor w = x.detach().requires_grad_();
    reel::silu(w).sum().backward();
    BOOST_TEST((x.grad() - w.grad()).abs().max().item<double>() < 1e-6);
}
BOOST_AUTO_TEST_CASE(prelu_learns_its_slope) {
    nn::PReLU m(nn::PReLUOptions().num_parameters(2).init(0.5));
    const Tensor y = m(full({1, 2}, -2.0));
    BOOST_TEST((y == -1).all().item<bool>());
    y.sum().backward();
    BOOST_TEST((m->weight.grad() == -2).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(printing) { // M-29
    BOOST_TEST(nn::ReLU(nn::ReLUOptions(true))->repr() == "ReLU(inplace=True)");
    BOOST_TEST(nn::ReLU()->repr() == "ReLU()");
    BOOST_TEST(nn::Softplus(nn::SoftplusOptions().beta(2).threshold(3))->repr() == "Softplus(beta=2, threshold=3)");
    BOOST_TEST(nn::Softplus()->repr() == "Softplus(beta=1.0, threshold=20.0)");
    BOOST_TEST(nn::Hardtanh()->repr() == "Hardtanh(min_val=-1.0, max_val=1.0)");
    BOOST_CHECK_THROW(nn::Hardtanh(nn::HardtanhOptions().min_val(2.0)), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
