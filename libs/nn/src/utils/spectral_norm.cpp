// Spectral normalisation as PyTorch had it first: a parameter and two buffers beside the weight.
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/nn/utils/spectral_norm.hpp>

#include <reel/autograd/grad_mode.hpp>

#include "module/members.hpp"
#include "utils/norms_of_weights.hpp"

namespace reel::nn::utils::detail {

using nn::detail::Entry;

namespace {
/// What is computed, and with how many steps while training; removal takes none.
struct SpectralNorm {
    std::string name;
    std::int64_t dim, steps;
    double eps;

    Tensor operator()(Module& m) const { return value(m, m.is_training() ? steps : 0); }
    Tensor value(Module& m, std::int64_t now) const {
        const auto part = [&](const char* end) { return m.attribute(name + end).toTensor(); };
        const Tensor weight = part("_orig"), u = part("_u"), v = part("_v"), matrix = matrix_of(weight, dim);
        power_method(reel::mH(matrix), v, u, now, eps); // this one moves v before u
        return divided_by_sigma(weight, matrix, u, v);
    }
};
bool has_spectral_norm(const Module& m, const std::string& name) {
    const auto entry = Entry::computed_entry(m, name);
    return entry && entry->how->value.target<SpectralNorm>();
}
} // namespace

void spectral_norm(Module& m, const std::string& name, std::int64_t n_power_iterations, double eps,
                   std::optional<std::int64_t> given_dim) {
    REEL_CHECK(!has_spectral_norm(m, name), m.repr_name(), ": spectral_norm: '", name, "' has a spectral_norm already");
    REEL_CHECK_VALUE(n_power_iterations > 0, "spectral_norm: n_power_iterations is ", n_power_iterations,
                     "; expected a positive number");
    const Tensor weight = m.get_parameter(name);
    const std::int64_t dim = checked_dim("spectral_norm", weight, given_dim ? *given_dim : output_dim(m));
    const Tensor matrix = matrix_of(weight.detach(), dim);
    const Tensor u = random_direction(weight, matrix.size(0), eps), v = random_direction(weight, matrix.size(1), eps);
    m.register_parameter(name + "_orig", Tensor(weight), weight.requires_grad());
    const SpectralNorm norm{name, dim, n_power_iterations, eps};
    Entry::compute(m, name, std::make_shared<nn::detail::Computation>(nn::detail::Computation{norm}), weight.detach());
    m.register_buffer(name + "_u", Tensor(u));
    m.register_buffer(name + "_v", Tensor(v));
    m.register_state_dict_post_hook([name](Module&, StateDict&, const std::string&, ValueDict& metadata) {
        const Value* const known = metadata.find(std::string_view("spectral_norm"));
        ValueDict versions = known ? known->toGenericDict() : ValueDict();
        versions.set(Value(name + ".version"), Value(std::int64_t(1)));
        metadata.set(Value("spectral_norm"), Value(std::move(versions)));
        return Value();
    });
}
void remove_spectral_norm(Module& m, const std::string& name) {
    REEL_CHECK_VALUE(has_spectral_norm(m, name), "spectral_norm of '", name, "' not found in ", m.repr_name());
    NoGradGuard no_grad;
    const Tensor weight = Entry::computed_entry(m, name)->how->value.target<SpectralNorm>()->value(m, 0);
    Entry::stop_computing(m, name);
    m.unregister_parameter(name + "_orig");
    m.unregister_buffer(name + "_u");
    m.unregister_buffer(name + "_v");
    m.register_parameter(name, Parameter(weight));
}

} // namespace reel::nn::utils::detail
