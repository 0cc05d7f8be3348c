// Modules called with other tensors than their own.
#include <reel/nn/functional_call.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;

namespace {
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) {
        BOOST_TEST(e.msg() == text);
        return e.msg() == text;
    };
}
nn::NamedTensors doubled(const nn::Module& m) {
    nn::NamedTensors t;
    for (const auto& p : m.named_parameters()) t.insert(p.key(), *p * 2);
    return t;
}
struct TiedImpl : nn::Cloneable<TiedImpl> {
    TiedImpl() { reset(); }
    void reset() override {
        a = register_module("a", nn::Linear(3, 3));
        b = register_module("b", nn::Linear(3, 3));
        b->weight = a->weight;
    }
    Tensor forward(const Tensor& x) { return b(a(x)); }
    nn::Linear a{nullptr}, b{nullptr};
};
REEL_MODULE(Tied);
} // namespace

BOOST_AUTO_TEST_SUITE(functional_call)

BOOST_AUTO_TEST_CASE(members_are_the_given_tensors_and_come_back) {
    nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2));
    const Tensor x = randn({5, 3});
    const Tensor own = net(x);
    const Tensor* const weight = &net[0]->as<nn::LinearImpl>()->weight;
    const Tensor before = *weight;
    const nn::NamedTensors given = doubled(*net);
    bool looked = false;
    RemovableHandle hook = net[0]->register_forward_pre_hook([&](nn::Module& m, const Tensor&) {
        looked = true;
        BOOST_CHECK(m.as<nn::LinearImpl>()->weight.is_same(given["0.weight"]));
        BOOST_CHECK(m.named_parameters()["weight"].is_same(given["0.weight"]));
    });
    const Tensor out = nn::functional_call(net, given, x);
    BOOST_CHECK(looked);
    hook.remove();
    const Tensor hand = (x.mm(2 * before.t()) + 2 * net[0]->as<nn::LinearImpl>()->bias).tanh();
    BOOST_CHECK(
        allclose(out, hand.mm(2 * net[2]->as<nn::LinearImpl>()->weight.t()) + 2 * net[2]->as<nn::LinearImpl>()->bias));
    BOOST_CHECK(weight->is_same(before));
    BOOST_CHECK(net->named_parameters()["0.weight"].is_same(before));
    BOOST_CHECK(net->parameters().size() == 4);
    BOOST_CHECK(allclose(net(x), own));
    // gradients reach what the tensors were made from: the parameters themselves
    out.sum().backward();
    BOOST_CHECK(before.grad().defined());
}

BOOST_AUTO_TEST_CASE(only_some_and_nested_and_by_values) {
    nn::Linear net(2, 1);
    const Tensor x = ones({1, 2}), w1 = full({1, 2}, 1.0), w2 = full({1, 2}, 10.0);
    net->bias.data().zero_();
    struct Outer {
        nn::Linear net;
        Tensor w2;
        nn::Module& operator*() { return *net; }
        Tensor operator()(const Tensor& x) { return nn::functional_call(net, {{"weight", w2}}, x) + net(x); }
    } outer{net, w2};
    BOOST_TEST(nn::functional_call(outer, {{"weight", w1}}, x).item<double>() == 22); // 20 inside, then 2 again
    const Value v = nn::functional_call(*net, nn::NamedTensors{{"weight", w1}, {"bias", ones({1})}}, {Value(x)}, {},
                                        {.strict = true});
    BOOST_TEST(v.toTensor().item<double>() == 3);
}

BOOST_AUTO_TEST_CASE(own_tensors_are_back_after_an_exception) {
    nn::Linear net(2, 1);
    const Tensor own = net->weight;
    BOOST_CHECK_THROW(nn::functional_call(net, {{"weight", zeros({1, 3})}}, ones({1, 2})), Error);
    BOOST_CHECK(net->weight.is_same(own));
    BOOST_CHECK(net->weight.requires_grad());
    BOOST_CHECK_EXCEPTION(
        nn::functional_call(net, {{"bias", zeros({1})}, {"wight", own}}, ones({1, 2})), AttributeError,
        says("Linear: functional_call: there is no parameter or buffer 'wight'; there are 'weight', 'bias'"));
    BOOST_CHECK(!net->bias.is_same(Tensor()));
    nn::Sequential outer(net);
    BOOST_CHECK_EXCEPTION(
        nn::functional_call(outer, {{"0", own}}, ones({1, 2})), TypeError,
        says("Sequential: functional_call: '0' is a Linear; expected the name of a parameter or buffer, "
             "such as '0.weight'"));
    BOOST_CHECK_EXCEPTION(nn::functional_call(outer, {{"", own}}, ones({1, 2})), KeyError,
                          says("Sequential: functional_call: a tensor has an empty name"));
    BOOST_CHECK_EXCEPTION(nn::functional_call(*outer, {{"0.bias", own}}, {Value(ones({1, 2}))}, {}, {.strict = true}),
                          ValueError,
                          says("Sequential: functional_call: strict, but nothing was given for '0.weight'"));
}

BOOST_AUTO_TEST_CASE(tied_parameters) {
    Tied net;
    const Tensor x = randn({2, 3}), w = randn({3, 3});
    const Tensor both = nn::functional_call(net, {{"a.weight", w}}, x);
    const Tensor hand = (x.mm(w.t()) + net->a->bias).mm(w.t()) + net->b->bias;
    BOOST_CHECK(allclose(both, hand));
    const Value one =
        nn::functional_call(*net, nn::NamedTensors{{"a.weight", w}}, {Value(x)}, {}, {.tie_weights = false});
    BOOST_CHECK(allclose(one.toTensor(), (x.mm(w.t()) + net->a->bias).mm(net->b->weight.t()) + net->b->bias));
    BOOST_CHECK_EXCEPTION(
        nn::functional_call(net, {{"a.weight", w}, {"b.weight", w.clone()}}, x), ValueError,
        says("Tied: functional_call: 'a.weight' and 'b.weight' are one tied parameter, but two tensors "
             "were given for it"));
    BOOST_CHECK(net->a->weight.is_same(net->b->weight));
}

BOOST_AUTO_TEST_CASE(given_buffers_take_what_a_call_writes) {
    nn::BatchNorm1d norm(2);
    const Tensor mean = zeros({2}), own = norm->running_mean.clone();
    nn::functional_call(norm, {{"running_mean", mean}}, randn({8, 2}) + 5);
    BOOST_CHECK((mean > 0.1).all().item<bool>());
    BOOST_CHECK(equal(norm->running_mean, own));
}

BOOST_AUTO_TEST_CASE(an_inner_step_is_differentiable) {
    // one step of gradient descent inside, whose effect is differentiated outside
    nn::Linear net(1, 1);
    const Tensor x = tensor({{1.0f}, {2.0f}}), y = tensor({{3.0f}, {5.0f}});
    const Tensor inner = mse_loss(net(x), y);
    const auto g = autograd::grad({inner}, {net->weight, net->bias}, {}, std::nullopt, true);
    const Tensor outer = mse_loss(
        nn::functional_call(net, {{"weight", net->weight - 0.1 * g[0]}, {"bias", net->bias - 0.1 * g[1]}}, x), y);
    outer.backward();
    const double w0 = net->weight.item<double>(), b0 = net->bias.item<double>(), h = 1e-3;
    const auto loss_from = [&](double w) {
        const Tensor leaf = full({1, 1}, w).requires_grad_(), bias = full({1}, b0).requires_grad_();
        const auto d = autograd::grad({mse_loss(x.mm(leaf.t()) + bias, y)}, {leaf, bias});
        return mse_loss(x.mm((leaf - 0.1 * d[0]).t()) + bias - 0.1 * d[1], y).item<double>();
    };
    BOOST_TEST(net->weight.grad().item<double>() == (loss_from(w0 + h) - loss_from(w0 - h)) / (2 * h),
               boost::test_tools::tolerance(1e-2));
}

BOOST_AUTO_TEST_CASE(gradients_of_single_samples) {
    nn::Sequential net(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
    net[0]->requires_grad_(true);
    net[2]->as<nn::LinearImpl>()->bias.requires_grad_(false);
    const Tensor x = randn({5, 3}), y = randn({5, 2});
    const nn::NamedTensors grads = nn::per_sample_grads(
        *net, [&](const Tensor& out, std::int64_t i) { return mse_loss(out, y.narrow(0, i, 1)); }, x);
    BOOST_TEST(grads.size() == 3);
    BOOST_CHECK((grads["0.weight"].sizes().vec() == std::vector<std::int64_t>{5, 4, 3}));
    mse_loss(net(x), y).backward(); // the mean over equally large samples
    for (const auto& g : grads) BOOST_CHECK(allclose(g->mean(0), net->named_parameters()[g.key()].grad(), 1e-5, 1e-6));
    BOOST_CHECK_EXCEPTION(nn::per_sample_grads(
                              *net, [](const Tensor& t, std::int64_t) { return t.sum(); }, ones({})),
                          ValueError, says("Sequential: per_sample_grads: the batch needs a dimension of samples"));
    const nn::NamedTensors none = nn::per_sample_grads( // of a holder, too
        net, [](const Tensor& t, std::int64_t) { return t.sum(); }, zeros({0, 3}));
    BOOST_CHECK((none["0.weight"].sizes().vec() == std::vector<std::int64_t>{0, 4, 3}));
    const auto loss = [](const Tensor& out, const Tensor& target) { return mse_loss(out, target); };
    BOOST_CHECK(equal(nn::per_sample_grads(net, loss, x, y)["0.weight"], grads["0.weight"])); // with targets
    BOOST_CHECK_EXCEPTION(
        nn::per_sample_grads(net, loss, x, y.narrow(0, 0, 2)), ValueError,
        says("per_sample_grads: targets: expected one for each sample of the batch [5, 3], got [2, 2]"));
}

BOOST_AUTO_TEST_SUITE_END()
