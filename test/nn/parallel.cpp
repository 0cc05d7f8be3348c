#include <reel/nn/parallel.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
namespace parallel = nn::parallel;

namespace {
const Device cpu(kCPU), meta(kMeta);

struct NetImpl : nn::Cloneable<NetImpl> {
    NetImpl() { reset(); }
    void reset() override {
        first = register_module("first", nn::Linear(4, 4));
        second = register_module("second", nn::Linear(4, 4));
        second->weight = second->register_parameter("weight", first->weight); // tied
    }
    Tensor forward(const Tensor& x) { return second(tanh(first(x))); }
    nn::Linear first{nullptr}, second{nullptr};
};
REEL_MODULE(Net);
} // namespace

BOOST_AUTO_TEST_SUITE(data_parallel_modules)

BOOST_AUTO_TEST_CASE(what_is_scattered_comes_together_again) {
    const Tensor x = randn({7, 2}, TensorOptions(kDouble).requires_grad(true));
    const std::vector<Tensor> parts = parallel::scatter(x, {cpu, cpu, cpu});
    BOOST_TEST_REQUIRE(parts.size() == 3u);
    BOOST_TEST(parts[0].size(0) == 3);
    BOOST_TEST(parts[2].size(0) == 1);
    const Tensor whole = parallel::gather(parts, cpu);
    BOOST_TEST(equal(whole, x));
    const Tensor weights = randn({7, 2}, kDouble);
    (whole * weights).sum().backward();
    BOOST_TEST(equal(x.grad(), weights));
}

BOOST_AUTO_TEST_CASE(parts_have_the_sizes_given_along_any_dimension) {
    const Tensor x = arange(10).reshape({2, 5});
    const std::vector<Tensor> parts = parallel::scatter(x, {cpu, meta}, {{4, 1}}, 1);
    BOOST_TEST(equal(parts[0], x.slice(1, 0, 4)));
    BOOST_TEST(parts[1].is_meta());
    BOOST_TEST(parts[1].size(1) == 1);
    BOOST_TEST(parallel::scatter(x, {cpu, cpu, cpu}).size() == 2u); // fewer parts than devices
    BOOST_TEST(equal(parallel::gather({tensor(1.0), tensor(2.0)}, cpu), tensor({1.0, 2.0})));
}

BOOST_AUTO_TEST_CASE(replicas_are_copies_whose_gradients_add_up_in_the_original) {
    manual_seed(3);
    Net net;
    const std::vector<nn::ModuleHolder<NetImpl>> replicas = parallel::replicate(net, {cpu, cpu});
    BOOST_TEST_REQUIRE(replicas.size() == 2u);
    const Tensor x = randn({6, 4});
    for (const auto& replica : replicas) {
        BOOST_TEST(replica->parameters().size() == net->parameters().size());
        BOOST_TEST(!replica->first->weight.is_same(net->first->weight));
        BOOST_TEST(replica->first->weight.is_same(replica->second->weight));
        BOOST_TEST(equal(replica->forward(x), net->forward(x)));
    }
    (replicas[0]->forward(x) + replicas[1]->forward(x)).sum().backward();
    std::vector<Tensor> found;
    for (const Tensor& p : net->parameters()) found.push_back(p.grad().clone());
    net->zero_grad();
    (2 * net->forward(x).sum()).backward();
    for (std::size_t i = 0; i < found.size(); ++i) BOOST_TEST(allclose(found[i], net->parameters()[i].grad()));
}

BOOST_AUTO_TEST_CASE(replicas_of_frozen_parameters_and_without_grad_mode_stay_off_the_tape) {
    nn::Linear layer(2, 2);
    layer->bias.requires_grad_(false);
    const auto replica = parallel::replicate(layer, {cpu})[0];
    BOOST_TEST(replica->weight.requires_grad());
    BOOST_TEST(!replica->bias.requires_grad());
    const NoGradGuard guard;
    BOOST_TEST(!parallel::replicate(layer.ptr(), {cpu})[0]->weight.requires_grad());
}

BOOST_AUTO_TEST_CASE(data_parallel_computes_what_the_module_does) {
    manual_seed(5);
    Net net;
    const Tensor x = randn({5, 4});
    int calls = 0;
    net->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor&) { ++calls; });
    const Tensor split = parallel::data_parallel(net, x, {{cpu, cpu, cpu}});
    BOOST_TEST(calls == 3); // hooks are copied with the replicas
    BOOST_TEST(allclose(split, net(x)));
    split.sum().backward();
    const Tensor grad = net->first->weight.grad().clone();
    net->zero_grad();
    net(x).sum().backward();
    BOOST_TEST(allclose(grad, net->first->weight.grad()));
    BOOST_TEST(equal(parallel::data_parallel(net, x, {{cpu}}), net(x)));
    // One example, four devices: as many replicas as there are parts.
    BOOST_TEST(allclose(parallel::data_parallel(net, x.slice(0, 0, 1), {{cpu, cpu, cpu, cpu}}), net(x.slice(0, 0, 1))));
}

BOOST_AUTO_TEST_CASE(the_result_lies_where_it_is_asked_for) {
    nn::Linear layer(2, 3);
    const Tensor y = parallel::data_parallel(layer, ones({4, 2}), {{cpu, cpu}}, meta);
    BOOST_TEST(y.is_meta());
    BOOST_TEST(y.size(0) == 4);
}

BOOST_AUTO_TEST_CASE(what_does_not_go_together_is_named) {
    nn::Linear layer(2, 2);
    const std::vector<nn::Linear> two{layer, layer};
    BOOST_TEST(has(message_of([&] {
                       parallel::parallel_apply(two, {ones({1, 2})});
                   }),
                   {"parallel_apply", "2 modules", "1 inputs"}));
    BOOST_TEST(has(message_of([&] {
                       parallel::parallel_apply(two, {ones({1, 2}), ones({1, 2})}, {{cpu}});
                   }),
                   {"parallel_apply", "1 devices"}));
    BOOST_TEST(has(message_of([&] {
                       parallel::data_parallel(layer, ones({1, 2}), std::vector<Device>());
                   }),
                   {"data_parallel", "devices is empty"}));
    BOOST_TEST(has(message_of([&] { parallel::replicate(layer, {}); }), {"Linear", "replicate", "no device"}));
    BOOST_TEST(has(message_of([&] {
                       parallel::scatter(ones({4}), {cpu, cpu}, {{4}});
                   }),
                   {"scatter", "2 devices", "1 chunk_sizes"}));
    BOOST_TEST(has(message_of([&] { parallel::gather({}, cpu); }), {"gather", "no tensors"}));
}

BOOST_AUTO_TEST_SUITE_END()
