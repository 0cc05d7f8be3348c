// The arithmetic of optimizers: one rule per kind of step, instantiated for vectors and for CUDA.
// A rule gets x[0] = parameter, x[1] = gradient and its states from x[2] on; it overwrites all but the gradient.
#pragma once

#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// What every step does to a gradient first.
struct step_base {
    double lr = 0, weight_decay = 0; ///< weight_decay is added to the gradient (L2)
    double shrink = 1; ///< the parameter is multiplied by this first (decoupled decay: 1 - lr * weight_decay)
    bool maximize = false;

protected:
    template <class T> REEL_HD T begin(T* x) const {
        T g = x[1];
        if (maximize) g = -g;
        if (shrink != 1) x[0] = x[0] * k<T>(shrink);
        if (weight_decay != 0) g = g + x[0] * k<T>(weight_decay);
        return g;
    }
    template <class T> REEL_HD static T lerp(T a, T b, double weight) { return a + (b - a) * k<T>(weight); }
};

/// p -= lr g
struct sgd_step : step_base {
    static constexpr int states = 0;
    template <class T> REEL_HD void operator()(T* x) const { x[0] = x[0] - begin(x) * k<T>(lr); }
};
/// b = momentum b + (1 - dampening) g (the first time b = g);  p -= lr (nesterov ? g + momentum b : b)
struct sgd_momentum_step : step_base {
    static constexpr int states = 1;
    double momentum = 0, dampening = 0;
    bool nesterov = false, first = false;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = first ? g : x[2] * k<T>(momentum) + g * k<T>(1 - dampening);
        x[0] = x[0] - (nesterov ? g + x[2] * k<T>(momentum) : x[2]) * k<T>(lr);
    }
};

/// m = lerp(m, g, 1 - beta1);  v = beta2 v + (1 - beta2) g^2;  p -= step_size m / (sqrt(v) * scale + eps)
/// with step_size = lr / (1 - beta1^t) and scale = 1 / sqrt(1 - beta2^t). With `amsgrad` the largest v so far is used.
template <bool amsgrad> struct adam_step : step_base {
    static constexpr int states = amsgrad ? 3 : 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0, scale = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = x[3] * k<T>(beta2) + g * g * k<T>(1 - beta2);
        if constexpr (amsgrad) x[4] = maximum(x[4], x[3]);
        const T denom = sqrt(amsgrad ? x[4] : x[3]) * k<T>(scale) + k<T>(eps);
        x[0] = x[0] - x[2] * k<T>(step_size) / denom;
    }
};
/// m and v as in Adam;  p -= grad_size g / d + avg_size m / d,  d = sqrt(v) * scale + eps
struct nadam_step : step_base {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, grad_size = 0, avg_size = 0, scale = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = x[3] * k<T>(beta2) + g * g * k<T>(1 - beta2);
        const T denom = sqrt(x[3]) * k<T>(scale) + k<T>(eps);
        x[0] = x[0] - (g * k<T>(grad_size) + x[2] * k<T>(avg_size)) / denom;
    }
};
/// m and v as in Adam;  p -= step_size m (rectified: / (sqrt(v) + eps))
struct radam_step : step_base {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0;
    bool rectified = false;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = x[3] * k<T>(beta2) + g * g * k<T>(1 - beta2);
        const T move = x[2] * k<T>(step_size);
        x[0] = x[0] - (rectified ? move / (sqrt(x[3]) + k<T>(eps)) : move);
    }
};
/// m = lerp(m, g, 1 - beta1);  u = max(beta2 u, |g| + eps);  p -= step_size m / u
struct adamax_step : step_base {
    static constexpr int states = 2;
    double beta1 = 0, beta2 = 0, eps = 0, step_size = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = lerp(x[2], g, 1 - beta1);
        x[3] = maximum(x[3] * k<T>(beta2), abs(g) + k<T>(eps));
        x[0] = x[0] - x[2] * k<T>(step_size) / x[3];
    }
};

/// v = alpha v + (1 - alpha) g^2;  d = sqrt(v [- a^2]) + eps;  p -= lr g / d, or by a momentum buffer of g / d
template <bool centered, bool momentum_buffer> struct rmsprop_step : step_base {
    static constexpr int states = 1 + centered + momentum_buffer;
    double alpha = 0, eps = 0, momentum = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] * k<T>(alpha) + g * g * k<T>(1 - alpha);
        T v = x[2];
        if constexpr (centered) {
            x[3] = lerp(x[3], g, 1 - alpha);
            v = v - x[3] * x[3];
        }
        const T move = g / (sqrt(v) + k<T>(eps));
        if constexpr (momentum_buffer) {
            T& b = x[3 + centered];
            b = b * k<T>(momentum) + move;
            x[0] = x[0] - b * k<T>(lr);
        } else x[0] = x[0] - move * k<T>(lr);
    }
};
/// s += g^2;  p -= lr g / (sqrt(s) + eps)
struct adagrad_step : step_base {
    static constexpr int states = 1;
    double eps = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] + g * g;
        x[0] = x[0] - g * k<T>(lr) / (sqrt(x[2]) + k<T>(eps));
    }
};
/// v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;  p -= lr d
struct adadelta_step : step_base {
    static constexpr int states = 2;
    double rho = 0, eps = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[2] = x[2] * k<T>(rho) + g * g * k<T>(1 - rho);
        const T delta = sqrt(x[3] + k<T>(eps)) / sqrt(x[2] + k<T>(eps)) * g;
        x[3] = x[3] * k<T>(rho) + delta * delta * k<T>(1 - rho);
        x[0] = x[0] - delta * k<T>(lr);
    }
};
/// p = (1 - lambd eta) p - eta g;  a = mu == 1 ? p : a + mu (p - a)
struct asgd_step : step_base {
    static constexpr int states = 1;
    double decay = 1, eta = 0, mu = 1;
    template <class T> REEL_HD void operator()(T* x) const {
        const T g = begin(x);
        x[0] = x[0] * k<T>(decay) - g * k<T>(eta);
        x[2] = mu == 1 ? x[0] : x[2] + (x[0] - x[2]) * k<T>(mu);
    }
};
/// The size of each step grows while the gradient keeps its sign and shrinks when it turns; only signs move p.
struct rprop_step : step_base {
    static constexpr int states = 2; // previous gradient, step size
    double eta_minus = 0, eta_plus = 0, step_min = 0, step_max = 0;
    template <class T> REEL_HD void operator()(T* x) const {
        const T zero = k<T>(0), g0 = begin(x), turn = g0 * x[2];
        const T factor = where(turn > zero, k<T>(eta_plus), where(turn < zero, k<T>(eta_minus), k<T>(1)));
        x[3] = minimum(maximum(x[3] * factor, k<T>(step_min)), k<T>(step_max));
        const T g = where(turn < zero, zero, g0);
        x[0] = x[0] - where(g > zero, x[3], where(g < zero, -x[3], zero));
        x[2] = g;
    }
};

using optimizer_steps =
    op_list<sgd_step, sgd_momentum_step, adam_step<false>, adam_step<true>, nadam_step, radam_step, adamax_step,
            rmsprop_step<false, false>, rmsprop_step<false, true>, rmsprop_step<true, false>, rmsprop_step<true, true>,
            adagrad_step, adadelta_step, asgd_step, rprop_step>;

} // namespace reel::pointwise
