// What is assigned to members of Reel's layers: forward and the tables follow.
#include <functional>

#include <boost/test/unit_test.hpp>

#include <reel/optim.hpp>

#include "nn/layers_with_state.hpp"

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(assigned_members)

namespace {
bool differ(const Tensor& a, const Tensor& b) { return !a.sizes().equals(b.sizes()) || !allclose(a, b, 1e-9, 1e-9); }
/// `member` of a layer is assigned: the tables and forward follow.
template <class Holder, class M>
void check_assignment(const char* name, Holder m, Tensor M::*member, const char* entry,
                      const std::function<Tensor()>& input) {
    const Tensor in = input();
    m->to(kDouble);
    m->eval();
    const auto call = [&] { return m->call_values({Value(in.is_floating_point() ? in.to(kDouble) : in)}).toTensor(); };
    const Tensor before = call().detach();
    const Tensor old = (*m).*member;
    optim::SGD sgd({old}, optim::SGDOptions(.1));
    (*m).*member = rand_like(old.detach()).add_(.5); // a plain leaf
    BOOST_TEST(differ(call().detach(), before), name);
    const Tensor now = m->named_parameters()[entry];
    BOOST_TEST(now.is_same((*m).*member), name);
    BOOST_TEST(nn::Parameter::is(now));
    BOOST_TEST(now.requires_grad());
    BOOST_TEST(m->state_dict("", true).tensor(entry).is_same(now));
    BOOST_TEST(has(message_of([&] { sgd.step(); }), {"was '", (m->repr_name() + "." + entry).c_str(), "'"}));
    // computed: forward uses it, gradients reach what it was computed from, and it is no parameter
    const Tensor raw = old.detach().clone().requires_grad_();
    (*m).*member = raw * 2;
    BOOST_TEST(!m->named_parameters().contains(entry), name);
    BOOST_TEST(!m->state_dict().contains(entry), name);
    BOOST_TEST(number(m->attribute(entry).toTensor().sum() - (raw * 2).sum()) == 0);
    call().sum().backward();
    BOOST_TEST(raw.grad().defined(), name);
    BOOST_TEST(has(message_of([&] { m->clone(); }), {"clone", entry, "computed"}));
    // the old parameter again
    (*m).*member = old;
    BOOST_TEST(m->named_parameters()[entry].is_same(old), name);
    BOOST_TEST(!differ(call().detach(), before), name);
    sgd.step();
    // another dtype than forward can train
    (*m).*member = ones({2}, kLong);
    BOOST_TEST(has(message_of<TypeError>([&] { m->parameters(); }), {entry, "int64", "floating"}), name);
    (*m).*member = old;
    (*m).*member = Tensor();
    BOOST_TEST(!m->named_parameters().contains(entry));
    BOOST_TEST(m->has_parameter(entry)); // M-3
}
} // namespace

BOOST_AUTO_TEST_CASE(members_of_layers_may_be_assigned) {
    const auto image = [] { return x({1, 2, 5, 5}); };
    check_assignment("Linear", nn::Linear(3, 4), &nn::LinearImpl::weight, "weight", [] { return x({2, 3}); });
    check_assignment("Linear", nn::Linear(3, 4), &nn::LinearImpl::bias, "bias", [] { return x({2, 3}); });
    check_assignment("Conv2d", nn::Conv2d(2, 3, 3), &nn::Conv2dImpl::weight, "weight", image);
    check_assignment("Conv2d", nn::Conv2d(2, 3, 3), &nn::Conv2dImpl::bias, "bias", image);
    check_assignment("ConvTranspose2d", nn::ConvTranspose2d(2, 3, 3), &nn::ConvTranspose2dImpl::weight, "weight",
                     image);
    check_assignment("BatchNorm2d", nn::BatchNorm2d(2), &nn::BatchNorm2dImpl::weight, "weight", image);
    check_assignment("InstanceNorm2d", nn::InstanceNorm2d(nn::InstanceNorm2dOptions(2).affine(true)),
                     &nn::InstanceNorm2dImpl::bias, "bias", image);
    check_assignment("LayerNorm", nn::LayerNorm(nn::LayerNormOptions({4})), &nn::LayerNormImpl::weight, "weight", [] {
        return x({2, 4});
    });
    check_assignment("GroupNorm", nn::GroupNorm(1, 2), &nn::GroupNormImpl::weight, "weight", image);
    check_assignment("Embedding", nn::Embedding(3, 2), &nn::EmbeddingImpl::weight, "weight", indices);
    check_assignment("PReLU", nn::PReLU(), &nn::PReLUImpl::weight, "weight", [] { return x({2, 3}); });
}

BOOST_AUTO_TEST_CASE(buffers_of_layers_may_be_assigned) {
    nn::BatchNorm1d norm(2);
    norm->eval();
    norm->running_mean = full({2}, 5.);
    BOOST_TEST(norm->named_buffers()["running_mean"].is_same(norm->running_mean));
    BOOST_TEST(number(norm(full({1, 2}, 5.)).sum()) == 0);
    norm->double_();
    BOOST_TEST(norm->running_mean.dtype() == kDouble);
    BOOST_TEST(number(norm(full({1, 2}, 5., kDouble)).sum()) == 0);
}

BOOST_AUTO_TEST_CASE(tying_by_assignment) {
    struct Tied : nn::Cloneable<Tied> {
        Tied() { reset(); }
        void reset() override {
            tok = register_module("tok", nn::Embedding(5, 3));
            head = register_module("head", nn::Linear(nn::LinearOptions(3, 5).bias(false)));
            head->weight = tok->weight;
        }
        Tensor forward(const Tensor& ids) { return head(tok(ids)); }
        nn::Embedding tok{nullptr};
        nn::Linear head{nullptr};
    };
    const auto m = std::make_shared<Tied>();
    BOOST_TEST(m->parameters().size() == 1u);
    BOOST_TEST(m->state_dict().size() == 2u);
    optim::SGD sgd(m->parameters(), optim::SGDOptions(.1));
    nn::call(*m, tensor({1, 2}, kLong)).sum().backward();
    sgd.step();
    BOOST_TEST(m->head->weight.is_same(m->tok->weight));
    m->double_();
    BOOST_TEST(m->head->weight.is_same(m->tok->weight));
    const auto copy = std::dynamic_pointer_cast<Tied>(m->clone());
    BOOST_TEST(copy->head->weight.is_same(copy->tok->weight));
    BOOST_TEST(copy->parameters().size() == 1u);
    BOOST_TEST(!copy->head->weight.is_same(m->head->weight));
}

BOOST_AUTO_TEST_SUITE_END()
