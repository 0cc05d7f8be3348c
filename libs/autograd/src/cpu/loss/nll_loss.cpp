// The negative log-likelihood: one element of x for each target.
#include <reel/autograd/kernels/nll_loss.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

struct Targets {
    const NllGeometry& g;
    const std::int64_t* classes;
    const double* weights; ///< null: ones
    Targets(const NllGeometry& g, const Tensor& target, const Tensor& weight)
        : g(g), classes(host_data<std::int64_t>(target, "nll_loss")),
          weights(host_data_or_null<double>(weight, "nll_loss")) {}
    double weight_of(std::int64_t t) const { return weights ? weights[t] : 1.0; }
    /// Calls `f(position in target, position in x, weight)` for every target that counts.
    template <class F> void each(F f) const {
        for (std::int64_t n = 0, i = 0; n < g.batch; ++n)
            for (std::int64_t l = 0; l < g.length; ++l, ++i)
                if (const std::int64_t t = classes[i]; t != g.ignore_index)
                    f(i, (n * g.classes + t) * g.length + l, weight_of(t));
    }
};

} // namespace

void nll_loss_weigh(const NllGeometry& g, const Tensor& target, const Tensor& weight, double& total) {
    const Targets targets(g, target, weight);
    double sum = 0;
    for (std::int64_t i = 0; i < target.numel(); ++i) {
        const std::int64_t t = targets.classes[i];
        if (t == g.ignore_index) continue;
        REEL_CHECK_INDEX(t >= 0 && t < g.classes, "nll_loss: target ", t, " is out of range for ", g.classes,
                         " classes");
        sum += targets.weight_of(t);
    }
    total = sum;
}

void nll_loss(const NllGeometry& g, const Tensor& out, const Tensor& x, const Tensor& target, const Tensor& weight) {
    const Targets targets(g, target, weight);
    dispatch_floating(x.scalar_type(), "nll_loss", [&]<class T>() {
        const T* const from = host_data<T>(x, "nll_loss");
        T* const to = host_data<T>(out, "nll_loss");
        if (g.summed) {
            double sum = 0;
            targets.each([&](std::int64_t, std::int64_t at, double w) { sum -= w * double(from[at]); });
            to[0] = T(sum * g.scale);
        } else {
            std::fill_n(to, out.numel(), T(0));
            targets.each([&](std::int64_t i, std::int64_t at, double w) { to[i] = T(-w * double(from[at])); });
        }
    });
}

void nll_loss_backward(const NllGeometry& g, const Tensor& gx, const Tensor& gout, const Tensor& target,
                       const Tensor& weight) {
    const Targets targets(g, target, weight);
    dispatch_floating(gx.scalar_type(), "nll_loss", [&]<class T>() {
        const T* const from = host_data<T>(gout, "nll_loss");
        T* const to = host_data<T>(gx, "nll_loss");
        std::fill_n(to, gx.numel(), T(0));
        targets.each([&](std::int64_t i, std::int64_t at, double w) {
            to[at] = T(-w * g.scale * double(from[g.summed ? 0 : i]));
        });
    });
}

} // namespace reel::cpu
