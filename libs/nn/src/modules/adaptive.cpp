// Softmax over many classes, the rare ones in clusters.
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/nn/modules/adaptive.hpp>

#include <cmath>

#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/factory.hpp>

#include "modules/bound_arguments.hpp"

namespace reel::nn {

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions o)
    : options(std::move(o)) {
    AdaptiveLogSoftmaxWithLossImpl::reset();
}
void AdaptiveLogSoftmaxWithLossImpl::reset() {
    const auto& c = options.cutoffs();
    const std::int64_t in = options.in_features(), classes = options.n_classes();
    REEL_CHECK_VALUE(!c.empty(), "AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of length larger than 0");
    bool ok = c.front() > 0 && c.back() <= classes - 1;
    for (std::size_t i = 1; i < c.size(); ++i) ok = ok && c[i] > c[i - 1];
    REEL_CHECK_VALUE(ok,
                     "AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of unique, positive integers sorted in "
                     "an increasing order, where each value is between 1 and n_classes-1, got ",
                     IntArrayRef(c), " for n_classes ", classes);
    cutoffs = c;
    cutoffs.push_back(classes);
    shortlist_size = cutoffs[0];
    n_clusters = std::int64_t(c.size());
    head_size = shortlist_size + n_clusters;
    head = register_module("head", Linear(LinearOptions(in, head_size).bias(options.head_bias())));
    ModuleList clusters;
    for (std::int64_t i = 0; i < n_clusters; ++i) {
        const double features = std::floor(double(in) / std::pow(options.div_value(), double(i + 1)));
        REEL_CHECK_VALUE(features >= 0 && features < 0x1p63, "AdaptiveLogSoftmaxWithLoss: div_value is ",
                         options.div_value(), ", which gives cluster ", i, " ", features, " features");
        const std::int64_t narrow = std::int64_t(features),
                           size = cutoffs[std::size_t(i) + 1] - cutoffs[std::size_t(i)];
        clusters->push_back(
            Sequential(Linear(LinearOptions(in, narrow).bias(false)), Linear(LinearOptions(narrow, size).bias(false))));
    }
    tail = register_module("tail", std::move(clusters));
}
void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
    head->reset_parameters();
    for (std::int64_t i = 0; i < n_clusters; ++i)
        for (const std::int64_t layer : {0, 1}) tail->at<SequentialImpl>(i).at<LinearImpl>(layer).reset_parameters();
}
Tensor AdaptiveLogSoftmaxWithLossImpl::cluster(std::int64_t i, const Tensor& input) const {
    return call(tail->at<SequentialImpl>(i), input);
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor& input, const Tensor& target) {
    const char* name = "AdaptiveLogSoftmaxWithLoss";
    if (target.dim() == 1) {
        REEL_CHECK(input.dim() == 2, name, ": 1D target tensor expects 2D input tensors, but found inputs with size ",
                   input.sizes());
        REEL_CHECK(input.size(0) == target.size(0), name,
                   ": Input and target should have the same size in the batch dimension.");
    } else {
        REEL_CHECK(target.dim() == 0, name, ": 0D or 1D target tensor expected, multi-target not supported");
        REEL_CHECK(input.dim() == 1, name, ": 0D target tensor expects 1D input tensors, but found inputs with size ",
                   input.sizes());
    }
    const bool batched = target.dim() > 0;
    const Tensor x = batched ? input : reel::unsqueeze(input, 0), y = batched ? target : reel::unsqueeze(target, 0);
    const std::int64_t batch = y.size(0);
    Tensor output = x.new_zeros({batch});
    Tensor places = y.new_zeros({batch});
    std::int64_t used = 0;
    for (std::int64_t i = 0; i <= n_clusters; ++i) {
        const std::int64_t low = i == 0 ? 0 : cutoffs[std::size_t(i) - 1], high = cutoffs[std::size_t(i)];
        const Tensor rows =
            reel::reshape(reel::nonzero(reel::logical_and(reel::ge(y, Scalar(low)), reel::lt(y, Scalar(high)))), {-1});
        if (rows.numel() == 0) continue;
        const Tensor chosen = reel::index_select(y, 0, rows);
        if (i == 0) places = reel::index_copy(places, 0, rows, chosen);
        else {
            const Tensor scores = reel::log_softmax(cluster(i - 1, reel::index_select(x, 0, rows)), 1);
            places = reel::index_fill(places, 0, rows, Scalar(shortlist_size + i - 1));
            const Tensor local = reel::gather(scores, 1, reel::unsqueeze(chosen - Scalar(low), 1));
            output = reel::index_copy(output, 0, rows, reel::squeeze(local, 1));
        }
        used += rows.numel();
    }
    REEL_CHECK(used == batch, name, ": Target values should be in [0, ", options.n_classes() - 1,
               "], but values in range [", reel::min(y).item<std::int64_t>(), ", ", reel::max(y).item<std::int64_t>(),
               "] were found. ");
    const Tensor head_scores = reel::log_softmax(head(x), 1);
    output = output + reel::squeeze(reel::gather(head_scores, 1, reel::unsqueeze(places, 1)), 1);
    const Tensor loss = reel::mean(-output);
    return {batched ? output : reel::squeeze(output, 0), loss};
}
Value AdaptiveLogSoftmaxWithLossImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    const detail::BoundArguments<AdaptiveLogSoftmaxWithLossImpl, 2, 2> a(*this, args, kwargs);
    const ASMoutput r = forward(a.get<Tensor>(0), a.get<Tensor>(1));
    return Value::tuple({r.output, r.loss});
}
Tensor AdaptiveLogSoftmaxWithLossImpl::full_log_prob(const Tensor& input, const Tensor& head_output) const {
    const Tensor scores = reel::log_softmax(head_output, 1);
    std::vector<Tensor> parts{scores.narrow(1, 0, shortlist_size)};
    for (std::int64_t i = 0; i < n_clusters; ++i)
        parts.push_back(reel::log_softmax(cluster(i, input), 1) + scores.narrow(1, shortlist_size + i, 1));
    return reel::cat(parts, 1);
}
Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor& input) { return full_log_prob(input, head(input)); }
Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor& input) {
    const Tensor scores = head(input);
    Tensor best = reel::argmax(scores, 1);
    // Rows whose best entry is a cluster need all of its classes.
    const Tensor rows = reel::reshape(reel::nonzero(reel::ge(best, Scalar(shortlist_size))), {-1});
    if (rows.numel() == 0) return best;
    const Tensor all = full_log_prob(reel::index_select(input, 0, rows), reel::index_select(scores, 0, rows));
    return reel::index_copy(best, 0, rows, reel::argmax(all, 1));
}

void AdaptiveLogSoftmaxWithLossOptions::fields(OptionVisitor& v) {
    v.required("in_features", in_features_, Shown::never);
    v.required("n_classes", n_classes_, Shown::never);
    v.required("cutoffs", cutoffs_, Shown::never);
    v.hidden("div_value", div_value_);
    v.hidden("head_bias", head_bias_);
    v.device_and_dtype();
}

void register_adaptive() { register_layers<AdaptiveLogSoftmaxWithLossImpl>(); }

} // namespace reel::nn
