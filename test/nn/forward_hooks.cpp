// Forward hooks and pre-hooks: what they see, their order, handles and tables, changes during a round.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(forward_hooks)

namespace {
const auto quiet = [](Module&, const variable_list&, const variable_list&) {};
} // namespace

BOOST_AUTO_TEST_CASE(C_10_a_result_replaces_the_output_whatever_it_is) {
    auto m = any_module([](const Args& a, const Kwargs&) { return a[0]; });
    m->register_forward_hook([](Module&, const Args&, const Value&) -> Value {
        return Value::list({Value(1), Value("two")});
    });
    const Value v = m->call_values({Value(ones({}))});
    BOOST_TEST((v.isList() && v.elements().size() == 2)); // not wrapped into a tuple
    auto k = any_module([](const Args& a, const Kwargs&) { return a[0]; });
    std::string names;
    k->register_forward_hook([&](Module&, const Args&, const Kwargs& kwargs, const Value&) {
        for (const auto& item : kwargs) names += item.first.toStringRef();
    });
    k->call_values({Value(ones({}))}, Kwargs{{"b", 1}, {"a", 2}});
    BOOST_TEST(names == "ba");
}

BOOST_AUTO_TEST_CASE(C_11_hooks_see_the_arguments_that_forward_got) {
    Scale m;
    const Tensor x = leaf(2);
    Tensor seen;
    m->register_forward_hook([&](Module&, const Tensor& in, const Tensor&) { seen = in; });
    m(x);
    BOOST_TEST(seen.is_same(x));
    m->register_full_backward_hook(quiet);
    m(x);
    BOOST_TEST(!seen.is_same(x)); // an alias under the gate
    BOOST_TEST(seen.data_ptr() == x.data_ptr());
}

BOOST_AUTO_TEST_CASE(C_12_the_output_that_a_forward_hook_keeps_bypasses_the_gate) {
    Scale m;
    int fired = 0;
    Tensor kept;
    m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    m->register_forward_hook([&](Module&, const Tensor&, const Tensor& out) { kept = out; });
    const Tensor x = leaf(2);
    const Tensor y = m(x);
    BOOST_TEST(!kept.is_same(y));
    kept.backward({}, true);
    BOOST_TEST(fired == 0);
    BOOST_TEST(number(x.grad()) == 3);
    y.backward();
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(C_13_gradients_are_those_of_the_replaced_output) {
    Scale m;
    double go = 0, gi = 0;
    m->register_forward_hook([](Module&, const Tensor&, const Tensor& out) { return out * 10; });
    m->register_full_backward_hook([&](Module&, const variable_list& i, const variable_list& o) {
        gi = number(i[0]);
        go = number(o[0]);
    });
    m(leaf(2)).backward();
    BOOST_TEST(go == 1);
    BOOST_TEST(gi == 30);
}

BOOST_AUTO_TEST_CASE(C_14_gradients_are_those_of_the_replaced_argument) {
    nn::Identity m;
    double gi = 0;
    m->register_forward_pre_hook([](Module&, const Tensor& x) { return x * 5; });
    m->register_full_backward_hook([&](Module&, const variable_list& i, const variable_list&) { gi = number(i[0]); });
    const Tensor x = leaf(1);
    m(x).backward();
    BOOST_TEST(gi == 1);
    BOOST_TEST(number(x.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(C_15_order_and_prepending_of_all_four_kinds) {
    Scale m;
    std::string pre, post, backward_pre, backward;
    for (int i = 0; i < 5; ++i) {
        const bool front = i == 1 || i == 4;
        const std::string tag = std::to_string(i);
        m->register_forward_pre_hook([&pre, tag](Module&, const Tensor&) { pre += tag; }, front);
        m->register_forward_hook([&post, tag](Module&, const Tensor&, const Tensor&) { post += tag; }, front);
        m->register_full_backward_pre_hook([&backward_pre, tag](Module&, const variable_list&) { backward_pre += tag; },
                                           front);
        m->register_full_backward_hook(
            [&backward, tag](Module&, const variable_list&, const variable_list&) { backward += tag; }, front);
    }
    m(leaf(1)).backward();
    BOOST_TEST(pre == "41023");
    BOOST_TEST(post == "41023");
    BOOST_TEST(backward_pre == "41023");
    BOOST_TEST(backward == "41023");
}

BOOST_AUTO_TEST_CASE(C_19_one_counter_numbers_hooks_of_every_kind) {
    const CleanHooks clean;
    Scale m, other;
    const Tensor x = leaf(1);
    std::vector<std::uint64_t> ids{m->register_forward_pre_hook([](Module&, const Tensor&) {}).id(),
                                   x.register_hook([](const Tensor&) {}),
                                   other->register_full_backward_hook(quiet).id(),
                                   nn::register_module_forward_pre_hook([](Module&, const Args&) {}).id(),
                                   m->register_state_dict_pre_hook([](Module&, const std::string&, bool) {}).id()};
    for (std::size_t i = 1; i < ids.size(); ++i) BOOST_TEST(ids[i] > ids[i - 1]);
    RemovableHandle last = m->register_full_backward_hook(quiet);
    last.remove();
    BOOST_TEST(m->register_full_backward_hook(quiet).id() > last.id()); // never used again
}

BOOST_AUTO_TEST_CASE(C_20_handles_outlive_their_owner) {
    RemovableHandle h;
    int fired = 0;
    {
        Scale m;
        h = m->register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
        RemovableHandle copy = h;
        copy.remove();
        copy.remove();
        h.remove(); // the hook is gone already
        m(ones({}));
        BOOST_TEST(fired == 0);
        h = m->register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
        BOOST_TEST(h.owner_alive());
    }
    BOOST_TEST(!h.owner_alive());
    h.remove();
}

BOOST_AUTO_TEST_CASE(C_21_dropping_a_handle_keeps_the_hook_and_a_scope_removes_it) {
    Scale m;
    int fired = 0;
    {
        const RemovableHandle dropped = m->register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
    }
    {
        const ScopedHook scope(m->register_forward_pre_hook([&](Module&, const Tensor&) { fired += 10; }));
        m(ones({}));
        BOOST_TEST(fired == 11);
    }
    m(ones({}));
    BOOST_TEST(fired == 12);
}

BOOST_AUTO_TEST_CASE(C_22_a_round_runs_over_what_there_was_at_its_start) {
    Scale m;
    std::string log;
    RemovableHandle second;
    bool once = true;
    m->register_forward_hook([&](Module& self, const Args&, const Value&) {
        log += "a";
        if (!std::exchange(once, false)) return;
        second.remove();
        self.register_forward_hook([&](Module&, const Args&, const Value&) { log += "c"; });
    });
    // a hook with keyword arguments: its flag stays with it, also when it is removed half-way
    second = m->register_forward_hook([&](Module&, const Args&, const Kwargs&, const Value&) { log += "b"; });
    m(ones({}));
    BOOST_TEST(log == "ab");
    m(ones({}));
    BOOST_TEST(log == "abac");
}

BOOST_AUTO_TEST_CASE(C_22_state_dict_hooks_may_change_their_table) {
    Scale m;
    int fired = 0;
    RemovableHandle self;
    self = m->register_state_dict_pre_hook([&](Module& mm, const std::string&, bool) {
        ++fired;
        self.remove();
        mm.register_state_dict_pre_hook([&](Module&, const std::string&, bool) { fired += 10; });
    });
    m->state_dict();
    BOOST_TEST(fired == 1);
    m->state_dict();
    BOOST_TEST(fired == 11);
}

BOOST_AUTO_TEST_CASE(C_23_backward_hooks_are_bound_when_the_module_is_called) {
    Scale m;
    int fired = 0;
    RemovableHandle h =
        m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    const Tensor x = leaf(1), bound = m(x);
    h.remove();
    const Tensor free = m(x);
    m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { fired += 10; });
    free.backward();
    BOOST_TEST(fired == 0);
    bound.backward();
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(C_24_tables_keep_hooks_alive_but_not_the_module) {
    std::weak_ptr<int> captured;
    std::weak_ptr<Module> gone;
    {
        Scale m;
        const auto state = std::make_shared<int>(0);
        captured = state;
        gone = std::weak_ptr<Module>(m.ptr());
        m->register_forward_pre_hook([state](Module& self, const Tensor&) { *state += self.is_training(); });
        m(ones({}));
        BOOST_TEST(!captured.expired());
        BOOST_TEST(*captured.lock() == 1);
    }
    BOOST_TEST(gone.expired());
    BOOST_TEST(captured.expired());
}

BOOST_AUTO_TEST_CASE(hooks_take_arguments_and_a_tensor_and_return_both_kinds_of_arguments) {
    Scale m;
    m->register_forward_hook([](Module&, const Args& a, const Tensor& out) { return out + a[0].toTensor(); });
    BOOST_TEST(number(m(ones({}))) == 4); // 3 x + x
    Tensor seen = ones({});
    auto k = any_module([](const Args& a, const Kwargs& kwargs) -> Value {
        if (!a[0].isTensor()) throw Error("no tensor");
        return a[0].toTensor() * kwargs.at("by").toDouble();
    });
    k->register_forward_pre_hook([](Module&, const Args& a, const Kwargs&) {
        return std::pair(a, Kwargs{{"by", 5.0}});
    });
    k->register_forward_pre_hook([](Module&, const Args& a, const Kwargs& kwargs) {
        return std::optional(std::pair(a, Kwargs{{"by", kwargs.at("by").toDouble() * 2}}));
    });
    BOOST_TEST(number(k->call_values({Value(ones({}))}).toTensor()) == 10);
    k->register_forward_hook([&](Module&, const Args&, const Tensor& out) { seen = out; }, {.always_call = true});
    BOOST_CHECK_THROW(k->call_values({Value("text")}), Error);
    BOOST_TEST(!seen.defined()); // forward threw: there is no output
}

BOOST_AUTO_TEST_CASE(a_hook_over_a_tensor_says_what_it_needs) {
    auto m = any_module([](const Args& a, const Kwargs&) { return a[0]; });
    m->register_forward_pre_hook([](Module&, const Tensor&) {});
    const std::string text = message_of<TypeError>([&] { m->call_values({Value("text")}); });
    BOOST_TEST(has(text, {"forward pre-hook over a tensor", "str", "not a Tensor", "(Module&, Args)"}), text);
}

BOOST_AUTO_TEST_SUITE_END()
