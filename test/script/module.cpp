// jit::Module: a script module is a Reel module, and its slots are the module's tables.
#include <reel/script/module.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "archives.hpp"
#include "message.hpp"

using namespace reel;
using reel::testing::archive_file;
using reel::testing::message;

namespace {
jit::Module net() { return jit::load(archive_file("net.pt")); }
Tensor input() { return reel::tensor({{0.5, -1.0, 2.0}}, TensorOptions(kFloat)); }
/// A C++ module with a script in it.
struct OuterImpl : nn::Module {
    explicit OuterImpl(const jit::Module& m) : inner(register_module("inner", m)) {}
    Tensor forward(const Tensor& x) { return inner(std::vector<IValue>{x}).toTensor() * 2; }
    jit::Module inner;
};
REEL_MODULE(Outer);
} // namespace

BOOST_AUTO_TEST_SUITE(script_module)

BOOST_AUTO_TEST_CASE(tables_are_what_the_reference_lists) {
    const jit::Module m = net();
    std::string names;
    for (const auto& item : m.state_dict()) names += item.key() + " ";
    BOOST_TEST(names == "w low high block.scale block.fc.weight block.fc.bias again.scale again.fc.weight "
                        "again.fc.bias head.weight ");
    BOOST_TEST(m->has_parameter("w"));
    BOOST_TEST(m->own_buffers().size() == 2u);
    BOOST_TEST(m.children().size() ==
               3u); // to the reference `again` is a module of its own with the tensors of `block`
    BOOST_TEST(m.named_modules().size() == 6u);
}
BOOST_AUTO_TEST_CASE(SC_87_modules_print_as_in_python) {
    BOOST_TEST(jit::to_module(net().attr("head")).repr() == "RecursiveScriptModule(original_name=Linear)");
    BOOST_TEST(
        net().repr().rfind("RecursiveScriptModule(\n  original_name=Net\n  (block): RecursiveScriptModule(", 0) == 0u);
}
BOOST_AUTO_TEST_CASE(a_slot_and_its_entry_are_one) {
    const jit::Module m = net();
    const Tensor fresh = reel::ones({3});
    m.setattr("low", fresh);
    BOOST_TEST(m->own_buffers()["low"].is_same(fresh));
    const Tensor other = reel::zeros({3});
    m->register_buffer("low", other);
    BOOST_TEST(m.attr("low").toTensor().is_same(other));
    m->requires_grad_(false);
    BOOST_TEST(!m.attr("w").toTensor().requires_grad());
}
BOOST_AUTO_TEST_CASE(SC_10_a_parameter_that_the_script_computed_begins_there) {
    const jit::Module m = net();
    const Tensor scaled = m.attr("w").toTensor() * 2;
    BOOST_TEST(!scaled.is_leaf());
    m.setattr("w", scaled); // as `__setstate__` may
    const Tensor w = m->own_parameters()["w"];
    BOOST_TEST(w.is_leaf());
    BOOST_TEST(w.requires_grad());
    BOOST_TEST(w.equal(scaled));
}
BOOST_AUTO_TEST_CASE(SC_54_training_is_an_attribute_like_any) {
    const jit::Module m = net();
    BOOST_TEST(m.is_training());
    m.eval();
    BOOST_TEST(!m.attr("training").toBool());
    BOOST_TEST(!jit::to_module(m.attr("block")).is_training());
    m.setattr("training", true);
    BOOST_TEST(m->is_training());
    BOOST_TEST(!jit::to_module(m.attr("block")).is_training());
}
BOOST_AUTO_TEST_CASE(attributes_keep_their_types) {
    const jit::Module m = net();
    const std::string wrong = message([&] { m.setattr("count", "three"); });
    BOOST_TEST(wrong.find("count") != std::string::npos);
    BOOST_TEST(wrong.find("int") != std::string::npos);
    BOOST_TEST(message([&] { m.attr("ghost"); }).find("ghost") != std::string::npos);
    BOOST_TEST(!m.hasattr("ghost"));
    BOOST_TEST(m.attr("ghost", 7).toInt() == 7);
    BOOST_TEST(message([&] { m.get_method("ghost"); }) ==
               "'__torch__.Net' has no method 'ghost'; it has forward, is_green, point");
}
BOOST_AUTO_TEST_CASE(conversions_reach_what_the_script_reads) {
    const jit::Module m = net();
    m.to(kDouble);
    BOOST_TEST((m.attr("w").toTensor().scalar_type() == kDouble));
    BOOST_TEST((m.forward({input().to(kDouble)}).toTensor().scalar_type() == kDouble));
}
BOOST_AUTO_TEST_CASE(SC_118_forward_is_what_python_computes) {
    const jit::Module m = net();
    BOOST_TEST(m.forward({input()}).toTensor().numel() == 1);
    BOOST_TEST(m.attr("count").toInt() == 1);
    BOOST_TEST(m.run_method("is_green").toBool());
    const IValue point = m.get_method("point")({input()});
    BOOST_TEST(point.elements()[1].toInt() == 1);
}
BOOST_AUTO_TEST_CASE(hooks_fire_for_submodules_that_scripts_call) {
    const jit::Module m = net();
    std::vector<std::string> calls;
    const jit::Module block = jit::to_module(m.attr("block"));
    block->register_forward_pre_hook(
        [&](nn::Module&, const Args& args) { calls.push_back("pre " + std::to_string(args.size())); });
    block->register_forward_hook([&](nn::Module&, const Args&, const IValue&) { calls.push_back("forward"); });
    block->register_full_backward_hook([&](nn::Module&, const IValue&, const IValue&) { calls.push_back("backward"); });
    m.forward({input()}).toTensor().sum().backward();
    const std::vector<std::string> expected{"pre 1", "forward", "backward"};
    BOOST_TEST(calls == expected, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_hook_may_replace_the_result) {
    const jit::Module m = net();
    const jit::Module block = jit::to_module(m.attr("block"));
    const auto handle = block->register_forward_hook(
        [](nn::Module&, const Args&, const IValue& out) { return IValue(out.toTensor() * 0); });
    // the head of zeros, and the sum of `high`
    BOOST_TEST(m.forward({input()}).toTensor().item<float>() == 15.f);
}
BOOST_AUTO_TEST_CASE(optimizers_train_it) {
    const jit::Module m = net();
    optim::SGD optimizer(m.parameters(), optim::SGDOptions(0.05));
    const auto loss = [&] { return (m.forward({input()}).toTensor() - 3).pow(2).sum(); };
    const float before = loss().item<float>();
    for (int i = 0; i < 20; ++i) {
        optimizer.zero_grad();
        loss().backward();
        optimizer.step();
    }
    BOOST_TEST(loss().item<float>() < before / 4);
}
BOOST_AUTO_TEST_CASE(a_script_may_be_the_child_of_a_cpp_module) {
    Outer outer(net());
    BOOST_TEST(outer->named_parameters().contains("inner.block.fc.weight"));
    const Tensor twice = outer(input());
    BOOST_TEST(reel::equal(twice, outer->inner.forward({input()}).toTensor() * 2));
    outer->eval();
    BOOST_TEST(!outer->inner.is_training());
}
BOOST_AUTO_TEST_CASE(copies_are_deep_and_keep_ties) {
    const jit::Module m = net(), copy = m.clone();
    BOOST_TEST(copy.type() == m.type());
    BOOST_TEST(!copy.attr("w").toTensor().is_same(m.attr("w").toTensor()));
    BOOST_TEST(reel::equal(copy.attr("w").toTensor(), m.attr("w").toTensor()));
    BOOST_TEST(jit::to_module(copy.attr("head")).attr("weight").toTensor().is_same(copy.attr("w").toTensor()));
    BOOST_TEST(copy->get_parameter("again.fc.weight").is_same(copy->get_parameter("block.fc.weight")));
    copy.attr("names").list_elements().push_back("c");
    BOOST_TEST(m.attr("names").elements().size() == 2u);
    copy.eval();
    BOOST_TEST(m.is_training());
    BOOST_TEST(reel::equal(copy.forward({input()}).toTensor(), m.forward({input()}).toTensor()));
}
BOOST_AUTO_TEST_CASE(a_module_is_made_from_nothing) {
    const jit::Module m("Made");
    m.register_parameter("w", reel::tensor({2.0}, TensorOptions(kFloat)).requires_grad_(), false);
    m.register_buffer("b", reel::tensor({1.0}, TensorOptions(kFloat)));
    m.register_attribute("n", jit::Type::Int(), 3);
    m.define("def forward(self, x: Tensor) -> Tensor:\n    return x * self.w * self.n + self.b\n");
    BOOST_TEST(m.forward({reel::ones({1})}).toTensor().item<float>() == 7.f);
    BOOST_TEST(m.parameters().size() == 1u);
    BOOST_TEST(message([&] { m.register_buffer("w", reel::ones({1})); }) == "__torch__.Made: the name 'w' is taken");
    const jit::Module again = jit::load_from_buffer(m.save_to_buffer());
    BOOST_TEST(again.original_name() == "Made");
    BOOST_TEST(again.forward({reel::ones({1})}).toTensor().item<float>() == 7.f);
}
BOOST_AUTO_TEST_CASE(SC_86_what_is_registered_as_in_cpp_is_an_attribute) {
    const jit::Module m("Late"), child("Part");
    child->register_parameter("v", reel::tensor({0.5}, TensorOptions(kFloat)));
    m->register_parameter("w", reel::tensor({2.0}, TensorOptions(kFloat)));
    m->register_buffer("b", reel::tensor({1.0}, TensorOptions(kFloat)));
    m->register_module("part", child);
    BOOST_TEST(m.hasattr("w"));
    BOOST_TEST(!m.hasattr("v"));
    BOOST_TEST(m.attr("w").toTensor().is_same(m->get_parameter("w")));
    m.define("def forward(self, x: Tensor) -> Tensor:\n    return x * self.w + self.b + self.part.v\n");
    BOOST_TEST(m.forward({reel::ones({1})}).toTensor().item<float>() == 3.5f);
    m.setattr("b", reel::zeros({1}));
    BOOST_TEST(m->get_buffer("b").item<float>() == 0.f);
    const jit::Module twin = m.clone(), again = jit::load_from_buffer(m.save_to_buffer());
    m->register_buffer("later", reel::ones({1}));
    BOOST_TEST(m.attr("later").toTensor().numel() == 1);
    BOOST_TEST(m.clone().hasattr("later"));
    for (const jit::Module& other : {twin, again})
        BOOST_TEST(other.forward({reel::ones({1})}).toTensor().item<float>() == 2.5f);
    BOOST_TEST(message([&] { twin.attr("later"); }) == "'__torch__.Late' object has no attribute 'later'");
    twin->register_buffer("later", reel::ones({2}));
    BOOST_TEST(twin.attr("later").toTensor().numel() == 2);
}
BOOST_AUTO_TEST_CASE(SC_84_define_adds_methods_or_nothing) {
    const jit::Module m = net();
    m.define("def twice(self, x: Tensor):\n    return self.forward(x) * 2\n");
    BOOST_TEST(m.run_method("twice", input()).toTensor().numel() == 1);
    BOOST_CHECK_THROW(m.define("def good(self):\n    return 1\ndef bad(self):\n    return nowhere\n"),
                      jit::ScriptError);
    BOOST_TEST(!m.find_method("good").has_value());
}
BOOST_AUTO_TEST_CASE(SC_76_define_reads_code_again) {
    const jit::Module m("Printed"), again("Printed"), third("Printed");
    m.define("def forward(self, x: Tensor, n: int) -> Tensor:\n    for i in range(n):\n        if bool(x.sum() > 3):\n"
             "            x = x - 1\n        else:\n            x = x * 2\n    return x\n"
             "def word(self) -> str:\n    return 'gr\u00fcezi'\n");
    again.define(m.code());
    BOOST_TEST(again.code() == m.code());
    BOOST_TEST(reel::equal(again.run_method("forward", input(), 5).toTensor(),
                           m.run_method("forward", input(), 5).toTensor()));
    // only archives have constants beside their text
    const std::string word = m.get_method("word").code();
    BOOST_TEST((word.find("CONSTANTS.c0") != std::string::npos), word);
    const std::string said = message([&] { third.define(word); });
    BOOST_TEST((said.find("CONSTANTS") != std::string::npos), said);
}
BOOST_AUTO_TEST_CASE(SC_86_members_of_modules_work_where_the_reference_refuses) {
    const jit::Module m = net();
    BOOST_TEST(m->get_parameter("block.fc.weight").is_same(m.named_parameters()["block.fc.weight"]));
    BOOST_TEST(m->get_submodule("block") != nullptr);
    BOOST_TEST(m->get_buffer("block.scale").numel() == 3);
    std::size_t seen = 0;
    m->apply([&](nn::Module&) { ++seen; });
    BOOST_TEST(seen >= m.named_modules().size());
    int fired = 0;
    const auto handle = m->register_forward_hook([&](nn::Module&, const Args&, const Value&) { ++fired; });
    m({input()});
    BOOST_TEST(fired == 1);
    m->to(kDouble);
    BOOST_TEST(m->get_parameter("w").scalar_type() == kDouble);
    m->requires_grad_(false);
    for (const Tensor& p : m.parameters()) BOOST_TEST(!p.requires_grad());
}
BOOST_AUTO_TEST_CASE(SC_88_len_is_a_method_of_what_was_loaded) {
    const jit::Module m("Sized");
    m.define("def __len__(self) -> int:\n    return 3\ndef forward(self) -> int:\n    return self.__len__()\n");
    const jit::Module loaded = jit::load_from_buffer(m.save_to_buffer());
    BOOST_TEST(loaded.run_method("__len__").toInt() == 3);
    BOOST_TEST(loaded.forward({}).toInt() == 3);
}
BOOST_AUTO_TEST_CASE(dumps_name_everything) {
    const std::string text = net().dump_to_str(true, true, false);
    for (const char* part : {"module __torch__.Net {", "w = Tensor", "count = 0", "method forward {",
                             "prim::CallMethod", "module __torch__.Block {"})
        BOOST_TEST((text.find(part) != std::string::npos), part);
}

BOOST_AUTO_TEST_SUITE_END()
