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
/// Where PyTorch's constructors have the older pair of arguments, which `reduction` replaced.
inline const Value* size_average(OptionVisitor& v) { return v.argument("size_average"); }
inline const Value* reduce(OptionVisitor& v) { return v.argument("reduce"); }
/// The option `reduction`. `older`: the pair, where the constructor takes it, goes before it.
template <class R> void reduction(OptionVisitor& v, R& option, bool older = true) {
    const Value* average = older ? size_average(v) : nullptr;
    const Value* reduced = older ? reduce(v) : nullptr;
    if (!average && !reduced) return v.hidden("reduction", option);
    if (reduced && !reduced->to<bool>()) option = kNone;
    else if (!average || average->to<bool>()) option = kMean;
    else option = kSum;
}

} // namespace reel::nn::text
