// The deprecated backward hooks of a module's last operation.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(legacy_hooks)

namespace {
const auto quiet = [](Module&, const variable_list&, const variable_list&) {};
struct Silence { // of the deprecation warning
    WarningLog log;
};
} // namespace

BOOST_AUTO_TEST_CASE(B_39_the_two_kinds_do_not_mix_and_the_kind_sticks) {
    const CleanHooks clean;
    const Silence silence;
    Scale full, legacy;
    full->register_full_backward_hook(quiet).remove();
    std::string text = message_of([&] { full->register_backward_hook(quiet); });
    BOOST_TEST(has(text, {"ScaleImpl", "cannot register a legacy", "full"}), text);
    legacy->register_backward_hook(quiet).remove();
    text = message_of([&] { legacy->register_full_backward_hook(quiet); });
    BOOST_TEST(has(text, {"ScaleImpl", "cannot register a full", "legacy"}), text);
    legacy->register_full_backward_pre_hook([](Module&, const variable_list&) {}); // goes with both
    nn::register_module_full_backward_hook(quiet);                                 // independent of the local kind
    text = message_of([&] { nn::register_module_backward_hook(quiet); });
    BOOST_TEST(has(text, "global module hooks: cannot register a legacy"), text);
}

BOOST_AUTO_TEST_CASE(B_39_the_node_of_a_linear_layer_has_the_gradient_of_its_weight) {
    const Silence silence;
    nn::Linear layer(nn::LinearOptions(2, 3).bias(false));
    variable_list seen;
    layer->register_backward_hook([&](Module&, const variable_list& gi, const variable_list&) { seen = gi; });
    layer(ones({1, 2})).sum().backward();
    BOOST_TEST(seen.at(1).sizes() == layer->weight.sizes()); // not of its transpose
}

BOOST_AUTO_TEST_CASE(B_43_results_are_checked_before_the_next_hook) {
    const Silence silence;
    Scale m;
    int fired = 0;
    m->register_backward_hook([](Module&, const Value&, const Value&) {
        return Value::tuple({Value::tuple({}), Value()});
    });
    m->register_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    const Tensor y = m(leaf(2));
    BOOST_CHECK_THROW(y.backward(), TypeError);
    BOOST_TEST(fired == 0);
}

BOOST_AUTO_TEST_CASE(B_40_it_attaches_to_the_first_tensor_of_the_result) {
    const Silence silence;
    const auto fires = [](AnyImpl::Fn fn, auto pick) {
        const auto m = any_module(std::move(fn));
        int fired = 0;
        m->register_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
        pick(m->call_values({Value(leaf(2))})).backward();
        return fired;
    };
    const auto product = [](const Args& a, double w) { return Value(a[0].toTensor() * w); };
    BOOST_TEST(fires([&](const Args& a, const Kwargs&) { return Value::list({Value::tuple({product(a, 2)})}); },
                     [](const Value& v) { return v.elements()[0].elements()[0].toTensor(); }) == 1);
    BOOST_TEST(fires(
                   [&](const Args& a, const Kwargs&) {
                       return Value(ValueDict{{"n", 1}, {"t", product(a, 2)}}); // the first tensor among the values
                   },
                   [](const Value& v) { return v.toGenericDict().at("t").toTensor(); }) == 1);
    BOOST_TEST(fires(
                   [&](const Args& a, const Kwargs&) {
                       return Value::tuple({product(a, 2), product(a, 3)});
                   },
                   [](const Value& v) { return v.elements()[1].toTensor(); }) == 0);
    // a leaf has no node to attach to
    BOOST_TEST(fires([](const Args& a, const Kwargs&) { return a[0]; }, [](const Value& v) { return v.toTensor(); }) ==
               0);
    for (const Value& odd : {Value(ValueDict{{"n", 1}}), Value::list({}), Value("text")}) {
        const auto m = any_module([&](const Args&, const Kwargs&) { return odd; });
        m->register_backward_hook(quiet);
        const std::string text = message_of<TypeError>([&] { m->call_values({Value(leaf(1))}); });
        BOOST_TEST(has(text, {"AnyImpl", "legacy backward hook"}), text);
    }
}

BOOST_AUTO_TEST_CASE(B_41_it_sees_the_last_operation_only) {
    const Silence silence;
    const auto m = any_module([](const Args& a, const Kwargs&) {
        const Tensor x = a[0].toTensor(), y = a[1].toTensor();
        return Value::tuple({Value(x * y + 1), Value(x * 2)});
    });
    std::size_t inputs = 0;
    double gi = 0, go = 0;
    int fired = 0;
    m->register_backward_hook([&](Module&, const variable_list& i, const variable_list& o) {
        ++fired;
        inputs = i.size();
        gi = number(i[0]);
        go = number(o[0]);
    });
    const auto out = m->call_values({Value(leaf(3)), Value(leaf(4))}).elements();
    out[1].toTensor().backward({}, true);
    BOOST_TEST(fired == 0);
    out[0].toTensor().backward(full({}, 7.0));
    BOOST_TEST(fired == 1);
    BOOST_TEST(inputs <= 2u);
    BOOST_TEST(gi == 7); // of the sum, not of a or b
    BOOST_TEST(go == 7);
}

BOOST_AUTO_TEST_CASE(B_42_under_a_gate_it_attaches_to_the_gate) {
    const CleanHooks clean;
    const Silence silence;
    Scale m;
    std::string log;
    nn::register_module_full_backward_pre_hook([&](Module&, const variable_list& go) {
        log += "pre ";
        return variable_list{go[0] * 2};
    });
    m->register_backward_hook([&](Module&, const variable_list& gi, const variable_list& go) {
        log += "legacy(" + std::to_string(int(number(gi[0]))) + "," + std::to_string(int(number(go[0]))) + ")";
    });
    const Tensor x = leaf(1);
    m(x).backward();
    BOOST_TEST(log == "pre legacy(2,1)");
    BOOST_TEST(number(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(B_43_results_are_counted_and_registering_warns) {
    Scale m;
    WarningLog log;
    m->register_backward_hook(
        [](Module&, const variable_list& gi, const variable_list&) { return variable_list(gi.size() + 1, gi[0]); });
    BOOST_TEST(log.any("use register_full_backward_hook"));
    const std::string text = message_of([&] { m(leaf(1)).backward(); });
    BOOST_TEST(has(text, {"ScaleImpl", "legacy backward hook returned 3 gradients, expected 2"}), text);
}

BOOST_AUTO_TEST_CASE(B_44_how_long_the_module_lives) {
    const Silence silence;
    Tensor y;
    {
        Scale m;
        m->register_backward_hook(quiet);
        y = m(leaf(1));
    }
    const std::string text = message_of([&] { y.backward(); });
    BOOST_TEST(has(text, "its module was destroyed before the backward pass"), text);
    std::weak_ptr<Module> alive;
    int fired = 0;
    {
        Scale m;
        alive = std::weak_ptr<Module>(m.ptr());
        m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
        y = m(leaf(1));
    }
    BOOST_TEST(!alive.expired()); // the graph keeps it
    y.backward();
    BOOST_TEST(fired == 1);
    y = Tensor();
    BOOST_TEST(alive.expired());
}

BOOST_AUTO_TEST_CASE(B_43_calls_warn_of_what_the_hooks_will_miss) {
    const auto warned = [](auto module, auto call, const char* part) {
        const WarningLog log;
        module->register_backward_hook(quiet);
        call(module);
        return log.any(part);
    };
    const auto list_out = any_module([](const Args& a, const Kwargs&) { return Value::list({a[0].toTensor() * 2}); });
    BOOST_TEST(warned(
        list_out, [](auto m) { m->call_values({Value(leaf(2) * 1)}); },
        "returns neither a tensor nor a tuple of tensors; it will miss some of grad_output"));
    const auto takes_list =
        any_module([](const Args& a, const Kwargs&) { return Value(a[0].elements()[0].toTensor() * 2); });
    BOOST_TEST(warned(
        takes_list, [](auto m) { m->call_values({Value::list({Value(leaf(2) * 1)})}); },
        "not all of the module's arguments are tensors; it will miss some of grad_input"));
    const auto two_nodes = any_module([](const Args& a, const Kwargs&) {
        return Value::tuple({Value(a[0].toTensor() * 2), Value(a[0].toTensor() * 3)});
    });
    BOOST_TEST(warned(
        two_nodes, [](auto m) { m->call_values({Value(leaf(2) * 1)}); }, "several nodes made the module's results"));
    const auto deep = any_module([](const Args& a, const Kwargs&) { return Value((a[0].toTensor() * 2).exp()); });
    BOOST_TEST(warned(
        deep, [](auto m) { m->call_values({Value(leaf(2) * 1)}); },
        "several nodes lie between the module's arguments and its result"));
    const auto plain = any_module([](const Args& a, const Kwargs&) { return Value(a[0].toTensor().exp()); });
    BOOST_TEST(!warned(
        plain, [](auto m) { m->call_values({Value(leaf(2) * 1)}); }, "will miss"));
}

BOOST_AUTO_TEST_SUITE_END()
