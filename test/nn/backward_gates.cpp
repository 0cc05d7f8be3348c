// What the gates of backward hooks wrap, what they leave alone, and what the hooks are told.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(backward_gates)

namespace {
struct Seen {
    Value gi, go;
    int fired = 0, pre = 0;
};
void watch(Module& m, Seen& seen) {
    m.register_full_backward_pre_hook([&seen](Module&, const Value&) -> Value {
        ++seen.pre;
        return {};
    });
    m.register_full_backward_hook([&seen](Module&, const Value& gi, const Value& go) -> Value {
        seen.gi = gi;
        seen.go = go;
        ++seen.fired;
        return {};
    });
}
std::size_t size(const Value& v) { return v.elements().size(); }
const Value& at(const Value& v, std::size_t i) { return v.elements()[i]; }
/// Calls with values, under a hook that looks.
Value called(Seen& seen, AnyImpl::Fn fn, const Args& args, const Kwargs& kwargs = {}) {
    const auto m = any_module(std::move(fn));
    watch(*m, seen);
    return m->call_values(args, kwargs);
}
const auto first = [](const Args& a, const Kwargs&) { return a[0]; };
} // namespace

BOOST_AUTO_TEST_CASE(B_1_the_identity_node) {
    const CleanHooks clean;
    for (const bool reference : {false, true}) {
        nn::hooks::set_reference_mode(reference);
        Seen seen;
        const Tensor a = leaf(1), b = full({}, 2.0), c = leaf(3);
        std::vector<Tensor> inner;
        const Value out = called(seen,
                                 [&](const Args& args, const Kwargs&) {
                                     for (const Value& v : args) inner.push_back(v.toTensor());
                                     return Value(args[0].toTensor() * args[2].toTensor());
                                 },
                                 {Value(a), Value(b), Value(c)});
        BOOST_TEST(inner.size() == 3u);
        BOOST_TEST(inner[0].data_ptr() == a.data_ptr());
        BOOST_TEST(inner[1].data_ptr() == b.data_ptr());
        BOOST_TEST(inner[0].requires_grad());
        BOOST_TEST(!inner[1].requires_grad());
        BOOST_TEST(!inner[1].grad_fn());
        BOOST_TEST((inner[0].grad_fn() == inner[2].grad_fn())); // one node for all
        BOOST_TEST(inner[0].output_nr() == 0);
        BOOST_TEST(inner[2].output_nr() == 2);
        const auto& edges = inner[0].grad_fn()->next_edges();
        BOOST_TEST(edges.size() == 3u);
        BOOST_TEST(!edges[1].is_valid());
        out.toTensor().backward();
        BOOST_TEST(number(at(seen.gi, 1)) == 0); // zeros of the argument that needs none
        BOOST_TEST(number(a.grad()) == 3);
    }
}

BOOST_AUTO_TEST_CASE(B_2_B_9_nothing_is_wrapped_where_nothing_needs_a_gradient) {
    Seen seen;
    const Tensor plain = ones({}), x = leaf(1);
    BOOST_TEST(called(seen, first, {Value(plain)}).toTensor().is_same(plain));
    {
        NoGradGuard guard;
        BOOST_TEST(called(seen, first, {Value(x)}).toTensor().is_same(x));
    }
    const Tensor y = called(seen, first, {Value(x)}).toTensor();
    BOOST_TEST(!y.is_same(x));
    BOOST_TEST(y.data_ptr() == x.data_ptr());
}

BOOST_AUTO_TEST_CASE(B_3_every_positional_argument_has_an_entry) {
    Seen seen;
    called(seen, [](const Args& a, const Kwargs&) { return Value(a[1].toTensor() * 2); },
           {Value(3), Value(leaf(1)), Value("text"), Value(true)})
        .toTensor()
        .backward();
    BOOST_TEST(size(seen.gi) == 4u);
    BOOST_TEST(at(seen.gi, 0).isNone());
    BOOST_TEST(number(at(seen.gi, 1)) == 2);
    BOOST_TEST(at(seen.gi, 2).isNone());
    BOOST_TEST(at(seen.gi, 3).isNone());
}

BOOST_AUTO_TEST_CASE(B_4_keyword_arguments_and_nested_tensors_are_not_reported) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true); // beyond it, tensors inside containers are reported too
    Seen seen;
    const Tensor x = leaf(2), y = leaf(3), z = leaf(4);
    called(
        seen,
        [](const Args& a, const Kwargs& k) {
            return Value(a[0].toTensor() * k.at("y").toTensor() * a[1].elements()[0].toTensor());
        },
        {Value(x), Value::list({Value(z)})}, Kwargs{{"y", y}})
        .toTensor()
        .backward();
    BOOST_TEST(size(seen.gi) == 2u);
    BOOST_TEST(number(at(seen.gi, 0)) == 12);
    BOOST_TEST(at(seen.gi, 1).isNone());
    BOOST_TEST(number(y.grad()) == 8);
    BOOST_TEST(number(z.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(B_5_a_keyword_argument_alone_counts_as_no_input) {
    Seen seen;
    const Tensor y = leaf(3);
    called(
        seen, [](const Args& a, const Kwargs& k) { return Value(a[0].toTensor() * k.at("y").toTensor()); },
        {Value(ones({}))}, Kwargs{{"y", y}})
        .toTensor()
        .backward();
    BOOST_TEST(seen.fired == 1);
    BOOST_TEST(size(seen.gi) == 1u);
    BOOST_TEST(at(seen.gi, 0).isNone());
    BOOST_TEST(number(at(seen.go, 0)) == 1);
    BOOST_TEST(number(y.grad()) == 1);
}

BOOST_AUTO_TEST_CASE(B_6_B_12_entries_of_grad_output) {
    Seen seen;
    const Value out = called(seen,
                             [](const Args& a, const Kwargs&) {
                                 const Tensor x = a[0].toTensor();
                                 return Value::tuple({Value(x * 2), Value(5), Value(x * 3), Value(x.detach())});
                             },
                             {Value(leaf(1))});
    BOOST_TEST(out.isTuple());
    at(out, 0).toTensor().backward();
    BOOST_TEST(size(seen.go) == 4u);
    BOOST_TEST(number(at(seen.go, 0)) == 1);
    for (const std::size_t i : {1, 2, 3}) BOOST_TEST(at(seen.go, i).isNone());
}

BOOST_AUTO_TEST_CASE(B_7_other_outputs_are_left_alone_with_a_warning) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    const auto listed = [](const Args& a, const Kwargs&) { return Value::list({Value(a[0].toTensor() * 2)}); };
    Seen seen;
    WarningLog log;
    const Value out = called(seen, listed, {Value(leaf(1))});
    BOOST_TEST(log.texts.size() == 1u);
    BOOST_TEST(has(log.texts[0], {"AnyImpl", "output of type list"}));
    at(out, 0).toTensor().backward();
    BOOST_TEST(seen.fired + seen.pre == 0);
    // beyond the reference, hooks look into lists
    nn::hooks::set_reference_mode(false);
    at(called(seen, listed, {Value(leaf(1))}), 0).toTensor().backward();
    BOOST_TEST(seen.fired == 1);
    BOOST_TEST(log.texts.size() == 1u);
}

BOOST_AUTO_TEST_CASE(B_8_outputs_without_gradient_carry_no_hook) {
    Seen seen;
    const Tensor x = leaf(1);
    const auto doubled = [](const Args& a, const Kwargs&) { return Value(a[0].toTensor() * 2); };
    const Tensor detached =
        called(seen, [](const Args& a, const Kwargs&) { return Value(a[0].toTensor().detach()); }, {Value(x)})
            .toTensor();
    BOOST_TEST(!detached.requires_grad());
    NoGradGuard guard;
    BOOST_TEST(!called(seen, doubled, {Value(x)}).toTensor().requires_grad());
}

BOOST_AUTO_TEST_CASE(B_10_pre_hooks_replace_in_turn_and_are_counted) {
    Scale m;
    std::vector<double> seen;
    for (int i = 0; i < 2; ++i)
        m->register_full_backward_pre_hook([&](Module&, const variable_list& go) {
            seen.push_back(number(go[0]));
            return variable_list{go[0] * 2};
        });
    const Tensor x = leaf(1);
    m(x).backward();
    BOOST_TEST(seen == (std::vector<double>{1, 2}));
    BOOST_TEST(number(x.grad()) == 12);
    m->register_full_backward_pre_hook([](Module&, const variable_list&) { return variable_list(3, ones({})); });
    const std::string text = message_of([&] { m(x).backward(); });
    BOOST_TEST(has(text, {"ScaleImpl", "pre-hook returned 3 gradients, expected 1"}), text);
}

BOOST_AUTO_TEST_CASE(B_11_full_hooks_replace_in_turn_and_are_counted) {
    Scale m;
    std::vector<double> seen;
    for (int i = 0; i < 2; ++i)
        m->register_full_backward_hook([&](Module&, const Value& gi, const Value&) -> Value {
            seen.push_back(number(at(gi, 0)));
            return Value::tuple({Value(at(gi, 0).toTensor() * 2)});
        });
    const Tensor x = leaf(1);
    m(x).backward();
    BOOST_TEST(seen == (std::vector<double>{3, 6}));
    BOOST_TEST(number(x.grad()) == 12);
    m->register_full_backward_hook([](Module&, const Value&, const Value&) -> Value {
        return Value::tuple({Value(), Value()});
    });
    const std::string text = message_of([&] { m(x).backward(); });
    BOOST_TEST(has(text, {"ScaleImpl", "hook returned 2 gradients, expected 1"}), text);
}

BOOST_AUTO_TEST_CASE(B_20_values_of_another_kind_are_refused) {
    Scale m;
    m->register_full_backward_hook(
        [](Module&, const Value&, const Value&) -> Value { return Value::tuple({Value("text")}); });
    const std::string text = message_of<TypeError>([&] { m(leaf(1)).backward(); });
    BOOST_TEST(has(text, {"ScaleImpl", "returned a str as gradient 0", "expected a Tensor or none"}), text);
}

BOOST_AUTO_TEST_CASE(B_20_a_pre_hook_may_serve_an_unused_output) {
    Seen seen;
    const auto m = any_module([](const Args& a, const Kwargs&) {
        const Tensor x = a[0].toTensor();
        return Value::tuple({Value(x * 2), Value(x * 3)});
    });
    m->register_full_backward_pre_hook([](Module&, const Value& go) -> Value {
        return Value::tuple({at(go, 0), Value(full({}, 5.0))});
    });
    const Tensor x = leaf(1);
    at(m->call_values({Value(x)}), 0).toTensor().backward();
    BOOST_TEST(number(x.grad()) == 17);
}

/// An argument or result without a tensor in it has its place, and neither gate nor gradient.
BOOST_AUTO_TEST_CASE(undefined_tensors_among_the_values) {
    const CleanHooks clean;
    for (const bool reference : {false, true}) {
        nn::hooks::set_reference_mode(reference);
        Seen seen;
        const Tensor x = leaf(2);
        const Value out = called(seen,
                                 [](const Args& a, const Kwargs&) {
                                     BOOST_TEST(!a[0].toTensor().defined());
                                     return Value::tuple({Value(Tensor()), Value(a[1].toTensor() * 3)});
                                 },
                                 {Value(Tensor()), Value(x)});
        BOOST_TEST(!at(out, 0).toTensor().defined());
        at(out, 1).toTensor().backward();
        BOOST_TEST(seen.fired == 1);
        BOOST_TEST_REQUIRE(size(seen.gi) == 2u);
        BOOST_TEST(at(seen.gi, 0).isNone());
        BOOST_TEST(number(at(seen.gi, 1).toTensor()) == 3);
        BOOST_TEST(at(seen.go, 0).isNone());
        BOOST_TEST(number(x.grad()) == 3);
        Seen alone; // nothing to put a gate on
        called(alone, first, {Value(Tensor())});
        BOOST_TEST(alone.fired == 0);
    }
}

namespace {
struct NothingImpl : Module {
    Tensor forward(const Tensor&) { return {}; }
};
REEL_MODULE(Nothing);
} // namespace

BOOST_AUTO_TEST_CASE(an_undefined_result_of_a_module) {
    Nothing m;
    BOOST_TEST(!m(leaf(1)).defined());
    Seen seen;
    watch(*m, seen);
    BOOST_TEST(!m(leaf(1)).defined());
    BOOST_TEST(seen.fired == 0);
}

BOOST_AUTO_TEST_SUITE_END()
