// How a module is called: the sequence of C-3, forward pre-hooks, keyword arguments, modules without a forward.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(call_protocol)

BOOST_AUTO_TEST_CASE(C_1_only_calls_run_hooks) {
    Scale m;
    int pre = 0, post = 0;
    m->register_forward_pre_hook([&](Module&, const Tensor&) { ++pre; });
    m->register_forward_hook([&](Module&, const Tensor&, const Tensor&) { ++post; });
    m->forward(ones({}));
    BOOST_TEST(pre + post == 0);
    m->forward_values({Value(ones({}))}, {});
    BOOST_TEST(pre + post == 0);
    m(ones({}));
    BOOST_TEST(pre == 1);
    BOOST_TEST(post == 1);
    nn::call(*m, ones({}));
    nn::call(*m, Args{Value(ones({}))}, Kwargs{});
    BOOST_TEST(pre == 3);
    BOOST_TEST(post == 3);
}

BOOST_AUTO_TEST_CASE(C_1_containers_call_their_children) {
    nn::Sequential s(Scale(2.0), Scale(5.0));
    std::string log;
    for (const nn::ModulePtr& child : *s)
        child->register_forward_hook(
            [&](Module& m, const Tensor&, const Tensor&) { log += std::to_string(int(number(m.parameters()[0]))); });
    BOOST_TEST(number(s(ones({}))) == 10);
    BOOST_TEST(log == "25");
    s->forward(ones({})); // the container's own hooks are left out, its children's are not
    BOOST_TEST(log == "2525");
}

BOOST_AUTO_TEST_CASE(C_2_hooks_registered_during_a_fast_call_wait_for_the_next) {
    int fired = 0;
    std::shared_ptr<AnyImpl> m;
    bool first = true;
    m = any_module([&](const Args& a, const Kwargs&) {
        if (std::exchange(first, false)) m->register_forward_hook([&](Module&, const Args&, const Value&) { ++fired; });
        return a[0];
    });
    m->call_values({Value(ones({}))});
    BOOST_TEST(fired == 0);
    m->call_values({Value(ones({}))});
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(C_3_the_sequence_of_a_call) {
    std::string log;
    auto m = any_module([&](const Args& a, const Kwargs&) {
        log += "forward ";
        return Value(a[0].toTensor() * 2);
    });
    m->register_full_backward_hook(
        [&](Module&, const autograd::variable_list&, const autograd::variable_list&) { log += "backward "; });
    m->register_full_backward_pre_hook([&](Module&, const autograd::variable_list&) { log += "backward-pre "; });
    m->register_forward_hook([&](Module&, const Args&, const Value& out) {
        // the outputs are wrapped after this hook
        log += "hook(" + out.toTensor().grad_fn()->name() + ") ";
    });
    m->register_forward_pre_hook([&](Module&, const Args& a) {
        // the inputs are wrapped after this hook
        log += std::string("pre(") + (a[0].toTensor().is_leaf() ? "leaf" : "wrapped") + ") ";
    });
    const Tensor x = leaf(1);
    const Tensor y = m->call_values({Value(x)}).toTensor();
    log += "returned(" + y.grad_fn()->name() + ") ";
    y.backward();
    BOOST_TEST(log == "pre(leaf) forward hook(MulBackward0) returned(BackwardHookGateBackward) backward-pre backward ");
}

BOOST_AUTO_TEST_CASE(C_4_hooks_registered_during_a_slow_call) {
    std::string log;
    Scale m;
    bool once = true;
    m->register_forward_pre_hook([&](Module& self, const Tensor&) {
        if (!std::exchange(once, false)) return;
        self.register_full_backward_hook(
            [&](Module&, const autograd::variable_list&, const autograd::variable_list&) { log += "B"; });
    });
    const Tensor x = leaf(1);
    m(x).backward(); // a backward hook of this call comes too late for it
    BOOST_TEST(log == "");
    m(x).backward();
    BOOST_TEST(log == "B");

    std::shared_ptr<AnyImpl> late;
    bool first = true;
    late = any_module([&](const Args& a, const Kwargs&) {
        if (std::exchange(first, false))
            late->register_forward_hook([&](Module&, const Args&, const Value&) { log += "F"; });
        return a[0];
    });
    late->register_forward_pre_hook([](Module&, const Args&) {});
    late->call_values({Value(x)}); // a forward hook of this call is in time: forward hooks are looked up after forward
    BOOST_TEST(log == "BF");
}

BOOST_AUTO_TEST_CASE(C_5_hooks_do_not_look_at_the_mode) {
    Scale m;
    int fired = 0;
    m->register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
    m->register_full_backward_hook(
        [&](Module&, const autograd::variable_list&, const autograd::variable_list&) { fired += 10; });
    for (const bool training : {true, false}) {
        m->train(training);
        m(leaf(1)).backward();
    }
    BOOST_TEST(fired == 22);
}

BOOST_AUTO_TEST_CASE(C_6_results_given_as_Args) {
    std::size_t count = 0;
    auto m = any_module([&](const Args& a, const Kwargs&) {
        count = a.size();
        return a[0];
    });
    bool replace = true;
    m->register_forward_pre_hook([&](Module&, const Args& a) -> std::optional<Args> {
        if (!replace) return std::nullopt;
        return Args{a[0], Value(1), Value(2)};
    });
    m->call_values({Value(ones({}))});
    BOOST_TEST(count == 3u); // not one list
    replace = false;
    m->call_values({Value(ones({}))});
    BOOST_TEST(count == 1u);
}

BOOST_AUTO_TEST_CASE(C_6_results_of_pre_hooks_become_arguments) {
    std::size_t count = 0;
    Value::Kind kind{};
    auto m = any_module([&](const Args& a, const Kwargs&) {
        count = a.size();
        kind = a[0].kind();
        return a[0];
    });
    const Value result = [&] {
        const ScopedHook h(m->register_forward_pre_hook([](Module&, const Args& a) { return a[0].toTensor() + 1; }));
        return m->call_values({Value(ones({}))});
    }();
    BOOST_TEST(number(result) == 2);
    BOOST_TEST(count == 1u);
    {
        const ScopedHook h(m->register_forward_pre_hook([](Module&, const Args& a) -> Value {
            return Value::tuple({a[0], Value(1), Value(2)});
        }));
        m->call_values({Value(ones({}))});
        BOOST_TEST(count == 3u);
    }
    { // a list is one argument
        const ScopedHook h(m->register_forward_pre_hook([](Module&, const Args& a) -> Value {
            return Value::list({a[0], Value(1)});
        }));
        m->call_values({Value(ones({}))});
        BOOST_TEST(count == 1u);
        BOOST_TEST((kind == Value::Kind::List));
    }
    { // none leaves them alone
        const ScopedHook h(m->register_forward_pre_hook([](Module&, const Args&) -> Value { return {}; }));
        m->call_values({Value(ones({})), Value(2)});
        BOOST_TEST(count == 2u);
    }
}

BOOST_AUTO_TEST_CASE(C_7_hooks_with_keyword_arguments_replace_both) {
    auto m =
        any_module([&](const Args& a, const Kwargs& k) { return Value(a[0].toTensor() * k.at("scale").toDouble()); });
    m->register_forward_pre_hook([](Module&, const Args& a, const Kwargs& k) -> std::optional<std::pair<Args, Kwargs>> {
        Kwargs changed = k;
        changed.set("scale", k.at("scale").toDouble() + 1);
        return std::pair(Args{Value(a[0].toTensor() + 1)}, changed);
    });
    BOOST_TEST(number(m->call_values({Value(ones({}))}, Kwargs{{"scale", 2.0}})) == 6);
    m->register_forward_pre_hook([](Module&, const Args&, const Kwargs&) -> Value { return Value::tuple({Value(7)}); });
    const std::string text = message_of([&] { m->call_values({Value(ones({}))}, Kwargs{{"scale", 2.0}}); });
    BOOST_TEST(has(text, {"AnyImpl", "must return none or a tuple (args, kwargs)", "7"}), text);
}

BOOST_AUTO_TEST_CASE(C_8_plain_hooks_leave_keyword_arguments_alone) {
    auto m = any_module([&](const Args& a, const Kwargs& k) { return Value(a[0].toTensor() + k.at("b").toTensor()); });
    std::size_t seen = 0;
    m->register_forward_pre_hook([&](Module&, const Args& a) {
        seen = a.size();
        return a[0].toTensor() * 10;
    });
    m->register_forward_hook([&](Module&, const Args& a, const Value&) { seen += 10 * a.size(); });
    BOOST_TEST(number(m->call_values({Value(ones({}))}, Kwargs{{"b", full({}, 5.0)}})) == 15);
    BOOST_TEST(seen == 11u);
}

BOOST_AUTO_TEST_CASE(C_9_each_hook_sees_what_the_one_before_left) {
    Scale m(1.0);
    std::vector<double> seen;
    for (int i = 0; i < 3; ++i)
        m->register_forward_pre_hook([&](Module&, const Tensor& x) {
            seen.push_back(number(x));
            return x * 2;
        });
    BOOST_TEST(number(m(ones({}))) == 8);
    BOOST_TEST(seen == (std::vector<double>{1, 2, 4}));
}

BOOST_AUTO_TEST_CASE(C_9_an_Identity_passes_anything_through) {
    const nn::Identity m;
    std::string seen;
    m->register_forward_hook([&](Module&, const Args& args, const Value&) -> std::optional<Value> {
        seen = args.empty() ? "" : args[0].repr();
        return std::nullopt;
    });
    const Value list = Value::list({Value(1), Value("two")});
    BOOST_TEST(m->call_values({list}).is(list));
    BOOST_TEST(seen == list.repr());
    BOOST_TEST(m->call_values({Value()}).isNone());
    ValueDict named;
    named.set(Value("input"), Value(2.5));
    BOOST_TEST(m->call_values({}, named).toDouble() == 2.5);
    BOOST_TEST(has(message_of<TypeError>([&] { m->call_values({Value(1), Value(2)}); }), {"Identity", "got 2"}));
    BOOST_TEST(has(message_of<TypeError>([&] { m->call_values({}); }), {"argument 0 (input)", "is missing"}));
}
BOOST_AUTO_TEST_CASE(C_10_the_example_of_section_1_2) {
    nn::Identity m;
    std::vector<double> seen;
    m->register_forward_pre_hook([](Module&, const Tensor& x) { return x + 1; });
    m->register_forward_hook([&](Module&, const Tensor& in, const Tensor& out) {
        seen.insert(seen.end(), {number(in), number(out)});
        return out * 2;
    });
    m->register_forward_hook([&](Module&, const Tensor&, const Tensor& out) { seen.push_back(number(out)); });
    BOOST_TEST(number(m(ones({}))) == 4);
    BOOST_TEST(seen == (std::vector<double>{2, 2, 4}));
}

BOOST_AUTO_TEST_CASE(C_32_a_module_without_a_forward) {
    struct Mute : Module {};
    Mute m;
    const std::string text = message_of<NotImplementedError>([&] { m.call_values({Value(ones({}))}); });
    BOOST_TEST(has(text, {"Mute", "no forward"}), text);
    nn::ModuleList list{nn::ReLU()};
    BOOST_TEST(has(message_of<NotImplementedError>([&] { list->call_values({Value(ones({}))}); }), "ModuleList"));
}

BOOST_AUTO_TEST_CASE(C_34_the_same_hook_twice_and_calls_from_inside_hooks) {
    Scale m(1.0);
    int fired = 0;
    const auto hook = [&](Module&, const Tensor&) { ++fired; };
    RemovableHandle first = m->register_forward_pre_hook(hook);
    m->register_forward_pre_hook(hook);
    m(ones({}));
    BOOST_TEST(fired == 2);
    first.remove();
    m(ones({}));
    BOOST_TEST(fired == 3);

    Scale again(1.0);
    int depth = 0;
    again->register_forward_hook([&](Module& self, const Tensor& x, const Tensor&) {
        if (++depth < 4) nn::call(static_cast<ScaleImpl&>(self), x); // nothing guards against re-entry
    });
    again(ones({}));
    BOOST_TEST(depth == 4);

    bool recording = true;
    again->register_forward_pre_hook([&](Module&, const Tensor&) { recording = GradMode::is_enabled(); });
    NoGradGuard guard;
    again(ones({}));
    BOOST_TEST(!recording);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_name_the_module) {
    Scale m;
    m->register_forward_pre_hook([](Module&, const Args& a) -> Value { return Value::tuple({a[0], a[0]}); });
    BOOST_TEST(has(message_of<TypeError>([&] { m(ones({})); }), {"ScaleImpl", "forward takes 1 argument, got 2"}));
    Scale plain;
    const std::string text = message_of<TypeError>([&] {
        plain->call_values({Value(ones({}))}, Kwargs{{"scale", 2.0}});
    });
    BOOST_TEST(has(text, {"ScaleImpl", "unexpected keyword argument 'scale'"}), text);
}

namespace {
/// Takes its argument away from who calls it.
struct TakerImpl : nn::Module {
    std::function<void(TakerImpl&)> before;
    Tensor forward(Tensor x) {
        if (before) before(*this);
        return x * 2;
    }
};
REEL_MODULE(Taker);

using Tensors = autograd::variable_list;
/// One call and its backward: what hooks over tensors, or over values, say in turn, and the gradient.
std::string account(bool over_values, bool call_with_values) {
    std::ostringstream log;
    Scale m;
    if (over_values) {
        m->register_forward_pre_hook([&](Module&, const Args& a) { log << "pre " << number(a[0].toTensor()) << ';'; });
        m->register_forward_hook([&](Module&, const Args& a, const Value& y) {
            log << "forward " << number(a[0].toTensor()) << ' ' << number(y.toTensor()) << ';';
        });
        m->register_full_backward_pre_hook([&](Module&, const Value& go) -> Value {
            log << "backward pre " << number(go.elements()[0].toTensor()) << ';';
            return Value::tuple({go.elements()[0].toTensor() * 10});
        });
        m->register_full_backward_hook([&](Module&, const Value& gi, const Value& go) -> Value {
            log << "full " << number(gi.elements()[0].toTensor()) << ' ' << number(go.elements()[0].toTensor()) << ';';
            return Value::tuple({gi.elements()[0].toTensor() + 1});
        });
    } else {
        m->register_forward_pre_hook([&](Module&, const Tensor& x) { log << "pre " << number(x) << ';'; });
        m->register_forward_hook([&](Module&, const Tensor& x, const Tensor& y) {
            log << "forward " << number(x) << ' ' << number(y) << ';';
        });
        m->register_full_backward_pre_hook([&](Module&, const Tensors& go) -> std::optional<Tensors> {
            log << "backward pre " << number(go[0]) << ';';
            return Tensors{go[0] * 10};
        });
        m->register_full_backward_hook([&](Module&, const Tensors& gi, const Tensors& go) -> std::optional<Tensors> {
            log << "full " << number(gi[0]) << ' ' << number(go[0]) << ';';
            return Tensors{gi[0] + 1};
        });
    }
    const Tensor x = leaf(1);
    (call_with_values ? m->call_values({Value(x)}).toTensor() : m(x)).backward();
    log << number(x.grad());
    return log.str();
}
} // namespace

BOOST_AUTO_TEST_CASE(C_3_calls_over_tensors_and_over_values_take_the_same_steps) {
    const std::string expected = account(false, false);
    BOOST_TEST(has(expected, {"pre 1;forward 1 ", "backward pre 1;full ", " 10;"}), expected);
    for (const bool over_values : {false, true})
        for (const bool call_with_values : {false, true})
            BOOST_TEST(account(over_values, call_with_values) == expected);
}

BOOST_AUTO_TEST_CASE(C_4_late_forward_hooks_see_an_argument_that_forward_took_away) {
    for (const bool differentiable : {true, false}) {
        Taker m;
        double seen = 0, came = 0;
        m->register_full_backward_hook([](Module&, const Tensors&, const Tensors&) {});
        m->before = [&](TakerImpl& self) {
            self.register_forward_hook([&](Module&, const Args& a, const Value& y) {
                BOOST_REQUIRE(a.size() == 1u && a[0].isTensor());
                seen = number(a[0].toTensor()), came = number(y.toTensor());
            });
        };
        Tensor x = full({}, 3.0).requires_grad_(differentiable);
        m(std::move(x));
        BOOST_TEST(seen == 3);
        BOOST_TEST(came == 6);
    }
}

BOOST_AUTO_TEST_CASE(C_27_rescue_hooks_see_an_argument_that_forward_took_away) {
    Taker m;
    double seen = 0;
    bool none = false;
    m->register_full_backward_hook([](Module&, const Tensors&, const Tensors&) {});
    m->before = [&](TakerImpl& self) {
        self.register_forward_hook(
            [&](Module&, const Args& a, const Value& y) { seen = number(a[0].toTensor()), none = y.isNone(); },
            nn::ForwardOptions{.always_call = true});
        REEL_THROW(Error, "forward fails");
    };
    Tensor x = leaf(3);
    BOOST_TEST(has(message_of<Error>([&] { m(std::move(x)); }), {"forward fails"}));
    BOOST_TEST(seen == 3);
    BOOST_TEST(none);
}

BOOST_AUTO_TEST_CASE(C_10_a_result_of_another_kind_names_the_module) {
    Taker m;
    m->register_full_backward_hook([](Module&, const Tensors&, const Tensors&) {});
    m->before = [](TakerImpl& self) {
        self.register_forward_hook([](Module&, const Args&, const Value&) { return Value(5); });
    };
    const std::string text = message_of<nn::ArgumentError>([&] { m(leaf(1)); });
    BOOST_TEST(has(text, {"TakerImpl", "a forward hook replaced the result by another kind", "5"}), text);
}

BOOST_AUTO_TEST_SUITE_END()
