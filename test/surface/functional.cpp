// Functional forms and initialisation. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;

void layers_as_functions() {
    namespace F = nn::functional;
    auto x = ones({1, 3, 8, 8}), w = ones({4, 3, 3, 3});
    F::linear(x, ones({2, 8}));
    F::linear(x, ones({2, 8}), ones(2));
    F::conv2d(x, w);
    F::conv2d(x, w, F::Conv2dFuncOptions().bias(ones(4)).stride(2).padding(1).dilation(1).groups(1));
    F::conv1d(ones({1, 3, 8}), ones({4, 3, 3}));
    F::embedding(tensor({1}), ones({2, 3}));
    F::one_hot(tensor({1}), 3);
}
void activations_as_functions() {
    namespace F = nn::functional;
    auto x = ones({1, 3, 8, 8});
    F::relu(x);
    F::relu(x, F::ReLUFuncOptions().inplace(true));
    F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.1));
    F::gelu(x);
    F::gelu(x, F::GELUFuncOptions().approximate("tanh"));
    F::silu(x);
    F::softplus(x);
    F::elu(x);
    F::softmax(x, 1);
    F::softmax(x, F::SoftmaxFuncOptions(1).dtype(kDouble));
    F::log_softmax(x, 1);
    F::logsigmoid(x);
    F::tanhshrink(x);
    F::softsign(x);
}
void norms_and_pools_as_functions() {
    namespace F = nn::functional;
    auto x = ones({1, 3, 8, 8});
    F::dropout(x, F::DropoutFuncOptions().p(0.5).training(false));
    F::batch_norm(x, ones(3), ones(3), F::BatchNormFuncOptions().training(true));
    F::layer_norm(x, F::LayerNormFuncOptions({8}));
    F::group_norm(x, F::GroupNormFuncOptions(3));
    F::max_pool2d(x, F::MaxPool2dFuncOptions(2));
    F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2));
    F::avg_pool2d(x, F::AvgPool2dFuncOptions(2));
    F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions(2));
    F::pad(x, F::PadFuncOptions({1, 1}).mode(kReflect));
}
void losses_as_functions() {
    namespace F = nn::functional;
    auto x = ones({1, 3, 8, 8});
    F::mse_loss(x, x);
    F::smooth_l1_loss(x, x, kNone);
    F::smooth_l1_loss(x, x, kMean, 0.5);
    F::huber_loss(x, x, kSum);
    mse_loss(x, x, Reduction::Sum);
    l1_loss(x, x, Reduction::None);
    nll_loss(x, x, {}, -100, Reduction::Mean);
    F::l1_loss(x, x, F::L1LossFuncOptions(kSum));
    F::cross_entropy(x, x);
    F::nll_loss(ones({2, 3}), tensor({1, 2}));
    F::binary_cross_entropy(x, x);
    F::binary_cross_entropy_with_logits(x, x);
    F::smooth_l1_loss(x, x);
    F::smooth_l1_loss(x, x, F::SmoothL1LossFuncOptions(), 0.5);
    F::huber_loss(x, x);
}
void ops_of_layers() {
    auto x = ones({1, 3, 8, 8}), w = ones({4, 3, 3, 3});
    max_pool2d(x, 2);
    conv2d(x, w);
    log_softmax(x, 1);
    mse_loss(x, x);
    layer_norm(x, {8});
    group_norm(x, 3);
    embedding(w, tensor({1}));
    elu(x);
    dropout(x, .5, true);
    rms_norm(x, {8});
    scaled_dot_product_attention(x, x, x);
    nll_loss(x, x);
}
void pretrained() {
    nn::Embedding::from_pretrained(ones({2, 3}));
    nn::Embedding::from_pretrained(ones({2, 3}), nn::EmbeddingFromPretrainedOptions().freeze(false));
    nn::EmbeddingBag::from_pretrained(ones({2, 3}));
}
void initialisation() {
    auto x = ones({1, 3, 8, 8});
    nn::init::uniform_(x);
    nn::init::normal_(x);
    nn::init::constant_(x, 1);
    nn::init::ones_(x);
    nn::init::zeros_(x);
    nn::init::xavier_uniform_(x);
    nn::init::xavier_normal_(x, 2);
    nn::init::kaiming_uniform_(x, 0, kFanIn, kLeakyReLU);
    nn::init::kaiming_normal_(x, 0, kFanOut, kReLU);
    nn::init::calculate_gain(kTanh);
    nn::init::calculate_gain(kLeakyReLU, 0.2);
    nn::init::trunc_normal_(x, 0, 1, -2, 2);
    Generator g;
    nn::init::uniform_(x, 0, 1, g);
}
void forms_of_layers() {
    auto x = ones({1, 3, 8, 8});
    nn::MaxPool2d mp(2);
    mp->forward_with_indices(x);
    nn::GELU gl(nn::GELUOptions().approximate("tanh"));
}
