// Draws from the Poisson, binomial, geometric, Cauchy and log-normal distributions: PyTorch's streams on the CPU.
#include <reel/autograd/ops/random/distributions.hpp>
#include <reel/autograd/record.hpp>

#include "ops/random/random_fill.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

/// Counts drawn from the Poisson distribution whose rate each element of `input` is; of its dtype. The gradient is
/// zero. Errors: Error for a rate that is negative.
REEL_OP("poisson(Tensor input, Generator? generator=None) -> Tensor", rule, random,
        samples(call(numbers({3, 4}).exp() * 6)))
Tensor poisson(const Tensor& input, std::optional<Generator> generator) {
    check_floating("poisson", input);
    const Tensor out = empty_raw(input.sizes(), input);
    kernels::poisson(out, input, generator);
    record("poisson", {input}, out, {},
           [sizes = Dims(input.sizes())](RuleContext& c) -> GradList { return {c.grad().new_zeros(sizes)}; });
    return out;
}

/// How many of `count` independent trials succeed that each do with probability `prob`; both broadcast and have one
/// floating dtype. No gradient. Errors: Error for counts that are negative and for no probabilities; backward throws
/// NotImplementedError.
REEL_OP("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", rule, random,
        samples(call((numbers({3, 4}).exp() * 18).round(), numbers({3, 4}).sigmoid())))
Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
    check_floating("binomial", count);
    REEL_CHECK(count.scalar_type() == prob.scalar_type(), "binomial: count is ", dtype_name(count.scalar_type()),
               " and prob is ", dtype_name(prob.scalar_type()), "; expected one dtype");
    const Dims sizes = broadcast_shapes("binomial", count.sizes(), prob.sizes());
    const Tensor out = empty_raw(sizes, count);
    kernels::binomial(out, expand_raw(count, sizes), expand_raw(prob, sizes), generator);
    record("binomial", {count, prob}, out, {}, [](RuleContext&) -> GradList {
        REEL_THROW(NotImplementedError, "binomial: the gradient with respect to count and prob is not implemented");
    });
    return out;
}

/// How many trials it takes until one succeeds that does so with probability `p`: 1, 2, ...
REEL_OP("geometric_(Tensor input, float p, *, Generator? generator=None) -> Tensor", not_differentiable, random, method,
        samples(call(numbers({3, 4}), 0.3)))
Tensor& geometric_(const Tensor& input, double p, std::optional<Generator> generator) {
    REEL_CHECK(p > 0 && p < 1, "geometric_: p is ", p, "; expected a probability between 0 and 1, both excluded");
    REEL_CHECK_NOT_IMPLEMENTED(!input.is_complex() && input.scalar_type() != kBool, "geometric_: input is ",
                               dtype_name(input.scalar_type()), "; expected a real number dtype");
    return fill_by("geometric_", input, [&] { kernels::geometric("geometric_", input, p, generator); });
}
/// Draws with density sigma / (pi ((x - median)^2 + sigma^2)).
REEL_OP("cauchy_(Tensor input, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), 1.0, 2.0)))
Tensor& cauchy_(const Tensor& input, double median, double sigma, std::optional<Generator> generator) {
    check_floating("cauchy_", input);
    REEL_CHECK(sigma > 0, "cauchy_: sigma is ", sigma, "; expected a positive number");
    return fill_by("cauchy_", input, [&] { kernels::cauchy("cauchy_", input, median, sigma, generator); });
}
/// exp of normal draws: `mean` and `std` are those of the logarithm.
REEL_OP("log_normal_(Tensor input, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), 0.5, 0.25)))
Tensor& log_normal_(const Tensor& input, double mean, double std, std::optional<Generator> generator) {
    check_floating("log_normal_", input);
    REEL_CHECK(std > 0, "log_normal_: std is ", std, "; expected a positive number");
    return fill_by("log_normal_", input, [&] { kernels::log_normal("log_normal_", input, mean, std, generator); });
}

} // namespace reel
