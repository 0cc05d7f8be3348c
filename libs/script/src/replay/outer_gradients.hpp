// Gradients of weights after one example: outer products, which stay two vectors until somebody looks.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <reel/autograd/detail/outer_product.hpp>

#include "replay/recording.hpp"

namespace reel::jit::replay {

struct Recording;

/// Stands in the place of a product of a column and a row.
class KeptFactors final : public KernelCall {
public:
    KeptFactors(Tensor left, Tensor right, double base)
        : left_(std::move(left)), right_(std::move(right)), base_(base) {}
    void run() override { kept_ = std::make_unique<reel::detail::OuterProduct>(left_, right_, base_); }
    /// Memory that holds the product of the last run once somebody asks.
    StoragePtr take(std::size_t bytes) { return Storage::defer(bytes, std::move(kept_)); }

private:
    Tensor left_, right_;
    double base_;
    std::unique_ptr<const reel::detail::OuterProduct> kept_;
};

/// A leaf's gradient that is kept so.
struct OuterGradient {
    int memory;
    KeptFactors* step;
};

/// Large products of a column and a row that nobody takes but a leaf, as its whole gradient, are kept as these from
/// here on, where no bit differs.
std::vector<OuterGradient> keep_outer_gradients(Recording& recording);

} // namespace reel::jit::replay
