// State dictionaries: what they hold, their hooks and metadata.
#include <reel/nn/state_dict.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::StateDict;

BOOST_AUTO_TEST_SUITE(state_dict)

namespace {
using names = std::vector<std::string>;
/// With a value of its own in the state.
struct CountedImpl : Module {
    CountedImpl() { w = register_parameter("w", ones({})); }
    bool has_extra_state() const override { return true; }
    Value get_extra_state() const override { return Value(count); }
    void set_extra_state(const Value& v) override { count = v.toInt(); }
    std::int64_t state_version() const override { return 7; }
    std::int64_t count = 5;
    Tensor w;
};
REEL_MODULE(Counted);
struct Plain : Module {};
} // namespace

BOOST_AUTO_TEST_CASE(M_33_order_and_contents) {
    Plain m;
    m.register_buffer("b", ones({}));
    m.register_buffer("passing", ones({}), false);
    const Tensor w = m.register_parameter("w", ones({}));
    m.register_parameter("tied", w);
    m.register_parameter("none", Tensor(), false);
    m.add_module("c", Counted().ptr());
    m.add_module("nothing", nullptr);
    m.add_module("again", m.own_children()["c"]);
    BOOST_TEST(m.state_dict().keys() ==
               (names{"w", "tied", "b", "c.w", "c._extra_state", "again.w", "again._extra_state"}));
}

BOOST_AUTO_TEST_CASE(M_33_extra_state_is_any_value) { // M-33a
    Counted m;
    const StateDict d = m->state_dict();
    BOOST_TEST(d["_extra_state"].toInt() == 5);
    Counted other;
    other->count = 0;
    other->load_state_dict(d);
    BOOST_TEST(other->count == 5);
    Plain plain;
    BOOST_TEST(has(message_of([&] { plain.get_extra_state(); }), {"Plain", "get_extra_state"}));
    BOOST_TEST(has(message_of([&] { plain.set_extra_state(Value(1)); }), {"Plain", "set_extra_state"}));
}

BOOST_AUTO_TEST_CASE(M_34_values_share_storage) {
    Scale m;
    const StateDict d = m->state_dict();
    BOOST_TEST(!d.tensor("w").requires_grad());
    BOOST_TEST(!d.tensor("w").is_same(m->w));
    NoGradGuard guard;
    m->w.fill_(8);
    BOOST_TEST(number(d.tensor("w")) == 8);
    BOOST_TEST(m->state_dict("", true).tensor("w").is_same(m->w)); // keep_vars
}

BOOST_AUTO_TEST_CASE(M_35_versions_by_path) {
    nn::Sequential s{nn::BatchNorm1d(1), Counted()};
    const StateDict d = s->state_dict();
    BOOST_TEST_REQUIRE(bool(d.metadata));
    BOOST_TEST(d.metadata->keys() == (names{"", "0", "1"}));
    BOOST_TEST((*d.metadata)[""].at("version").toInt() == 1);
    BOOST_TEST((*d.metadata)["0"].at("version").toInt() == 2);
    BOOST_TEST((*d.metadata)["1"].at("version").toInt() == 7);
}

BOOST_AUTO_TEST_CASE(M_36_prefix_and_destination) {
    Scale m;
    BOOST_TEST(m->state_dict("a.").keys() == names{"a.w"});
    BOOST_TEST(m->state_dict("a").keys() == names{"aw"}); // verbatim
    StateDict d;
    d.insert("there", Value(1));
    m->state_dict_into(d, "m.");
    BOOST_TEST(d.keys() == (names{"there", "m.w"}));
    BOOST_TEST(!d.metadata); // none is made where the caller gave none
    d.metadata = std::make_shared<nn::StateMetadata>("Module path");
    m->state_dict_into(d, "m.");
    BOOST_TEST(d.metadata->keys() == names{"m"});
}

BOOST_AUTO_TEST_CASE(M_37_hooks_around_own_entries_and_children) {
    nn::Sequential s{Scale()};
    std::string log;
    const auto watch = [&](Module& m, const char* tag) {
        m.register_state_dict_pre_hook([&log, tag](Module&, const std::string& prefix, bool keep) {
            log += std::string("pre-") + tag + "(" + prefix + (keep ? ",keep) " : ") ");
        });
        m.register_state_dict_post_hook(
            [&log, tag](Module&, StateDict& d, const std::string& prefix, ValueDict& local) -> Value {
                log += std::string("post-") + tag + "(" + prefix + std::to_string(d.size()) +
                       std::to_string(local.at("version").toInt()) + ") ";
                return {};
            });
    };
    watch(*s, "s");
    watch(*s->ptr(0), "c");
    s->state_dict();
    BOOST_TEST(log == "pre-s() pre-c(0.) post-c(0.11) post-s(11) ");
    log.clear();
    s->state_dict("", true);
    BOOST_TEST(has(log, "pre-s(,keep) pre-c(0.,keep)"));
}

BOOST_AUTO_TEST_CASE(M_38_post_hooks_edit_the_dict_and_return_none) {
    Scale m;
    RemovableHandle h = m->register_state_dict_post_hook(
        [](Module&, StateDict& d, const std::string& prefix, ValueDict& local) -> Value {
            d.insert(prefix + "extra", Value(1));
            local.set("note", 3);
            return {};
        });
    const StateDict d = m->state_dict();
    BOOST_TEST(d.keys() == (names{"w", "extra"}));
    BOOST_TEST((*d.metadata)[""].at("note").toInt() == 3);
    h.remove();
    m->register_state_dict_post_hook(
        [](Module&, StateDict&, const std::string&, ValueDict&) -> Value { return Value(4); });
    const std::string text = message_of([&] { m->state_dict(); });
    BOOST_TEST(has(text, {"Scale", "state_dict post-hook must return none", "int"}), text);
}

BOOST_AUTO_TEST_CASE(entries_by_name) {
    Counted m;
    const StateDict d = m->state_dict();
    BOOST_TEST(has(message_of<KeyError>([&] { d.tensor("nothing"); }), "nothing"));
    BOOST_TEST(has(message_of<TypeError>([&] { d.tensor("_extra_state"); }), "_extra_state"));
    const StateDict back = StateDict::from_value(d.to_value());
    BOOST_TEST(back.keys() == d.keys());
    BOOST_TEST(back.tensor("w").is_same(d.tensor("w")));
}
BOOST_AUTO_TEST_CASE(a_value_is_a_state_dict_where_one_is_asked_for) { // net->load_state_dict(load("net.pt"))
    nn::Linear from(2, 3), to(2, 3);
    const Value v = from->state_dict().to_value();
    BOOST_TEST(to->load_state_dict(v).missing_keys.empty());
    BOOST_TEST(equal(to->weight, from->weight));
    BOOST_TEST(message_of<TypeError>([&] { to->load_state_dict(Value(3)); }) ==
               "load_state_dict: expected a mapping, got int");
    const StateDict none = {};
    BOOST_TEST(none.is_empty());
}
BOOST_AUTO_TEST_CASE(versions_go_along_as_a_dict_value) { // M-33: `_metadata` is an attribute of the dict
    Counted m;
    const StateDict d = m->state_dict();
    const Value v = d.to_value();
    BOOST_TEST(v.toGenericDict().attribute("_metadata")->toGenericDict().size() == d.metadata->size());
    const StateDict back = StateDict::from_value(v);
    BOOST_REQUIRE(back.metadata);
    BOOST_TEST(back.metadata->keys() == d.metadata->keys());
    BOOST_TEST((*back.metadata)[""].at("version").toInt() == (*d.metadata)[""].at("version").toInt());
    StateDict bare;
    BOOST_TEST(bare.to_value().toGenericDict().attributes().empty());
    BOOST_TEST(!StateDict::from_value(bare.to_value()).metadata);
}

BOOST_AUTO_TEST_CASE(hooks_may_return_nothing) {
    nn::Linear linear(2, 2);
    int saved = 0, loaded = 0, registered = 0;
    linear->register_state_dict_post_hook([&](Module&, StateDict&, const std::string&, ValueDict&) { ++saved; });
    linear->register_load_state_dict_post_hook([&](Module&, nn::IncompatibleKeys&) { ++loaded; });
    const ScopedHook hook(nn::register_module_parameter_registration_hook(
        [&](Module&, const std::string&, const Value&) { ++registered; }));
    linear->load_state_dict(linear->state_dict());
    nn::Linear(1, 1);
    BOOST_TEST(saved == 1);
    BOOST_TEST(loaded == 1);
    BOOST_TEST(registered == 2);
}

BOOST_AUTO_TEST_SUITE_END()
