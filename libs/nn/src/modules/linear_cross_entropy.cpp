// LinearCrossEntropyLoss.
#include <reel/autograd/ops/loss/classification.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/nn/modules/linear_cross_entropy.hpp>

#include <reel/nn/factory.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn {

void LinearCrossEntropyLossOptions::fields(OptionVisitor& v) {
    v.required("in_features", in_features_);
    v.required("num_classes", num_classes_);
    v.keyword_only();
    v("out_features", out_features_);
    v("bias", bias_);
    v.device_and_dtype();
    v("reduction", reduction_, Shown::bare);
    v.hidden("weight", weight_);
    v("ignore_index", ignore_index_);
    v("label_smoothing", label_smoothing_);
    REEL_CHECK_WITH(NotImplementedError, !v.argument("options"),
                    "LinearCrossEntropyLoss: computing in chunks (options) is not implemented; leave options out");
    v.printed("options", std::optional<std::int64_t>());
}

LinearCrossEntropyLossImpl::LinearCrossEntropyLossImpl(LinearCrossEntropyLossOptions o) : options(std::move(o)) {
    LinearCrossEntropyLossImpl::reset();
}
void LinearCrossEntropyLossImpl::reset() {
    const std::int64_t classes[] = {options.num_classes()};
    REEL_CHECK(!options.weight().defined() || options.weight().sizes() == IntArrayRef(classes),
               "LinearCrossEntropyLoss: weight has shape ", options.weight().sizes(), "; expected ",
               IntArrayRef(classes));
    REEL_CHECK(options.label_smoothing() >= 0 && options.label_smoothing() <= 1,
               "LinearCrossEntropyLoss: label_smoothing is ", options.label_smoothing(),
               "; expected a number between 0 and 1");
    weight = register_buffer("weight", options.weight());
    std::int64_t rows = options.num_classes();
    for (const std::int64_t n : options.out_features()) rows *= n;
    linear = register_module("linear", Linear(LinearOptions(options.in_features(), rows).bias(options.bias())));
}
Tensor LinearCrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
    // rows of the child are classes by further dimensions
    std::vector<std::int64_t> shape{options.num_classes()};
    shape.insert(shape.end(), options.out_features().begin(), options.out_features().end());
    const Tensor bias = linear->bias.defined() ? reel::reshape(linear->bias, shape) : Tensor();
    if (options.ignore_index()) {
        std::vector<std::int64_t> logits = shape;
        if (input.dim() == 2) logits.insert(logits.begin(), input.size(0));
        REEL_CHECK(target.sizes() != IntArrayRef(logits), "LinearCrossEntropyLoss: ignore_index is ",
                   *options.ignore_index(), ", but target ", target.sizes(),
                   " holds probabilities; expected class indices");
    }
    shape.push_back(options.in_features());
    return reel::linear_cross_entropy(input, reel::reshape(linear->weight, shape), target, bias, weight,
                                      options.ignore_index().value_or(-100), text::name_of(options.reduction()),
                                      options.label_smoothing());
}

void register_linear_cross_entropy() { register_layers<LinearCrossEntropyLossImpl>(); }

} // namespace reel::nn
