// What the layers of reel::nn record (rule SC-78): the calls of PyTorch's layers of the same names.
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/dropout.hpp>
#include <reel/nn/modules/embedding.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/loss.hpp>
#include <reel/nn/modules/normalization.hpp>
#include <reel/nn/modules/padding.hpp>
#include <reel/nn/modules/pooling.hpp>
#include <reel/nn/modules/vision.hpp>
#include <reel/nn/option_visitor.hpp>

#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

template <class Array> IValue ints(const Array& array, std::size_t n) {
    Args out;
    for (std::size_t i = 0; i < n; ++i) out.emplace_back(array[i]);
    return IValue::list(std::move(out));
}
std::string text_of(const auto& choice) { return nn::detail::choice_text(choice.name()); }

IValue sequential(Tracer& t, nn::Module& m, const Args& a) {
    REEL_CHECK(a.size() == 1, "jit::trace: a Sequential expects one argument, got ", a.size());
    IValue x = a[0];
    for (const auto& child : m.own_children()) x = t.module(**child, {x});
    return x;
}
IValue identity(Tracer&, nn::Module&, const Args& a) { return a.at(0); }

IValue linear(Tracer& t, nn::Module& m, const Args& a) {
    auto& l = dynamic_cast<nn::LinearImpl&>(m);
    return t.aten("aten::linear", {a.at(0), l.weight, optional(l.bias)});
}
/// How much a convolution pads before and after each dimension, the last dimension first, as `pad` takes it.
template <std::size_t D, class Options> IValue pads_of(const Options& o) {
    const auto* const numbers = o.padding().numbers();
    Args out;
    for (std::size_t i = D; i-- > 0;) {
        const std::int64_t total = o.dilation()[i] * (o.kernel_size()[i] - 1);
        const bool same = !numbers && o.padding() == kSame;
        const std::int64_t left = numbers ? (*numbers)[i] : same ? total / 2 : 0;
        out.emplace_back(left);
        out.emplace_back(numbers ? left : same ? total - left : 0);
    }
    return list(std::move(out));
}
template <std::size_t D, class M> IValue conv(Tracer& t, nn::Module& m, const Args& a) {
    auto& c = dynamic_cast<M&>(m);
    const auto& o = c.options;
    const std::string mode = text_of(o.padding_mode());
    const char* const function = of_rank<D>("nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d");
    const auto* const numbers = o.padding().numbers();
    IValue x = a.at(0), padding = numbers ? ints(*numbers, D) : IValue(o.padding() == kSame ? "same" : "valid");
    if (mode != "zeros") {
        x = t.call("nn.functional.pad", {x, pads_of<D>(o), mode});
        padding = repeated(D, 0);
    }
    return t.call(function,
                  {x, c.weight, optional(c.bias), ints(o.stride(), D), padding, ints(o.dilation(), D), o.groups()});
}
template <std::size_t D, class M> IValue conv_transpose(Tracer& t, nn::Module& m, const Args& a) {
    auto& c = dynamic_cast<M&>(m);
    const auto& o = c.options;
    return t.call(of_rank<D>("nn.functional.conv_transpose1d", "nn.functional.conv_transpose2d",
                             "nn.functional.conv_transpose3d"),
                  {a.at(0), c.weight, optional(c.bias), ints(o.stride(), D), ints(o.padding(), D),
                   ints(o.output_padding(), D), o.groups(), ints(o.dilation(), D)});
}

template <class M> IValue batch_norm(Tracer& t, nn::Module& m, const Args& a) {
    auto& b = dynamic_cast<M&>(m);
    const bool counts = b.is_training() && b.num_batches_tracked.defined();
    if (counts) t.call("add_", {b.num_batches_tracked, 1});
    // without momentum all batches weigh the same, as many as there were when the trace ran
    const double factor = b.options.momentum() ? *b.options.momentum()
                          : counts             ? 1. / b.num_batches_tracked.template item<double>()
                                               : 0.;
    const bool own_moments = b.is_training() || !b.running_mean.defined();
    return t.aten("aten::batch_norm", {a.at(0), optional(b.weight), optional(b.bias), optional(b.running_mean),
                                       optional(b.running_var), own_moments, factor, b.options.eps(), true});
}
template <class M> IValue instance_norm(Tracer& t, nn::Module& m, const Args& a) {
    auto& b = dynamic_cast<M&>(m);
    const bool own_moments = b.is_training() || !b.running_mean.defined();
    return t.aten("aten::instance_norm",
                  {a.at(0), optional(b.weight), optional(b.bias), optional(b.running_mean), optional(b.running_var),
                   own_moments, b.options.momentum().value_or(0.), b.options.eps(), true});
}
IValue layer_norm(Tracer& t, nn::Module& m, const Args& a) {
    auto& n = dynamic_cast<nn::LayerNormImpl&>(m);
    return t.aten("aten::layer_norm", {a.at(0), IValue(n.options.normalized_shape()), optional(n.weight),
                                       optional(n.bias), n.options.eps(), true});
}
IValue group_norm(Tracer& t, nn::Module& m, const Args& a) {
    auto& n = dynamic_cast<nn::GroupNormImpl&>(m);
    return t.aten("aten::group_norm",
                  {a.at(0), n.options.num_groups(), optional(n.weight), optional(n.bias), n.options.eps(), true});
}
IValue rms_norm(Tracer& t, nn::Module& m, const Args& a) {
    auto& n = dynamic_cast<nn::RMSNormImpl&>(m);
    return t.aten("aten::rms_norm",
                  {a.at(0), IValue(n.options.normalized_shape()), optional(n.weight), IValue(n.options.eps())});
}

IValue dropout(Tracer& t, nn::Module& m, const Args& a) {
    auto& d = dynamic_cast<nn::DropoutImpl&>(m);
    return t.aten(d.options.inplace() ? "aten::dropout_" : "aten::dropout",
                  {a.at(0), double(d.options.p()), d.is_training()});
}
/// Layers without options of their own: the operator of the same name, in place where the layer says so.
template <class M> IValue in_place_or_not(Tracer& t, nn::Module& m, const Args& a, const char* name) {
    return t.call(std::string(name) + (dynamic_cast<M&>(m).options.inplace() ? "_" : ""), {a.at(0)});
}
IValue relu(Tracer& t, nn::Module& m, const Args& a) { return in_place_or_not<nn::ReLUImpl>(t, m, a, "relu"); }
IValue sigmoid(Tracer& t, nn::Module&, const Args& a) { return t.call("sigmoid", {a.at(0)}); }
IValue tanh(Tracer& t, nn::Module&, const Args& a) { return t.call("tanh", {a.at(0)}); }
IValue silu(Tracer& t, nn::Module& m, const Args& a) {
    return t.aten(dynamic_cast<nn::SiLUImpl&>(m).options.inplace() ? "aten::silu_" : "aten::silu", {a.at(0)});
}
IValue hardswish(Tracer& t, nn::Module& m, const Args& a) {
    const bool inplace = dynamic_cast<nn::HardswishImpl&>(m).options.inplace();
    return t.aten(inplace ? "aten::hardswish_" : "aten::hardswish", {a.at(0)});
}
IValue gelu(Tracer& t, nn::Module& m, const Args& a) {
    return t.aten("aten::gelu", {a.at(0), dynamic_cast<nn::GELUImpl&>(m).options.approximate()});
}
IValue leaky_relu(Tracer& t, nn::Module& m, const Args& a) {
    auto& l = dynamic_cast<nn::LeakyReLUImpl&>(m);
    return t.aten(l.options.inplace() ? "aten::leaky_relu_" : "aten::leaky_relu",
                  {a.at(0), double(l.options.negative_slope())});
}
IValue elu(Tracer& t, nn::Module& m, const Args& a) {
    auto& l = dynamic_cast<nn::ELUImpl&>(m);
    return t.aten(l.options.inplace() ? "aten::elu_" : "aten::elu", {a.at(0), double(l.options.alpha())});
}
IValue relu6(Tracer& t, nn::Module& m, const Args& a) {
    const bool inplace = dynamic_cast<nn::ReLU6Impl&>(m).options.inplace();
    return t.aten(inplace ? "aten::hardtanh_" : "aten::hardtanh", {a.at(0), 0., 6.});
}
IValue softmax(Tracer& t, nn::Module& m, const Args& a) {
    return t.aten("aten::softmax.int", {a.at(0), dynamic_cast<nn::SoftmaxImpl&>(m).options.dim()});
}
IValue log_softmax(Tracer& t, nn::Module& m, const Args& a) {
    return t.aten("aten::log_softmax.int", {a.at(0), dynamic_cast<nn::LogSoftmaxImpl&>(m).options.dim()});
}
IValue tanhshrink(Tracer& t, nn::Module&, const Args& a) { return t.call("nn.functional.tanhshrink", a); }
IValue softsign(Tracer& t, nn::Module&, const Args& a) { return t.call("nn.functional.softsign", a); }

template <std::size_t D, class M> IValue max_pool(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<M&>(m).options;
    return t.aten(of_rank<D>("aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d"),
                  {a.at(0), ints(o.kernel_size(), D), ints(o.stride(), D), ints(o.padding(), D), ints(o.dilation(), D),
                   o.ceil_mode()});
}
IValue avg_pool2d(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::AvgPool2dImpl&>(m).options;
    return t.aten("aten::avg_pool2d", {a.at(0), ints(o.kernel_size(), 2), ints(o.stride(), 2), ints(o.padding(), 2),
                                       o.ceil_mode(), o.count_include_pad(), IValue(o.divisor_override())});
}
IValue adaptive_avg_pool2d(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::AdaptiveAvgPool2dImpl&>(m).options;
    Args size;
    for (std::size_t i = 0; i < 2; ++i) size.emplace_back(IValue(o.output_size()[i]));
    return t.call("nn.functional.adaptive_avg_pool2d", {a.at(0), list(std::move(size))});
}
template <class M, std::size_t D> IValue pad(Tracer& t, nn::Module& m, const Args& a) {
    const std::string mode = M::mode;
    return t.aten("aten::pad", {a.at(0), ints(dynamic_cast<M&>(m).options.padding(), 2 * D), mode,
                                mode == "constant" ? IValue(0.) : IValue()});
}
IValue upsample(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::UpsampleImpl&>(m).options;
    const IValue size = o.size() ? IValue(*o.size()) : IValue();
    IValue factors;
    if (o.scale_factor()) {
        // one factor stands for every dimension
        const std::size_t dims = std::size_t(a.at(0).toTensor().dim()) - 2;
        const std::vector<double>& f = *o.scale_factor();
        factors = IValue(f.size() == 1 ? std::vector<double>(dims, f[0]) : f);
    }
    return t.call("nn.functional.interpolate", {a.at(0), size, factors, text_of(o.mode()), IValue(o.align_corners()),
                                                IValue(o.recompute_scale_factor())});
}
IValue flatten(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::FlattenImpl&>(m).options;
    return t.aten("aten::flatten.using_ints", {a.at(0), o.start_dim(), o.end_dim()});
}
IValue embedding(Tracer& t, nn::Module& m, const Args& a) {
    auto& e = dynamic_cast<nn::EmbeddingImpl&>(m);
    IValue input = a.at(0);
    if (e.options.max_norm()) {
        input = t.aten("aten::contiguous", {input, 0});
        t.local("input", input);
        renormalise(t, e.weight, input, double(*e.options.max_norm()), double(e.options.norm_type()));
    }
    return t.aten("aten::embedding", {e.weight, input, e.options.padding_idx().value_or(-1),
                                      e.options.scale_grad_by_freq(), e.options.sparse()});
}
IValue mse_loss(Tracer& t, nn::Module& m, const Args& a) {
    const std::string reduction = text_of(dynamic_cast<nn::MSELossImpl&>(m).options.reduction());
    return t.call("nn.functional.mse_loss", {a.at(0), a.at(1), {}, {}, reduction});
}

IValue hardtanh(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::HardtanhImpl&>(m).options;
    return t.call("nn.functional.hardtanh", {a.at(0), double(o.min_val()), double(o.max_val()), o.inplace()});
}
IValue softplus(Tracer& t, nn::Module& m, const Args& a) {
    auto& o = dynamic_cast<nn::SoftplusImpl&>(m).options;
    return t.aten("aten::softplus", {a.at(0), double(o.beta()), double(o.threshold())});
}

constexpr Layer table[] = {
    {"Sequential", "container", sequential},
    {"Identity", "linear", identity},
    {"Linear", "linear", linear},
    {"NonDynamicallyQuantizableLinear", "linear", linear},
    {"Conv1d", "conv", conv<1, nn::Conv1dImpl>},
    {"Conv2d", "conv", conv<2, nn::Conv2dImpl>},
    {"Conv3d", "conv", conv<3, nn::Conv3dImpl>},
    {"ConvTranspose1d", "conv", conv_transpose<1, nn::ConvTranspose1dImpl>},
    {"ConvTranspose2d", "conv", conv_transpose<2, nn::ConvTranspose2dImpl>},
    {"ConvTranspose3d", "conv", conv_transpose<3, nn::ConvTranspose3dImpl>},
    {"BatchNorm1d", "batchnorm", batch_norm<nn::BatchNorm1dImpl>},
    {"BatchNorm2d", "batchnorm", batch_norm<nn::BatchNorm2dImpl>},
    {"BatchNorm3d", "batchnorm", batch_norm<nn::BatchNorm3dImpl>},
    {"InstanceNorm1d", "instancenorm", instance_norm<nn::InstanceNorm1dImpl>},
    {"InstanceNorm2d", "instancenorm", instance_norm<nn::InstanceNorm2dImpl>},
    {"InstanceNorm3d", "instancenorm", instance_norm<nn::InstanceNorm3dImpl>},
    {"LayerNorm", "normalization", layer_norm},
    {"GroupNorm", "normalization", group_norm},
    {"RMSNorm", "normalization", rms_norm},
    {"Dropout", "dropout", dropout},
    {"ReLU", "activation", relu},
    {"Sigmoid", "activation", sigmoid},
    {"Tanh", "activation", tanh},
    {"SiLU", "activation", silu},
    {"Hardswish", "activation", hardswish},
    {"GELU", "activation", gelu},
    {"LeakyReLU", "activation", leaky_relu},
    {"ELU", "activation", elu},
    {"ReLU6", "activation", relu6},
    {"Softmax", "activation", softmax},
    {"LogSoftmax", "activation", log_softmax},
    {"Tanhshrink", "activation", tanhshrink},
    {"Softsign", "activation", softsign},
    {"MaxPool1d", "pooling", max_pool<1, nn::MaxPool1dImpl>},
    {"MaxPool2d", "pooling", max_pool<2, nn::MaxPool2dImpl>},
    {"MaxPool3d", "pooling", max_pool<3, nn::MaxPool3dImpl>},
    {"AvgPool2d", "pooling", avg_pool2d},
    {"AdaptiveAvgPool2d", "pooling", adaptive_avg_pool2d},
    {"ZeroPad1d", "padding", pad<nn::ZeroPad1dImpl, 1>},
    {"ZeroPad2d", "padding", pad<nn::ZeroPad2dImpl, 2>},
    {"ReflectionPad1d", "padding", pad<nn::ReflectionPad1dImpl, 1>},
    {"ReflectionPad2d", "padding", pad<nn::ReflectionPad2dImpl, 2>},
    {"ReplicationPad1d", "padding", pad<nn::ReplicationPad1dImpl, 1>},
    {"ReplicationPad2d", "padding", pad<nn::ReplicationPad2dImpl, 2>},
    {"Upsample", "upsampling", upsample},
    {"Flatten", "flatten", flatten},
    {"Embedding", "sparse", embedding},
    {"MSELoss", "loss", mse_loss, "input target"},
    {"CELU", "activation", nullptr},
    {"SELU", "activation", nullptr},
    {"Mish", "activation", nullptr},
    {"Hardsigmoid", "activation", nullptr},
    {"Hardtanh", "activation", hardtanh},
    {"Hardshrink", "activation", nullptr},
    {"Softshrink", "activation", nullptr},
    {"Softplus", "activation", softplus},
    {"LogSigmoid", "activation", nullptr},
    {"Threshold", "activation", nullptr},
    {"PReLU", "activation", nullptr},
    {"RReLU", "activation", nullptr},
    {"GLU", "activation", nullptr},
    {"Softmin", "activation", nullptr},
    {"Softmax2d", "activation", nullptr},
    {"Dropout1d", "dropout", nullptr},
    {"Dropout2d", "dropout", nullptr},
    {"Dropout3d", "dropout", nullptr},
    {"AlphaDropout", "dropout", nullptr},
    {"FeatureAlphaDropout", "dropout", nullptr},
    {"AvgPool1d", "pooling", nullptr},
    {"AvgPool3d", "pooling", nullptr},
    {"AdaptiveAvgPool1d", "pooling", nullptr},
    {"AdaptiveAvgPool3d", "pooling", nullptr},
    {"AdaptiveMaxPool1d", "pooling", nullptr},
    {"AdaptiveMaxPool2d", "pooling", nullptr},
    {"AdaptiveMaxPool3d", "pooling", nullptr},
    {"LPPool1d", "pooling", nullptr},
    {"LPPool2d", "pooling", nullptr},
    {"LPPool3d", "pooling", nullptr},
    {"ZeroPad3d", "padding", nullptr},
    {"ConstantPad1d", "padding", nullptr},
    {"ConstantPad2d", "padding", nullptr},
    {"ConstantPad3d", "padding", nullptr},
    {"ReflectionPad3d", "padding", nullptr},
    {"ReplicationPad3d", "padding", nullptr},
    {"CircularPad1d", "padding", nullptr},
    {"CircularPad2d", "padding", nullptr},
    {"CircularPad3d", "padding", nullptr},
    {"UpsamplingNearest2d", "upsampling", nullptr},
    {"UpsamplingBilinear2d", "upsampling", nullptr},
    {"PixelShuffle", "pixelshuffle", nullptr},
    {"PixelUnshuffle", "pixelshuffle", nullptr},
    {"ChannelShuffle", "channelshuffle", nullptr},
    {"Fold", "fold", nullptr},
    {"Unfold", "fold", nullptr},
    {"LocalResponseNorm", "normalization", nullptr},
    {"CrossMapLRN2d", "normalization", nullptr},
    {"EmbeddingBag", "sparse", nullptr},
    {"Unflatten", "flatten", nullptr},
    {"ModuleList", "container", nullptr},
    {"ModuleDict", "container", nullptr},
    {"ParameterList", "container", nullptr},
    {"ParameterDict", "container", nullptr},
    {"Bilinear", "linear", nullptr, "input1 input2"},
    {"CosineSimilarity", "distance", nullptr, "x1 x2"},
    {"PairwiseDistance", "distance", nullptr, "x1 x2"},
    {"L1Loss", "loss", nullptr, "input target"},
    {"SmoothL1Loss", "loss", nullptr, "input target"},
    {"HuberLoss", "loss", nullptr, "input target"},
    {"NLLLoss", "loss", nullptr, "input target"},
    {"CrossEntropyLoss", "loss", nullptr, "input target"},
    {"KLDivLoss", "loss", nullptr, "input target"},
    {"BCELoss", "loss", nullptr, "input target"},
    {"BCEWithLogitsLoss", "loss", nullptr, "input target"},
    {"PoissonNLLLoss", "loss", nullptr, "input target"},
    {"GaussianNLLLoss", "loss", nullptr, "input target var"},
    {"SoftMarginLoss", "loss", nullptr, "input target"},
    {"HingeEmbeddingLoss", "loss", nullptr, "input target"},
    {"MultiMarginLoss", "loss", nullptr, "input target"},
    {"MultiLabelMarginLoss", "loss", nullptr, "input target"},
    {"MultiLabelSoftMarginLoss", "loss", nullptr, "input target"},
    {"CosineEmbeddingLoss", "loss", nullptr, "input1 input2 target"},
    {"MarginRankingLoss", "loss", nullptr, "input1 input2 target"},
    {"TripletMarginLoss", "loss", nullptr, "anchor positive negative"},
    {"TripletMarginWithDistanceLoss", "loss", nullptr, "anchor positive negative"},
    {"CTCLoss", "loss", nullptr, "log_probs targets input_lengths target_lengths"},
    {"FractionalMaxPool2d", "pooling", nullptr},
    {"FractionalMaxPool3d", "pooling", nullptr},
    {"MaxUnpool1d", "pooling", nullptr, "input indices"},
    {"MaxUnpool2d", "pooling", nullptr, "input indices"},
    {"MaxUnpool3d", "pooling", nullptr, "input indices"},
};
} // namespace

const Layer* find_layer(const nn::Module& module) {
    const std::string name = module.repr_name();
    // a class of the user's may have the name of a layer
    if (std::string(typeid(module).name()).find("4reel2nn") == std::string::npos) return nullptr;
    for (const std::span<const Layer> group : {std::span<const Layer>(table), recurrent_layers(), attention_layers()})
        for (const Layer& layer : group)
            if (layer.name == name) return &layer;
    return nullptr;
}

} // namespace reel::jit::trace_impl
