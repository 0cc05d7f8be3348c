#include "model.hpp"

#include <reel/autograd/ops.hpp>

namespace digits {

using namespace reel;

namespace {
constexpr std::int64_t feature_count = 64 * 2 * 2;
} // namespace

void DigitNetImpl::reset() {
    const auto conv = [](std::int64_t in, std::int64_t out) {
        return nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1).bias(false));
    };
    features = nn::Sequential();
    features->push_back("conv1", conv(1, 16));
    features->push_back("norm1", nn::BatchNorm2d(16));
    features->push_back("relu1", nn::ReLU());
    features->push_back("conv2", conv(16, 32));
    features->push_back("norm2", nn::BatchNorm2d(32));
    features->push_back("relu2", nn::ReLU());
    features->push_back("pool1", nn::MaxPool2d(2));
    features->push_back("conv3", conv(32, 64));
    features->push_back("norm3", nn::BatchNorm2d(64));
    features->push_back("relu3", nn::ReLU());
    features->push_back("pool2", nn::MaxPool2d(2));
    features->push_back("flatten", nn::Flatten());
    features->push_back("dropout", nn::Dropout(0.25));
    register_module("features", features);
    head = nn::Linear(feature_count, classes);
    register_module("head", head);
}
Tensor DigitNetImpl::forward(const Tensor& images) { return head(features(images)); }
void DigitNetImpl::replace_head(std::int64_t new_classes) {
    classes = new_classes;
    head = nn::Linear(feature_count, classes);
    replace_module("head", head);
}

std::uint64_t state_hash(nn::Module& module) {
    std::uint64_t hash = 14695981039346656037u;
    const auto mix = [&](const void* data, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
    };
    for (const auto& item : module.state_dict()) {
        const Tensor t = item.value().toTensor().cpu().contiguous();
        mix(item.key().data(), item.key().size());
        mix(t.sizes().data(), t.sizes().size() * sizeof(std::int64_t));
        mix(t.data_ptr(), t.nbytes());
    }
    return hash;
}

} // namespace digits
