#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/shape/strided.hpp>

#include <cmath>
#include <cstring>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/variable.hpp>

#include "tensor/raw.hpp"

namespace reel::autograd::detail {
namespace {

/// Real numbers per element: a complex element is a pair.
std::int64_t parts(const Tensor& t) { return t.is_complex() ? 2 : 1; }
double* reals(const Tensor& dense) { return static_cast<double*>(dense.data_ptr()); }
Tensor dense_copy(const Tensor& t) { return t.detach().contiguous().clone(); }

bool differentiable(const Tensor& t) {
    return t.defined() && t.requires_grad() && (t.is_floating_point() || t.is_complex());
}

void check_inputs(const variable_list& inputs) {
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
        any = true;
        const ScalarType t = inputs[i].scalar_type();
        REEL_CHECK_VALUE(t == kDouble || t == kComplexDouble, "gradcheck: input ", i, " is ", dtype_name(t),
                         ", finite differences need float64 or complex128; convert it with .to(kDouble)");
    }
    REEL_CHECK_VALUE(any, "gradcheck: no input requires grad; call requires_grad_() on what is to be checked");
}

/// The outputs' values with one real number of one input moved by `by`.
std::vector<Tensor> moved(const DifferentiableFunction& fn, const variable_list& inputs, std::size_t which,
                          std::int64_t at, double by) {
    variable_list x = inputs;
    x[which] = dense_copy(inputs[which]);
    reals(x[which])[at] += by;
    x[which].requires_grad_();
    variable_list out = fn(x);
    for (Tensor& t : out)
        if (t.defined()) t = dense_copy(t);
    return out;
}

struct Checked {
    const DifferentiableFunction& fn;
    const variable_list& inputs;
    double eps, atol, rtol;

    variable_list backward(const Tensor& output, const Tensor& cotangent, const variable_list& wanted) const {
        return grad({output}, wanted, {cotangent}, true, false, true);
    }

    /// Empty, or what differs.
    std::string run() const {
        variable_list wanted;
        std::vector<std::size_t> where;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].defined() && inputs[i].requires_grad()) wanted.push_back(inputs[i]), where.push_back(i);
        const variable_list outputs = fn(inputs);
        bool none = true;
        for (const Tensor& t : outputs) none = none && !differentiable(t);
        if (none) return constant(outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            if (!differentiable(outputs[o])) continue;
            const ScalarType t = outputs[o].scalar_type();
            if (t != kDouble && t != kComplexDouble)
                return str("output ", o, " is ", dtype_name(t), ", finite differences need float64 or complex128");
            // rows[k][i]: gradient of the output's k-th real number with respect to wanted input i.
            std::vector<variable_list> rows;
            if (std::string d = analytic(outputs[o], o, wanted, where, rows); !d.empty()) return d;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (std::string d = compare(o, i, where[i], wanted[i], rows); !d.empty()) return d;
        }
        return undefined_gradients(outputs, wanted, where);
    }

    /// Backward must take undefined gradients: of all outputs, and of one of several, as zeros.
    std::string undefined_gradients(const variable_list& outputs, const variable_list& wanted,
                                    const std::vector<std::size_t>& where) const {
        variable_list roots;
        for (const Tensor& t : outputs)
            if (differentiable(t)) roots.push_back(t);
        const std::size_t all = roots.size();
        for (std::size_t without = 0; without <= (all > 1 ? all : 0); ++without) { // `all`: none of them has one
            variable_list cut = roots, zero;
            for (std::size_t o = 0; o < all; ++o) {
                if (all == 1 || without == all || without == o) cut[o] = UndefinedGrad().apply({roots[o]})[0];
                zero.push_back(zeros_like(roots[o]).detach());
            }
            variable_list g;
            try {
                g = grad(cut, wanted, zero, true, false, true);
            } catch (const Error& e) {
                return str("backward does not take undefined gradients of its outputs: ", e.msg());
            }
            for (std::size_t i = 0; i < g.size(); ++i)
                if (g[i].defined() && !g[i].detach().eq(0).all().item<bool>())
                    return str("undefined and zero gradients of the outputs give a gradient of input ", where[i],
                               " that is not zero");
        }
        return {};
    }

    /// Nothing is differentiable: then nothing may depend on the inputs.
    std::string constant(const variable_list& outputs) const {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
            for (std::int64_t c = 0; c < inputs[i].numel() * parts(inputs[i]); ++c) {
                const variable_list up = moved(fn, inputs, i, c, eps), down = moved(fn, inputs, i, c, -eps);
                for (std::size_t o = 0; o < outputs.size(); ++o) {
                    if (!up[o].defined() || (up[o].scalar_type() != kDouble && up[o].scalar_type() != kComplexDouble))
                        continue;
                    for (std::int64_t k = 0; k < up[o].numel() * parts(up[o]); ++k)
                        if (std::abs(reals(up[o])[k] - reals(down[o])[k]) > 2 * eps * atol)
                            return str("output ", o, " does not require grad, but changes with input ", i, ", entry [",
                                       c / parts(inputs[i]), "]");
                }
            }
        }
        return {};
    }

    std::string analytic(const Tensor& output, std::size_t o, const variable_list& wanted,
                         const std::vector<std::size_t>& where, std::vector<variable_list>& rows) const {
        const std::int64_t n = output.numel() * parts(output);
        for (std::int64_t k = 0; k < n; ++k) {
            const Tensor cotangent = zeros_like(output).detach().contiguous();
            reals(cotangent)[k] = 1;
            variable_list g = backward(output, cotangent, wanted);
            for (std::size_t i = 0; i < g.size(); ++i) {
                if (!g[i].defined()) continue;
                if (!g[i].sizes().equals(wanted[i].sizes()))
                    return str("the gradient of input ", where[i], " has shape ", g[i].sizes(), ", the input ",
                               wanted[i].sizes());
                if (g[i].scalar_type() != wanted[i].scalar_type())
                    return str("the gradient of input ", where[i], " is ", dtype_name(g[i].scalar_type()),
                               ", the input ", dtype_name(wanted[i].scalar_type()));
                g[i] = dense_copy(g[i]);
            }
            if (k == 0) {
                const variable_list again = backward(output, cotangent, wanted);
                for (std::size_t i = 0; i < g.size(); ++i)
                    if (g[i].defined() != again[i].defined() ||
                        (g[i].defined() &&
                         std::memcmp(g[i].data_ptr(), dense_copy(again[i]).data_ptr(), g[i].nbytes()) != 0))
                        return str("Backward is not reentrant: two passes over output ", o,
                                   " give different gradients of input ", where[i]);
            }
            rows.push_back(std::move(g));
        }
        return {};
    }

    std::string compare(std::size_t o, std::size_t i, std::size_t input, const Tensor& x,
                        const std::vector<variable_list>& rows) const {
        const std::int64_t columns = x.numel() * parts(x);
        for (std::int64_t c = 0; c < columns; ++c) {
            const Tensor up = moved(fn, inputs, input, c, eps).at(o), down = moved(fn, inputs, input, c, -eps).at(o);
            for (std::int64_t k = 0; k < std::int64_t(rows.size()); ++k) {
                const double numerical = (reals(up)[k] - reals(down)[k]) / (2 * eps);
                const Tensor& g = rows[std::size_t(k)][i];
                const double analytical = g.defined() ? reals(g)[c] : 0.0;
                if (std::abs(analytical - numerical) <= atol + rtol * std::abs(numerical)) continue;
                if (std::isnan(analytical) && std::isnan(numerical)) continue;
                return str("Jacobian mismatch for output ", o, " with respect to input ", input, ": entry [",
                           k / parts_of(up), "] by [", c / parts(x), "]: analytical ", analytical, ", numerical ",
                           numerical, " (atol ", atol, ", rtol ", rtol, ")");
            }
        }
        return {};
    }
    static std::int64_t parts_of(const Tensor& t) { return parts(t); }
};

} // namespace

bool gradcheck(const DifferentiableFunction& fn, const variable_list& inputs, double eps, double atol, double rtol,
               bool raise_exception) {
    check_inputs(inputs);
    const AutoGradMode recording(true);
    const std::string problem = Checked{fn, inputs, eps, atol, rtol}.run();
    if (problem.empty()) return true;
    if (raise_exception) reel::detail::raise<GradcheckError>("gradcheck: " + problem, std::source_location::current());
    return false;
}

bool gradgradcheck(const DifferentiableFunction& fn, const variable_list& inputs, const variable_list& grad_outputs,
                   double eps, double atol, double rtol, bool raise_exception) {
    check_inputs(inputs);
    const AutoGradMode recording(true);
    variable_list seeds = grad_outputs;
    if (seeds.empty()) {
        Generator generator{Device(kCPU)};
        generator.manual_seed(0);
        for (const Tensor& t : fn(inputs))
            if (differentiable(t)) {
                const Tensor like = t.is_complex() ? view_as_real(t.detach()) : t.detach();
                const Tensor seed = randn(like.sizes(), generator, like.options());
                seeds.push_back((t.is_complex() ? view_as_complex(seed) : seed).requires_grad_());
            }
    }
    const std::size_t n = inputs.size();
    const auto gradients = [&fn, n](const variable_list& all) {
        const variable_list x(all.begin(), all.begin() + std::ptrdiff_t(n));
        variable_list roots, wanted;
        for (const Tensor& t : fn(x))
            if (differentiable(t)) roots.push_back(t);
        REEL_CHECK_VALUE(roots.size() == all.size() - n, "gradgradcheck: ", all.size() - n, " grad_outputs for ",
                         roots.size(), " differentiable outputs; give one for each");
        for (const Tensor& t : x)
            if (t.defined() && t.requires_grad()) wanted.push_back(t);
        variable_list g = grad(roots, wanted, {all.begin() + std::ptrdiff_t(n), all.end()}, true, true, true);
        variable_list defined;
        for (Tensor& t : g)
            if (t.defined()) defined.push_back(t);
        return defined;
    };
    variable_list all = inputs;
    all.insert(all.end(), seeds.begin(), seeds.end());
    return gradcheck(gradients, all, eps, atol, rtol, raise_exception);
}

} // namespace reel::autograd::detail
