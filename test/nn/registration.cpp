// What modules hold: the three tables, their checks, replacing and removing.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(registration)

namespace {
struct Plain : Module {};
using names = std::vector<std::string>;
names parameter_names(const Module& m) { return m.named_parameters().keys(); }
} // namespace

BOOST_AUTO_TEST_CASE(M_1_a_new_module_is_empty_and_trains) {
    const Plain m;
    BOOST_TEST(m.is_training());
    BOOST_TEST(m.own_parameters().is_empty());
    BOOST_TEST(m.own_buffers().is_empty());
    BOOST_TEST(m.own_children().is_empty());
}

BOOST_AUTO_TEST_CASE(M_2_names_are_checked) {
    Plain m;
    m.register_parameter("w", ones({}));
    m.register_buffer("b", ones({}));
    m.add_module("c", std::make_shared<nn::ReLUImpl>());
    const auto refused = [&](const std::string& name, const char* part) {
        for (const auto& text : {message_of<KeyError>([&] { m.register_parameter(name, ones({})); }),
                                 message_of<KeyError>([&] { m.register_buffer(name, ones({})); }),
                                 message_of<KeyError>([&] { m.add_module(name, std::make_shared<nn::ReLUImpl>()); })})
            BOOST_TEST(has(text, {"Plain", "name", part}), text);
    };
    refused("a.b", "dot");
    refused("", "empty");
    refused("training", "'training' is already taken");
    refused("forward", "'forward' is already taken");
    refused("_parameters", "'_parameters' is already taken"); // every name that Python's Module has
    BOOST_TEST(has(message_of<KeyError>([&] { m.register_parameter("b", ones({})); }), "parameter name 'b'"));
    BOOST_TEST(has(message_of<KeyError>([&] { m.register_buffer("c", ones({})); }), "buffer name 'c'"));
    BOOST_TEST(has(message_of<KeyError>([&] { m.add_module("w", nullptr); }), "submodule name 'w'"));
    BOOST_TEST(parameter_names(m) == names{"w"});
}

BOOST_AUTO_TEST_CASE(M_2_the_same_table_is_overwritten_in_place) {
    Plain m;
    m.register_parameter("a", ones({}));
    m.register_parameter("b", ones({}));
    m.register_parameter("a", full({}, 5.0));
    BOOST_TEST(parameter_names(m) == (names{"a", "b"}));
    BOOST_TEST(number(m.parameters()[0]) == 5);
}

BOOST_AUTO_TEST_CASE(M_2_computed_tensors_are_no_parameters) {
    Plain m;
    const Tensor t = leaf(1) * 2;
    const std::string text = message_of<ValueError>([&] { m.register_parameter("w", t); });
    BOOST_TEST(has(text, {"Plain", "parameter 'w'", "grad_fn", "MulBackward0"}), text);
    BOOST_TEST(!m.has_parameter("w"));
    BOOST_TEST(has(message_of([&] { m.register_parameter("i", ones({}, kLong)); }), {"parameter 'i'", "int64"}));
    m.register_parameter("i", ones({}, kLong), false);
    BOOST_TEST(!m.parameters()[0].requires_grad());
}

BOOST_AUTO_TEST_CASE(an_undefined_parameter_cannot_require_grad) {
    Plain m;
    WarningLog log;
    m.register_parameter("none", Tensor(), false);
    const nn::Linear linear(nn::LinearOptions(2, 3).bias(false));
    const nn::LayerNorm norm(nn::LayerNormOptions({3}).elementwise_affine(false));
    const nn::BatchNorm1d batch_norm(nn::BatchNorm1dOptions(3).affine(false));
    const nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(4, 2).bias(false));
    BOOST_TEST(log.texts.empty());
    m.register_parameter("bias", Tensor());
    BOOST_TEST(log.texts.size() == 1u);
    BOOST_TEST(log.any("Plain: parameter 'bias' is undefined and cannot require grad"));
}

BOOST_AUTO_TEST_CASE(M_3_none_keeps_its_name_and_place) {
    Plain m;
    m.register_parameter("a", Tensor(), false);
    m.register_parameter("b", ones({}));
    m.register_buffer("s", Tensor());
    m.add_module("c", nullptr);
    BOOST_TEST(m.parameters().size() == 1u);
    BOOST_TEST(m.buffers().empty());
    BOOST_TEST(m.children().empty());
    BOOST_TEST(m.state_dict().size() == 1u);
    m.double_();
    m.train(false);
    m.apply([](Module&) {});
    BOOST_TEST(m.repr() == "Plain(\n  (c): None\n)");
    m.register_parameter("a", ones({}));
    BOOST_TEST(parameter_names(m) == (names{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(M_4_registering_again_changes_persistence) {
    Plain m;
    m.register_buffer("b", ones({}), false);
    BOOST_TEST(m.state_dict().size() == 0u);
    m.register_buffer("b", ones({}), true);
    BOOST_TEST(m.state_dict().size() == 1u);
    m.register_buffer("b", nn::Parameter(ones({})), false);
    BOOST_TEST(m.state_dict().size() == 0u);
    BOOST_TEST(m.parameters().empty()); // a Parameter held as a buffer is none
}

BOOST_AUTO_TEST_CASE(M_6_removing) {
    Plain m;
    m.register_parameter("w", ones({}));
    m.register_buffer("b", ones({}), false);
    m.add_module("c", std::make_shared<nn::ReLUImpl>());
    m.unregister_parameter("w");
    m.unregister_buffer("b");
    m.unregister_module("c");
    BOOST_TEST(m.parameters().empty());
    BOOST_TEST(m.children().empty());
    m.register_buffer("b", ones({})); // persistence went with it
    BOOST_TEST(m.state_dict().size() == 1u);
    BOOST_TEST(has(message_of([&] { m.unregister_parameter("nothing"); }), "nothing"));
    BOOST_TEST(has(message_of([&] { m.unregister_module("nothing"); }), "nothing"));
    BOOST_TEST(has(message_of([&] { m.unregister_buffer("nothing"); }), "nothing"));
}

BOOST_AUTO_TEST_CASE(replacing_keeps_the_place) {
    nn::Sequential s{nn::ReLU(), nn::Tanh()};
    s->replace_module("0", nn::Sigmoid());
    BOOST_TEST(s->repr() == "Sequential(\n  (0): Sigmoid()\n  (1): Tanh()\n)");
    BOOST_TEST(has(message_of<KeyError>([&] { s->replace_module("7", nn::Sigmoid()); }),
                   {"Sequential", "no submodule '7' to replace"}));
}

BOOST_AUTO_TEST_CASE(M_25_Parameter_is_a_leaf_over_the_same_storage) {
    const Tensor t = ones({2});
    const nn::Parameter p(t);
    BOOST_TEST(p.requires_grad());
    BOOST_TEST(p.is_leaf());
    BOOST_TEST(p.data_ptr() == t.data_ptr());
    BOOST_TEST(nn::Parameter::is(p));
    BOOST_TEST(!nn::Parameter::is(t));
    NoGradGuard guard;
    BOOST_TEST(nn::Parameter(t).requires_grad());
    BOOST_TEST(!nn::Parameter(t, false).requires_grad());
    BOOST_TEST(has(message_of([] { nn::Parameter(ones({}, kLong)); }), {"Parameter", "int64"}));
}

BOOST_AUTO_TEST_SUITE_END()
