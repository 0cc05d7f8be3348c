// Hooks for all modules, and hooks on registration.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(global_hooks)

BOOST_AUTO_TEST_CASE(C_16_C_17_global_hooks_of_every_kind_run_before_local_ones) {
    const CleanHooks clean;
    Scale m;
    std::string log;
    m->register_forward_pre_hook([&](Module&, const Tensor&) { log += "1"; }, true);
    m->register_forward_hook([&](Module&, const Tensor&, const Tensor&) { log += "2"; }, true);
    m->register_full_backward_pre_hook([&](Module&, const variable_list&) { log += "3"; }, true);
    m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { log += "4"; }, true);
    std::vector<RemovableHandle> handles{
        nn::register_module_forward_pre_hook([&](Module&, const Tensor&) { log += "a"; }),
        nn::register_module_forward_hook([&](Module&, const Tensor&, const Tensor&) { log += "b"; }),
        nn::register_module_full_backward_pre_hook([&](Module&, const variable_list&) { log += "c"; }),
        nn::register_module_full_backward_hook(
            [&](Module&, const variable_list&, const variable_list&) { log += "d"; })};
    m(leaf(1)).backward();
    BOOST_TEST(log == "a1b2c3d4");
    for (RemovableHandle& h : handles) h.remove();
    log.clear();
    m(leaf(1)).backward();
    BOOST_TEST(log == "1234");
}

BOOST_AUTO_TEST_CASE(C_17_global_hooks_see_every_module_and_keyword_arguments) {
    const CleanHooks clean;
    std::string log;
    nn::register_module_forward_hook([&](Module& m, const Args&, const Kwargs& k, const Value&) {
        log += m.repr_name() + std::to_string(k.size()) + " ";
    });
    nn::Sequential s{nn::ReLU(), nn::Tanh()};
    s(ones({}));
    any_module([](const Args&, const Kwargs&) { return Value(); })->call_values({}, Kwargs{{"a", 1}});
    BOOST_TEST(log == "ReLU0 Tanh0 Sequential0 Any1 ");
}

BOOST_AUTO_TEST_CASE(C_33_global_and_local_hooks_of_a_step_are_looked_up_together) {
    const CleanHooks clean;
    Scale m;
    int fired = 0;
    bool once = true;
    nn::register_module_forward_pre_hook([&](Module& self, const Args&) {
        if (std::exchange(once, false)) self.register_forward_pre_hook([&](Module&, const Args&) { ++fired; });
    });
    m(ones({}));
    BOOST_TEST(fired == 0);
    m(ones({}));
    BOOST_TEST(fired == 1);
    bool again = true;
    nn::register_module_forward_hook([&](Module& self, const Args&, const Value&) {
        if (std::exchange(again, false))
            self.register_forward_hook([&](Module&, const Args&, const Value&) { fired += 10; });
    });
    m(ones({}));
    BOOST_TEST(fired == 2);
    m(ones({}));
    BOOST_TEST(fired == 13);
}

BOOST_AUTO_TEST_CASE(C_18_registration_hooks_see_and_replace_what_is_stored) {
    const CleanHooks clean;
    std::string log;
    const auto note = [&](const char* tag) {
        return [&log, tag](Module& m, const std::string& name, const Value& v) -> Value {
            // called before the value is stored
            const bool stored =
                m.own_parameters().contains(name) || m.own_buffers().contains(name) || m.own_children().contains(name);
            log += std::string(tag) + name + (v.isNone() ? "-" : "") + (stored ? "!" : "") + " ";
            return {};
        };
    };
    nn::register_module_parameter_registration_hook(note("p:"));
    nn::register_module_buffer_registration_hook(note("b:"));
    nn::register_module_module_registration_hook(note("m:"));
    struct Plain : Module {};
    Plain m;
    m.register_parameter("w", ones({}));
    m.register_parameter("none", Tensor(), false);
    m.register_buffer("s", zeros({}));
    m.register_buffer("none_too", Tensor());
    m.add_module("c", std::make_shared<nn::ReLUImpl>());
    m.add_module("nothing", nullptr);
    BOOST_TEST(log == "p:w b:s b:none_too- m:c m:nothing- "); // parameter hooks are skipped for none
    log.clear();
    BOOST_CHECK_THROW(m.register_parameter("a.b", ones({})), KeyError); // after validation
    BOOST_TEST(log == "");
}

BOOST_AUTO_TEST_CASE(C_18_results_replace_the_value_for_later_hooks_and_for_storage) {
    const CleanHooks clean;
    double second = 0;
    nn::register_module_parameter_registration_hook(
        [](Module&, const std::string&, const Value& v) { return Value(nn::Parameter(v.toTensor().detach() * 2)); });
    nn::register_module_parameter_registration_hook([&](Module&, const std::string&, const Value& v) -> Value {
        second = number(v);
        return {};
    });
    Scale m(4.0);
    BOOST_TEST(second == 8);
    BOOST_TEST(number(m->w) == 8);
    BOOST_TEST(number(m->parameters()[0]) == 8);
    const auto replacement = std::make_shared<nn::TanhImpl>();
    nn::register_module_module_registration_hook(
        [&](Module&, const std::string&, const Value&) { return Value::box(nn::ModulePtr(replacement)); });
    nn::ModuleDict d;
    d->insert("act", nn::ReLU());
    BOOST_TEST(((*d)["act"] == replacement));
}

BOOST_AUTO_TEST_CASE(C_18_tables_written_directly_are_not_announced_but_an_assigning_load_is) {
    const CleanHooks clean;
    nn::Sequential s{nn::ReLU(), nn::Tanh()};
    Scale m;
    int modules = 0, parameters = 0;
    nn::register_module_module_registration_hook([&](Module&, const std::string&, const Value&) -> Value {
        ++modules;
        return {};
    });
    nn::register_module_parameter_registration_hook([&](Module&, const std::string&, const Value&) -> Value {
        ++parameters;
        return {};
    });
    s->insert(1, std::make_shared<nn::SigmoidImpl>());
    BOOST_TEST(modules == 0);
    m->double_();
    m->load_state_dict(m->state_dict());
    BOOST_TEST(parameters == 0);
    m->load_state_dict(m->state_dict(), true, true);
    BOOST_TEST(parameters == 1);
}

BOOST_AUTO_TEST_CASE(global_forward_hooks_take_options) {
    int ran = 0;
    const auto count = [&](Module&, const Args&, const Value& output) { ran += output.isNone(); };
    RemovableHandle h = nn::register_module_forward_hook(count, {.always_call = true});
    auto m = any_module([](const Args&, const Kwargs&) -> Value { throw Error("no"); });
    BOOST_CHECK_THROW(m->call_values({}), Error);
    h.remove();
    BOOST_TEST(ran == 1);
    BOOST_TEST(has(message_of([&] { nn::register_module_forward_hook(count, {.prepend = true}); }),
                   "global hooks run in the order of their registration"));
}

BOOST_AUTO_TEST_SUITE_END()
