// Functions that call several operators, or one with other arguments (rule SC-78): where their recipes stand.
#include <algorithm>

#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

IValue argument(const Args& a, std::size_t i) { return i < a.size() ? a[i] : IValue(); }
bool flag(const Args& a, std::size_t i, bool otherwise) {
    return i < a.size() && !a[i].isNone() ? a[i].toBool() : otherwise;
}
IValue list(Args elements) { return IValue::list(std::move(elements)); }
IValue optional(const Tensor& t) { return t.defined() ? IValue(t) : IValue(); }
IValue repeated(std::size_t n, std::int64_t value) { return list(Args(n, IValue(value))); }
IValue expanded(const IValue& v, std::size_t n) {
    if (v.isSequence()) return v.elements().size() == 1 ? list(Args(n, v.elements()[0])) : v;
    return list(Args(n, v));
}
IValue or_empty(const IValue& v, std::size_t n) { return v.isNone() ? list({}) : expanded(v, n); }

namespace {
/// Functions of torch.nn.functional that are the operator itself.
constexpr std::string_view built_in[] = {
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool1d",
    "linear",
    "bilinear",
    "gelu",
    "logsigmoid",
    "softplus",
    "softshrink",
    "one_hot",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "pairwise_distance",
    "cosine_similarity",
    "hardshrink",
    "prelu",
    "scaled_dot_product_attention",
};
} // namespace

bool is_written_in_python(const std::string& name) {
    constexpr std::string_view functional = "nn.functional.";
    return name.starts_with(functional) &&
           std::find(std::begin(built_in), std::end(built_in), std::string_view(name).substr(functional.size())) ==
               std::end(built_in);
}
FunctionRecipe function_recipe(const std::string& name) {
    for (const auto group :
         {activation_functions, window_functions, sampling_functions, norm_functions, loss_functions, tensor_functions})
        for (const FunctionLine& line : group())
            if (line.name == name) return line.recipe;
    return nullptr;
}

} // namespace reel::jit::trace_impl
