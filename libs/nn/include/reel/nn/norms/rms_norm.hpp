// Root mean square norm whose eps is a floor.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn::norms {

/// `dim`: the size of the last axis. `eps`: the least root mean square that is divided by.
struct RMSNormOptions {
    RMSNormOptions(std::int64_t dim) : dim_(dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, dim);
    REEL_ARG(double, eps) = 1e-8;
    /// Off: as the reference, where eps rounds to 0 in a dtype that cannot hold it (1e-8 in float16: a row of zeros
    /// gives NaN), and sizes of 1 broadcast. On: eps is then the dtype's least normal number, so that zeros give zeros,
    /// and the last axis must have `dim` elements.
    REEL_ARG(bool, strict) = false;
};
/// y = x / max(|x| / sqrt(dim), eps) g over the last axis (LN-3), |x| the Euclidean norm. eps is a floor of the root
/// mean square, not a term under the root: rows above it come out with a root mean square of 1, rows of zeros stay
/// zeros. The usual one, mean square plus eps under the root and parameter `weight`, is `nn::RMSNorm`.
/// Input `[*, dim]` of a floating or complex dtype, output alike (a last axis of 1, or dim 1, broadcasts unless
/// `strict`); one parameter `g` (ones, `[dim]`). Gradient: where the floor is active, and where the root mean square is
/// eps exactly, the norm is a constant; at x = 0 the norm's own gradient is 0. ValueError for a dim below 1 and for a
/// last axis of another size. Source: darts 0.48.1, `layer_norm_variants.RMSNorm`.
class RMSNormImpl : public Cloneable<RMSNormImpl> {
public:
    explicit RMSNormImpl(std::int64_t dim) : RMSNormImpl(RMSNormOptions(dim)) {}
    explicit RMSNormImpl(const RMSNormOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "x";
    Tensor forward(const Tensor& x);
    RMSNormOptions options;
    Tensor g;
};
REEL_MODULE(RMSNorm);

} // namespace reel::nn::norms
