// Attribute assignment and deletion, buffers with a persistence of their own.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

BOOST_AUTO_TEST_SUITE(attributes)

namespace {
struct Plain : Module {
    Plain() {
        register_parameter("w", ones({}));
        register_buffer("b", full({}, 2.0), false);
        add_module("c", std::make_shared<nn::ReLUImpl>());
    }
};
using names = std::vector<std::string>;
Value relu() { return Value::box(ModulePtr(std::make_shared<nn::ReLUImpl>())); }
} // namespace

BOOST_AUTO_TEST_CASE(M_5_values_move_between_the_tables) {
    Plain m;
    const nn::Parameter p(full({}, 7.0));
    m.set_attribute("b", Value(p));
    m.set_attribute("c", Value(p));
    BOOST_TEST(m.own_parameters().keys() == (names{"w", "b", "c"}));
    BOOST_TEST(m.own_buffers().is_empty());
    BOOST_TEST(m.own_children().is_empty());
    m.register_buffer("s", ones({}), false);
    m.set_attribute("s", relu());
    BOOST_TEST(m.own_buffers().is_empty());
    BOOST_TEST(m.own_children().keys() == names{"s"});
    m.set_attribute("note", Value(3));
    BOOST_TEST(m.attribute("note").toInt() == 3);
    m.set_attribute("note", Value(p)); // leaves the plain attributes
    BOOST_TEST(m.has_parameter("note"));
    m.set_attribute("tensor", Value(ones({}))); // a bare tensor is no buffer
    BOOST_TEST(m.own_buffers().is_empty());
    BOOST_TEST(m.attribute("tensor").isTensor());
    BOOST_TEST(has(message_of<KeyError>([&] { m.register_buffer("tensor", ones({})); }), "'tensor' is already taken"));
}

BOOST_AUTO_TEST_CASE(M_5_names_take_their_own_kind_or_none) {
    Plain m;
    const auto refused = [&](const char* name, const Value& v, std::initializer_list<const char*> parts) {
        const std::string text = message_of<TypeError>([&] { m.set_attribute(name, v); });
        BOOST_TEST(has(text, parts), text);
    };
    refused("w", Value(ones({})), {"Plain", "Tensor", "parameter 'w'"});
    refused("w", Value(5), {"Plain", "int", "parameter 'w'"});
    refused("w", relu(), {"ReLU", "parameter 'w'"});
    refused("c", Value(ones({})), {"Tensor", "submodule 'c'"});
    refused("b", Value(5), {"int", "buffer 'b'"});
    m.set_attribute("b", Value(full({}, 8.0)));
    BOOST_TEST(number(m.own_buffers()["b"]) == 8);
    BOOST_TEST(m.state_dict().keys() == names{"w"}); // persistence is kept
    for (const char* name : {"w", "b", "c"}) {
        m.set_attribute(name, Value());
        BOOST_TEST(m.attribute(name).isNone());
    }
    BOOST_TEST(m.own_children().contains("c")); // with name and place
}

BOOST_AUTO_TEST_CASE(M_5_a_refused_assignment_changes_nothing) {
    const CleanHooks clean;
    Plain m;
    nn::register_module_parameter_registration_hook(
        [](Module&, const std::string&, const Value&) -> Value { throw std::runtime_error("from the hook"); });
    BOOST_CHECK_THROW(m.set_attribute("b", Value(nn::Parameter(ones({})))), std::runtime_error);
    BOOST_TEST(number(m.own_buffers()["b"]) == 2);
    BOOST_TEST(m.state_dict().keys() == names{"w"});
    BOOST_TEST(has(message_of<KeyError>([&] { m.set_attribute("a.b", Value(nn::Parameter(ones({})))); }), "dot"));
    BOOST_TEST(has(message_of<KeyError>([&] { m.set_attribute("", relu()); }), "empty"));
}

BOOST_AUTO_TEST_CASE(M_5_assignment_takes_a_child_under_any_name) {
    Plain m;
    m.set_attribute("a.b", relu()); // add_module refuses the dot (M-2), assignment does not look
    m.set_attribute("forward", relu());
    BOOST_TEST(m.own_children().keys() == (names{"c", "a.b", "forward"}));
    m.set_attribute("a.b", Value()); // the place stays
    BOOST_TEST(m.own_children().keys() == (names{"c", "a.b", "forward"}));
    BOOST_TEST(!m.own_children()["a.b"]);
    m.delete_attribute("a.b");
    BOOST_TEST(m.own_children().keys() == (names{"c", "forward"}));
}

BOOST_AUTO_TEST_CASE(M_6_deleting) {
    Plain m;
    m.set_attribute("note", Value(3));
    for (const char* name : {"w", "b", "c", "note"}) m.delete_attribute(name);
    const std::string text = message_of<AttributeError>([&] { m.delete_attribute("note"); });
    BOOST_TEST(has(text, {"Plain", "'note'"}), text);
    BOOST_TEST(has(message_of<AttributeError>([&] { m.attribute("w"); }), {"Plain", "'w'"}));
    m.register_buffer("b", ones({}));
    BOOST_TEST(m.state_dict().keys() == names{"b"}); // persistence went with it
}

BOOST_AUTO_TEST_CASE(M_48_buffers_with_a_persistence_of_their_own) {
    Plain m;
    const Tensor t = leaf(4);
    m.set_attribute("s", nn::Buffer(t, false));
    BOOST_TEST(m.own_buffers()["s"].is_same(t));
    BOOST_TEST(m.own_buffers()["s"].requires_grad());
    BOOST_TEST(m.parameters().size() == 1u);
    BOOST_TEST(m.state_dict().keys() == names{"w"});
    m.set_attribute("s", nn::Buffer(t)); // assigning again changes it
    BOOST_TEST(m.state_dict().keys() == (names{"w", "s"}));
    m.set_attribute("note", Value(1));
    BOOST_TEST(has(message_of<KeyError>([&] { m.set_attribute("note", nn::Buffer(t)); }), "'note'"));
    BOOST_TEST(has(message_of<TypeError>([&] { m.set_attribute("w", nn::Buffer(t)); }), "parameter 'w'"));
    BOOST_TEST(has(message_of<TypeError>([&] { m.set_attribute("c", nn::Buffer(t)); }), "submodule 'c'"));
}

/// A module of many entries is built in linear time: an assignment touches its own name only.
BOOST_AUTO_TEST_CASE(assignment_copies_no_table) {
    Plain m;
    const Tensor first = m.own_parameters()["w"];
    const std::size_t before = first.use_count();
    std::size_t during = 0;
    const auto look = [&](Module&, const std::string&, const Value&) -> Value {
        during = first.use_count(); // a copy of the table would hold it once more
        return {};
    };
    const ScopedHook parameters(nn::register_module_parameter_registration_hook(look));
    const ScopedHook children(nn::register_module_module_registration_hook(look));
    m.set_attribute("another", Value(nn::Parameter(ones({}))));
    BOOST_TEST(during == before);
    during = 0;
    m.set_attribute("w", Value(nn::Parameter(ones({})))); // in its place
    BOOST_TEST(during == before);
    during = 0;
    m.set_attribute("child", relu());
    BOOST_TEST(during <= before);
    BOOST_TEST(during > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
