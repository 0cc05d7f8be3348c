// Members and tables of users' modules, written as libtorch's are: each style, under everything that changes them.
#include <array>

#include <boost/test/unit_test.hpp>

#include <reel/optim.hpp>

#include "nn/testing.hpp"

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

BOOST_AUTO_TEST_SUITE(user_members)

namespace {

/// (x w + shift) with a child behind it; `w` starts at 2, `shift` at 1, the child's factor at 3.
Tensor two() { return full({1}, 2.); }
Tensor shift_of_one() { return full({1}, 1.); }

struct BodyImpl : Module {
    BodyImpl() {
        w = register_parameter("w", two());
        shift = register_buffer("shift", shift_of_one());
        inner = register_module("inner", Scale(3.));
    }
    Tensor forward(const Tensor& x) { return inner(x * w + shift); }
    Tensor w, shift;
    Scale inner{nullptr};
};
REEL_MODULE(Body);

struct ListImpl : Module {
    ListImpl()
        : w(register_parameter("w", two())), shift(register_buffer("shift", shift_of_one())),
          inner(register_module("inner", Scale(3.))) {}
    Tensor forward(const Tensor& x) { return inner(x * w + shift); }
    Tensor w, shift;
    Scale inner;
};
REEL_MODULE(List);

struct DefaultsImpl : Module {
    Tensor forward(const Tensor& x) { return inner(x * w + shift); }
    Tensor w = register_parameter("w", two()), shift = register_buffer("shift", shift_of_one());
    Scale inner = register_module("inner", Scale(3.));
};
REEL_MODULE(Defaults);

struct ResettingImpl : nn::Cloneable<ResettingImpl> {
    ResettingImpl() { ResettingImpl::reset(); }
    void reset() override {
        w = register_parameter("w", two());
        shift = register_buffer("shift", shift_of_one());
        inner = register_module("inner", Scale(3.));
    }
    Tensor forward(const Tensor& x) { return inner(x * w + shift); }
    Tensor w, shift;
    Scale inner{nullptr};
};
REEL_MODULE(Resetting);

/// Made first and registered in the constructor's body, as in libtorch's examples.
struct GivenImpl : Module {
    GivenImpl() : w(two()), shift(shift_of_one()), inner(3.) {
        register_parameter("w", w);
        register_buffer("shift", shift);
        register_module("inner", inner);
    }
    Tensor forward(const Tensor& x) { return inner(x * w + shift); }
    Tensor w, shift;
    Scale inner;
};
REEL_MODULE(Given);

/// A base in front of Module, members in an array and in a struct.
struct Other {
    virtual ~Other() = default;
    double unused[3] = {};
};
struct InsideImpl : Other, nn::Cloneable<InsideImpl> {
    InsideImpl() { InsideImpl::reset(); }
    void reset() override {
        weights[1] = register_parameter("w", two());
        state.shift = register_buffer("shift", shift_of_one());
        inner = register_module("inner", Scale(3.));
    }
    Tensor forward(const Tensor& x) { return inner(x * weights[1] + state.shift); }
    std::array<Tensor, 2> weights;
    struct {
        double first = 0;
        Tensor shift;
    } state;
    Scale inner{nullptr};
};
REEL_MODULE(Inside);

template <class M> Tensor& w_of(M& m) {
    if constexpr (requires { m.w; }) return m.w;
    else return m.weights[1];
}
template <class M> Tensor& shift_of(M& m) {
    if constexpr (requires { m.shift; }) return m.shift;
    else return m.state.shift;
}

/// Members, tables, state dict, forward and a new optimizer agree; forward gives (w + shift) k at 1.
template <class M> void agree(M& m, double w, double shift, double k, const std::string& what) {
    const auto params = m.named_parameters();
    BOOST_TEST(params["w"].is_same(w_of(m)), what);
    BOOST_TEST(m.named_buffers()["shift"].is_same(shift_of(m)), what);
    BOOST_TEST((m.own_children()["inner"] == ModulePtr(m.inner.ptr())), what);
    BOOST_TEST(params["inner.w"].is_same(m.inner->w), what);
    const nn::StateDict d = m.state_dict("", true);
    BOOST_TEST(d.tensor("w").is_same(w_of(m)), what);
    BOOST_TEST(number(w_of(m).sum()) == w, what);
    BOOST_TEST(number(shift_of(m).sum()) == shift, what);
    BOOST_TEST(number(m.inner->w) == k, what);
    const auto call = [&] { return nn::call(m, ones({1}, w_of(m).scalar_type())).sum(); };
    BOOST_TEST(number(call()) == (w + shift) * k, what);
    m.zero_grad();
    call().backward();
    optim::SGD sgd(m.parameters(), optim::SGDOptions(1.));
    sgd.step();
    BOOST_TEST(number(call()) == (w - k + shift) * (k - (w + shift)), what);
    NoGradGuard guard;
    w_of(m).add_(k);
    m.inner->w.add_(w + shift);
}
nn::StateDict other_state(ScalarType dtype = kFloat) {
    nn::StateDict d;
    d.insert_or_assign("w", Value(full({1}, 5., dtype)));
    d.insert_or_assign("shift", Value(full({1}, 7., dtype)));
    d.insert_or_assign("inner.w", Value(full({}, 4., dtype)));
    return d;
}

/// Makes one, changes it, and asks whether members, tables, forward and optimizer agree on what it holds then.
template <class Holder> class Changed {
public:
    explicit Changed(std::string style) : style_(std::move(style)) {}
    template <class Change> void operator()(const char* what, double w, double shift, double k, Change change) const {
        Holder m;
        change(m);
        agree(*m, w, shift, k, style_ + ": " + what);
    }

private:
    std::string style_;
};

template <class Holder> void check_conversions_and_loads(const std::string& style) {
    const Changed<Holder> on(style);
    on("construction", 2, 1, 3, [](Holder&) {});
    on("to", 2, 1, 3, [](Holder& m) { m->to(kDouble); });
    on("to and load", 5, 7, 4, [](Holder& m) { m->bfloat16(), m->float_(), m->load_state_dict(other_state()); });
    on("to_empty", 5, 7, 4, [](Holder& m) { m->to_empty(Device(kCPU)), m->load_state_dict(other_state()); });
    on("meta and back", 5, 7, 4, [](Holder& m) {
        m->to(Device(kMeta));
        BOOST_TEST(w_of(*m).is_meta());
        BOOST_TEST(shift_of(*m).is_meta());
        m->to_empty(Device(kCPU));
        m->load_state_dict(other_state());
    });
    on("assigning load", 5, 7, 4, [](Holder& m) { m->load_state_dict(other_state(kDouble), true, true); });
}
template <class Holder> void check_entries_replaced(const std::string& style) {
    const Changed<Holder> on(style);
    on("set_attribute", 5, 7, 3, [](Holder& m) {
        m->set_attribute("w", Value(nn::Parameter(full({1}, 5.))));
        m->set_attribute("shift", Value(full({1}, 7.)));
    });
    on("set_attribute of a child", 2, 1, 4,
       [](Holder& m) { m->set_attribute("inner", Value::box(ModulePtr(Scale(4.).ptr()))); });
    on("set_submodule", 2, 1, 4, [](Holder& m) { m->set_submodule("inner", Scale(4.).ptr()); });
    on("replace_module without assigning", 2, 1, 4, [](Holder& m) { m->replace_module("inner", Scale(4.)); });
    on("replace_module and assigning", 2, 1, 4, [](Holder& m) { m->inner = m->replace_module("inner", Scale(4.)); });
    on("registering again", 5, 7, 4, [](Holder& m) {
        m->register_parameter("w", full({1}, 5.));
        m->register_buffer("shift", full({1}, 7.));
        m->register_module("inner", Scale(4.));
    });
    on("member assignment", 5, 7, 4, [](Holder& m) {
        w_of(*m) = full({1}, 5.);
        shift_of(*m) = full({1}, 7.);
        m->inner = Scale(4.);
        m->parameters(); // where training starts: a plain leaf requires grad from here on
    });
    on("member assignment of a child's member", 2, 1, 4, [](Holder& m) { m->inner->w = nn::Parameter(full({}, 4.)); });
}
template <class Holder> void check_copies_and_moves(const std::string& style) {
    using M = typename Holder::ContainedType;
    const Changed<Holder> on(style);
    on("computed and back", 2, 1, 3, [](Holder& m) {
        const Tensor kept = w_of(*m), raw = leaf(4);
        w_of(*m) = raw * ones({1});
        BOOST_TEST(number(m(ones({1})).sum()) == 15);
        BOOST_TEST(!m->named_parameters().contains("w"));
        m(ones({1})).sum().backward();
        BOOST_TEST(number(raw.grad()) == 3);
        w_of(*m) = kept;
    });
    on("share_memory", 2, 1, 3, [](Holder& m) { m->share_memory(); });
    on("a copy of the holder", 5, 7, 4, [](Holder& m) {
        Holder copy = m;
        copy->load_state_dict(other_state(), true, true);
        BOOST_TEST(w_of(*m).is_same(w_of(*copy)));
    });
    on("a copy by value", 2, 1, 4, [](Holder& m) {
        const auto copy = std::make_shared<M>(*m); // shallow: the same tensors until one gets others, the same child
        Holder held(copy);
        held->load_state_dict(other_state(), true, true);
        held->replace_module("inner", Scale(4.));
        agree(*held, 5, 7, 4, "the copy");
    });
    on("assignment by value", 5, 7, 4, [](Holder& m) {
        Holder from;
        from->load_state_dict(other_state(), true, true);
        *m = *from;
    });
    on("a move", 5, 1, 4, [](Holder& m) {
        Holder moved(std::make_shared<M>(std::move(*m)));
        moved->set_attribute("w", Value(nn::Parameter(full({1}, 5.))));
        moved->replace_module("inner", Scale(4.));
        m = moved;
    });
    on("conversion, then a clone", 2, 1, 3, [](Holder& m) {
        if constexpr (std::is_base_of_v<nn::Cloneable<M>, M>) {
            m->double_();
            m->inner->w = nn::Parameter(full({}, 3., kDouble));
            const Holder from = m;
            m = Holder(std::dynamic_pointer_cast<M>(m->clone()));
            BOOST_TEST(!w_of(*m).is_same(w_of(*from)));
            BOOST_TEST(w_of(*m).dtype() == kDouble);
        }
    });
}
template <class Holder> void check_deletion(const std::string& style) {
    Holder m;
    m->delete_attribute("w");
    BOOST_TEST(!w_of(*m).defined(), style);
    m->unregister_buffer("shift"); // a plain member from now on
    m->register_parameter("w", two());
    BOOST_TEST(number(shift_of(*m).sum()) == 1, style);
    m->delete_attribute("inner");
    BOOST_TEST(m->inner.is_empty(), style);
}
template <class Holder> void check_optimizer_over_what_was_replaced(const std::string& style) {
    Holder n;
    optim::SGD sgd(n->parameters(), optim::SGDOptions(1.));
    const Tensor before = w_of(*n);
    w_of(*n) = nn::Parameter(full({1}, 5.)); // no table was read since
    const std::string text = message_of([&] { sgd.step(); });
    BOOST_TEST(has(text, {"parameter 0 of group 0, of shape [1], was '", ".w'", "add_param_group()"}), style << text);
    w_of(*n) = before;
    sgd.step();
}
template <class Holder> void check_style(const std::string& style) {
    check_conversions_and_loads<Holder>(style);
    check_entries_replaced<Holder>(style);
    check_copies_and_moves<Holder>(style);
    check_deletion<Holder>(style);
    check_optimizer_over_what_was_replaced<Holder>(style);
}

} // namespace

BOOST_AUTO_TEST_CASE(assigned_in_the_constructor) { check_style<Body>("constructor"); }
BOOST_AUTO_TEST_CASE(initialiser_list) { check_style<List>("initialiser list"); }
BOOST_AUTO_TEST_CASE(default_initialisers) { check_style<Defaults>("default initialisers"); }
BOOST_AUTO_TEST_CASE(registered_as_members) { check_style<Given>("given to the registration"); }
BOOST_AUTO_TEST_CASE(cloneable_with_reset) { check_style<Resetting>("reset"); }
BOOST_AUTO_TEST_CASE(inside_of_arrays_and_structs) { check_style<Inside>("array and struct"); }

BOOST_AUTO_TEST_SUITE_END()
