// Custom functions: what forward and backward see, what they may return (rules E-61 to E-71, E-82).
#include "tape_helpers.hpp"

#include <reel/autograd/function.hpp>

using namespace tape_test;
using autograd::AutogradContext;
using autograd::Function;

namespace {

struct Multiply : Function<Multiply> {
    static inline std::string needs;
    static inline bool grad_mode = false;
    static Tensor forward(AutogradContext* ctx, const Tensor& a, const Tensor& b, const char*) {
        BOOST_TEST(!GradMode::is_enabled());
        ctx->save_for_backward({a, Tensor(), b});
        return a * b;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const auto saved = ctx->get_saved_variables();
        BOOST_TEST(pattern(saved) == "101"); // an absent tensor may be saved
        needs = std::string(ctx->needs_input_grad(0) ? "1" : "0") + (ctx->needs_input_grad(1) ? "1" : "0");
        grad_mode = GradMode::is_enabled();
        return {g[0] * saved[2], g[0] * saved[0], Tensor()};
    }
};
struct Parts : Function<Parts> { // a float, an integer and a non-tensor result
    static inline std::string seen;
    static std::tuple<Tensor, Tensor, double> forward(AutogradContext*, const Tensor& x) {
        return {x * 2.0, x.to(kLong), 4.0};
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        seen = pattern(g);
        if (g[1].defined()) seen += dtype_name(g[1].scalar_type());
        return {g[0] * 2.0};
    }
};
struct Doubles : Function<Doubles> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        x.mul_(2.0);
        ctx->mark_dirty({x});
        return x;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
};
struct DoublesAndMore : Function<DoublesAndMore> {
    static variable_list forward(AutogradContext* ctx, const Tensor& x) {
        x.mul_(2.0);
        ctx->mark_dirty({x});
        return {x, x + 1.0};
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0 + g[1] * 2.0}; }
};
struct MarksSomethingElse : Function<MarksSomethingElse> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        const Tensor y = x * 2.0;
        ctx->mark_dirty({y}); // not an input: not checked
        return y;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
};
struct Through : Function<Through> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
    static variable_list backward(AutogradContext*, variable_list g) { return g; }
};
struct Nothing : Function<Nothing> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1.0; }
    static variable_list backward(AutogradContext*, variable_list) { return {Tensor()}; }
};
struct Both : Function<Both> { // a gradient for every argument, wanted or not
    static Tensor forward(AutogradContext*, const Tensor& a, const Tensor& b) { return a + b; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0], g[0]}; }
};
struct Split : Function<Split> { // E-82
    static inline std::vector<double> inputs;
    static inline bool grad_mode = true;
    static Tensor forward(const Tensor& x, double k) { return x * k; }
    static void setup_context(AutogradContext* ctx, const std::tuple<const Tensor&, const double&>& in,
                              const Tensor& out) {
        grad_mode = GradMode::is_enabled();
        inputs = {item(std::get<0>(in)), std::get<1>(in), item(out)};
        ctx->saved_data["k"] = Value(std::get<1>(in));
    }
    static variable_list vjp(AutogradContext* ctx, variable_list g) {
        return {g[0] * ctx->saved_data.at("k").toDouble(), Tensor()};
    }
};
struct NoBackward : Function<NoBackward> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1.0; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(function_rules)

BOOST_AUTO_TEST_CASE(E61_recorded_iff_grad_mode_and_an_argument_say_so) { // E-61
    const Tensor a = leaf({2}), b = vec({3});
    BOOST_TEST(Multiply::apply(a, b, "text").requires_grad());
    BOOST_TEST(!Multiply::apply(b, b, "text").requires_grad());
    NoGradGuard guard;
    BOOST_TEST(!Multiply::apply(a, b, "text").requires_grad());
}

BOOST_AUTO_TEST_CASE(E62_a_gradient_for_an_argument_that_needs_none_is_dropped) { // E-62
    const Tensor a = leaf({2}), b = vec({3});
    BOOST_CHECK_NO_THROW(Both::apply(a, b).backward());
    BOOST_TEST(item(a.grad()) == 1);
    BOOST_TEST(!b.grad().defined());
}

BOOST_AUTO_TEST_CASE(E63_needs_input_grad_follows_the_running_pass) { // E-63
    const Tensor a = leaf({2}), b = leaf({3});
    const Tensor y = Multiply::apply(a, b, "text");
    y.backward({}, true);
    BOOST_TEST(Multiply::needs == "11");
    autograd::backward({y}, {}, true, false, {b}); // inputs narrow them
    BOOST_TEST(Multiply::needs == "01");
    autograd::grad({y}, {a}, {}, true);
    BOOST_TEST(Multiply::needs == "10");
    Multiply::apply(a, b.detach(), "text").backward();
    BOOST_TEST(Multiply::needs == "10");
}

BOOST_AUTO_TEST_CASE(E64_grad_mode_in_backward_is_create_graph) { // E-64
    const Tensor a = leaf({2}), b = leaf({3}), y = Multiply::apply(a, b, "text");
    const Tensor g = autograd::grad({y}, {a}, {}, true, true)[0];
    BOOST_TEST(Multiply::grad_mode);
    BOOST_TEST(item(autograd::grad({g}, {b})[0]) == 1);
    autograd::grad({y}, {a});
    BOOST_TEST(!Multiply::grad_mode);
}

struct MarksNone : autograd::Function<MarksNone> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, bool dirty) {
        if (dirty) ctx->mark_dirty({x, Tensor()});
        else ctx->mark_non_differentiable({Tensor()});
        return x;
    }
    static variable_list backward(autograd::AutogradContext*, const variable_list& g) { return {g[0], Tensor()}; }
};
BOOST_AUTO_TEST_CASE(E67_only_tensors_can_be_marked) { // E-67, E-68
    BOOST_CHECK_EXCEPTION(MarksNone::apply(leaf({1}), true), Error, says("mark_dirty: argument 1 is undefined"));
    BOOST_CHECK_EXCEPTION(MarksNone::apply(leaf({1}), false), Error, says("mark_non_differentiable: argument 0"));
}

BOOST_AUTO_TEST_CASE(E65_saved_tensors_are_checked_and_released) { // E-65
    const Tensor a = leaf({2}), b = a * 1.0, y = Multiply::apply(a, b, "text");
    y.backward();
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("MultiplyBackward", "a second time", "retain_graph=true"));
    const Tensor c = a * 1.0, z = Multiply::apply(a, c, "text");
    c.add_(1.0);
    BOOST_CHECK_EXCEPTION(z.backward(), Error, says("modified by an in-place operation", "version 1"));
}

BOOST_AUTO_TEST_CASE(E66_E67_zeros_for_absent_gradients_and_outputs_that_have_none) { // E-66, E-67
    const Tensor x = leaf({3});
    const auto [a, integer, number] = Parts::apply(x);
    BOOST_TEST(a.requires_grad());
    BOOST_TEST(!integer.requires_grad()); // automatically
    BOOST_TEST(number == 4);
    a.backward();
    BOOST_TEST(Parts::seen == "110int64"); // zeros of its own dtype; nothing for what is no tensor
}

BOOST_AUTO_TEST_CASE(E68_inputs_modified_in_place) { // E-68
    const Tensor x = leaf({3}), a = x * 1.0;
    std::string order;
    a.register_hook([&](const Tensor& g) { order += "old" + std::to_string(int(item(g))); });
    a.retain_grad();
    a.mutable_grad() = vec({9});
    const auto before = a._version();
    const Tensor b = Doubles::apply(a);
    BOOST_TEST(b.is_same(a)); // the same object, now with the Function's node
    BOOST_TEST(a.grad_fn()->name() == "DoublesBackward");
    BOOST_TEST(a._version() > before);
    b.backward();
    BOOST_TEST(order == "old2");     // hooks stay on the old node (T-8)
    BOOST_TEST(item(a.grad()) == 1); // its .grad was cleared, retention moved along (T-14)
    BOOST_TEST(item(x.grad()) == 2);
    BOOST_CHECK_EXCEPTION(Doubles::apply(leaf({1})), Error, says("leaf that requires grad", "mark_dirty"));
    const Tensor base = leaf({1, 2}) * 1.0;
    Doubles::apply(base.slice(0, 0, 1)); // a view, one output
    REEL_TEST_VALUES(base, 2, 2);
    BOOST_CHECK_EXCEPTION(DoublesAndMore::apply(base.slice(0, 0, 1)), Error, says("view", "several outputs"));
    BOOST_CHECK_NO_THROW(MarksSomethingElse::apply(x));
}

BOOST_AUTO_TEST_CASE(E69_an_input_handed_through_is_a_view) { // E-69
    const Tensor x = leaf({1}), y = Through::apply(x), plain = vec({1}), z = Through::apply(plain);
    BOOST_TEST(!y.is_same(x));
    BOOST_TEST(y.is_view());
    BOOST_TEST(y.is_alias_of(x));
    BOOST_CHECK_EXCEPTION(y.add_(1.0), Error, says("output 0 of ThroughBackward", "custom Function"));
    BOOST_TEST(!z.is_same(plain));
    BOOST_TEST(z.is_alias_of(plain));
}

BOOST_AUTO_TEST_CASE(E70_an_undefined_result_stays_undefined) { // E-70
    const Tensor x = leaf({1}), a = x * 2.0;
    bool defined = true;
    a.register_hook([&](const Tensor& g) { defined = g.defined(); });
    Nothing::apply(a).backward();
    BOOST_TEST(!defined);
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(E82_the_two_part_form) { // E-82
    const Tensor x = leaf({2}), y = Split::apply(x, 5.0);
    BOOST_TEST(Split::inputs == (std::vector<double>{2, 5, 10}), boost::test_tools::per_element());
    BOOST_TEST(!Split::grad_mode);
    y.backward(); // vjp is another name for backward
    BOOST_TEST(item(x.grad()) == 5);
    const Tensor z = NoBackward::apply(x);
    BOOST_CHECK_EXCEPTION(z.backward(), NotImplementedError, says("NoBackward", "no backward"));
}

BOOST_AUTO_TEST_SUITE_END()
