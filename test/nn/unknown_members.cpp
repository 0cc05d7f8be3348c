// Handles of parameters and submodules that cannot follow: nobody is left in the dark.
#include <boost/test/unit_test.hpp>

#include <reel/optim.hpp>

#include "nn/testing.hpp"

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(unknown_members)

namespace {
struct PlainImpl : Module {
    PlainImpl() {
        w = register_parameter("w", full({1}, 2.));
        inner = register_module("inner", Scale(3.));
    }
    Tensor forward(const Tensor& x) { return inner(x * w); }
    Tensor w;
    Scale inner{nullptr};
};
REEL_MODULE(Plain);
} // namespace

BOOST_AUTO_TEST_CASE(a_class_that_never_told_its_size) {
    // No holder, no parent, no nn::call: whether the handles are members is not known.
    const auto m = std::make_shared<PlainImpl>();
    m->to(kDouble); // keeps every handle
    BOOST_TEST(number(m->forward(ones({1}, kDouble)).sum()) == 6);
    std::string text = message_of([&] { m->set_attribute("w", Value(nn::Parameter(full({1}, 5.)))); });
    BOOST_TEST(has(text, {"PlainImpl: 'w' cannot be replaced", "REEL_MODULE", "nn::call", "Cloneable"}), text);
    nn::StateDict other = m->state_dict();
    other.insert_or_assign("w", Value(full({1}, 5.)));
    text = message_of([&] { m->load_state_dict(other, true, true); });
    BOOST_TEST(has(text, {"while copying 'w'", "cannot be replaced"}), text);
    BOOST_TEST(number(m->w.sum()) == 2);
    nn::call(*m, ones({1}, kDouble)); // tells
    m->set_attribute("w", Value(nn::Parameter(full({1}, 5., kDouble))));
    BOOST_TEST(number(m->w.sum()) == 5);
}

namespace {
struct VectorImpl : nn::Cloneable<VectorImpl> {
    VectorImpl() { VectorImpl::reset(); }
    void reset() override {
        ws.clear();
        for (int i = 0; i < 2; ++i) ws.push_back(register_parameter("w" + std::to_string(i), full({1}, i + 2.)));
    }
    Tensor forward(const Tensor& x) { return x * ws[0] * ws[1]; }
    std::vector<Tensor> ws;
};
REEL_MODULE(Vector);
} // namespace
BOOST_AUTO_TEST_CASE(handles_outside_of_the_object_are_told) {
    Vector m;
    m->double_();
    m->share_memory();
    BOOST_TEST(number(m(ones({1}, kDouble)).sum()) == 6);
    optim::SGD before(m->parameters(), optim::SGDOptions(1.));
    m->set_attribute("w0", Value(nn::Parameter(full({1}, 5., kDouble))));
    const WarningLog log;
    m(ones({1}, kDouble)).sum().backward(); // with the former tensor
    BOOST_TEST(log.any("was 'Vector.w0' until another tensor took its place got a gradient"));
    BOOST_TEST(log.texts.size() == 1u);
    BOOST_TEST(has(message_of([&] { before.step(); }), "was 'Vector.w0'"));
    optim::SGD wanted({m->ws[0]}, optim::SGDOptions(1.)); // somebody who knows
    wanted.step();
}

namespace {
struct PointerImpl : Module {
    PointerImpl() { fc = register_module("fc", std::make_shared<ScaleImpl>(3.)); }
    Tensor forward(const Tensor& x) { return (*fc)(x); }
    std::shared_ptr<ScaleImpl> fc;
};
REEL_MODULE(Pointer);
/// Puts a module around another.
struct WrappedImpl : nn::Cloneable<WrappedImpl> {
    explicit WrappedImpl(Scale base_) : base(register_module("base", base_)) {}
    void reset() override {}
    Tensor forward(const Tensor& x) { return base(x) + 1; }
    Scale base;
};
REEL_MODULE(Wrapped);
} // namespace
BOOST_AUTO_TEST_CASE(a_pointer_to_a_former_child) {
    Pointer m;
    const auto former = m->fc;
    optim::SGD before(m->parameters(), optim::SGDOptions(1.));
    m->replace_module("fc", Scale(4.)); // and the member is forgotten
    const std::string text = message_of([&] { m(ones({})); });
    BOOST_TEST(has(text, {"Scale: 'Pointer.fc' is another module now", "replace_module", "holder"}), text);
    BOOST_TEST(has(message_of([&] { before.step(); }), "was 'Pointer.fc.w'"));
    m->fc = m->replace_module("fc", Scale(5.));
    BOOST_TEST(number(m(ones({}))) == 5);
    const WarningLog log; // by itself it may be called
    BOOST_TEST(number((*former)(ones({}))) == 3);
    BOOST_TEST(number((*former)(ones({}))) == 3);
    BOOST_TEST(log.texts.size() == 1u);
    m->fc = m->replace_module("fc", former); // back in use
    BOOST_TEST(number(m(ones({}))) == 3);
    before.step();
}
BOOST_AUTO_TEST_CASE(what_is_wrapped_stays_in_use) {
    struct NetImpl : Module {
        NetImpl() { fc = register_module("fc", nn::Sequential(Scale(3.))); }
        Tensor forward(const Tensor& x) { return fc->forward(x); }
        nn::Sequential fc{nullptr};
    };
    const auto m = std::make_shared<NetImpl>();
    optim::SGD before(m->parameters(), optim::SGDOptions(1.));
    const Scale inner(std::dynamic_pointer_cast<ScaleImpl>(m->fc->ptr(0)));
    const WarningLog log;
    m->fc->replace_module("0", Wrapped(inner));
    BOOST_TEST(number(nn::call(*m, ones({}))) == 4);
    before.step();
    BOOST_TEST(log.texts.empty());
}
BOOST_AUTO_TEST_CASE(a_holder_that_cannot_hold_what_came_is_empty) {
    Plain m;
    m->replace_module("inner", nn::ReLU());
    BOOST_TEST(m->inner.is_empty());
    const std::string text = message_of([&] { m(ones({1})); });
    BOOST_TEST(has(text, {"an empty module holder was used", "another class replaces its submodule"}), text);
    BOOST_TEST(bool(m->own_children()["inner"]->as<nn::ReLU>())); // and the table keeps its own
    m->inner = Scale(4.);
    BOOST_TEST(number(m(ones({1})).sum()) == 8);
    BOOST_TEST((m->own_children()["inner"] == nn::ModulePtr(m->inner.ptr())));
    BOOST_TEST(m->named_parameters()["inner.w"].is_same(m->inner->w));
}

namespace {
struct TunedImpl : nn::Cloneable<TunedImpl> {
    TunedImpl() { TunedImpl::reset(); }
    void reset() override {
        drop = register_module("drop", nn::Dropout(.5));
        pad = register_module("pad", nn::ZeroPad1d(1));
        shared = register_module("shared", nn::Sequential(last = Scale(2.)));
    }
    Tensor forward(const Tensor& x) { return last(shared(pad(drop(x)))); }
    nn::Dropout drop{nullptr};
    nn::ZeroPad1d pad{nullptr};
    nn::Sequential shared{nullptr};
    Scale last{nullptr};
};
} // namespace
BOOST_AUTO_TEST_CASE(clones_have_the_options_of_children_as_they_are) {
    TunedImpl m;
    m.drop->options.p(0.);
    const auto copy = std::dynamic_pointer_cast<TunedImpl>(m.clone());
    BOOST_TEST(copy->drop->options.p() == 0.);
    BOOST_TEST(m.drop->options.p() == 0.);
    NoGradGuard guard;
    copy->parameters()[0].fill_(10);
    // handles that the class keeps of a container's modules stay what the container has
    BOOST_TEST(number(nn::call(*copy, ones({1, 1, 1})).sum()) == 100);
    BOOST_TEST(number(nn::call(m, ones({1, 1, 1})).sum()) == 4);
}

BOOST_AUTO_TEST_CASE(handles_that_outlive_the_module) {
    Tensor kept;
    Registered registered;
    {
        Plain m;
        registered = m->register_parameter("late", full({1}, 2.));
        kept = m->w;
    }
    Tensor copy = registered;
    BOOST_TEST(number(copy.sum()) == 2);
    optim::SGD sgd({kept, copy}, optim::SGDOptions(1.)); // parameters of a module that is gone
    kept.mutable_grad() = ones({1});
    sgd.step();
    BOOST_TEST(number(kept.sum()) == 1);
}

namespace {
struct Cache {
    int calls = 0;
};
struct CachingImpl : Module {
    Tensor forward(const Tensor& x, Cache& cache) { return ++cache.calls, x * 2; }
};
REEL_MODULE(Caching);
} // namespace
BOOST_AUTO_TEST_CASE(a_forward_that_writes_to_an_argument) {
    Caching m;
    Cache cache;
    BOOST_TEST(number(m(ones({}), cache)) == 2);
    BOOST_TEST(cache.calls == 1);
    const std::string text = message_of<NotImplementedError>([&] { m->call_values({Value(ones({}))}); });
    BOOST_TEST(has(text, {"Caching", "no forward that can be called with values"}), text);
}

BOOST_AUTO_TEST_SUITE_END()
