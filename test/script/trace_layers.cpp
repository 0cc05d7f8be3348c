// Traces of layers (rule SC-78): what was traced and its trace give the same, for inputs that the trace did not see,
// too, and after saving and loading.
#include <reel/script/trace.hpp>

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/nn/call.hpp>
#include <reel/nn/factory.hpp>
#include <reel/script/load_save.hpp>

using namespace reel;

namespace {

void flatten(const IValue& v, std::vector<Tensor>& out) {
    if (v.isTensor()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const IValue& e : v.elements()) flatten(e, out);
}
void check_equal(const IValue& got, const IValue& want, const std::string& what) {
    std::vector<Tensor> a, b;
    flatten(got, a);
    flatten(want, b);
    BOOST_REQUIRE_MESSAGE(a.size() == b.size(), what << ": " << a.size() << " results, expected " << b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        BOOST_TEST(a[i].sizes() == b[i].sizes(), what << ": result " << i);
        BOOST_TEST(reel::allclose(a[i], b[i], 1e-5, 1e-6), what << ": result " << i << " differs");
    }
}
/// The trace on `example` gives what the layer gives on `example` and on `other`, before and after a file.
void check_layer(const std::string& name, const Args& arguments, const Kwargs& options, const Args& example,
                 const Args& other, const Args& forward = {}) {
    manual_seed(7);
    const nn::ModulePtr layer = nn::make_module(name, arguments, options);
    const auto run = [&](Args inputs) {
        inputs.insert(inputs.end(), forward.begin(), forward.end());
        const IValue out = nn::call(*layer, inputs);
        // attention without weights gives None for them
        return out.isTuple() && out.elements().back().isNone() ? out.elements().front() : out;
    };
    const auto parent = std::make_shared<nn::Module>("Parent");
    parent->register_module("layer", layer);
    const jit::Module traced = jit::trace(parent, run, example);
    std::stringstream file;
    jit::save(traced, file);
    const jit::Module loaded = jit::load(file);
    for (const Args* inputs : {&example, &other}) {
        const IValue want = run(*inputs);
        check_equal(traced.forward(*inputs), want, name);
        check_equal(loaded.forward(*inputs), want, name + ", loaded");
    }
}
Tensor random(std::vector<std::int64_t> sizes) { return reel::randn(sizes, TensorOptions(kFloat)); }
Tensor causal(std::int64_t n) { return reel::ones({n, n}, TensorOptions(kBool)).triu(1); }

} // namespace

BOOST_AUTO_TEST_SUITE(script_trace_layers)

BOOST_AUTO_TEST_CASE(SC_78_recurrent_layers_and_cells) {
    for (const char* name : {"RNN", "GRU", "LSTM"})
        for (const bool first : {false, true})
            check_layer(name, {3, 5}, {{"num_layers", 2}, {"bidirectional", true}, {"batch_first", first}},
                        {random({4, 4, 3})}, {random({6, 6, 3})});
    check_layer("LSTM", {3, 5}, {{"proj_size", 2}}, {random({4, 2, 3})}, {random({4, 3, 3})});
    check_layer("RNN", {3, 5}, {{"nonlinearity", "relu"}}, {random({4, 2, 3})}, {random({4, 3, 3})});
    check_layer("GRU", {3, 5}, {}, {random({4, 3})}, {random({6, 3})});
    check_layer("GRU", {3, 5}, {}, {random({4, 2, 3}), random({1, 2, 5})}, {random({4, 3, 3}), random({1, 3, 5})});
    for (const char* name : {"RNNCell", "GRUCell", "LSTMCell"}) {
        check_layer(name, {3, 5}, {}, {random({2, 3})}, {random({4, 3})});
        check_layer(name, {3, 5}, {{"bias", false}}, {random({3})}, {random({3})});
    }
}
BOOST_AUTO_TEST_CASE(SC_78_attention_of_every_kind) {
    const auto attend = [&](const Kwargs& options, const Args& more, const Args& example, const Args& other) {
        check_layer("MultiheadAttention", {4, 2}, options, example, other, more);
    };
    const Tensor x = random({3, 2, 4}), y = random({5, 3, 4}), key = random({6, 2, 4}), other_key = random({7, 3, 4});
    attend({}, {}, {x, x, x}, {y, y, y});
    attend({{"bias", false}, {"batch_first", true}}, {}, {x, x, x}, {y, y, y});
    attend({}, {}, {x, key, key}, {y, other_key, other_key});
    attend({}, {}, {x, key, key * 2}, {y, other_key, other_key * 2});
    attend({{"add_bias_kv", true}, {"add_zero_attn", true}}, {}, {x, x, x}, {y, y, y});
    attend({}, {IValue(), false}, {x, x, x}, {y, y, y});
    attend({}, {IValue(), true, causal(3)}, {x, x, x}, {x * 2, x * 2, x * 2});
    attend({}, {IValue(), false, causal(3)}, {x, x, x}, {x * 2, x * 2, x * 2});
    attend({}, {IValue(), true, IValue(), false}, {x, x, x}, {y, y, y});
    const Tensor single = random({3, 4}), more = random({5, 4});
    attend({}, {}, {single, single, single}, {more, more, more});
    check_layer("MultiheadAttention", {4, 2}, {{"kdim", 3}, {"vdim", 5}}, {x, random({6, 2, 3}), random({6, 2, 5})},
                {y, random({7, 3, 3}), random({7, 3, 5})});
}
BOOST_AUTO_TEST_CASE(SC_78_transformers_that_normalise_first_or_last) {
    for (const bool first : {false, true}) {
        const Kwargs options{{"norm_first", first}, {"dropout", 0.}, {"activation", first ? "gelu" : "relu"}};
        const Args sizes{4, 2, 8};
        check_layer("TransformerEncoderLayer", sizes, options, {random({3, 2, 4})}, {random({5, 3, 4})});
        check_layer("TransformerEncoderLayer", sizes, options, {random({3, 2, 4})}, {random({3, 5, 4})}, {causal(3)});
        check_layer("TransformerDecoderLayer", sizes, options, {random({3, 2, 4}), random({5, 2, 4})},
                    {random({4, 3, 4}), random({6, 3, 4})});
    }
}
BOOST_AUTO_TEST_CASE(SC_78_convolutions_pad_as_they_are_told) {
    for (const char* mode : {"zeros", "reflect", "replicate", "circular"})
        for (const IValue& padding : {IValue(1), IValue("same"), IValue("valid")})
            check_layer("Conv2d", {2, 3, 3}, {{"padding", padding}, {"padding_mode", mode}}, {random({2, 2, 5, 6})},
                        {random({3, 2, 6, 5})});
    check_layer("Conv1d", {2, 3, 2}, {{"padding", "same"}, {"dilation", 2}}, {random({2, 5})}, {random({2, 7})});
    check_layer("ConvTranspose2d", {2, 3, 3}, {{"stride", 2}, {"output_padding", 1}}, {random({2, 4, 4})},
                {random({2, 5, 4})});
}
BOOST_AUTO_TEST_CASE(SC_78_losses_and_patches) {
    const Tensor p = reel::rand({2, 3}), q = reel::rand({4, 3});
    check_layer("KLDivLoss", {}, {{"reduction", "batchmean"}}, {p, p * 0.5}, {q, q * 0.5});
    check_layer("PoissonNLLLoss", {}, {}, {p, p * 0.5}, {q, q * 0.5});
    check_layer("GaussianNLLLoss", {}, {{"full", true}}, {p, p * 0.5, p}, {q, q * 0.5, q});
    check_layer("MultiLabelSoftMarginLoss", {}, {}, {p, p * 0.5}, {q, q * 0.5});
    check_layer("BCELoss", {}, {}, {p, p * 0.5}, {q, q * 0.5});
    check_layer("LocalResponseNorm", {2}, {}, {random({2, 4, 3})}, {random({2, 5, 6})});
    check_layer("LocalResponseNorm", {3}, {}, {random({2, 4, 3, 3})}, {random({1, 5, 6, 2})});
    check_layer("LPPool2d", {2, 2}, {}, {reel::rand({1, 2, 4, 4})}, {reel::rand({2, 2, 6, 4})});
    check_layer("Unfold", {2}, {}, {random({1, 2, 4, 4})}, {random({2, 2, 5, 4})});
    check_layer("Identity", {}, {}, {p}, {q});
    for (const char* mode : {"sum", "mean", "max"})
        check_layer("EmbeddingBag", {5, 3}, {{"mode", mode}}, {reel::tensor({{0, 1}, {3, 4}}, TensorOptions(kLong))},
                    {reel::tensor({{0, 1, 2}, {3, 4, 0}, {1, 1, 1}}, TensorOptions(kLong))});
    for (const char* name : {"Embedding", "EmbeddingBag"}) // rows are scaled where they are used
        check_layer(name, {5, 3}, {{"max_norm", 0.5}}, {reel::tensor({{0, 1}, {3, 0}}, TensorOptions(kLong))},
                    {reel::tensor({{2, 1}, {4, 4}}, TensorOptions(kLong))});
}

BOOST_AUTO_TEST_CASE(SC_78_weights_of_losses) {
    const auto loss = [](const Args& a) {
        const auto call = [&](const char* name, const Kwargs& options) {
            Kwargs all = options;
            all.set("weight", a[2]);
            return jit::tracing::call(name, {a[0], a[1]}, all);
        };
        return IValue::tuple({call("nn.functional.mse_loss", {}), call("nn.functional.l1_loss", {{"reduction", "sum"}}),
                              call("nn.functional.huber_loss", {{"delta", 0.5}})});
    };
    const Args example{random({2, 3}), random({2, 3}), reel::rand({2, 3})};
    const Args other{random({4, 3}), random({4, 3}), reel::rand({4, 3})};
    check_equal(jit::trace(loss, example).forward(other), loss(other), "losses with weights");
}

/// The reference gives each module what its calls use, whether anybody uses the result or not.
BOOST_AUTO_TEST_CASE(SC_77_calls_without_results_stay) {
    const auto parent = std::make_shared<nn::Module>("Parent");
    nn::Linear used(3, 3), unused(3, 3);
    nn::Identity nothing;
    parent->register_module("used", used);
    parent->register_module("unused", unused);
    parent->register_module("nothing", nothing);
    jit::TraceOptions options;
    options.input_names = {"x"};
    const jit::Module m = jit::trace(
        parent,
        [&](const Args& a) {
            const Tensor x = a[0].toTensor();
            unused(x);
            return IValue(nothing(used(x)));
        },
        {random({2, 3})}, options);
    BOOST_TEST(m.code() == "def forward(self,\n    x: Tensor) -> Tensor:\n"
                           "  nothing = self.nothing\n  used = self.used\n  unused = self.unused\n"
                           "  _0 = (unused).forward(x, )\n  _1 = (used).forward(x, )\n"
                           "  _2 = (nothing).forward()\n  return _1\n");
}
BOOST_AUTO_TEST_SUITE_END()
