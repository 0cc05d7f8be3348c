// Layers that have parameters or buffers, each with arguments and inputs; and the names of all others.
#pragma once

#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "nn/testing.hpp"

namespace reel::testing {

struct Layer {
    const char* name;
    Args args;
    Kwargs kwargs;
    std::function<Args()> inputs; ///< float64 unless they are indices
};
inline Tensor x(std::initializer_list<std::int64_t> sizes) { return randn(sizes, kDouble); }
inline Args one(const Tensor& t) { return {Value(t)}; }
inline Tensor indices() { return tensor({0, 2, 1, 2}, kLong); }

// clang-format off
inline const std::vector<Layer>& layers_with_state() {
    static const Value weights(tensor({.5, 1., 2.}, kDouble));
    static const Kwargs tracking{{"affine", true}, {"track_running_stats", true}}, weighted{{"weight", weights}};
    static const auto labels = [] { return Args{x({4, 3}), indices()}; };
    static const auto targets = [] { return Args{x({2, 3}), ones({2, 3}, kDouble)}; };
    static const auto cell = [] { return Args{x({1, 2}), x({1, 3})}; };
    static const auto two_sequences = [] { return Args{x({3, 1, 4}), x({2, 1, 4})}; };
    static const std::vector<Layer> all{
        {"Linear", {3, 4}, {}, [] { return one(x({2, 3})); }},
        {"Bilinear", {2, 3, 4}, {}, [] { return Args{x({2, 2}), x({2, 3})}; }},
        {"Conv1d", {2, 3, 3}, {}, [] { return one(x({1, 2, 6})); }},
        {"Conv2d", {2, 3, 3}, {}, [] { return one(x({1, 2, 5, 5})); }},
        {"Conv3d", {1, 2, 2}, {}, [] { return one(x({1, 1, 3, 3, 3})); }},
        {"ConvTranspose1d", {2, 3, 3}, {}, [] { return one(x({1, 2, 4})); }},
        {"ConvTranspose2d", {2, 3, 3}, {}, [] { return one(x({1, 2, 3, 3})); }},
        {"ConvTranspose3d", {1, 2, 2}, {}, [] { return one(x({1, 1, 2, 2, 2})); }},
        {"BatchNorm1d", {3}, {}, [] { return one(x({4, 3})); }},
        {"BatchNorm2d", {3}, {}, [] { return one(x({2, 3, 2, 2})); }},
        {"BatchNorm3d", {3}, {}, [] { return one(x({2, 3, 2, 2, 2})); }},
        {"InstanceNorm1d", {3}, tracking, [] { return one(x({2, 3, 4})); }},
        {"InstanceNorm2d", {3}, tracking, [] { return one(x({2, 3, 2, 2})); }},
        {"InstanceNorm3d", {2}, tracking, [] { return one(x({2, 2, 2, 2, 2})); }},
        {"LayerNorm", {4}, {}, [] { return one(x({2, 4})); }},
        {"RMSNorm", {4}, {}, [] { return one(x({2, 4})); }},
        {"GroupNorm", {2, 4}, {}, [] { return one(x({2, 4, 3})); }},
        {"PReLU", {3}, {}, [] { return one(x({4, 3, 4})); }},
        {"Embedding", {3, 2}, {}, [] { return one(indices()); }},
        {"EmbeddingBag", {3, 2}, {{"mode", "sum"}}, [] { return one(indices().view({2, 2})); }},
        {"RNN", {2, 3}, {{"num_layers", 2}}, [] { return one(x({4, 1, 2})); }},
        {"LSTM", {2, 3}, {{"bidirectional", true}}, [] { return one(x({4, 1, 2})); }},
        {"GRU", {2, 3}, {}, [] { return one(x({4, 1, 2})); }},
        {"RNNCell", {2, 3}, {}, cell},
        {"LSTMCell", {2, 3}, {}, [] { return Args{x({1, 2}), Value::tuple({x({1, 3}), x({1, 3})})}; }},
        {"GRUCell", {2, 3}, {}, cell},
        {"MultiheadAttention", {4, 2}, {{"add_bias_kv", true}}, [] { return Args{x({3, 1, 4}), x({2, 1, 4}), x({2, 1, 4})}; }},
        {"LinearCrossEntropyLoss", {2, 3}, {{"bias", true}, {"weight", weights}}, [] { return Args{x({4, 2}), indices()}; }},
        {"TransformerEncoderLayer", {4, 2, 8}, {{"dropout", 0.}}, [] { return one(x({3, 1, 4})); }},
        {"TransformerDecoderLayer", {4, 2, 8}, {{"dropout", 0.}}, two_sequences},
        {"Transformer", {4, 2, 1, 1, 8}, {{"dropout", 0.}}, two_sequences},
        {"NLLLoss", {}, weighted, labels},
        {"CrossEntropyLoss", {}, weighted, labels},
        {"BCELoss", {}, weighted, [] { return Args{sigmoid(x({2, 3})), ones({2, 3}, kDouble)}; }},
        {"BCEWithLogitsLoss", {}, {{"weight", weights}, {"pos_weight", weights}}, targets},
        {"MultiMarginLoss", {}, weighted, labels},
        {"MultiLabelSoftMarginLoss", {}, weighted, targets},
        {"AdaptiveLogSoftmaxWithLoss", {4, 6, std::vector<std::int64_t>{2}}, {}, [] { return Args{x({4, 4}), tensor({0, 3, 1, 5}, kLong)}; }},
    };
    return all;
}
// clang-format on

/// Layers without anything of the kind, and containers, which have their own tests.
inline std::set<std::string> stateless() {
    std::istringstream names( // TransformerEncoder and TransformerDecoder are made of layers, and part of Transformer
        "ReLU ReLU6 SELU SiLU Mish Hardsigmoid Hardswish Sigmoid Tanh LogSigmoid Softsign Tanhshrink "
        "LeakyReLU ELU CELU Hardtanh Softplus Hardshrink Softshrink Threshold Softmax LogSoftmax Softmin "
        "GLU Softmax2d GELU RReLU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout "
        "StochasticDepth "
        "Identity Flatten Unflatten MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss HingeEmbeddingLoss "
        "CosineEmbeddingLoss MarginRankingLoss MultiLabelMarginLoss SoftMarginLoss PoissonNLLLoss "
        "GaussianNLLLoss CTCLoss TripletMarginLoss TripletMarginWithDistanceLoss CosineSimilarity "
        "PairwiseDistance Sequential ModuleList ModuleDict ParameterList ParameterDict Functional "
        "LocalResponseNorm CrossMapLRN2d FractionalMaxPool2d FractionalMaxPool3d ReflectionPad1d ReflectionPad2d "
        "ReflectionPad3d ReplicationPad1d "
        "ReplicationPad2d ReplicationPad3d CircularPad1d CircularPad2d CircularPad3d ZeroPad1d ZeroPad2d "
        "ZeroPad3d ConstantPad1d ConstantPad2d ConstantPad3d MaxPool1d MaxPool2d MaxPool3d AvgPool1d "
        "AvgPool2d AvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AdaptiveAvgPool1d "
        "AdaptiveAvgPool2d AdaptiveAvgPool3d PixelShuffle PixelUnshuffle ChannelShuffle Upsample "
        "UpsamplingNearest2d UpsamplingBilinear2d Unfold Fold LPPool1d LPPool2d LPPool3d MaxUnpool1d "
        "MaxUnpool2d MaxUnpool3d TransformerEncoder TransformerDecoder ");
    return {std::istream_iterator<std::string>(names), {}};
}

} // namespace reel::testing
