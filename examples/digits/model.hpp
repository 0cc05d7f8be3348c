// The network: a feature extractor that can be frozen, and a head that can be replaced.
#pragma once

#include <reel/nn.hpp>

namespace digits {

struct DigitNetImpl : reel::nn::Cloneable<DigitNetImpl> {
    explicit DigitNetImpl(std::int64_t classes) : classes(classes) { DigitNetImpl::reset(); }
    void reset() override;
    reel::Tensor forward(const reel::Tensor& images);
    /// A fresh head for another number of classes.
    void replace_head(std::int64_t new_classes);

    std::int64_t classes;
    reel::nn::Sequential features{nullptr};
    reel::nn::Linear head{nullptr};
};
REEL_MODULE(DigitNet);

/// A number that changes when any bit of any parameter or buffer of `module` does (FNV-1a over names, shapes and
/// bytes).
std::uint64_t state_hash(reel::nn::Module& module);

} // namespace digits
