// Reel's own layers: what every file would have to compile for each of them is compiled once, in instances.cpp.
// A layer that is missing here works all the same; only files that include it compile a little longer.
#pragma once

#include <reel/nn.hpp>

// clang-format off
#define REEL_NN_LAYERS(X) \
    X(ReLU) X(ReLU6) X(SELU) X(SiLU) X(Mish) X(Hardsigmoid) X(Hardswish) X(Sigmoid) X(Tanh) X(LogSigmoid) \
    X(Softsign) X(Tanhshrink) X(LeakyReLU) X(ELU) X(CELU) X(Hardtanh) X(Softplus) X(Hardshrink) X(Softshrink) \
    X(Threshold) X(Softmax) X(LogSoftmax) X(Softmin) X(GLU) X(Softmax2d) X(GELU) X(RReLU) X(PReLU) X(BatchNorm1d) \
    X(BatchNorm2d) X(BatchNorm3d) X(InstanceNorm1d) X(InstanceNorm2d) X(InstanceNorm3d) X(Conv1d) X(Conv2d) \
    X(Conv3d) X(ConvTranspose1d) X(ConvTranspose2d) X(ConvTranspose3d) X(Dropout) X(Dropout1d) X(Dropout2d) \
    X(Dropout3d) X(AlphaDropout) X(FeatureAlphaDropout) X(Embedding) X(EmbeddingBag) X(Linear) X(Identity) \
    X(Flatten) X(Unflatten) X(Bilinear) X(MSELoss) X(NLLLoss) X(CrossEntropyLoss) X(L1Loss) X(SmoothL1Loss) \
    X(HuberLoss) X(BCELoss) X(BCEWithLogitsLoss) X(KLDivLoss) X(HingeEmbeddingLoss) X(CosineEmbeddingLoss) \
    X(MarginRankingLoss) X(MultiMarginLoss) X(MultiLabelMarginLoss) X(SoftMarginLoss) X(MultiLabelSoftMarginLoss) \
    X(PoissonNLLLoss) X(GaussianNLLLoss) X(CTCLoss) X(TripletMarginLoss) X(TripletMarginWithDistanceLoss) \
    X(CosineSimilarity) X(PairwiseDistance) X(Sequential) X(ModuleList) X(ModuleDict) X(ParameterList) X(ParameterDict) X(Functional) X(LayerNorm) X(RMSNorm) \
    X(GroupNorm) X(LocalResponseNorm) X(ReflectionPad1d) X(ReflectionPad2d) X(ReflectionPad3d) X(ReplicationPad1d) \
    X(ReplicationPad2d) X(ReplicationPad3d) X(CircularPad1d) X(CircularPad2d) X(CircularPad3d) X(ZeroPad1d) \
    X(ZeroPad2d) X(ZeroPad3d) X(ConstantPad1d) X(ConstantPad2d) X(ConstantPad3d) X(MaxPool1d) X(MaxPool2d) \
    X(MaxPool3d) X(AvgPool1d) X(AvgPool2d) X(AvgPool3d) X(AdaptiveMaxPool1d) X(AdaptiveMaxPool2d) \
    X(AdaptiveMaxPool3d) X(AdaptiveAvgPool1d) X(AdaptiveAvgPool2d) X(AdaptiveAvgPool3d) X(PixelShuffle) \
    X(PixelUnshuffle) X(ChannelShuffle) X(Upsample) X(UpsamplingNearest2d) X(UpsamplingBilinear2d) X(Unfold) X(Fold) \
    X(MultiheadAttention) X(TransformerEncoderLayer) X(TransformerDecoderLayer) X(TransformerEncoder) \
    X(TransformerDecoder) X(Transformer) \
    X(LPPool1d) X(LPPool2d) X(LPPool3d) X(MaxUnpool1d) X(MaxUnpool2d) X(MaxUnpool3d) X(RNN) X(LSTM) X(GRU) X(RNNCell) X(LSTMCell) X(GRUCell) \
    X(AdaptiveLogSoftmaxWithLoss) X(CrossMapLRN2d) X(FractionalMaxPool2d) X(FractionalMaxPool3d)
// clang-format on

namespace reel::nn {
#define REEL_INSTANCE(Name) extern template class Cloneable<Name##Impl>;
REEL_NN_LAYERS(REEL_INSTANCE)
#undef REEL_INSTANCE
} // namespace reel::nn
