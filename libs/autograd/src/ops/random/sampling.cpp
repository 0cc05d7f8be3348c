// Draws from distributions given by tensors, and random tensors shaped like others.
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/factory/fill.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// What `_like` factories return: the layout of `input`, filled, requiring grad where the options ask for it.
template <class Fill> Tensor filled_by(const Tensor& input, const TensorOptions& o, Fill fill) {
    Tensor t = empty_like(input, o.requires_grad(false));
    fill(t);
    return o.requires_grad() ? t.requires_grad_() : t;
}

/// A draw does not move with what it was drawn from: the gradient is zero.
Tensor drawn_from(const char* op, Inputs parameters, const Tensor& out) {
    record(op, parameters, out, {},
           [](RuleContext& c) -> GradList { return GradList(c.node().num_outputs(), zeros_like(c.grad())); });
    return out;
}
} // namespace

/// 0 or 1 with the probabilities in `input`, whose gradient is zero.
REEL_OP("bernoulli(Tensor input, *, Generator? generator=None) -> Tensor", rule, out, random, method,
        samples(call(numbers({3, 4}).sigmoid())))
Tensor bernoulli(const Tensor& input, std::optional<Generator> generator) {
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "bernoulli: input is ",
                               dtype_name(input.scalar_type()), "; expected probabilities in a floating dtype");
    const Tensor out = empty_raw(input.sizes(), input);
    kernels::bernoulli_of(out, input, generator);
    return drawn_from("bernoulli", {input}, out);
}
REEL_OP("bernoulli(Tensor input, float p, *, Generator? generator=None) -> Tensor", not_differentiable, random, method,
        samples(call(numbers({3, 4}).sigmoid(), 0.3)))
Tensor bernoulli(const Tensor& input, double p, std::optional<Generator> generator) {
    return bernoulli_(empty_like(input, TensorOptions().requires_grad(false)), p, generator);
}

/// Indices drawn by the weights in the rows of `input` ([n] or [rows, n]), with or without replacement.
REEL_OP("multinomial(Tensor input, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
        not_differentiable, out_exact, random, method, samples(call(numbers({3, 4}).sigmoid(), 2)))
Tensor multinomial(const Tensor& input, std::int64_t num_samples, bool replacement,
                   std::optional<Generator> generator) {
    REEL_CHECK(input.dim() == 1 || input.dim() == 2, "multinomial: input has shape ", input.sizes(),
               "; expected [n] or [rows, n]");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "multinomial: input is ",
                               dtype_name(input.scalar_type()), "; expected weights in a floating dtype");
    const std::int64_t n = input.size(-1), rows = input.dim() == 1 ? 1 : input.size(0);
    REEL_CHECK(num_samples > 0, "multinomial: num_samples is ", num_samples, "; expected a positive number");
    REEL_CHECK(replacement || num_samples <= n, "multinomial: cannot draw ", num_samples, " of ", n,
               " without replacement");
    check_sizes("multinomial", {rows, num_samples}, kLong);
    const Tensor out = empty_raw({rows, num_samples}, kLong, input.device());
    kernels::multinomial(out, contiguous_raw(input), replacement, generator);
    return input.dim() == 1 ? reshape(out, {num_samples}) : out;
}

/// Normal draws with means and deviations per element, whose gradients are zero.
REEL_OP("normal(Tensor mean, float std=1.0, *, Generator? generator=None) -> Tensor", rule, out, random,
        samples(call(numbers({3, 4}), 0.5)))
Tensor normal(const Tensor& mean, double std, std::optional<Generator> generator) {
    const Tensor m = mean.detach();
    return drawn_from("normal", {mean}, normal_(empty_like(m), 0, std, generator).add_(m));
}
REEL_OP("normal(float mean, Tensor std, *, Generator? generator=None) -> Tensor", rule, out, random,
        samples(call(0.5, numbers({3, 4}).sigmoid())))
Tensor normal(double mean, const Tensor& std, std::optional<Generator> generator) {
    const Tensor s = std.detach();
    return drawn_from("normal", {std}, normal_(empty_like(s), 0, 1, generator).mul_(s).add_(Scalar(mean)));
}
REEL_OP("normal(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", rule, out, random,
        samples(call(numbers({3, 4}), numbers({3, 4}).sigmoid())))
Tensor normal(const Tensor& mean, const Tensor& std, std::optional<Generator> generator) {
    const Tensor m = mean.detach(), s = std.detach();
    return drawn_from("normal", {mean, std}, normal_(empty_like(m + s), 0, 1, generator).mul_(s).add_(m));
}
REEL_OP("normal(float mean, float std, int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, out, random, samples(call(0.5, 2.0, ints({2, 3}))))
Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
    Tensor t = normal_(factory::undrawn("normal", size, options), mean, std, generator);
    t.storage()->set_version(0); // new: nothing has modified it yet
    if (options.requires_grad()) t.requires_grad_();
    return t;
}

REEL_OP("rand_like(Tensor input, *, Generator? generator=None, TensorOptions options={}) -> Tensor", not_differentiable,
        random, samples(call(numbers({3, 4}))))
Tensor rand_like(const Tensor& input, std::optional<Generator> generator, TensorOptions options) {
    return filled_by(input, options, [&](const Tensor& t) { uniform_(t, 0, 1, generator); });
}
REEL_OP("randn_like(Tensor input, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, random, samples(call(numbers({3, 4}))))
Tensor randn_like(const Tensor& input, std::optional<Generator> generator, TensorOptions options) {
    return filled_by(input, options, [&](const Tensor& t) { normal_(t, 0, 1, generator); });
}
REEL_OP(
    "randint_like(Tensor input, int low, int high, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
    not_differentiable, random)
Tensor randint_like(const Tensor& input, std::int64_t low, std::int64_t high, std::optional<Generator> generator,
                    TensorOptions options) {
    return filled_by(input, options, [&](const Tensor& t) { random_(t, low, high, generator); });
}
REEL_OP("randint_like(Tensor input, int high, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, random, samples(call(numbers({3, 4}), 5)))
Tensor randint_like(const Tensor& input, std::int64_t high, std::optional<Generator> generator, TensorOptions options) {
    return randint_like(input, 0, high, generator, options);
}

} // namespace reel
