#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/optim/lbfgs.hpp>

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "line_search.hpp"

namespace reel::optim {

LBFGS::LBFGS(std::vector<Tensor> params, LBFGSOptions defaults)
    : LBFGS(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, std::move(defaults)) {}
void LBFGSOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("max_iter", max_iter_);
    v("max_eval", max_eval_);
    v("tolerance_grad", tolerance_grad_);
    v("tolerance_change", tolerance_change_);
    v("history_size", history_size_);
    v("line_search_fn", line_search_fn_);
    v("maximize", maximize_);
}
void LBFGSOptions::check() const {
    check_not_negative("LBFGS", "lr", lr());
    REEL_CHECK_VALUE(!line_search_fn() || *line_search_fn() == "strong_wolfe",
                     "LBFGS: line_search_fn must be none or 'strong_wolfe', got '", line_search_fn().value_or(""), "'");
}
void LBFGSParamState::fields(FieldVisitor& v) {
    v("func_evals", func_evals_);
    v("n_iter", n_iter_);
    v("d", d_);
    v("t", t_);
    v("old_dirs", old_dirs_);
    v("old_stps", old_stps_);
    v("ro", ro_);
    v("H_diag", H_diag_);
    v("prev_flat_grad", prev_flat_grad_);
    v("prev_loss", prev_loss_);
}

LBFGS::LBFGS(std::vector<OptimizerParamGroup> groups, LBFGSOptions defaults)
    : OptimizerOf(std::move(groups), std::move(defaults)) {
    REEL_CHECK_VALUE(groups_.size() == 1, "LBFGS: takes exactly one parameter group, got ", groups_.size());
}

Tensor LBFGS::flat_gradient() {
    std::vector<Tensor> parts;
    for (const Tensor& p : params()) {
        const Tensor& g = p.mutable_grad();
        parts.push_back(g.defined() ? g.detach().to_dense().reshape({-1}) : p.new_zeros({p.numel()}));
    }
    const Tensor flat = reel::cat(parts);
    return maximizes() ? -flat : flat;
}
bool LBFGS::maximizes() const { return options_of(groups_[0]).maximize(); }
void LBFGS::move(double t, const Tensor& direction) {
    std::int64_t at = 0;
    for (const Tensor& p : params()) {
        p.add_(direction.narrow(0, at, p.numel()).reshape(p.sizes()), t);
        at += p.numel();
    }
}
void LBFGS::set_params(const std::vector<Tensor>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) params()[i].copy_(values[i]);
}

namespace {
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
double product(const Tensor& a, const Tensor& b) { return reel::dot(a, b).item<double>(); }

/// The direction -H g by the two-loop recursion over the remembered pairs.
Tensor quasi_newton_direction(const LBFGSParamState& s, const Tensor& gradient) {
    const std::size_t n = s.old_dirs().size();
    std::vector<double> al(n);
    Tensor q = -gradient; // Nocedal, Wright, Numerical Optimization, algorithm 7.4, of -g
    for (std::size_t i = n; i-- > 0;) {
        al[i] = product(s.old_stps()[i], q) * s.ro()[i];
        q.add_(s.old_dirs()[i], -al[i]);
    }
    q.mul_(s.H_diag());
    for (std::size_t i = 0; i < n; ++i) q.add_(s.old_stps()[i], al[i] - product(s.old_dirs()[i], q) * s.ro()[i]);
    return q;
}
void remember(LBFGSParamState& s, const Tensor& gradient, std::int64_t history_size) {
    const Tensor y = gradient - s.prev_flat_grad(), step = s.d() * s.t();
    const double ys = product(y, step);
    if (ys <= 1e-10) return; // no curvature along the step: the approximation would lose its definiteness
    if (std::int64_t(s.old_dirs().size()) == history_size) {
        s.old_dirs().erase(s.old_dirs().begin());
        s.old_stps().erase(s.old_stps().begin());
        s.ro().erase(s.ro().begin());
    }
    s.old_dirs().push_back(y);
    s.old_stps().push_back(step);
    s.ro().push_back(1 / ys);
    s.H_diag() = ys / product(y, y); // the scale that the recursion starts from
}
} // namespace

Tensor LBFGS::step(LossClosure closure) {
    refuse_scaling(class_name);
    REEL_CHECK(closure, "LBFGS: step needs a closure that evaluates the loss and its gradients");
    run_pre_hooks();
    Tensor first;
    const double sign = maximizes() ? -1 : 1;
    const std::function<double()> evaluate = [&] {
        EnableGradGuard grad;
        const Tensor loss = closure();
        if (!first.defined()) first = loss;
        return sign * loss.item<double>();
    };
    NoGradGuard no_grad;
    const double start = evaluate();
    minimize(evaluate, start);
    finish_step();
    return first;
}
void LBFGS::minimize(const std::function<double()>& evaluate, double loss) {
    const auto& o = options_of(groups_[0]);
    LBFGSParamState& s = state_of<LBFGSParamState>(params().at(0));
    const std::int64_t max_eval = o.max_eval().value_or(o.max_iter() * 5 / 4);
    std::int64_t evaluations = 1;
    ++s.func_evals();
    Tensor gradient = flat_gradient();
    if (largest(gradient) <= o.tolerance_grad()) return;
    for (std::int64_t i = 1; i <= o.max_iter(); ++i) {
        if (++s.n_iter() == 1) {
            s.d(-gradient);
            s.old_dirs().clear();
            s.old_stps().clear();
            s.ro().clear();
            s.H_diag() = 1;
        } else {
            remember(s, gradient, o.history_size());
            s.d(quasi_newton_direction(s, gradient));
        }
        s.prev_flat_grad(gradient.clone());
        s.prev_loss() = loss;
        s.t() = s.n_iter() == 1 ? std::min(1.0, 1 / gradient.abs().sum().item<double>()) * o.lr() : double(o.lr());
        const double slope = product(gradient, s.d()); // along the direction: not downhill ends the step
        if (slope > -o.tolerance_change()) break;
        std::int64_t more = 0;
        if (o.line_search_fn()) {
            std::vector<Tensor> start; // every point is reached from here, so that roundings do not add up
            for (const Tensor& p : params()) start.push_back(p.detach().clone());
            const auto at = [&](double t) {
                move(t, s.d());
                LinePoint p;
                p.t = t;
                p.loss = evaluate();
                p.gradient = flat_gradient();
                p.slope = product(p.gradient, s.d());
                set_params(start);
                return p;
            };
            const LinePoint best = strong_wolfe(at, {0, loss, slope, gradient}, s.t(), largest(s.d()), 1e-9, more);
            loss = best.loss;
            gradient = best.gradient;
            s.t() = best.t;
            move(s.t(), s.d());
        } else {
            move(s.t(), s.d());
            if (i != o.max_iter()) { // after the last move nobody looks at the gradient
                loss = evaluate();
                gradient = flat_gradient();
                more = 1;
            }
        }
        evaluations += more;
        s.func_evals() += more;
        if (evaluations >= max_eval || largest(gradient) <= o.tolerance_grad() ||
            largest(s.d() * s.t()) <= o.tolerance_change() || std::abs(loss - s.prev_loss()) < o.tolerance_change())
            break;
    }
}

void register_lbfgs() { register_optimizer<LBFGS>(); }

} // namespace reel::optim
