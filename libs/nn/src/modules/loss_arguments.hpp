// Reductions of loss modules: between options, names and constructor arguments.
#pragma once

#include <reel/nn/factory.hpp>
#include <reel/nn/modules/loss.hpp>

namespace reel::nn::text {

inline const char* name_of(const reduction_t& r) { return r == kNone ? "none" : r == kMean ? "mean" : "sum"; }
inline const char* name_of(const kl_reduction_t& r) {
    if (r == kBatchMean) return "batchmean";
    return r == kNone ? "none" : r == kMean ? "mean" : "sum";
}
/// Reads `reduction`, or the older pair `size_average`, `reduce`.
inline reduction_t reduction_of(const char* module, const ConstructorArgs& a) {
    if (a.has("size_average") || a.has("reduce")) {
        if (!a.get<bool>("reduce", true)) return kNone;
        if (a.get<bool>("size_average", true)) return kMean;
        return kSum;
    }
    const std::string r = a.get<std::string>("reduction", "mean");
    REEL_CHECK_VALUE(r == "none" || r == "mean" || r == "sum", module, ": reduction is '", r,
                     "'; expected 'none', 'mean' or 'sum'");
    if (r == "none") return kNone;
    if (r == "sum") return kSum;
    return kMean;
}

/// The same with 'batchmean'.
inline kl_reduction_t batch_reduction_of(const char* module, const ConstructorArgs& a) {
    if (a.get<std::string>("reduction", "mean") == "batchmean") return kBatchMean;
    const reduction_t r = reduction_of(module, a);
    return r == kNone ? kl_reduction_t(kNone) : r == kMean ? kl_reduction_t(kMean) : kl_reduction_t(kSum);
}

} // namespace reel::nn::text
