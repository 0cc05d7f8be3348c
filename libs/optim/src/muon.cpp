#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/optim/muon.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void MuonParamState::fields(FieldVisitor& v) { v("momentum_buffer", momentum_buffer_); }
void MuonOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("weight_decay", weight_decay_);
    v("momentum", momentum_);
    v("nesterov", nesterov_);
    v("ns_coefficients", ns_coefficients_);
    v("eps", eps_);
    v("ns_steps", ns_steps_);
    v("adjust_lr_fn", adjust_lr_fn_);
}
void MuonOptions::check() const {
    check_not_negative("Muon", "lr", lr());
    check_not_negative("Muon", "momentum", momentum());
    check_not_negative("Muon", "weight_decay", weight_decay());
    REEL_CHECK_VALUE(ns_steps() < 100, "Muon: ns_steps must be below 100, got ", ns_steps());
    REEL_CHECK_VALUE(!adjust_lr_fn() || *adjust_lr_fn() == "original" || *adjust_lr_fn() == "match_rms_adamw",
                     "Muon: adjust_lr_fn must be none, 'original' or 'match_rms_adamw', got '",
                     adjust_lr_fn().value_or(""), "'");
}
void MuonOptions::check_parameter(const Tensor& p, const std::string& which) const {
    REEL_CHECK_VALUE(p.dim() == 2, "Muon: ", which, " has shape ", p.sizes(),
                     "; expected a matrix (2 dimensions). Give the others to another optimizer, AdamW for example");
}

namespace {
/// a + factor b, rounded once.
Tensor sum(const Tensor& a, double fa, const Tensor& b, double fb) {
    return (a.to(kFloat) * fa + b.to(kFloat) * fb).to(kBFloat16);
}
/// Newton-Schulz: x <- a x + (b x x^T + c (x x^T)^2) x
Tensor orthogonal(const Tensor& gradient, const std::tuple<double, double, double>& coefficients, std::int64_t steps,
                  double eps) {
    const auto [a, b, c] = coefficients;
    Tensor x = gradient.to(kBFloat16);
    const bool tall = x.size(0) > x.size(1);
    if (tall) x = x.t();
    const Tensor f = x.to(kFloat), norm = (f * f).sum().sqrt().to(kBFloat16);
    x = x / reel::maximum(norm, reel::full({}, eps, kBFloat16));
    for (std::int64_t i = 0; i < steps; ++i) {
        const Tensor gram = reel::matmul(x, x.t());
        const Tensor update = sum(gram, b, reel::matmul(gram.to(kFloat), gram.to(kFloat)), c);
        x = sum(x, a, reel::matmul(update.to(kFloat), x.to(kFloat)), 1);
    }
    return tall ? x.t() : x;
}
} // namespace

void Muon::update_parameter(const Tensor& p, const Tensor& g, MuonParamState& s, const MuonOptions& o) {
    o.check_parameter(p, "a parameter"); // put into param_groups() by hand
    if (!s.momentum_buffer().defined()) s.momentum_buffer(detail::zero_state(g));
    const Tensor& b = s.momentum_buffer();
    b.add_(g - b, 1 - o.momentum());
    const Tensor direction =
        orthogonal(o.nesterov() ? g + (b - g) * o.momentum() : b, o.ns_coefficients(), o.ns_steps(), o.eps());
    const double rows = double(p.size(0)), columns = double(p.size(1));
    const double factor = o.adjust_lr_fn() && *o.adjust_lr_fn() == "match_rms_adamw"
                              ? 0.2 * std::sqrt(std::max(rows, columns))
                              : std::sqrt(std::max(1.0, rows / columns));
    p.mul_(1 - o.lr() * o.weight_decay());
    p.add_(direction.to(p.scalar_type()), -o.lr() * factor);
}

void register_muon() { register_optimizer<Muon>(); }

} // namespace reel::optim
