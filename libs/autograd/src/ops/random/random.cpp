// Random numbers: PyTorch's streams on the CPU.
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "ops/factory/fill.hpp"
#include "ops/random/random_fill.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {
/// The integers that a dtype tells apart from their neighbours.
std::pair<std::int64_t, std::int64_t> exact_integers(ScalarType t) {
    using Limits = std::numeric_limits<std::int64_t>;
    switch (t) {
    case kBool:
        return {0, 1};
    case kByte:
        return {0, 255};
    case kChar:
        return {-128, 127};
    case kShort:
        return {-32768, 32767};
    case kInt:
        return {-(1ll << 31), (1ll << 31) - 1};
    case kHalf:
        return {-(1 << 11), 1 << 11};
    case kBFloat16:
        return {-(1 << 8), 1 << 8};
    case kFloat:
        return {-(1 << 24), 1 << 24};
    case kDouble:
        return {-(1ll << 53), 1ll << 53};
    default:
        return {Limits::min(), Limits::max()};
    }
}
/// The integer that a floating dtype rounds `v` to; none beyond int64.
std::optional<std::int64_t> rounded(ScalarType t, std::int64_t v) {
    const double r = t == kHalf       ? double(float(Half(float(v))))
                     : t == kBFloat16 ? double(float(BFloat16(float(v))))
                     : t == kFloat    ? double(float(v))
                                      : double(v);
    return std::abs(r) < 0x1p63 ? std::optional(std::int64_t(r)) : std::nullopt;
}
/// The distance of the numbers of a floating dtype around `v`.
std::int64_t spacing(ScalarType t, std::int64_t v) {
    const int digits = t == kHalf ? 11 : t == kBFloat16 ? 8 : t == kFloat ? 24 : 53;
    return std::int64_t(1) << (std::bit_width(std::uint64_t(std::abs(v))) - digits);
}
/// Bounds of what is drawn, so that no number rounds to one outside of [from, to): the reference's, bit by bit.
std::int64_t least_drawn(ScalarType t, std::int64_t from) {
    const auto next = rounded(t, from + 1);
    return next && *next < from ? *next + spacing(t, from + 1) : from;
}
std::int64_t bound_drawn(ScalarType t, std::int64_t to) {
    const auto last = rounded(t, to - 1);
    return last && *last >= to ? *last - spacing(t, to - 1) : to;
}
/// from + k for k below `range`, 0 meaning 2^64.
Tensor& draw_integers(const Tensor& input, std::uint64_t from, std::uint64_t range, bool wide,
                      const std::optional<Generator>& generator) {
    return fill_by("random_", input, [&] { kernels::random_integers("random_", input, from, range, wide, generator); });
}
} // namespace

REEL_OP("uniform_(Tensor input, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), -1.0, 2.0)))
Tensor& uniform_(const Tensor& input, double from, double to, std::optional<Generator> generator) {
    REEL_CHECK(from <= to, "uniform_: from ", from, " is greater than to ", to);
    if (input.is_complex()) { // one number after the other, real and imaginary parts alike
        check_inplace(input, "uniform_");
        uniform_(view_as_real(input.detach()), from, to, generator);
        rebase_history(input, Tensor(), "uniform_");
        return const_cast<Tensor&>(input);
    }
    check_floating("uniform_", input);
    return fill_by("uniform_", input, [&] { kernels::uniform("uniform_", input, from, to, generator); });
}
REEL_OP("normal_(Tensor input, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method,
        samples(call(numbers({3, 4}), 1.0, 2.0), call(numbers({4, 4}), 1.0, 2.0),
                call(numbers({2, 2}, kComplexDouble))))
Tensor& normal_(const Tensor& input, double mean, double std, std::optional<Generator> generator) {
    REEL_CHECK(std >= 0, "normal_: std must not be negative, got ", std);
    if (input.is_complex()) { // both parts have half the variance
        check_inplace(input, "normal_");
        normal_(view_as_real(input.detach()), mean, std / std::sqrt(2.0), generator);
        rebase_history(input, Tensor(), "normal_");
        return const_cast<Tensor&>(input);
    }
    check_floating("normal_", input);
    return fill_by("normal_", input, [&] { kernels::normal("normal_", input, mean, std, generator); });
}
REEL_OP("exponential_(Tensor input, float lambd=1.0, *, Generator? generator=None) -> Tensor", not_differentiable,
        random, method, samples(call(numbers({3, 4}), 2.0)))
Tensor& exponential_(const Tensor& input, double lambd, std::optional<Generator> generator) {
    check_floating("exponential_", input);
    REEL_CHECK(lambd > 0, "exponential_: lambd must be positive, got ", lambd);
    return fill_by("exponential_", input, [&] { kernels::exponential("exponential_", input, lambd, generator); });
}
REEL_OP("bernoulli_(Tensor input, float p=0.5, *, Generator? generator=None) -> Tensor", not_differentiable, random,
        method, samples(call(numbers({3, 4}), 0.3)))
Tensor& bernoulli_(const Tensor& input, double p, std::optional<Generator> generator) {
    REEL_CHECK(p >= 0 && p <= 1, "bernoulli_: p is ", p, "; expected a probability");
    return fill_by("bernoulli_", input, [&] { kernels::bernoulli("bernoulli_", input, p, generator); });
}
/// As often one as each element of `p` says, which broadcasts.
REEL_OP("bernoulli_(Tensor input, Tensor p, *, Generator? generator=None) -> Tensor", not_differentiable, random,
        method, samples(call(numbers({3, 4}), numbers({3, 4}).sigmoid())))
Tensor& bernoulli_(const Tensor& input, const Tensor& p, std::optional<Generator> generator) {
    check_inplace(input, "bernoulli_");
    const Tensor drawn = bernoulli(p.detach().expand(input.sizes()), generator);
    copy_raw(input, drawn);
    rebase_history(input, Tensor(), "bernoulli_");
    return const_cast<Tensor&>(input);
}
REEL_OP("random_(Tensor input, int from, int? to, *, Generator? generator=None) -> Tensor", not_differentiable, random,
        method, samples(call(numbers({3, 4}), 0, 5), call(numbers({3, 4}), 5, none)))
Tensor& random_(const Tensor& input, std::int64_t from, std::optional<std::int64_t> to,
                std::optional<Generator> generator) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK(!isComplexType(t), "random_: input is ", dtype_name(t), "; expected a real dtype");
    const auto [least, most] = exact_integers(t);
    REEL_CHECK(!to || from < *to, "random_: expected low < high, got ", from, " and ", to.value_or(0));
    REEL_CHECK(to || from <= most, "random_: from is ", from, "; the greatest integer that ", dtype_name(t),
               " tells from its neighbours is ", most);
    const std::int64_t last = to ? *to - 1 : most;
    const bool fits = from >= least && last <= most;
    REEL_CHECK_VALUE(fits || isFloatingType(t), "random_: the range from ", from, " to ", last, " does not fit ",
                     dtype_name(t), ", which holds integers from ", least, " to ", most);
    if (!fits)
        REEL_WARN_ONCE("random_: ", dtype_name(t), " tells integers apart from ", least, " to ", most,
                       " only; the range from ", from, " to ", last, " will not be uniform");
    std::int64_t end = last;
    if (to && isFloatingType(t)) {
        from = least_drawn(t, from);
        end = bound_drawn(t, *to) - 1;
    }
    const std::uint64_t range = std::uint64_t(end) - std::uint64_t(from) + 1; // 0: every 64-bit integer
    const bool wide = range == 0 || range >= (1ull << 28); // remainders of 32 bits would prefer the first numbers
    return draw_integers(input, std::uint64_t(from), range, wide, generator);
}
REEL_OP("random_(Tensor input, int to, *, Generator? generator=None) -> Tensor", not_differentiable, random, method,
        samples(call(numbers({3, 4}), 5)))
Tensor& random_(const Tensor& input, std::int64_t to, std::optional<Generator> generator) {
    return random_(input, 0, std::optional(to), generator);
}
/// Every integer from 0 to the largest that the dtype tells apart from its neighbours.
REEL_OP("random_(Tensor input, *, Generator? generator=None) -> Tensor", not_differentiable, random, method,
        samples(call(numbers({3, 4}))))
Tensor& random_(const Tensor& input, std::optional<Generator> generator) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK(!isComplexType(t), "random_: input is ", dtype_name(t), "; expected a real dtype");
    const std::int64_t most = exact_integers(t).second;
    const bool wide = t == kLong || t == kDouble; // else 32 bits are drawn, as in PyTorch
    return draw_integers(input, 0, std::uint64_t(most) + 1, wide, generator);
}

namespace {
/// A new tensor that was filled: nothing has modified it yet.
Tensor fresh(Tensor t, const TensorOptions& o) {
    t.storage()->set_version(0);
    if (o.requires_grad()) t.requires_grad_();
    return t;
}
} // namespace

REEL_OP("rand(int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor", not_differentiable, out,
        random, samples(call(ints({2, 3}))))
Tensor rand(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
    return fresh(uniform_(factory::undrawn("rand", size, options), 0, 1, generator), options);
}
REEL_OP("randn(int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor", not_differentiable, out,
        random, samples(call(ints({2, 3}))))
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
    return fresh(normal_(factory::undrawn("randn", size, options), 0, 1, generator), options);
}
REEL_OP("randint(int low, int high, int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, out, random, samples(call(-5, 5, ints({2, 3}))))
Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options) {
    const TensorOptions integers = options.has_dtype() ? options : options.dtype(kLong);
    return fresh(random_(factory::undrawn("randint", size, integers), low, high, generator), options);
}
REEL_OP("randint(int high, int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, out, random, samples(call(5, ints({2, 3}))))
Tensor randint(std::int64_t high, IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
    return randint(0, high, size, generator, options);
}
/// A random permutation of 0 ... n-1, by forward Fisher-Yates.
REEL_OP("randperm(int n, *, Generator? generator=None, TensorOptions options={}) -> Tensor", not_differentiable, out,
        random, samples(call(5)))
Tensor randperm(std::int64_t n, std::optional<Generator> generator, TensorOptions options) {
    REEL_CHECK(n >= 0, "randperm: n must not be negative, got ", n);
    check_sizes("randperm", n, kLong);
    const ScalarType dtype = options.has_dtype() ? ScalarType(options.dtype()) : kLong;
    REEL_CHECK(n - 1 <= exact_integers(dtype).second, "randperm: n is ", n, "; ", dtype_name(dtype),
               " tells integers apart up to ", exact_integers(dtype).second);
    const Tensor t = empty_raw({n}, kLong, options.device()); // each device draws its own
    kernels::randperm(t, generator);
    return t.to(dtype);
}

} // namespace reel
