// jit::export_program: script modules become exported programs.
#include <reel/script/export_program.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/compile.hpp>
#include <reel/script/trace.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
/// A module with a weight, a buffer and the methods of `source`.
jit::Module module(const std::string& source) {
    jit::Module m("Small");
    m.register_parameter("w", reel::tensor({1.0, 2.0, 3.0}, TensorOptions(kFloat)).requires_grad_(), false);
    m.register_buffer("calls", reel::zeros({}));
    m.register_attribute("n", jit::Type::Int(), 2);
    m.define(source);
    return m;
}
const Tensor x = reel::tensor({0.5, -1.0, 2.0}, TensorOptions(kFloat));
/// The program that was saved and loaded.
jit::ExportedProgram again(const jit::ExportedProgram& p) {
    return jit::load_exported_from_buffer(jit::save_exported_to_buffer(p));
}
std::string refusal(const std::string& body, const Args& args = {x}) {
    return message([&] { jit::export_program(module("def forward(self, x):\n" + body), args); });
}
} // namespace

BOOST_AUTO_TEST_SUITE(script_export_program)

// SC-102 to SC-108
BOOST_AUTO_TEST_CASE(what_ran_is_the_program) {
    const jit::Module m = module("def forward(self, x, k: int = 3):\n"
                                 "    y = x * self.w\n"
                                 "    for i in range(k):\n"
                                 "        if i % 2 == 0:\n"
                                 "            y = torch.relu(y) + float(i)\n"
                                 "        else:\n"
                                 "            y = torch.cat([y, y])[: x.size(0)]\n"
                                 "    return y, [y.sum()], {'k': k}\n");
    const jit::ExportedProgram p = jit::export_program(m, {x, 3});
    BOOST_TEST(has(p->str(), "%relu_1 = torch.ops.aten.relu.default(%"));
    BOOST_TEST(!has(p->str(), "%relu_2"));
    for (const jit::ExportedProgram& q : {p, again(p)}) {
        const IValue got = q({x, 3}), wanted = m({x, 3});
        BOOST_TEST(reel::equal(got.elements()[0].toTensor(), wanted.elements()[0].toTensor()));
        BOOST_TEST(reel::equal(got.elements()[1].elements()[0].toTensor(), got.elements()[0].toTensor().sum()));
        BOOST_TEST(got.elements()[2].toGenericDict().at("k").toInt() == 3);
    }
    BOOST_TEST(has(message([&] { p({x, 4}); }), "the program was exported for 3 alone"));
}
BOOST_AUTO_TEST_CASE(numbers_of_traces_stay_numbers) { // SC-105
    const jit::TracedFunction quarter = [](const Args& a) -> IValue { return a[0].toTensor().sum() * 0.25; };
    const jit::ExportedProgram p = jit::export_program(jit::trace(quarter, {x}), {x});
    BOOST_TEST(has(p->str(), ", 0.25)"), p->str());
    for (const jit::ExportedProgram& q : {p, again(p)}) {
        BOOST_TEST(q({x}).toTensor().scalar_type() == kFloat);
        BOOST_TEST(q({x}).toTensor().item<float>() == 0.375f);
    }
}
// SC-116: the tensors are the module's own
BOOST_AUTO_TEST_CASE(it_trains_the_modules_own_weights) {
    const jit::Module m = module("def forward(self, x):\n"
                                 "    self.calls.add_(1)\n"
                                 "    return (x * self.w).sum()\n");
    const jit::ExportedProgram p = jit::export_program(m, {x});
    BOOST_TEST(m.attr("calls").toTensor().item<float>() == 0.f); // exporting runs a copy
    p({x}).toTensor().backward();
    BOOST_TEST(reel::equal(m.attr("w").toTensor().grad(), x));
    BOOST_TEST(m.attr("calls").toTensor().item<float>() == 1.f);
    const jit::ExportedProgram q = again(p);
    BOOST_TEST(q->get_parameter("w").requires_grad());
    BOOST_TEST(q->get_buffer("calls").item<float>() == 1.f);
}
BOOST_AUTO_TEST_CASE(tensors_of_the_text_are_constants) {
    const jit::Module m = module("def forward(self, x):\n"
                                 "    h = torch.tensor([1., 2., 4.])\n"
                                 "    h.mul_(x)\n"
                                 "    return h\n");
    const jit::ExportedProgram p = jit::export_program(m, {x});
    BOOST_TEST(p->constants().size() == 1u);
    for (int i = 0; i < 2; ++i) BOOST_TEST(reel::equal(again(p)({x}).toTensor(), m({x}).toTensor()));
    p({x});
    BOOST_TEST(reel::equal(p({x}).toTensor(), m({x}).toTensor())); // writes into a copy each time
}
BOOST_AUTO_TEST_CASE(nothing_is_drawn_by_exporting) {
    const jit::Module m = module("def forward(self, x):\n    return torch.dropout(x, 0.5, True)\n");
    manual_seed(7);
    const Tensor expected = m({x}).toTensor();
    manual_seed(7);
    const jit::ExportedProgram p = jit::export_program(m, {x});
    BOOST_TEST(reel::equal(p({x}).toTensor(), expected));
}
BOOST_AUTO_TEST_CASE(what_a_program_cannot_hold_is_refused_by_name) {
    BOOST_TEST(has(refusal("    if bool(x.sum() > 0):\n        return x\n    return -x\n"),
                   "the module decides by the values of a tensor (aten::Bool)"));
    BOOST_TEST(has(refusal("    return x * int(x.sum())\n"), "(aten::Int)"));
    BOOST_TEST(has(refusal("    self.n = 3\n    return x\n"), "changes the attribute 'n'"));
    BOOST_TEST(has(refusal("    return x, 'text'\n"), "forward returns the string 'text'")); // SC-115
    BOOST_TEST(has(refusal("    return {0.5: x}\n"), "a dict with the key 0.5"));
    BOOST_TEST(has(message([] { jit::export_program(module("def forward(self, x):\n    return x\n"), {}); }),
                   "forward() is missing value for argument 'x'"));
    BOOST_TEST(has(message([] { jit::export_program(jit::Module(), {}); }), "an empty module holder was used"));
}

BOOST_AUTO_TEST_SUITE_END()
