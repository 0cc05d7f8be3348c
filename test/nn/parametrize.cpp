// Parameters that are functions of others.
#include <reel/nn/utils/parametrize.hpp>

#include "nn/testing.hpp"

#include <thread>

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;
namespace P = reel::nn::utils::parametrize;

namespace {
/// A symmetric matrix of an upper triangle.
struct SymmetricImpl : nn::Cloneable<SymmetricImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return calls++, x.triu() + x.triu(1).mT(); }
    Tensor right_inverse(const Tensor& a) { return a.triu(); }
    int calls = 0;
};
REEL_MODULE(Symmetric);
struct TwiceImpl : nn::Cloneable<TwiceImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return 2 * x; }
};
REEL_MODULE(Twice);
/// A matrix of rank one.
struct OuterImpl : nn::Cloneable<OuterImpl> {
    void reset() override {}
    Tensor forward(const Tensor& a, const Tensor& b) { return a.unsqueeze(-1).matmul(b.unsqueeze(-2)); }
    std::tuple<Tensor, Tensor> right_inverse(const Tensor& w) { return {w.select(1, 0), w.select(0, 0) / w[0][0]}; }
};
REEL_MODULE(Outer);
struct RowImpl : nn::Cloneable<RowImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return x[0]; }
};
REEL_MODULE(Row);
struct WiderImpl : nn::Cloneable<WiderImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return x.to(kDouble); }
    Tensor right_inverse(const Tensor& x) { return x.to(kDouble); }
};
REEL_MODULE(Wider);

std::vector<std::string> keys(nn::Module& m) {
    std::vector<std::string> r;
    for (const auto& item : m.state_dict()) r.push_back(item.key());
    return r;
}
const std::vector<std::string> one_original{"bias", "parametrizations.weight.original"};
} // namespace

BOOST_AUTO_TEST_SUITE(parametrize)

BOOST_AUTO_TEST_CASE(forward_computes_with_what_the_original_is_now) {
    nn::Linear net(3, 3);
    const Tensor parameter = net->weight, before = parameter.detach().clone();
    P::register_parametrization(net, "weight", Symmetric());
    BOOST_TEST(keys(*net) == one_original);
    BOOST_TEST(P::is_parametrized(net));
    BOOST_TEST(P::is_parametrized(*net, "weight"));
    BOOST_TEST(!P::is_parametrized(net, "bias"));
    BOOST_CHECK(net->get_parameter("parametrizations.weight.original").is_same(parameter)); // optimizers stay valid
    BOOST_CHECK(equal(parameter, before.triu()));
    BOOST_CHECK(equal(net->weight, before.triu() + before.triu(1).mT()));
    BOOST_TEST(net->named_parameters().size() == 2u);
    BOOST_TEST(net->repr() == "ParametrizedLinear(\n  in_features=3, out_features=3, bias=True\n"
                              "  (parametrizations): ModuleDict(\n    (weight): ParametrizationList(\n"
                              "      (0): Symmetric()\n    )\n  )\n)");

    const Tensor x = randn({2, 3});
    optim::SGD sgd(net->parameters(), optim::SGDOptions(.1));
    for (int step = 0; step < 3; ++step) {
        const Tensor y = net(x), w = parameter.detach().clone();
        BOOST_CHECK(allclose(y, x.mm((w.triu() + w.triu(1).mT()).t()) + net->bias));
        sgd.zero_grad();
        y.square().sum().backward();
        BOOST_CHECK(equal(parameter.grad(), parameter.grad().triu()));
        sgd.step();
        BOOST_CHECK(!equal(parameter, w));
        BOOST_CHECK(equal(net->weight, net->weight.mT()));
    }
    BOOST_CHECK(equal(net->attribute("weight").toTensor(), parameter.triu() + parameter.triu(1).mT())); // at any time
    BOOST_CHECK(equal(net->weight, parameter.triu() + parameter.triu(1).mT()));
}

BOOST_AUTO_TEST_CASE(several_apply_one_after_the_other) {
    nn::Linear net(2, 2);
    const Tensor w = net->weight.detach().clone();
    const auto twice = Twice();
    P::register_parametrization(net, "weight", Symmetric());
    P::register_parametrization(net, "weight", twice);
    P::register_parametrization(net, "bias", Twice());
    BOOST_CHECK(equal(net->weight, 2 * (w.triu() + w.triu(1).mT())));
    BOOST_TEST(net->named_children()["parametrizations"]->named_children().size() == 2u);
    const auto list = net->get_submodule("parametrizations.weight");
    BOOST_TEST(list->as<nn::ModuleListImpl>()->size() == 2u);
    BOOST_CHECK(list->as<nn::ModuleListImpl>()->ptr(1) == twice.ptr());
    net->eval();
    BOOST_TEST(!twice->is_training());
    BOOST_TEST(message_of([&] { net->set_attribute("weight", Value(eye(2))); }) ==
               "parametrization Twice has no right_inverse: what it makes cannot be assigned");
    const Tensor bias = net->get_parameter("parametrizations.bias.original");
    P::remove_parametrizations(net, "bias", false);
    BOOST_CHECK(net->bias.is_same(bias));
    BOOST_CHECK(net->get_parameter("bias").is_same(bias));
    BOOST_TEST(P::is_parametrized(net));
}

BOOST_AUTO_TEST_CASE(several_originals) {
    nn::Linear net(3, 2);
    const Tensor w = net->weight.detach().clone();
    P::register_parametrization(net, "weight", Outer(), true);
    const std::vector<std::string> expected{"bias", "parametrizations.weight.original0",
                                            "parametrizations.weight.original1"};
    BOOST_TEST(keys(*net) == expected);
    BOOST_TEST(net->named_parameters()["parametrizations.weight.original1"].sizes() == IntArrayRef({3}));
    net(randn({1, 3})).sum().backward();
    BOOST_TEST(net->named_parameters()["parametrizations.weight.original0"].grad().defined());
    BOOST_TEST(message_of<ValueError>([&] { P::remove_parametrizations(net, "weight", false); }) ==
               "ParametrizedLinear: 'weight' is made of 2 tensors: it cannot be left unparametrized "
               "(leave_parametrized = false)");
    const Tensor value = net->weight.detach().clone();
    P::remove_parametrizations(net, "weight");
    BOOST_CHECK(equal(net->weight, value));
    BOOST_TEST(nn::Parameter::is(net->weight));
    BOOST_TEST(net->weight.requires_grad());
    BOOST_TEST(net->repr() == "Linear(in_features=3, out_features=2, bias=True)");
    BOOST_TEST((keys(*net) == std::vector<std::string>{"bias", "weight"}));
    BOOST_TEST(!net->has_call_hooks());
}

BOOST_AUTO_TEST_CASE(assignment_goes_through_the_right_inverse) {
    nn::Linear net(2, 2);
    P::register_parametrization(net, "weight", Symmetric());
    const Tensor original = net->get_parameter("parametrizations.weight.original");
    const Tensor wanted = tensor({1., 2., 2., 5.}).view({2, 2});
    net->weight = wanted;
    const Tensor y = net(eye(2));
    BOOST_CHECK(allclose(y, wanted + net->bias));
    BOOST_CHECK(equal(original, wanted.triu()));
    BOOST_CHECK(original.requires_grad());
    net->set_attribute("weight", Value(3 * wanted));
    BOOST_CHECK(equal(original, 3 * wanted.triu()));
    BOOST_CHECK(equal(net->weight, 3 * wanted));
    BOOST_TEST(has(message_of<TypeError>([&] { net->set_attribute("weight", Value("w")); }), "computed tensor"));
    BOOST_TEST(has(message_of<KeyError>([&] { net->register_parameter("weight", wanted); }), "already taken"));
    BOOST_TEST(has(message_of([&] { net->delete_attribute("weight"); }), "remove_parametrizations"));
}

BOOST_AUTO_TEST_CASE(removal_keeps_the_original_and_its_optimizer) {
    nn::Linear net(2, 2);
    const Tensor parameter = net->weight;
    optim::SGD sgd(net->parameters(), optim::SGDOptions(.1));
    P::register_parametrization(net, "weight", Symmetric());
    const Tensor value = net->weight.detach().clone();
    P::remove_parametrizations(net, "weight");
    BOOST_CHECK(net->weight.is_same(parameter));
    BOOST_CHECK(equal(net->weight, value));
    net(randn({1, 2})).sum().backward();
    sgd.step();
    BOOST_CHECK(!equal(net->weight, value));
    BOOST_TEST(!P::is_parametrized(net));
    BOOST_TEST(has(message_of<ValueError>([&] { P::remove_parametrizations(net, "weight"); }),
                   "does not have a parametrization on 'weight'"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_and_changes_nothing) {
    nn::Linear net(2, 2);
    const Tensor weight = net->weight, before = weight.detach().clone();
    BOOST_TEST(message_of<ValueError>([&] { P::register_parametrization(net, "foo", Twice()); }) ==
               "Linear does not have a parameter, a buffer, or a parametrized tensor with name 'foo'");
    BOOST_TEST(message_of<ValueError>([&] { P::register_parametrization(net, "weight", Row()); }) ==
               "Registering a parametrization may not change the shape of the tensor (unless unsafe is set); it was "
               "[2, 2] and becomes [2]");
    BOOST_TEST(has(message_of<ValueError>([&] { P::register_parametrization(net, "weight", Wider()); }),
                   {"right_inverse", "float32", "float64"}));
    BOOST_CHECK(net->weight.is_same(weight));
    BOOST_CHECK(equal(weight, before));
    BOOST_TEST(!P::is_parametrized(net));
    P::register_parametrization(net, "weight", Symmetric());
    BOOST_TEST(has(message_of<ValueError>([&] { P::register_parametrization(net, "weight", Row()); }), "shape"));
    P::register_parametrization(net, "bias", Row(), true);
    BOOST_TEST(net->bias.dim() == 0);
}

BOOST_AUTO_TEST_CASE(buffers_stay_buffers) {
    nn::BatchNorm1d net(3);
    P::register_parametrization(net, "running_mean", Twice());
    BOOST_TEST(net->named_buffers().contains("parametrizations.running_mean.original"));
    BOOST_CHECK(equal(net->running_mean, zeros({3})));
    net->get_buffer("parametrizations.running_mean.original").fill_(2);
    net->eval();
    BOOST_CHECK(allclose(net(full({1, 3}, 4.)), zeros({1, 3})));
    P::remove_parametrizations(net, "running_mean");
    BOOST_CHECK(equal(net->get_buffer("running_mean"), full({3}, 4.)));
    BOOST_CHECK(net->running_mean.is_same(net->get_buffer("running_mean")));
}

BOOST_AUTO_TEST_CASE(cached_computes_once) {
    nn::Linear net(2, 2);
    const Symmetric once;
    P::register_parametrization(net, "weight", once);
    const Tensor x = randn({1, 2});
    const int before = once->calls;
    {
        const P::cached outer;
        for (int i = 0; i < 3; ++i) net(x);
        const P::cached inner;
        net(x).sum().backward();
    }
    BOOST_TEST(once->calls == before + 1);
    net(x);
    net(x);
    BOOST_TEST(once->calls == before + 3);
}

BOOST_AUTO_TEST_CASE(state_dicts_and_copies) {
    manual_seed(0);
    nn::Sequential net(nn::Linear(2, 2), nn::Tanh());
    P::register_parametrization(net[0], "weight", Symmetric());
    const Tensor x = randn({3, 2}), y = net(x);
    nn::Sequential other(nn::Linear(2, 2), nn::Tanh());
    P::register_parametrization(other[0], "weight", Symmetric());
    other->load_state_dict(net->state_dict());
    BOOST_CHECK(equal(other(x), y));

    const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
    BOOST_TEST(P::is_parametrized((*copy)[0], "weight"));
    BOOST_CHECK(equal(copy->forward(x), y));
    {
        NoGradGuard no_grad;
        net->named_parameters()["0.parametrizations.weight.original"].fill_(1);
    }
    BOOST_CHECK(equal(copy->forward(x), y));
    copy->forward(x).sum().backward();
    BOOST_TEST(copy->named_parameters()["0.parametrizations.weight.original"].grad().defined());
    BOOST_TEST(!net->named_parameters()["0.parametrizations.weight.original"].grad().defined());
    // a copy by value shares the tensors, and computes for itself
    nn::LinearImpl value(*(*copy)[0]->as<nn::LinearImpl>());
    BOOST_CHECK(equal(value(x).tanh(), y));

    net->to(kDouble);
    BOOST_TEST((net(x.to(kDouble)).scalar_type() == kDouble));
    const auto replicas = nn::replicate(*copy, {Device(kCPU)});
    replicas[0]->call_values({Value(x)}).toTensor().sum().backward();
}

BOOST_AUTO_TEST_CASE(functional_calls_replace_originals) {
    nn::Linear net(2, 2);
    P::register_parametrization(net, "weight", Symmetric());
    const Tensor w = randn({2, 2}).requires_grad_(), x = randn({3, 2});
    const Tensor y = nn::functional_call(net, {{"parametrizations.weight.original", w}}, x);
    BOOST_CHECK(allclose(y, x.mm(w.triu() + w.triu(1).mT()) + net->bias));
    y.sum().backward();
    BOOST_TEST(w.grad().defined());
    BOOST_CHECK(!allclose(net(x), y));
}

BOOST_AUTO_TEST_CASE(layers_that_read_others_members_compute_them) {
    nn::MultiheadAttention attention(4, 2);
    const Tensor x = randn({3, 1, 4}), before = std::get<0>(attention(x, x, x));
    P::register_parametrization(attention->out_proj, "weight", Twice());
    const Tensor original = attention->out_proj->get_parameter("parametrizations.weight.original");
    BOOST_CHECK(allclose(std::get<0>(attention(x, x, x)), 2 * before, 1e-4, 1e-5));
    {
        NoGradGuard no_grad;
        original.mul_(.5);
    }
    BOOST_CHECK(allclose(std::get<0>(attention(x, x, x)), before, 1e-4, 1e-5));

    nn::LSTM lstm(2, 3);
    P::register_parametrization(lstm, "weight_hh_l0", Twice());
    const Tensor hidden = lstm->get_parameter("parametrizations.weight_hh_l0.original");
    const Tensor y = std::get<0>(lstm(randn({4, 1, 2})));
    y.sum().backward();
    BOOST_TEST(hidden.grad().defined());
    nn::LSTM plain(2, 3);
    {
        NoGradGuard no_grad;
        for (const auto& p : plain->named_parameters())
            p->copy_(p.key() == "weight_hh_l0" ? 2 * hidden : lstm->named_parameters()[p.key()]);
    }
    const Tensor in = randn({4, 1, 2});
    BOOST_CHECK(allclose(std::get<0>(lstm(in)), std::get<0>(plain(in))));
}

BOOST_AUTO_TEST_CASE(calls_on_several_threads) {
    nn::Linear net(2, 2);
    P::register_parametrization(net, "weight", Symmetric());
    const Tensor x = randn({1, 2}), y = net(x);
    std::vector<std::thread> all;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < 50; ++i) wrong += !equal(net(x), y);
        });
    for (std::thread& t : all) t.join();
    BOOST_TEST(wrong == 0);
}

namespace {
struct Squared : nn::Module {
    Tensor forward(const Tensor& x) { return x * x; }
};
} // namespace
BOOST_AUTO_TEST_CASE(a_parametrization_may_be_a_plain_shared_pointer) {
    // its class is known where it is registered; nothing else has to hold it
    nn::Linear linear(2, 3);
    const Tensor before = linear->weight.detach().clone();
    P::register_parametrization(linear, "weight", std::make_shared<Squared>());
    BOOST_TEST(equal(linear->weight.detach(), before * before));
    const Tensor x = ones({1, 2});
    BOOST_TEST(allclose(linear(x), nn::functional::linear(x, before * before, linear->bias)));
}

BOOST_AUTO_TEST_SUITE_END()
