#include <reel/optim/sparse_adam.hpp>

#include <cmath>

#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "sparse_rows.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void SparseAdamParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
}

void SparseAdamOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("maximize", maximize_);
}
void SparseAdamOptions::check() const {
    REEL_CHECK_VALUE(lr() > 0, "SparseAdam: lr is ", lr(), "; expected a positive number");
    REEL_CHECK_VALUE(eps() > 0, "SparseAdam: eps is ", eps(), "; expected a positive number");
    check_betas("SparseAdam", betas());
}

namespace {
void check_strided(const Optimizer& optimizer) {
    for (std::size_t k = 0; k < optimizer.param_groups().size(); ++k)
        for (std::size_t i = 0; i < optimizer.param_groups()[k].params().size(); ++i)
            REEL_CHECK_VALUE(!optimizer.param_groups()[k].params()[i].is_sparse(), "SparseAdam: parameter ", i,
                             " of group ", k,
                             " is sparse; expected strided parameters (gradients are the sparse ones)");
}
} // namespace

SparseAdam::SparseAdam(std::vector<OptimizerParamGroup> groups, SparseAdamOptions defaults)
    : OptimizerOf(std::move(groups), std::move(defaults)) {
    check_strided(*this);
}
SparseAdam::SparseAdam(std::vector<Tensor> params, SparseAdamOptions defaults)
    : OptimizerOf(std::move(params), std::move(defaults)) {
    check_strided(*this);
}

void SparseAdam::update_rows(const Tensor& p, const Tensor& g, SparseAdamParamState& s, const SparseAdamOptions& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(detail::zero_state(p.detach()));
        s.exp_avg_sq(detail::zero_state(p.detach()));
    }
    const double t = double(++s.step());
    const auto [beta1, beta2] = o.betas();
    const SparseRows rows(g);
    if (rows.values.numel() == 0) return;
    const Tensor gradient = o.maximize() ? -rows.values : rows.values;
    const auto average = [&](const Tensor& of_all, const Tensor& now, double weight) {
        const Tensor before = rows.of(of_all), change = (now - before) * weight;
        of_all.add_(rows.with(change));
        return before + change;
    };
    const Tensor mean = average(s.exp_avg(), gradient, 1 - beta1);
    const Tensor square = average(s.exp_avg_sq(), gradient * gradient, 1 - beta2);
    const double step_size = o.lr() * std::sqrt(1 - std::pow(beta2, t)) / (1 - std::pow(beta1, t));
    p.add_(rows.with(mean / (square.sqrt() + o.eps())), -step_size);
}

void register_sparse_adam() { register_optimizer<SparseAdam>(); }

} // namespace reel::optim
