// jit::trace: what C++ calls is what the script does.
#include <reel/script/trace.hpp>

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/script/load_save.hpp>

#include "message.hpp"
#include "warnings.hpp"

using namespace reel;
using reel::testing::message;

namespace {
Tensor input() { return reel::tensor({{0.5, -1.0, 2.0}, {1.5, 0.25, -0.75}}, TensorOptions(kFloat)); }

struct BlockImpl : nn::Module {
    BlockImpl() : fc(register_module("fc", nn::Linear(3, 3))) {
        scale = register_parameter("scale", reel::full({3}, 2., TensorOptions(kFloat)));
        shift = register_buffer("shift", reel::ones({3}));
        unused = register_parameter("unused", reel::zeros({1}));
    }
    Tensor forward(const Tensor& x) { return reel::relu(fc(x)) * scale + shift; }
    nn::Linear fc;
    Tensor scale, shift, unused;
};
REEL_MODULE(Block);
struct NetImpl : nn::Module {
    NetImpl() : block(register_module("block", Block())), head(register_module("head", nn::Linear(3, 1))) {}
    Tensor forward(const Tensor& x) {
        Tensor h = block(x);
        h += x;
        return head(block(h)).squeeze(-1);
    }
    Block block;
    nn::Linear head;
};
REEL_MODULE(Net);

jit::Module traced(const jit::TracedFunction& f, const Args& inputs = {input()}) {
    jit::TraceOptions options;
    options.input_names = {"x", "y"};
    return jit::trace(f, inputs, options);
}
/// The code without its head.
std::string body(const jit::Module& m) {
    const std::string code = m.code();
    return code.substr(code.find(":\n", code.find("->")) + 2);
}
jit::Module loaded_again(const jit::Module& m) {
    std::stringstream file;
    jit::save(m, file);
    return jit::load(file);
}
bool same(const IValue& a, const IValue& b) { return reel::allclose(a.toTensor(), b.toTensor()); }
bool has(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& t) { return t.find(part) != t.npos; });
}
/// Adds to each column its number.
struct CountImpl : nn::Module {
    Tensor forward(const Tensor& x) { return x + jit::tracing::call("arange", {jit::tracing::size(x, 1)}).toTensor(); }
};
REEL_MODULE(Count);
} // namespace

BOOST_AUTO_TEST_SUITE(trace)

BOOST_AUTO_TEST_CASE(SC_77_functions_methods_operators_and_calls_by_name_are_recorded) {
    const auto f = [](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        const Tensor y = reel::relu(x).exp() + x;
        const Tensor z = ops::registry().at("tanh").call({y}).toTensor();
        (void)z.sigmoid(); // unused
        z.mul_(2);
        return 1 - z;
    };
    const jit::Module m = traced(f);
    BOOST_TEST(body(m) == "  _0 = torch.add(torch.exp(torch.relu(x)), x)\n"
                          "  _1 = torch.mul_(torch.tanh(_0), CONSTANTS.c0)\n"
                          "  return torch.rsub(_1, 1)\n");
    const Tensor other = input() * 3;
    BOOST_TEST(same(m.forward({other}), f({other})));
}
BOOST_AUTO_TEST_CASE(SC_77_modules_become_classes_that_share_their_tensors) {
    const Net net;
    const jit::Module m = jit::trace(net.ptr(), {input()});
    BOOST_TEST(m.type()->name() == "__torch__.Net");
    std::string names;
    for (const auto& item : m.state_dict()) names += item.key() + " ";
    BOOST_TEST(names == "block.scale block.unused block.shift block.fc.weight block.fc.bias head.weight head.bias ");
    BOOST_TEST(m.named_parameters()["head.weight"].is_same(net->head->weight));
    BOOST_TEST(m.code().find("(block).forward(input, )") != std::string::npos);
    BOOST_TEST(m.code().find("(block).forward1(") != std::string::npos);
    const jit::Module block = jit::to_module(m.attr("block"));
    BOOST_TEST(body(block) ==
               "  shift = self.shift\n  scale = self.scale\n  fc = self.fc\n"
               "  _0 = torch.mul(torch.relu((fc).forward(input, )), scale)\n  return torch.add(_0, shift)\n");
    const Tensor other = input() * 3 - 1;
    BOOST_TEST(same(m.forward({other}), net->forward(other)));
}
BOOST_AUTO_TEST_CASE(holders_are_traced_as_what_they_hold) {
    const Net net;
    const Tensor x = input();
    const jit::Module whole = jit::trace(net, {x});
    BOOST_TEST(reel::equal(whole.forward({x}).toTensor(), net(x)));
    const jit::Module twice = jit::trace(net, [&](const Args& a) { return IValue(net(a[0].toTensor()) * 2); }, {x});
    BOOST_TEST(reel::equal(twice.forward({x}).toTensor(), net(x) * 2));
}
BOOST_AUTO_TEST_CASE(SC_78_layers_record_what_those_of_the_reference_do) {
    const nn::Sequential net(nn::Conv1d(nn::Conv1dOptions(2, 3, 1)), nn::BatchNorm1d(3), nn::ReLU6(), nn::Dropout(0.5),
                             nn::Flatten());
    const jit::Module m = jit::trace(net.ptr(), {input().unsqueeze(0)});
    const std::string code = m.inlined_graph()->str();
    for (const char* part : {"aten::_convolution(", "aten::add_(", "aten::batch_norm(", "aten::hardtanh(",
                             "aten::dropout(", "aten::flatten("})
        BOOST_TEST(code.find(part) != std::string::npos, part);
}
BOOST_AUTO_TEST_CASE(SC_79_sizes_are_fixed_unless_they_are_asked_of_the_trace) {
    const auto fixed = [](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        return x.reshape({x.size(0) * x.size(1)});
    };
    const auto flexible = [](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        const Tensor n = jit::tracing::size(x, 0);
        return jit::tracing::call("reshape", {x, n * jit::tracing::size(x, 1)});
    };
    const Tensor longer = reel::ones({4, 3});
    BOOST_CHECK_THROW(traced(fixed).forward({longer}), Error);
    BOOST_TEST(traced(flexible).forward({longer}).toTensor().sizes() == IntArrayRef{12});
    BOOST_TEST(body(traced(flexible)).find("ops.prim.NumToTensor(torch.size(x, 0))") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(SC_79_methods_that_are_no_ops_have_their_names) {
    const auto code = [](const char* method) {
        return body(traced([=](const Args& a) { return jit::tracing::call(method, {a[0]}); }));
    };
    const std::string moved = "  _0 = torch.to(x, dtype=6, layout=0, device=torch.device(\"cpu\"))\n  return _0\n";
    BOOST_TEST(code("cpu") == moved);
    BOOST_TEST(body(traced([](const Args& a) -> IValue { return a[0].toTensor().to(kCPU); })) == moved);
    BOOST_TEST(body(traced([](const Args& a) { return jit::tracing::call("to", {a[0], "cpu"}); })) == moved);
    BOOST_TEST(body(traced([](const Args& a) -> IValue { return a[0].toTensor().to(kDouble); })) ==
               "  return torch.to(x, 7)\n");
    BOOST_TEST(code("T") == "  return torch.numpy_T(x)\n");
    BOOST_TEST(code("numel") == "  return ops.prim.NumToTensor(torch.numel(x))\n");
    const jit::Module unique = traced([](const Args& a) { return jit::tracing::call("unique", {a[0]}); });
    BOOST_TEST(body(unique) == "  _0, _1, _2 = torch._unique2(x)\n  return _0\n");
    const std::string graph = unique.graph()->str();
    BOOST_TEST(graph.find(", %4 : Long(0, strides=[1], requires_grad=0, device=cpu)") != graph.npos, graph);
}
BOOST_AUTO_TEST_CASE(SC_66_sizes_are_plain_numbers_where_calls_are_inlined) {
    const jit::Module m = loaded_again(jit::trace(nn::Sequential(Count()), {input()}));
    const std::string inlined = m.inlined_graph()->str();
    BOOST_TEST(jit::to_module(m.attr("0")).code().find("NumToTensor") != std::string::npos);
    BOOST_TEST(inlined.find("NumToTensor") == inlined.npos, inlined);
    BOOST_TEST(same(m.forward({reel::zeros({2, 5})}), reel::arange(5).expand({2, 5}).to(kFloat)));
}
BOOST_AUTO_TEST_CASE(SC_79_numbers_that_are_read_warn) {
    reel::testing::Warnings warnings;
    traced([](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        return x.sum().item<float>() > 0 ? x + 1 : x - 1;
    });
    BOOST_TEST(has(warnings.texts, "a tensor is converted to a number, which the trace holds fixed"));
}
BOOST_AUTO_TEST_CASE(SC_80_types_are_complete) {
    const jit::Module m = traced([](const Args& a) -> IValue { return a[0].toTensor().t().exp(); });
    BOOST_TEST(m.graph()->str().find("Float(3, 2, strides=[1, 3], requires_grad=0, device=cpu) = aten::exp") !=
               std::string::npos);
}
BOOST_AUTO_TEST_CASE(SC_81_subscripts_are_views_and_selections) {
    const jit::Module m = traced([](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        return jit::tracing::index(x, {indexing::Slice(), 1}) + x[0][0] + x.index({1, indexing::Slice(0, 2)});
    });
    const std::string code = m.code();
    BOOST_TEST(code.find("torch.slice(x, 0, 0, 9223372036854775807)") != std::string::npos);
    BOOST_TEST(code.find("torch.select(torch.select(x, 0, 0), 0, 0)") != std::string::npos);
    BOOST_TEST(code.find("torch.slice(torch.select(x, 0, 1), 0, 0, 2)") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(SC_82_results_are_tensors_and_containers_of_them) {
    reel::testing::Warnings warnings;
    const jit::Module tuple = traced(
        [](const Args& a) -> IValue {
            return IValue::tuple({a[0].toTensor() + 1, IValue::tuple({a[1]})});
        },
        {input(), input()});
    BOOST_TEST(tuple.code().find("-> Tuple[Tensor, Tuple[Tensor]]") != std::string::npos);
    BOOST_TEST(!has(warnings.texts, "list"));
    (void)traced([](const Args& a) -> IValue { return IValue::list({a[0].toTensor() + 1}); });
    BOOST_TEST(has(warnings.texts, "the result is a list, whose length is fixed in the trace; return a tuple"));
    const auto dict = [](const Args& a) -> IValue { return ValueDict{{"y", a[0].toTensor() + 1}}; };
    BOOST_TEST(message([&] { (void)traced(dict); }).find("the result is a dict, whose keys are fixed") !=
               std::string::npos);
    jit::TraceOptions lenient;
    lenient.strict = false;
    BOOST_TEST(jit::trace(dict, {input()}, lenient).forward({input()}).isGenericDict());
    BOOST_TEST(message([&] { (void)traced([](const Args&) -> IValue { return 3; }); }) ==
               "jit::trace: the result is 3; expected tensors, or tuples, lists or dicts of them");
    BOOST_TEST(message([&] { (void)traced([](const Args& a) { return a[0]; }, {5}); }) ==
               "jit::trace: the input 'x' expects a tensor, or a tuple or list of tensors, got 5");
}
BOOST_AUTO_TEST_CASE(SC_82_arguments_may_be_tuples_and_lists_of_tensors) {
    const auto f = [](const Args& a) -> IValue {
        const std::vector<Tensor> all = a[0].toTensorVector();
        return all[0] + all[1];
    };
    const Args pair = {IValue::tuple({input(), input()})}, list = {IValue::list({input(), input()})};
    BOOST_TEST(same(traced(f, pair).forward(pair), f(pair)));
    BOOST_TEST(same(traced(f, list).forward(list), f(list)));
}
BOOST_AUTO_TEST_CASE(SC_83_a_trace_that_gives_something_else_again_warns) {
    reel::testing::Warnings warnings;
    const auto draws = [](const Args& a) -> IValue { return reel::rand_like(a[0].toTensor()); };
    (void)traced(draws);
    BOOST_TEST(has(warnings.texts, "result 0 of the trace differs from the result of what was traced"));
    const std::size_t before = warnings.texts.size();
    jit::TraceOptions unchecked;
    unchecked.check = false;
    (void)jit::trace(draws, {input()}, unchecked);
    BOOST_TEST(warnings.texts.size() == before);
}
BOOST_AUTO_TEST_CASE(a_trace_is_saved_loaded_and_trained) {
    const Net net;
    const jit::Module m = jit::trace(net.ptr(), {input()}), again = loaded_again(m);
    const Tensor expected = net->forward(input());
    BOOST_TEST(same(again.forward({input()}), expected));
    BOOST_TEST(again.code() == m.code());
    m.forward({input()}).toTensor().sum().backward();
    BOOST_TEST(net->head->weight.grad().defined()); // shared
    optim::SGD(m.parameters(), optim::SGDOptions(0.1)).step();
    BOOST_TEST(!same(m.forward({input()}), expected));
    BOOST_TEST(same(m.forward({input()}), net->forward(input())));
}
BOOST_AUTO_TEST_CASE(SC_75_numbers_beside_tensors_raise_no_dtypes_once_loaded) {
    const auto f = [](const Args& a) -> IValue { return (a[0].toTensor() * 0.25 + 1) / 3; };
    const Tensor x = reel::full({}, 1.5, TensorOptions(kFloat));
    const jit::Module m = jit::trace(jit::TracedFunction(f), {x});
    for (const jit::Module& each : {m, loaded_again(m), loaded_again(loaded_again(m))}) {
        BOOST_TEST(each.forward({x}).toTensor().scalar_type() == kFloat);
        BOOST_TEST(each.forward({x.to(kHalf)}).toTensor().scalar_type() == kHalf);
    }
}
BOOST_AUTO_TEST_CASE(SC_76_the_code_of_a_trace_compiles_again) {
    const jit::Module m = traced([](const Args& a) -> IValue {
        const Tensor x = a[0].toTensor();
        return reel::softmax(x.matmul(x.t()), 1);
    });
    const jit::Module other("Other");
    other.define(m.code());
    BOOST_TEST(same(other.forward({input()}), m.forward({input()})));
}
BOOST_AUTO_TEST_CASE(hooks_of_traced_modules_run_and_what_they_call_is_recorded) {
    const Net net;
    int calls = 0;
    net->head->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor& y) {
        ++calls;
        return y * 2;
    });
    const jit::Module m = jit::trace(net.ptr(), {input()});
    BOOST_TEST(calls == 1);
    BOOST_TEST(same(m.forward({input()}), net(input())));
}
BOOST_AUTO_TEST_CASE(what_a_trace_does_not_see_is_said) {
    const Tensor weight = reel::ones({3}).requires_grad_(), outside = weight * 2;
    BOOST_TEST(message([&] {
                   (void)traced([&](const Args& a) -> IValue { return a[0].toTensor() * outside; });
               }).find("a tensor that requires grad") != std::string::npos);
    const Tensor plain = outside.detach();
    const auto f = [&](const Args& a) -> IValue { return a[0].toTensor() * plain; };
    BOOST_TEST(same(traced(f).forward({input()}), f({input()})));
    BOOST_TEST(message([&] {
                   (void)traced([](const Args& a) -> IValue {
                       (void)jit::trace([](const Args& b) { return b[0]; }, a);
                       return a[0];
                   });
               }) == "jit::trace: a trace is running on this thread");
}

BOOST_AUTO_TEST_SUITE_END()
