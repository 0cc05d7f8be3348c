#include <reel/distributed/clip_grad_norm.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/nn/utils/clip_grad.hpp>

namespace reel::distributed {

namespace {
/// Gradients whose norm is taken together: those of one group's shards, or the unsharded ones.
struct Part {
    ProcessGroup group; ///< null: every rank has the whole
    std::optional<Device> device{};
    std::vector<Tensor> gradients{};
};
std::vector<Part> parts_of(const std::vector<Tensor>& parameters) {
    std::vector<Part> parts;
    for (const Tensor& p : parameters) {
        const auto shard = shard_of(p);
        const ProcessGroup group = shard ? shard->group : ProcessGroup();
        auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& o) { return o.group == group; });
        if (part == parts.end()) part = parts.insert(parts.end(), Part{group});
        if (!part->device) part->device = p.device();
        if (const Tensor& g = p.mutable_grad(); g.defined()) part->gradients.push_back(g);
    }
    return parts;
}
/// The sum of |x|^p over all ranks' elements, or the largest |x|.
double power_of(const Part& part, double norm_type) {
    const double own = nn::utils::get_total_norm(part.gradients, norm_type);
    const bool largest = std::isinf(norm_type);
    const double power = largest || norm_type == 0 ? own : norm_type == 2 ? own * own : std::pow(own, norm_type);
    if (!part.group || part.group.size() == 1) return power;
    const Tensor sum = reel::full({1}, power, TensorOptions(kDouble).device(*part.device));
    all_reduce(sum, largest ? kMax : kSum, part.group);
    return sum.item<double>();
}
} // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
    REEL_CHECK_VALUE(!std::isnan(norm_type), "clip_grad_norm_: norm_type is not a number");
    const std::vector<Part> parts = parts_of(parameters);
    double total = 0;
    if (parts.size() == 1 && (!parts[0].group || parts[0].group.size() == 1))
        total = nn::utils::get_total_norm(parts[0].gradients, norm_type);
    else {
        REEL_CHECK_VALUE(norm_type >= 0, "clip_grad_norm_: norm_type is ", norm_type,
                         "; expected no negative order, since some of the gradients are sharded");
        for (const Part& part : parts) {
            const double power = power_of(part, norm_type);
            if (!std::isinf(norm_type)) total += power;
            else if (power > total || std::isnan(power)) total = std::isnan(total) ? total : power;
        }
        if (norm_type != 0 && !std::isinf(norm_type))
            total = norm_type == 2 ? std::sqrt(total) : std::pow(total, 1 / norm_type);
    }
    REEL_CHECK(!error_if_nonfinite || std::isfinite(total), "clip_grad_norm_: the total norm of order ", norm_type,
               " is ", total, "; call it with error_if_nonfinite = false to scale by it anyway");
    nn::utils::clip_grads_with_norm_(parameters, max_norm, total);
    return total;
}

} // namespace reel::distributed
