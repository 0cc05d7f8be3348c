// Weight normalisation as PyTorch had it first: two parameters beside the weight.
#include <reel/nn/utils/weight_norm.hpp>

#include <reel/autograd/grad_mode.hpp>

#include "module/members.hpp"
#include "utils/norms_of_weights.hpp"

namespace reel::nn::utils::detail {

using nn::detail::Entry;

namespace {
struct WeightNorm {
    std::string name;
    std::optional<std::int64_t> dim;

    Tensor operator()(Module& m) const {
        return weight_of(m.attribute(name + "_g").toTensor(), m.attribute(name + "_v").toTensor(), dim);
    }
};
bool has_weight_norm(const Module& m, const std::string& name) {
    const auto entry = Entry::computed_entry(m, name);
    return entry && entry->how->value.target<WeightNorm>();
}
} // namespace

void weight_norm(Module& m, const std::string& name, std::optional<std::int64_t> dim) {
    REEL_CHECK(!has_weight_norm(m, name), m.repr_name(), ": weight_norm: '", name, "' has a weight_norm already");
    const Tensor weight = m.get_parameter(name);
    const Tensor norm = norm_except_dim(weight.detach(), dim);
    m.register_parameter(name + "_g", Parameter(norm));
    m.register_parameter(name + "_v", Parameter(weight));
    const WeightNorm value{name, dim};
    Entry::compute(m, name, std::make_shared<nn::detail::Computation>(nn::detail::Computation{value}), value(m));
}
void remove_weight_norm(Module& m, const std::string& name) {
    REEL_CHECK_VALUE(has_weight_norm(m, name), "weight_norm of '", name, "' not found in ", m.repr_name());
    const Tensor weight = m.attribute(name).toTensor();
    Entry::stop_computing(m, name);
    m.unregister_parameter(name + "_g");
    m.unregister_parameter(name + "_v");
    m.register_parameter(name, Parameter(weight));
}

} // namespace reel::nn::utils::detail
