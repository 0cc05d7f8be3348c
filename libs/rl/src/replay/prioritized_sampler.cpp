#include <reel/autograd/ops/random/random.hpp>
#include <reel/rl/replay/prioritized_sampler.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/grad_mode.hpp>

#include "detail/host_tensor.hpp"
#include "replay/state.hpp"

namespace reel::rl {
namespace {

constexpr const char* name = "PrioritizedSampler";

double not_negative(double value, const char* what) {
    REEL_CHECK_VALUE(std::isfinite(value) && value >= 0, name, ": ", what, " is ", value,
                     ", expected a finite number that is not negative");
    return value;
}

} // namespace

PrioritizedSampler::PrioritizedSampler(std::int64_t max_capacity, double alpha, double beta, double eps)
    : alpha_(not_negative(alpha, "alpha")), beta_(not_negative(beta, "beta")), eps_(not_negative(eps, "eps")),
      sums_(max_capacity), least_(max_capacity) {}
void PrioritizedSampler::set_alpha(double alpha) { alpha_ = not_negative(alpha, "alpha"); }
void PrioritizedSampler::set_beta(double beta) { beta_ = not_negative(beta, "beta"); }
double PrioritizedSampler::default_priority() const { return std::pow(max_priority_ + eps_, alpha_); }

Draw PrioritizedSampler::sample(const ReplayStorage& storage, const RoundRobinWriter&, std::int64_t batch_size,
                                const std::optional<Generator>& generator) {
    const NoGradGuard no_grad;
    const double total = sums_.total();
    REEL_CHECK_VALUE(total > 0 && std::isfinite(total), name, ": the ", storage.size(), " priorities sum to ", total,
                     "; expected a positive finite sum");
    const Tensor places = rand({batch_size}, generator, kDouble).mul_(total);
    const auto [index, i] = detail::host_tensor<std::int64_t>({batch_size});
    const auto [weight, w] = detail::host_tensor<double>({batch_size});
    sums_.scan_lower_bound(places.data_ptr<double>(), i, batch_size);
    const double least = least_.total();
    for (std::int64_t k = 0; k < batch_size; ++k) w[k] = sums_[i[k]] / least;
    return {index, weight.pow_(-beta_).to(kFloat), {}};
}

void PrioritizedSampler::written(std::int64_t begin, std::int64_t count) {
    const double p = default_priority();
    sums_.fill(begin, count, p);
    least_.fill(begin, count, p);
    size_ = std::max(size_, begin + count);
}

void PrioritizedSampler::check_priority(const Tensor& index, const Tensor& priority) const {
    REEL_CHECK_VALUE(priority.numel() == index.numel(), name, ": there are ", priority.numel(), " priorities for ",
                     index.numel(), " entries");
    const Tensor given = priority.detach().to(kCPU, kDouble).contiguous();
    const double* p = given.data_ptr<double>();
    for (std::int64_t k = 0; k < given.numel(); ++k)
        REEL_CHECK_VALUE(std::isfinite(p[k]) && p[k] >= 0, name, ": the priority of entry ",
                         index.data_ptr<std::int64_t>()[k], " is ", p[k],
                         "; expected a finite number that is not negative, such as the absolute TD error");
}

void PrioritizedSampler::update_priority(const Tensor& index, const Tensor& priority) {
    const NoGradGuard no_grad;
    const std::int64_t n = index.numel();
    const Tensor given = priority.detach().to(kCPU, kDouble).contiguous();
    check_priority(index, given);
    const double most = n == 0 ? 0 : *std::max_element(given.data_ptr<double>(), given.data_ptr<double>() + n);
    const Tensor values = given.add(eps_).pow_(alpha_);
    sums_.set(index.data_ptr<std::int64_t>(), values.data_ptr<double>(), n);
    least_.set(index.data_ptr<std::int64_t>(), values.data_ptr<double>(), n);
    max_priority_ = std::max(max_priority_, most);
}

void PrioritizedSampler::check_storage(std::int64_t max_size) const {
    REEL_CHECK_VALUE(max_size == sums_.size(), name, ": it is made for ", sums_.size(), " entries, the storage has ",
                     max_size, " places");
}
void PrioritizedSampler::clear() {
    sums_.fill(0, size_, detail::Sum::neutral);
    least_.fill(0, size_, detail::Min::neutral);
    size_ = 0;
    max_priority_ = 1;
}

Value PrioritizedSampler::state_dict() const {
    const auto [priorities, p] = detail::host_tensor<double>({size_});
    for (std::int64_t i = 0; i < size_; ++i) p[i] = sums_[i];
    return ValueDict{
        {"alpha", alpha_}, {"beta", beta_}, {"eps", eps_}, {"max_priority", max_priority_}, {"priorities", priorities}};
}
CommitLoad PrioritizedSampler::prepare_load(const Value& state, std::int64_t size) {
    const double alpha = replay::number_in(state, name, "alpha"), beta = replay::number_in(state, name, "beta"),
                 eps = replay::number_in(state, name, "eps"), most = replay::number_in(state, name, "max_priority");
    const Tensor priorities = replay::vector_in(state, name, "priorities", kDouble);
    REEL_CHECK_VALUE(priorities.size(0) == size, name, ": load_state_dict: there are ", priorities.size(0),
                     " priorities for ", size, " entries");
    const double* p = priorities.data_ptr<double>();
    for (std::int64_t i = 0; i < size; ++i)
        REEL_CHECK_VALUE(std::isfinite(p[i]) && p[i] >= 0, name, ": load_state_dict: the priority of entry ", i, " is ",
                         p[i]);
    return [this, alpha, beta, eps, most, priorities, size] {
        clear();
        alpha_ = alpha, beta_ = beta, eps_ = eps, max_priority_ = most;
        sums_.set_range(0, priorities.data_ptr<double>(), size);
        least_.set_range(0, priorities.data_ptr<double>(), size);
        size_ = size;
    };
}

} // namespace reel::rl
