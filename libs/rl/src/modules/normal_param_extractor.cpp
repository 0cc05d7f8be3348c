#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>

#include <charconv>
#include <cmath>

#include <reel/autograd/tensor_operators.hpp>

namespace reel::rl {

namespace {
double number(std::string_view text, const std::string& mapping) {
    double v = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    REEL_CHECK_VALUE(error == std::errc() && end == text.data() + text.size(), "NormalParamExtractor: scale_mapping '",
                     mapping, "': '", text, "' is no number");
    return v;
}
} // namespace

NormalParamExtractorImpl::NormalParamExtractorImpl(const NormalParamExtractorOptions& o) : options(o) {
    const std::string& key = o.scale_mapping();
    constexpr std::string_view biased = "biased_softplus_";
    if (key == "softplus") mapping_ = Mapping::Softplus;
    else if (key == "exp") mapping_ = Mapping::Exp;
    else if (key == "relu") mapping_ = Mapping::Relu;
    else if (key == "expln") mapping_ = Mapping::Expln;
    else if (key == "none") mapping_ = Mapping::None;
    else {
        REEL_CHECK_VALUE(key.starts_with(biased), "NormalParamExtractor: scale_mapping '", key,
                         "' is unknown; expected softplus, exp, relu, expln, none or biased_softplus_B[_M]");
        mapping_ = Mapping::BiasedSoftplus;
        const std::string_view rest = std::string_view(key).substr(biased.size());
        const std::size_t cut = rest.find('_');
        least_ = cut == rest.npos ? 0.01 : number(rest.substr(cut + 1), key);
        const double at_zero = number(rest.substr(0, cut), key) - least_;
        REEL_CHECK_VALUE(at_zero > 0, "NormalParamExtractor: scale_mapping '", key,
                         "': the value at 0 must be above the least one, ", least_);
        bias_ = std::log(std::expm1(at_zero));
    }
}
Tensor NormalParamExtractorImpl::mapped(const Tensor& x) const {
    switch (mapping_) {
    case Mapping::Softplus:
        return softplus(x);
    case Mapping::Exp:
        return x.exp();
    case Mapping::Relu:
        return x.relu();
    case Mapping::Expln:
        return x.clamp_max(0).exp().where(x <= 0, x.clamp_min(0).log1p() + 1);
    case Mapping::BiasedSoftplus:
        return softplus(x + bias_) + least_;
    case Mapping::None:
        break;
    }
    return x;
}
std::tuple<Tensor, Tensor> NormalParamExtractorImpl::forward(const Tensor& input) {
    REEL_CHECK_VALUE(input.dim() > 0 && input.size(-1) > 0 && input.size(-1) % 2 == 0,
                     "NormalParamExtractor: expected an even last dimension (loc and scale), got shape ",
                     input.sizes());
    const std::vector<Tensor> halves = input.chunk(2, -1);
    return {halves[0], mapped(halves[1]).clamp_min(options.scale_lb())};
}
std::string NormalParamExtractorImpl::extra_repr() const {
    return str("scale_mapping=", options.scale_mapping(), ", scale_lb=", options.scale_lb());
}

} // namespace reel::rl
