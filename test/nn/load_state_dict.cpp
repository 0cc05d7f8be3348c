// Loading state dictionaries: what matches, what is reported, hooks, assignment.
#include "nn/testing.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::IncompatibleKeys;
using nn::LoadLists;
using nn::Module;
using nn::StateDict;

BOOST_AUTO_TEST_SUITE(load_state_dict)

namespace {
using names = std::vector<std::string>;
struct Plain : Module {};
StateDict dict(std::initializer_list<std::pair<const char*, Value>> items) {
    StateDict d;
    for (const auto& [key, v] : items) d.insert(key, v);
    return d;
}
void load_nothing(Module& m, const StateDict& d) { m.load_state_dict(d); }
} // namespace

BOOST_AUTO_TEST_CASE(M_39_the_given_map_is_left_alone) {
    Scale m;
    const StateDict d = dict({{"w", full({}, 4.0)}});
    m->register_load_state_dict_pre_hook([](Module&, StateDict& map, const std::string&, const ValueDict&, bool,
                                            LoadLists&) { map.insert_or_assign("w", Value(full({}, 6.0))); });
    m->load_state_dict(d);
    BOOST_TEST(number(m->w) == 6);
    BOOST_TEST(number(d.tensor("w")) == 4);
}

BOOST_AUTO_TEST_CASE(M_40_hooks_around_a_load) {
    nn::Sequential s{Scale()};
    std::string log;
    s->register_load_state_dict_pre_hook(
        [&](Module&, StateDict& map, const std::string& prefix, const ValueDict& local, bool strict, LoadLists& lists) {
            log += "pre(" + prefix + ")" + (strict ? "strict" : "") + std::to_string(local.size()) + " ";
            if (map.contains("old")) { // a renamed key
                map.insert_or_assign("0.w", map["old"]);
                map.erase("old");
            }
            lists.missing.push_back("invented");
        });
    s->ptr(0)->register_load_state_dict_pre_hook(
        [&](Module&, StateDict& map, const std::string& prefix, const ValueDict&, bool, LoadLists&) {
            log += "pre(" + prefix + ")" + std::to_string(map.size()) + " ";
            map.insert("0.unseen", Value(1)); // a map of its own: seen by this module only
        });
    s->register_load_state_dict_post_hook([&](Module&, IncompatibleKeys& keys) -> Value {
        log += "post " + std::to_string(keys.missing_keys.size()) + std::to_string(keys.unexpected_keys.size());
        keys.missing_keys.clear();
        keys.unexpected_keys.clear();
        return {};
    });
    s->load_state_dict(dict({{"old", full({}, 9.0)}})); // the cleared lists suppress the strict error
    BOOST_TEST(log == "pre()strict0 pre(0.)1 post 11");
    BOOST_TEST(number(s->parameters()[0]) == 9);
    Scale bad;
    bad->register_load_state_dict_post_hook([](Module&, IncompatibleKeys&) -> Value { return Value(1); });
    const std::string text = message_of([&] { bad->load_state_dict(bad->state_dict()); });
    BOOST_TEST(has(text, {"Scale", "load_state_dict post-hook must return none", "int"}), text);
}

BOOST_AUTO_TEST_CASE(M_41_entries_that_do_not_fit) {
    Plain m;
    const Tensor a = m.register_parameter("a", ones({2, 3}));
    const Tensor b = m.register_parameter("b", ones({2}));
    const std::string text = message_of([&] {
        m.load_state_dict(dict({{"a", ones({3, 2})}, {"b", Value("text")}}), false);
    });
    BOOST_TEST(has(text, {"Plain:", "size mismatch for a", "[3, 2]", "[2, 3]", "'b'", "a tensor", "str"}), text);
}

BOOST_AUTO_TEST_CASE(M_41_values_are_copied_into_the_tensors_there_are) {
    Scale m;
    const Tensor before = m->w;
    const auto version = before._version();
    m->w.requires_grad_(false);
    m->load_state_dict(dict({{"w", full({1}, 4.0, kDouble)}})); // one element fits a tensor without dimensions
    BOOST_TEST(m->parameters()[0].is_same(before));
    BOOST_TEST(before.dtype() == kFloat);
    BOOST_TEST(number(before) == 4);
    BOOST_TEST(!before.requires_grad());
    BOOST_TEST(before._version() == version + 1);
}

BOOST_AUTO_TEST_CASE(M_41_assigned_values_take_the_place) {
    Scale m;
    const Tensor bare = full({}, 4.0, kDouble), before = m->parameters()[0];
    m->requires_grad_(false);
    m->load_state_dict(dict({{"w", bare}}), true, true);
    const Tensor w = m->parameters()[0];
    BOOST_TEST(!w.is_same(before));
    BOOST_TEST(w.dtype() == kDouble); // of the checkpoint
    BOOST_TEST(!w.requires_grad());   // of the module
    BOOST_TEST(nn::Parameter::is(w));
    BOOST_TEST(w.data_ptr() == bare.data_ptr());
    const nn::Parameter p(full({}, 5.0));
    m->load_state_dict(dict({{"w", p}}), true, true);
    BOOST_TEST(m->parameters()[0].is_same(p));
    nn::BatchNorm1d norm(1);
    StateDict d = norm->state_dict();
    d.insert_or_assign("running_mean", Value(nn::Parameter(ones({1}))));
    norm->load_state_dict(d, true, true);
    BOOST_TEST(norm->own_buffers().contains("running_mean")); // it stays a buffer
    BOOST_TEST(norm->parameters().size() == 2u);
}

BOOST_AUTO_TEST_CASE(M_42_M_43_one_error_with_everything_and_no_rollback) {
    Plain m;
    m.register_parameter("a", ones({}));
    m.register_parameter("b", ones({2}));
    m.register_parameter("c", ones({}));
    const StateDict d = dict({{"x", ones({})}, {"b", ones({3})}, {"c", full({}, 7.0)}, {"y", ones({})}});
    std::string text = message_of([&] { load_nothing(m, d); });
    BOOST_TEST(has(text, {"Error(s) in loading state_dict for Plain:", "\n\tMissing key(s) in state_dict: \"a\".",
                          "\n\tUnexpected key(s) in state_dict: \"x\", \"y\".", "\n\tsize mismatch for b"}),
               text);
    BOOST_TEST(number(m.own_parameters()["c"]) == 7);
    text = message_of([&] { m.load_state_dict(d, false); });
    BOOST_TEST(!has(text, "Missing"), text);
    BOOST_TEST(has(text, {"Plain:", "\n\tsize mismatch for b"}), text);
}

BOOST_AUTO_TEST_CASE(M_44_what_could_not_be_matched) {
    Scale m;
    const IncompatibleKeys keys = m->load_state_dict(dict({{"x", ones({})}}), false);
    BOOST_TEST(keys.missing_keys == names{"w"});
    BOOST_TEST(keys.unexpected_keys == names{"x"});
    std::ostringstream os;
    os << keys;
    BOOST_TEST(has(os.str(), {"missing_keys=['w']", "unexpected_keys=['x']"}));
    os.str("");
    os << m->load_state_dict(m->state_dict());
    BOOST_TEST(has(os.str(), "matched"));
}

BOOST_AUTO_TEST_CASE(M_45_the_order_of_what_is_reported) {
    Plain q;
    q.add_module("c", nn::Linear(1, 1).ptr());
    q.register_parameter("p", ones({}));
    q.add_module("d", nn::BatchNorm1d(1).ptr());
    const IncompatibleKeys keys =
        q.load_state_dict(dict({{"u", ones({})}, {"d.x", ones({})}, {"c.y.z", ones({})}, {"e.f", ones({})}}), false);
    BOOST_TEST(keys.missing_keys ==
               (names{"p", "c.weight", "c.bias", "d.weight", "d.bias", "d.running_mean", "d.running_var"}));
    BOOST_TEST(keys.unexpected_keys == (names{"u", "e.f", "c.y.z", "d.x"}));
}

BOOST_AUTO_TEST_CASE(M_46_keys_for_what_is_none_or_not_kept) {
    Plain m;
    m.register_parameter("bias", Tensor(), false);
    m.register_buffer("passing", ones({}), false);
    m.add_module("none", nullptr);
    const StateDict d = dict({{"bias", ones({})}, {"passing", ones({})}, {"none.w", ones({})}});
    BOOST_TEST(m.load_state_dict(d, false).unexpected_keys == (names{"bias", "passing"}));
    BOOST_TEST(
        has(message_of([&] { m.load_state_dict(d); }), "Unexpected key(s) in state_dict: \"bias\", \"passing\""));
}

BOOST_AUTO_TEST_CASE(M_47_metadata_reaches_the_loader_and_carries_no_flag) {
    Scale m;
    StateDict d = m->state_dict();
    (*d.metadata)[""].set("version", 3);
    std::int64_t seen = 0;
    m->register_load_state_dict_pre_hook(
        [&](Module&, StateDict&, const std::string&, const ValueDict& local, bool, LoadLists&) {
            seen = local.contains("version") ? local.at("version").toInt() : -1;
        });
    m->load_state_dict(d, true, true);
    BOOST_TEST(seen == 3);
    BOOST_TEST((*d.metadata)[""].size() == 1u); // the caller's metadata is not written to
    const Tensor w = m->parameters()[0];
    m->load_state_dict(d); // and so copies again
    BOOST_TEST(m->parameters()[0].is_same(w));
    d.metadata = nullptr;
    m->load_state_dict(d);
    BOOST_TEST(seen == -1);
}

BOOST_AUTO_TEST_CASE(copying_into_the_meta_device_warns_that_it_does_nothing) {
    const WarningLog log;
    nn::Linear empty(2, 3), full(2, 3);
    empty->to_empty(Device(kMeta));
    empty->load_state_dict(full->state_dict());
    BOOST_TEST(log.any("while loading 'weight': the module's tensor is on the meta device"));
    BOOST_TEST(log.any("while loading 'bias'"));
    BOOST_TEST(empty->named_parameters()["weight"].is_meta());
}

BOOST_AUTO_TEST_SUITE_END()
