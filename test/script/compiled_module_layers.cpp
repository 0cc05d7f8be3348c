// Every layer compiled beside the same layer: training and evaluation, twice, in other shapes, after its parameters
// changed. The same bits, gradients, buffers and random numbers.
#include <reel/script/compiled_function.hpp>

#include <map>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/factory.hpp>

#include "nn/layers_with_state.hpp"
#include "script/compiled.hpp"

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

namespace {

void collect(const Value& v, std::vector<Tensor>& into) {
    if (v.isTensor()) into.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) collect(e, into);
}
/// The same values in tensors of their own; floating ones require grad.
Value own(const Value& v) {
    if (v.isTensor()) {
        const Tensor t = v.toTensor().detach().clone();
        return Value(t.is_floating_point() ? t.requires_grad_() : t);
    }
    if (!v.isSequence()) return v;
    std::vector<Value> elements;
    for (const Value& e : v.elements()) elements.push_back(own(e));
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
Args own_all(const Args& args) {
    Args r;
    for (const Value& v : args) r.push_back(own(v));
    return r;
}
ModulePtr made(const Layer& layer) {
    manual_seed(3);
    ModulePtr m = nn::make_module(layer.name, layer.args, layer.kwargs);
    m->to(kDouble);
    return m;
}

/// A layer and its compiled twin.
struct Pair {
    explicit Pair(const Layer& l) : layer(l), plain(made(l)), compiled(plain->clone()) { compiled->compile(); }

    /// One call of both with the same inputs and random numbers, and back.
    void call(const Args& inputs, const char* what) {
        const Tensor state = get_rng_state();
        const std::vector<Tensor> a = outcome(*compiled, own_all(inputs));
        const Tensor after = get_rng_state();
        set_rng_state(state);
        const std::vector<Tensor> b = outcome(*plain, own_all(inputs));
        BOOST_TEST(same(after, get_rng_state()), layer.name << ", " << what << ": random numbers");
        BOOST_REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            BOOST_TEST(same(a[i], b[i]), layer.name << ", " << what << ", " << i << ": " << jit::explain(*compiled));
    }
    void set_training(bool on) {
        compiled->train(on);
        plain->train(on);
    }
    /// A step of training.
    void change_parameters() {
        const NoGradGuard off;
        for (const ModulePtr& m : {compiled, plain})
            for (const Tensor& p : m->parameters()) p.mul_(0.875);
    }
    const Layer& layer;
    ModulePtr plain, compiled;

private:
    /// Results, gradients of inputs and parameters, buffers.
    static std::vector<Tensor> outcome(Module& m, const Args& inputs) {
        std::vector<Tensor> results, all, r;
        collect(m.call_values(inputs), results);
        Tensor total;
        for (const Tensor& t : results) {
            r.push_back(t.defined() ? t.detach().clone() : t);
            if (t.defined() && t.requires_grad()) total = total.defined() ? total + weighed(t) : weighed(t);
        }
        for (const Value& v : inputs) collect(v, all);
        for (const Tensor& p : m.parameters()) all.push_back(p);
        m.zero_grad();
        if (total.defined() && total.requires_grad()) total.backward();
        for (const Tensor& t : all) r.push_back(t.requires_grad() ? t.grad() : Tensor());
        for (const Tensor& b : m.buffers()) r.push_back(b.detach().clone());
        return r;
    }
};
/// Twice as many of everything; undefined where the layer cannot take that.
Args doubled(const Layer& layer) {
    Args r;
    for (const Value& v : layer.inputs()) {
        if (!v.isTensor()) return {};
        r.push_back(Value(cat({v.toTensor(), v.toTensor()}, 0)));
    }
    return r;
}

// clang-format off
const std::vector<Layer>& layers_without_state() {
    static const auto images = [] { return one(x({2, 4, 6, 6})); };
    static const auto rows = [] { return one(x({3, 8})); };
    static const auto volumes = [] { return one(x({2, 4, 6, 6, 6})); };
    static const auto sequences = [] { return one(x({2, 4, 6})); };
    static const auto two = [] { return Args{x({3, 4}), x({3, 4})}; };
    static std::vector<Layer> all{
        {"Dropout", {}, {{"p", 0.5}}, rows}, {"Dropout1d", {}, {{"p", 0.5}}, sequences}, {"Dropout2d", {}, {{"p", 0.5}}, images},
        {"Dropout3d", {}, {{"p", 0.5}}, volumes}, {"AlphaDropout", {}, {{"p", 0.3}}, rows}, {"FeatureAlphaDropout", {}, {{"p", 0.3}}, images},
        {"RReLU", {}, {}, rows}, {"StochasticDepth", {0.4, "row"}, {}, rows},
        {"MaxPool1d", {2}, {}, sequences}, {"MaxPool2d", {2}, {}, images}, {"MaxPool3d", {2}, {}, volumes},
        {"AvgPool1d", {2}, {}, sequences}, {"AvgPool2d", {2}, {}, images}, {"AvgPool3d", {2}, {}, volumes},
        {"AdaptiveMaxPool1d", {2}, {}, sequences}, {"AdaptiveMaxPool2d", {2}, {}, images}, {"AdaptiveMaxPool3d", {2}, {}, volumes},
        {"AdaptiveAvgPool1d", {2}, {}, sequences}, {"AdaptiveAvgPool2d", {2}, {}, images}, {"AdaptiveAvgPool3d", {2}, {}, volumes},
        {"LPPool1d", {2., 2}, {}, sequences}, {"LPPool2d", {2., 2}, {}, images}, {"LPPool3d", {2., 2}, {}, volumes},
        {"ReflectionPad1d", {1}, {}, sequences}, {"ReplicationPad2d", {1}, {}, images}, {"CircularPad2d", {1}, {}, images},
        {"ZeroPad2d", {1}, {}, images}, {"ConstantPad1d", {1, .5}, {}, sequences},
        {"PixelShuffle", {2}, {}, images}, {"PixelUnshuffle", {2}, {}, images}, {"ChannelShuffle", {2}, {}, images},
        {"Upsample", {}, {{"scale_factor", 2.}}, images}, {"UpsamplingBilinear2d", {}, {{"scale_factor", 2.}}, images},
        {"Unfold", {2}, {}, images}, {"LocalResponseNorm", {2}, {}, images}, {"CrossMapLRN2d", {2}, {}, images},
        {"FractionalMaxPool2d", {2}, {{"output_size", 3}}, images},
        {"Softmax", {1}, {}, rows}, {"LogSoftmax", {1}, {}, rows}, {"Softmin", {1}, {}, rows}, {"Softmax2d", {}, {}, images}, {"GLU", {}, {}, rows},
        {"GELU", {}, {}, rows}, {"Softplus", {}, {}, rows}, {"Threshold", {.1, .2}, {}, rows},
        {"MSELoss", {}, {}, two}, {"L1Loss", {}, {}, two}, {"SmoothL1Loss", {}, {}, two}, {"HuberLoss", {}, {}, two}, {"SoftMarginLoss", {}, {}, two},
        {"PoissonNLLLoss", {}, {}, two}, {"CosineSimilarity", {}, {}, two}, {"PairwiseDistance", {}, {}, two},
        {"TripletMarginLoss", {}, {}, [] { return Args{x({3, 4}), x({3, 4}), x({3, 4})}; }},
        {"GaussianNLLLoss", {}, {}, [] { return Args{x({3, 4}), x({3, 4}), x({3, 4}).abs() + .1}; }},
        {"TransformerEncoderLayer", {4, 2, 8}, {{"dropout", 0.3}}, [] { return one(x({3, 1, 4})); }},
        {"MultiheadAttention", {4, 2}, {{"dropout", 0.3}}, [] { return Args{x({3, 1, 4}), x({2, 1, 4}), x({2, 1, 4})}; }},
        {"LSTM", {2, 3}, {{"num_layers", 2}, {"dropout", 0.5}}, [] { return one(x({4, 1, 2})); }},
    };
    for (const char* name : {"ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardsigmoid", "Hardswish", "Sigmoid", "Tanh", "LogSigmoid", "Softsign",
                             "Tanhshrink", "LeakyReLU", "ELU", "CELU", "Hardtanh", "Hardshrink", "Softshrink"})
        if (std::ranges::none_of(all, [&](const Layer& l) { return std::string_view(l.name) == name; })) all.push_back({name, {}, {}, rows});
    return all;
}
// clang-format on

/// Layers whose calls are never replayed, and why: what they compute depends on values that the host reads.
const std::map<std::string, std::string>& eager_layers() {
    static const std::map<std::string, std::string> all{
        {"EmbeddingBag", "embedding_bag works with values on the host"},
        {"AdaptiveLogSoftmaxWithLoss", ""},
        {"BCELoss", "item works with values on the host"},
        {"GaussianNLLLoss", "item works with values on the host"},
        {"MultiMarginLoss", "multi_margin_loss works with values on the host"},
    };
    return all;
}

/// A layer that does nothing, as dropout outside of training.
bool gives_its_argument(const jit::CompileReport::Graph& g) {
    return g.why_eager == "a result is, or aliases, a tensor from outside";
}

void check_layer(const Layer& layer) {
    BOOST_TEST_CONTEXT(layer.name) {
        Pair pair(layer);
        for (const bool training : {true, false}) {
            pair.set_training(training);
            for (int i = 0; i < 4; ++i) pair.call(layer.inputs(), training ? "training" : "evaluation");
        }
        pair.change_parameters();
        pair.call(layer.inputs(), "after a step");
        pair.set_training(true);
        pair.call(layer.inputs(), "training again");
        if (const Args more = doubled(layer); !more.empty()) try {
                pair.plain->clone()->call_values(more);
                for (int i = 0; i < 3; ++i) pair.call(more, "other shapes");
            } catch (const Error&) { // no batch dimension in front
            }
        {
            const NoGradGuard off;
            for (int i = 0; i < 3; ++i) pair.call(layer.inputs(), "no_grad");
        }
        const jit::CompileReport report = jit::explain(*pair.compiled);
        const auto eager = eager_layers().find(layer.name);
        if (eager == eager_layers().end()) {
            BOOST_TEST(report.replays >= 2u, report);
            for (const auto& g : report.graphs) BOOST_TEST((g.why_eager.empty() || gives_its_argument(g)), report);
        } else {
            BOOST_TEST(report.replays == 0u, report);
            BOOST_TEST(has(report.text(), eager->second), report);
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_compiled_module_layers)

BOOST_AUTO_TEST_CASE(layers_with_parameters_or_buffers) {
    for (const Layer& layer : layers_with_state()) check_layer(layer);
}
BOOST_AUTO_TEST_CASE(layers_without) {
    for (const Layer& layer : layers_without_state()) check_layer(layer);
}

BOOST_AUTO_TEST_SUITE_END()
