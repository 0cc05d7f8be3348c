#include <reel/autograd/ops/shape/join.hpp>
#include <reel/nn/utils/convert_parameters.hpp>

#include <reel/autograd/grad_mode.hpp>

namespace reel::nn::utils {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
    REEL_CHECK_VALUE(!parameters.empty(), "parameters_to_vector: the list of parameters is empty");
    std::vector<Tensor> parts;
    for (const Tensor& p : parameters) parts.push_back(p.reshape({-1}));
    return reel::cat(parts);
}
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
    std::int64_t total = 0;
    for (const Tensor& p : parameters) total += p.numel();
    REEL_CHECK_VALUE(vec.dim() == 1 && vec.numel() == total, "vector_to_parameters: expected a vector of ", total,
                     " elements, got shape ", vec.sizes());
    std::int64_t at = 0;
    for (const Tensor& p : parameters) {
        p.set_data(vec.detach().narrow(0, at, p.numel()).reshape(p.sizes()));
        at += p.numel();
    }
}

} // namespace reel::nn::utils
