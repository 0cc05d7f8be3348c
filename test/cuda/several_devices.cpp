// Modules on two devices: copies, replicas, gradients that come back from the other device, layers here and there.
#include <boost/test/unit_test.hpp>

#include <reel/nn.hpp>
#include <reel/nn/parallel.hpp>
#include <reel/optim.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

const Device first{kCUDA, 0}, second{kCUDA, 1};

nn::Sequential network() {
    manual_seed(6);
    nn::Sequential net{nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 3)};
    net->to(kDouble);
    return net;
}
Tensor batch() { return (arange(7 * 4, TensorOptions(kDouble)) * 0.7).sin().view({7, 4}); }
std::vector<Tensor> gradients(const nn::Sequential& net) {
    std::vector<Tensor> all;
    for (const Tensor& p : net->parameters()) all.push_back(p.grad());
    return all;
}
/// Of the loss that all cases have, on the CPU.
std::vector<Tensor> wanted() {
    const nn::Sequential net = network();
    net(batch()).square().sum().backward();
    return gradients(net);
}
void compare(const std::vector<Tensor>& got) {
    const std::vector<Tensor> want = wanted();
    BOOST_REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < 1e-12, i);
}
/// Two layers, one on each device.
struct SplitImpl : nn::Module {
    SplitImpl(const nn::Sequential& from) : net(register_module("net", from)) {
        for (const std::size_t i : {std::size_t(0), std::size_t(1)}) net->ptr(i)->to(first);
        net->ptr(2)->to(second);
    }
    Tensor forward(const Tensor& x) { return layer(2, layer(1, layer(0, x.to(first))).to(second)); }
    Tensor layer(std::size_t i, const Tensor& x) { return net->ptr(i)->call_values({Value(x)}).toTensor(); }
    nn::Sequential net;
};
REEL_MODULE(Split);

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_several_devices, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(copies_between_devices_keep_the_numbers) {
    if (cuda::device_count() < 2) return;
    for (const ScalarType t : {kFloat, kDouble, kHalf, kLong, kBool, kComplexDouble}) {
        const Tensor x = (arange(60, TensorOptions(kDouble)) % 7).to(t).view({4, 15}), there = x.to(first);
        BOOST_TEST(equal(there.to(second).cpu(), x));
        BOOST_TEST(equal(there.t().to(second).cpu(), x.t())); // steps of another order
        Tensor other = zeros({4, 15}, TensorOptions(kFloat).device(second));
        if (t != kComplexDouble) {
            other.copy_(there); // and another dtype
            BOOST_TEST(equal(other.cpu(), x.to(kFloat)));
        }
    }
    // made on one, used on the other, gone before either has run
    Tensor sum = zeros({3}, TensorOptions(kDouble).device(second));
    for (int i = 0; i < 20; ++i)
        sum = sum + (full({3}, double(i), TensorOptions(kDouble).device(first)) * 2).to(second);
    BOOST_TEST(sum.cpu().sum().item().toDouble() == 3 * 380);
}

BOOST_AUTO_TEST_CASE(operands_of_two_devices_are_an_error) {
    if (cuda::device_count() < 2) return;
    const Tensor a = zeros({2, 2}, TensorOptions().device(first)), b = zeros({2, 2}, TensorOptions().device(second));
    const auto names_both = [](const Error& e) {
        return e.msg().find("cuda:0") != std::string::npos && e.msg().find("cuda:1") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(a + b, Error, names_both);
    BOOST_CHECK_EXCEPTION(mm(a, b), Error, names_both);
    BOOST_CHECK_EXCEPTION(cat({a, b}), Error, names_both);
}

BOOST_AUTO_TEST_CASE(gradients_come_back_from_the_other_device) {
    if (cuda::device_count() < 2) return;
    const Tensor x = batch().to(first).requires_grad_();
    const Tensor y = (x.to(second) * x.detach().to(second)).sum() + (x * 3).sum().to(second);
    BOOST_TEST((y.device() == second));
    y.backward();
    BOOST_TEST((x.grad().device() == first));
    BOOST_TEST(there::distance(x.grad(), batch() + 3) < 1e-12);
}

BOOST_AUTO_TEST_CASE(layers_on_two_devices_train) {
    if (cuda::device_count() < 2) return;
    Split split(network());
    const Tensor y = split(batch());
    BOOST_TEST((y.device() == second));
    y.square().sum().backward();
    const std::vector<Tensor> got = gradients(split->net);
    BOOST_TEST((got.front().device() == first));
    BOOST_TEST((got.back().device() == second));
    compare(got);
    // one optimizer steps both
    const nn::Sequential here = network();
    here(batch()).square().sum().backward();
    optim::Adam at_home(here->parameters(), 0.1), there(split->parameters(), 0.1);
    at_home.step();
    there.step();
    for (std::size_t i = 0; i < here->parameters().size(); ++i)
        BOOST_TEST(there::distance(split->parameters()[i], here->parameters()[i]) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(replicas_compute_parts_of_a_batch) {
    if (cuda::device_count() < 2) return;
    const nn::Sequential net = network();
    net->to(first);
    const Tensor y = nn::parallel::data_parallel(net, batch().to(first), std::vector<Device>{first, second});
    BOOST_TEST((y.device() == first));
    BOOST_TEST(there::distance(y, network()(batch())) < 1e-12);
    y.square().sum().backward();
    compare(gradients(net));
}

BOOST_AUTO_TEST_CASE(scatter_and_gather_are_each_others_way_back) {
    if (cuda::device_count() < 2) return;
    const Tensor x = batch().to(first).requires_grad_();
    const std::vector<Tensor> parts = nn::parallel::scatter(x, {first, second});
    BOOST_REQUIRE(parts.size() == 2u);
    BOOST_TEST((parts[1].device() == second));
    const Tensor whole = nn::parallel::gather({parts[0] * 2, parts[1] * 3}, second);
    BOOST_TEST((whole.device() == second));
    whole.sum().backward();
    BOOST_TEST(there::distance(x.grad(), cat({full({4, 4}, 2., TensorOptions(kDouble)),
                                              full({3, 4}, 3., TensorOptions(kDouble))})) == 0);
}

BOOST_AUTO_TEST_CASE(a_module_moves_with_its_state) {
    if (cuda::device_count() < 2) return;
    nn::BatchNorm1d norm(4);
    norm->to(kDouble);
    norm->to(first);
    norm(batch().to(first));
    const nn::ModulePtr other = norm->clone(second);
    for (const Tensor& b : other->buffers()) BOOST_TEST((b.device() == second));
    norm->eval();
    other->eval();
    BOOST_TEST(equal(norm(batch().to(first)).cpu(), other->call_values({Value(batch().to(second))}).toTensor().cpu()));
}

BOOST_AUTO_TEST_SUITE_END()
