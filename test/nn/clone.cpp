// Deep copies of modules, and freezing.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/nn/factory.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(clone_modules)

namespace {
struct TiedImpl : nn::Cloneable<TiedImpl> {
    TiedImpl() { reset(); }
    void reset() override {
        a = register_parameter("a", ones({2}));
        b = register_parameter("b", a);
        s = register_buffer("s", ones({2}), false);
        inner = register_module("inner", Scale(2.0));
        again = register_module("again", inner);
    }
    Tensor forward(const Tensor& x) { return inner(x * a); }
    Tensor a, b, s;
    Scale inner{nullptr}, again{nullptr};
};
REEL_MODULE(Tied);
} // namespace

BOOST_AUTO_TEST_CASE(M_50_copies_have_tensors_of_their_own_and_keep_ties) {
    Tied m;
    m->a.mutable_grad() = ones({2});
    m->a.register_hook([](const Tensor&) { BOOST_ERROR("hooks of parameters are not copied"); });
    m->inner->requires_grad_(false);
    m->inner->eval();
    const auto copy = std::dynamic_pointer_cast<TiedImpl>(m->clone());
    BOOST_TEST_REQUIRE(bool(copy));
    BOOST_TEST(copy->named_parameters().keys() == m->named_parameters().keys());
    BOOST_TEST(!copy->a.is_same(m->a));
    BOOST_TEST(copy->own_parameters()["a"].is_same(copy->own_parameters()["b"])); // the tie
    BOOST_TEST(copy->own_parameters()["a"].is_same(copy->a));                     // and the member
    BOOST_TEST((copy->own_children()["inner"] == copy->own_children()["again"]));
    BOOST_TEST(!copy->a.grad().defined());
    BOOST_TEST(copy->a.requires_grad());
    BOOST_TEST(!copy->inner->w.requires_grad());
    BOOST_TEST(!copy->inner->is_training());
    BOOST_TEST(copy->is_training());
    BOOST_TEST(copy->state_dict().size() == m->state_dict().size()); // persistence
    copy->forward(ones({2})).sum().backward();
    BOOST_TEST(equal(m->a.grad(), ones({2})));
}

BOOST_AUTO_TEST_CASE(M_50_hooks_are_copied_and_old_handles_act_on_the_original) {
    Scale m;
    int fired = 0;
    RemovableHandle h = m->register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
    m->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) {}).remove();
    Scale copy(std::dynamic_pointer_cast<ScaleImpl>(m->clone()));
    h.remove();
    m(ones({}));
    BOOST_TEST(fired == 0);
    copy(ones({}));
    BOOST_TEST(fired == 1);
    Scale bare(std::dynamic_pointer_cast<ScaleImpl>(copy->clone(std::nullopt, false)));
    bare(ones({}));
    BOOST_TEST(fired == 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const WarningLog log;
    const std::string text = message_of( // the kind of backward hooks sticks to the copy
        [&] { copy->register_backward_hook([](Module&, const variable_list&, const variable_list&) {}); });
#pragma GCC diagnostic pop
    BOOST_TEST(has(text, "cannot register a legacy"), text);
}

BOOST_AUTO_TEST_CASE(M_50_buffers_keep_their_gradient_but_must_be_leaves) {
    Scale m;
    const Tensor b = leaf(2);
    b.mutable_grad() = full({}, 5.0);
    m->register_buffer("b", b);
    const auto copy = m->clone();
    BOOST_TEST(number(copy->own_buffers()["b"].grad()) == 5);
    BOOST_TEST(!copy->own_buffers()["b"].is_same(b));
    m->register_buffer("c", b * 2);
    const std::string text = message_of([&] { m->clone(); });
    BOOST_TEST(has(text, {"Scale", "buffer 'c'", "MulBackward0"}), text);
}

namespace {
struct KeeperImpl : nn::Cloneable<KeeperImpl> {
    KeeperImpl() { reset(); }
    void reset() override { w = register_parameter("w", ones({2})); }
    Tensor w;
};
} // namespace
BOOST_AUTO_TEST_CASE(M_50_buffers_over_one_storage_stay_so) {
    KeeperImpl m;
    const Tensor base = arange(6, TensorOptions(kFloat));
    m.register_buffer("all", base);
    m.register_buffer("odd", base.slice(0, 1, 6, 2));
    m.register_buffer("wide", ones({1}).expand({3}));
    m.register_parameter("p", base.slice(0, 2, 4));
    const nn::ModulePtr copy = m.clone();
    const auto& own = copy->own_buffers();
    BOOST_TEST(equal(own["odd"], m.own_buffers()["odd"]));
    own["all"].fill_(7);
    BOOST_TEST(equal(own["odd"], full({3}, 7.)));
    BOOST_TEST(own["odd"].strides() == IntArrayRef({2}));
    BOOST_TEST(own["wide"].strides() == IntArrayRef({0}));
    BOOST_TEST(equal(base, arange(6, TensorOptions(kFloat))));                   // the original's memory is another
    BOOST_TEST(equal(copy->own_parameters()["p"].detach(), tensor({2.f, 3.f}))); // a parameter's, too
    BOOST_TEST(own["all"].is_leaf());
    own["odd"].add_(1); // no view of anything that could refuse
    BOOST_TEST(own["all"][1].item<double>() == 8);
}
BOOST_AUTO_TEST_CASE(M_50_plain_attributes_are_copied_deeply) {
    KeeperImpl m;
    const Tensor plain = ones({2}), learned = ones({2}).requires_grad_();
    learned.mutable_grad() = full({2}, 3.);
    const Value list = Value::list({Value(plain), Value(2)});
    m.set_attribute("plain", Value(plain));
    m.set_attribute("list", list);
    m.set_attribute("dict", Value(ValueDict{{"learned", learned}}));
    const nn::ModulePtr copy = m.clone();
    plain.fill_(5);
    list.list_elements().push_back(Value(9));
    const Tensor theirs = copy->attribute("plain").toTensor();
    BOOST_TEST(equal(theirs, ones({2})));
    BOOST_TEST(copy->attribute("list").elements().size() == 2u);
    BOOST_TEST(copy->attribute("list").elements()[0].toTensor().is_same(theirs)); // the tie
    const Tensor other = copy->attribute("dict").toGenericDict().find("learned")->toTensor();
    BOOST_TEST(!other.is_same(learned));
    BOOST_TEST(other.requires_grad());
    BOOST_TEST(equal(other.grad(), full({2}, 3.)));
    BOOST_TEST(!other.grad().is_same(learned.grad()));
    m.set_attribute("computed", Value(learned * 2));
    const std::string text = message_of([&] { m.clone(); });
    BOOST_TEST(has(text, {"Keeper", "attribute 'computed'", "MulBackward0", "only leaves"}), text);
}

BOOST_AUTO_TEST_CASE(M_50_clone_needs_Cloneable) {
    struct Plain : Module {};
    const std::string text = message_of([] { Plain().clone(); });
    BOOST_TEST(has(text, {"Plain", "Cloneable<Plain>", "reset()"}), text);
}

namespace {
/// Draws in reset() itself and in a layer.
struct DrawnImpl : nn::Cloneable<DrawnImpl> {
    DrawnImpl() { reset(); }
    void reset() override {
        noise = register_buffer("noise", randn({3}));
        inner = register_module("inner", nn::Linear(3, 3));
    }
    Tensor noise;
    nn::Linear inner{nullptr};
};
void check_draws(const nn::Module& m) {
    manual_seed(11);
    randn({}); // a normal draw leaves its partner in the state
    const Tensor before = detail::getDefaultCPUGenerator().get_state();
    const nn::ModulePtr copy = m.clone();
    BOOST_TEST(equal(before, detail::getDefaultCPUGenerator().get_state()), m.repr_name());
    const Tensor next = randn({4});
    manual_seed(11);
    randn({});
    BOOST_TEST(equal(next, randn({4})), m.repr_name());
    const auto own = m.named_parameters(), theirs = copy->named_parameters();
    BOOST_TEST(own.keys() == theirs.keys());
    for (const auto& p : own) {
        BOOST_TEST(equal(*p, theirs[p.key()]), m.repr_name() << " " << p.key());
        BOOST_TEST(p->data_ptr() != theirs[p.key()].data_ptr(), m.repr_name() << " " << p.key());
    }
}
} // namespace
BOOST_AUTO_TEST_CASE(M_50_a_copy_draws_nothing_from_the_default_generator) {
    check_draws(DrawnImpl());
    check_draws(*nn::Sequential(nn::Conv2d(1, 2, 3), nn::Embedding(4, 3)));
    check_draws(*nn::LSTM(2, 3));
    check_draws(*nn::MultiheadAttention(4, 2));
    check_draws(*nn::MultiheadAttention(4, 2)->out_proj);
    check_draws(*nn::Transformer(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(8)));
    check_draws(*nn::make_module("ConvTranspose1d", {Value(1), Value(2), Value(3)}));
    const nn::ModulePtr pool = nn::make_module("MaxPool1d", {Value(2)}, {{"return_indices", true}});
    BOOST_TEST(pool->clone()->call_values({randn({1, 1, 4})}).elements().size() == 2u);
}
BOOST_AUTO_TEST_CASE(private_generators_nest_and_end) {
    manual_seed(3);
    const Tensor first = rand({2});
    manual_seed(3);
    {
        const PrivateGenerator outer;
        const Tensor own = rand({2});
        {
            const PrivateGenerator inner;
            manual_seed(3); // of the inner one
            BOOST_TEST(equal(rand({2}), first));
        }
        const Tensor more = rand({2});
        BOOST_TEST(!equal(own, more)); // the outer one goes on
    }
    BOOST_TEST(equal(rand({2}), first));
}

BOOST_AUTO_TEST_CASE(M_49_freezing_changes_flags_only) {
    nn::BatchNorm1d m(2);
    m->requires_grad_(false);
    BOOST_TEST(m->parameters().size() == 2u);
    BOOST_TEST(m->state_dict().size() == 5u);
    const Tensor before = m->running_mean.clone();
    m(randn({8, 2}) + 3);
    BOOST_TEST(!equal(m->running_mean, before)); // statistics go on in training mode
    m->eval();
    const Tensor still = m->running_mean.clone();
    m(randn({8, 2}));
    BOOST_TEST(equal(m->running_mean, still));
    m->double_();
    m->load_state_dict(m->state_dict());
    m->train();
    for (const Tensor& p : m->parameters()) BOOST_TEST(!p.requires_grad());
}

BOOST_AUTO_TEST_CASE(a_holder_clones_into_a_holder_of_its_class) {
    nn::Linear linear(2, 3);
    nn::Linear copy = linear.clone();
    BOOST_TEST(equal(copy->weight, linear->weight));
    BOOST_TEST(!copy->weight.is_same(linear->weight));
    copy = linear.clone();
    const auto also = linear.clone();
    BOOST_TEST(also(ones({1, 2})).sizes() == IntArrayRef({1, 3}));
    BOOST_TEST(equal(also->bias, linear->bias));
    nn::Sequential net{nn::Linear(1, 2), nn::ReLU()}, twin = net.clone();
    BOOST_TEST(twin->size() == 2);
    BOOST_TEST(!twin->ptr(0)->parameters()[0].is_same(net->ptr(0)->parameters()[0]));
    BOOST_CHECK_THROW(nn::Linear(nullptr).clone(), Error);
}

BOOST_AUTO_TEST_CASE(M_50_a_class_may_say_itself_how_it_is_copied) {
    struct Counter : Module {
        explicit Counter(int copies) : copies(copies) {}
        std::shared_ptr<Module> clone(const std::optional<Device>& = std::nullopt) const override {
            return std::make_shared<Counter>(copies + 1);
        }
        int copies;
    };
    struct Holder : nn::Cloneable<Holder> {
        void reset() override {}
    };
    Holder holder;
    holder.register_module("inner", std::make_shared<Counter>(0));
    const auto copy = holder.clone();
    BOOST_TEST(copy->own_children()["inner"]->as<Counter>()->copies == 1);
    const auto own = std::make_shared<Counter>(5);
    BOOST_TEST(nn::deep_copy(own)->copies == 6);
    // Only the class itself could leave hooks out.
    BOOST_TEST(has(message_of([&] { holder.clone(std::nullopt, false); }), "Counter"));
}

BOOST_AUTO_TEST_SUITE_END()
