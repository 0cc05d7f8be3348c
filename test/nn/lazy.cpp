// Layers that learn the size of their input from the first one.
#include <reel/nn/modules/lazy.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/nn/factory.hpp>
#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;

namespace {
std::vector<std::string> keys(nn::Module& m) { return m.state_dict().keys(); }
} // namespace

BOOST_AUTO_TEST_SUITE(lazy)

BOOST_AUTO_TEST_CASE(the_first_call_makes_the_layer) {
    manual_seed(0);
    nn::LazyLinear lazy(3);
    BOOST_TEST(lazy->repr() == "LazyLinear(in_features=0, out_features=3, bias=True)");
    BOOST_TEST(lazy->has_uninitialized_params());
    BOOST_TEST((keys(*lazy) == std::vector<std::string>{"weight", "bias"}));
    const Tensor weight = lazy->weight, x = ones({2, 4});
    optim::SGD sgd(lazy->parameters(), optim::SGDOptions(.1));
    const Tensor y = lazy(x);
    BOOST_TEST(lazy->repr() == "Linear(in_features=4, out_features=3, bias=True)");
    BOOST_TEST(!lazy->has_uninitialized_params());
    BOOST_TEST(!lazy->has_call_hooks());
    BOOST_CHECK(lazy->weight.is_same(weight)); // the optimizer has it
    BOOST_TEST(weight.sizes() == IntArrayRef({3, 4}));
    y.sum().backward();
    const Tensor before = weight.detach().clone();
    sgd.step();
    BOOST_CHECK(!equal(weight, before));
    manual_seed(0);
    nn::Linear same(4, 3); // the same numbers, and nothing was drawn before
    BOOST_CHECK(equal(same->weight, before));
    BOOST_CHECK(equal(same(x), y));
}

BOOST_AUTO_TEST_CASE(all_of_them) {
    nn::Sequential net(nn::LazyConv2d(nn::LazyConv2dOptions(4, 3).padding(1)), nn::LazyBatchNorm2d(), nn::ReLU(),
                       nn::LazyConvTranspose2d(2, 2), nn::LazyInstanceNorm2d(), nn::Flatten(), nn::LazyLinear(2));
    BOOST_TEST(has(net->repr(),
                   {"LazyConv2d(0, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))",
                    "LazyBatchNorm2d(0, eps=1e-05, momentum=0.1, affine=True, bias=True", "LazyConvTranspose2d(0, 2",
                    "LazyInstanceNorm2d(0, eps=1e-05, momentum=0.1, affine=True", "LazyLinear(in_features=0"}));
    net(randn({2, 3, 5, 5})).sum().backward();
    BOOST_TEST(!has(net->repr(), "Lazy"));
    BOOST_TEST(has(net->repr(), {"Conv2d(3, 4", "BatchNorm2d(4", "ConvTranspose2d(4, 2", "InstanceNorm2d(2",
                                 "Linear(in_features=72"}));
    BOOST_TEST(net->named_buffers()["1.running_mean"].sizes() == IntArrayRef({4}));
    for (const auto& p : net->named_parameters()) BOOST_TEST(p->grad().defined(), p.key());
    const std::vector<std::pair<nn::ModulePtr, std::vector<std::int64_t>>> others{
        {nn::make_module("LazyConv1d", {4, 3}), {1, 2, 6}},
        {nn::make_module("LazyConv3d", {4, 2}, {{"groups", 2}}), {1, 2, 3, 3, 3}},
        {nn::make_module("LazyConvTranspose1d", {4, 3}), {2, 5}},
        {nn::make_module("LazyConvTranspose3d", {2, 2}), {1, 2, 2, 2, 2}},
        {nn::make_module("LazyBatchNorm1d"), {4, 3}},
        {nn::make_module("LazyBatchNorm3d"), {2, 3, 2, 2, 2}},
        {nn::make_module("LazyInstanceNorm1d"), {2, 3, 4}},
        {nn::make_module("LazyInstanceNorm3d"), {2, 3, 2, 2, 2}}};
    for (const auto& [m, sizes] : others) {
        BOOST_TEST(has(m->repr(), "Lazy"));
        m->call_values({Value(randn(IntArrayRef(sizes)))});
        BOOST_TEST(!has(m->repr(), "Lazy"));
        for (const Tensor& t : m->parameters()) BOOST_TEST(t.numel() > 0);
    }
}

BOOST_AUTO_TEST_CASE(conversions_before_count) {
    nn::LazyLinear lazy(3);
    lazy->to(kDouble);
    BOOST_TEST((lazy(ones({1, 2}, kDouble)).scalar_type() == kDouble));
    nn::LazyBatchNorm1d norm;
    norm->eval();
    BOOST_CHECK(allclose(norm(ones({2, 3})), ones({2, 3}), 1e-4));
    BOOST_TEST(norm->num_batches_tracked.item<std::int64_t>() == 0);
}

BOOST_AUTO_TEST_CASE(hooks_see_the_layer_that_it_becomes) {
    nn::LazyLinear lazy(3);
    std::string seen;
    lazy->register_forward_pre_hook([&](nn::Module& m, const Tensor&) { seen = m.repr(); });
    lazy(ones({1, 2}));
    BOOST_TEST(seen == "Linear(in_features=2, out_features=3, bias=True)");
    nn::Linear as_linear(std::static_pointer_cast<nn::LinearImpl>(nn::LazyLinear(3).ptr()));
    BOOST_TEST(as_linear(ones({1, 5})).sizes() == IntArrayRef({1, 3}));
}

BOOST_AUTO_TEST_CASE(state_dicts_bring_sizes) {
    nn::Linear linear(4, 3);
    nn::LazyLinear lazy(3);
    const Tensor weight = lazy->weight;
    lazy->load_state_dict(linear->state_dict());
    BOOST_TEST(!lazy->has_uninitialized_params());
    BOOST_CHECK(lazy->weight.is_same(weight));
    BOOST_CHECK(equal(weight, linear->weight));
    const Tensor x = randn({2, 4});
    BOOST_CHECK(equal(lazy(x), linear(x)));
    BOOST_TEST(has(message_of([&] { linear->load_state_dict(nn::LazyLinear(3)->state_dict()); }), "size mismatch"));
    nn::LazyLinear still(3);
    still->load_state_dict(nn::LazyLinear(3)->state_dict());
    BOOST_TEST(still->has_uninitialized_params());

    nn::Sequential net(nn::LazyConvTranspose1d(2, 3), nn::LazyInstanceNorm1d());
    nn::Sequential from(nn::ConvTranspose1d(4, 2, 3), nn::InstanceNorm1d(nn::LazyInstanceNormOptions(2)));
    net->load_state_dict(from->state_dict());
    const Tensor in = randn({2, 4, 5});
    BOOST_CHECK(equal(net(in), from(in)));
}

BOOST_AUTO_TEST_CASE(copies_are_lazy_as_long_as_the_original) {
    nn::Sequential net(nn::LazyLinear(3), nn::LazyBatchNorm1d());
    const auto copy = nn::deep_copy(net);
    net(randn({4, 2}));
    BOOST_TEST(has(copy->repr(), {"LazyLinear", "LazyBatchNorm1d"}));
    copy(randn({4, 5}));
    BOOST_TEST(copy[0]->as<nn::LinearImpl>()->options.in_features() == 5);
    const auto later = nn::deep_copy(copy);
    const Tensor x = randn({4, 5});
    copy->eval(), later->eval();
    BOOST_CHECK(equal(later(x), copy(x)));
    BOOST_TEST(later->repr() == copy->repr());
    BOOST_TEST(!later[0]->has_call_hooks());
}

BOOST_AUTO_TEST_CASE(errors) {
    BOOST_TEST(message_of([] {
                   nn::LazyConv2d(4, 3)(ones({1, 1}));
               }) == "LazyConv2d: expected 3D (unbatched) or 4D (batched) input, got an input of shape [1, 1]");
    nn::LazyConv2d grouped(nn::LazyConv2dOptions(4, 3).groups(2));
    BOOST_TEST(has(message_of<ValueError>([&] { grouped(ones({1, 3, 4, 4})); }), "must be divisible by groups 2"));
    BOOST_TEST(grouped->has_uninitialized_params());
    BOOST_TEST(grouped(ones({1, 2, 4, 4})).size(1) == 4);
    nn::Sequential net(nn::LazyLinear(3));
    BOOST_TEST(message_of([&] { net->share_memory(); }) ==
               "Sequential: share_memory: '0' (LazyLinear) waits for its first input. Call the module first");
}

BOOST_AUTO_TEST_SUITE_END()
