// Random numbers: PyTorch's streams on the CPU.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "ops/random/random_fill.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// Box-Muller over blocks of sixteen: element j pairs with j + 8.
template <class T> void normal_block(T* p, T mean, T std) {
    for (int j = 0; j < 8; ++j) {
        const T u1 = 1 - p[j], u2 = p[j + 8];
        const T radius = std::sqrt(-2 * std::log(u1)), theta = T(2) * std::numbers::pi_v<T> * u2;
        p[j] = radius * std::cos(theta) * std + mean;
        p[j + 8] = radius * std::sin(theta) * std + mean;
    }
}
template <class T>
void normal_blocks(T* p, std::int64_t n, const std::optional<Generator>& generator, double mean, double std) {
    const Drawing drawing(generator);
    CPUGeneratorImpl& g = drawing.generator();
    const auto uniform = [&] {
        if constexpr (std::is_same_v<T, float>) return g.uniform_float();
        else return g.uniform_double();
    };
    for (std::int64_t i = 0; i < n; ++i) p[i] = uniform();
    for (std::int64_t i = 0; i + 16 <= n; i += 16) normal_block(p + i, T(mean), T(std));
    if (n % 16 != 0) { // a ragged tail redraws the last sixteen
        T* tail = p + n - 16;
        for (int j = 0; j < 16; ++j) tail[j] = uniform();
        normal_block(tail, T(mean), T(std));
    }
}
} // namespace

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
template <class Draw> Tensor& draw_integers(const Tensor& input, const std::optional<Generator>& generator, Draw draw) {
    check_inplace(input, "random_");
    if (input.is_meta()) {
        rebase_history(input, Tensor(), "random_");
        return const_cast<Tensor&>(input);
    }
    Tensor wide = drawn_for(input, kLong);
    std::int64_t* p = host_data<std::int64_t>(wide, "random_");
    {
        const Drawing drawing(generator);
        for (std::int64_t i = 0; i < wide.numel(); ++i) p[i] = draw(drawing.generator());
    }
    copy_raw(input, wide);
    rebase_history(input, Tensor(), "random_");
    return const_cast<Tensor&>(input);
}
} // namespace

REEL_OP("uniform_(Tensor input, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), -1.0, 2.0)))
Tensor& uniform_(const Tensor& input, double from, double to, std::optional<Generator> generator) {
    check_floating("uniform_", input);
    REEL_CHECK(from <= to, "uniform_: from ", from, " is greater than to ", to);
    if (input.scalar_type() == kDouble)
        fill_with("uniform_", input, generator,
                  [&](CPUGeneratorImpl& g) { return g.uniform_double() * (to - from) + from; });
    else {
        const float a = float(from), b = float(to);
        fill_with("uniform_", input, generator,
                  [&](CPUGeneratorImpl& g) { return double(g.uniform_float() * (b - a) + a); });
    }
    return const_cast<Tensor&>(input);
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
    const ScalarType t = input.scalar_type();
    if (input.numel() >= 16 && input.is_contiguous() && !input.is_meta()) {
        check_inplace(input, "normal_");
        if (t == kDouble) normal_blocks(host_data<double>(input, "normal_"), input.numel(), generator, mean, std);
        else {
            Tensor f = t == kFloat ? input : empty_raw(input.sizes(), kFloat);
            normal_blocks(host_data<float>(f, "normal_"), f.numel(), generator, mean, std);
            if (t != kFloat) copy_raw(input, f);
        }
        rebase_history(input, Tensor(), "normal_");
    } else fill_with("normal_", input, generator, [&](CPUGeneratorImpl& g) { return standard_normal(g) * std + mean; });
    return const_cast<Tensor&>(input);
}
REEL_OP("exponential_(Tensor input, float lambd=1.0, *, Generator? generator=None) -> Tensor", not_differentiable,
        random, method, samples(call(numbers({3, 4}), 2.0)))
Tensor& exponential_(const Tensor& input, double lambd, std::optional<Generator> generator) {
    check_floating("exponential_", input);
    REEL_CHECK(lambd > 0, "exponential_: lambd must be positive, got ", lambd);
    fill_with("exponential_", input, generator,
              [&](CPUGeneratorImpl& g) { return -std::log1p(-g.uniform_double()) / lambd; });
    return const_cast<Tensor&>(input);
}
REEL_OP("bernoulli_(Tensor input, float p=0.5, *, Generator? generator=None) -> Tensor", not_differentiable, random,
        method, samples(call(numbers({3, 4}), 0.3)))
Tensor& bernoulli_(const Tensor& input, double p, std::optional<Generator> generator) {
    REEL_CHECK(p >= 0 && p <= 1, "bernoulli_: p is ", p, "; expected a probability");
    fill_with("bernoulli_", input, generator, [&](CPUGeneratorImpl& g) { return g.uniform_double() < p ? 1.0 : 0.0; });
    return const_cast<Tensor&>(input);
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
    const auto [least, most] = exact_integers(input.scalar_type());
    REEL_CHECK(!to || from < *to, "random_: expected low < high, got ", from, " and ", to.value_or(0));
    REEL_CHECK(to || from <= most, "random_: from is ", from, "; the greatest integer that ",
               dtype_name(input.scalar_type()), " tells from its neighbours is ", most);
    const std::int64_t last = to ? *to - 1 : most;
    const bool fits = from >= least && last <= most;
    REEL_CHECK_VALUE(fits || isFloatingType(input.scalar_type()), "random_: the range from ", from, " to ", last,
                     " does not fit ", dtype_name(input.scalar_type()), ", which holds integers from ", least, " to ",
                     most);
    if (!fits)
        REEL_WARN_ONCE("random_: ", dtype_name(input.scalar_type()), " tells integers apart from ", least, " to ", most,
                       " only; the range from ", from, " to ", last, " will not be uniform");
    const std::uint64_t range = std::uint64_t(last) - std::uint64_t(from) + 1; // 0: every 64-bit integer
    const bool wide = range == 0 || range >= (1ull << 32);
    return draw_integers(input, generator, [=](CPUGeneratorImpl& g) {
        const std::uint64_t drawn = wide ? g.random64() : g.random();
        return std::int64_t(range == 0 ? drawn : drawn % range + std::uint64_t(from));
    });
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
    const std::int64_t most = exact_integers(t).second;
    const bool wide = t == kLong || t == kDouble; // else 32 bits are drawn, as in PyTorch
    return draw_integers(input, generator, [=](CPUGeneratorImpl& g) {
        return std::int64_t((wide ? g.random64() : g.random()) % (std::uint64_t(most) + 1));
    });
}

namespace {
TensorOptions without_grad(const TensorOptions& o) { return o.requires_grad(false); }
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
    check_sizes("rand", size, options.dtype());
    return fresh(uniform_(empty(size, without_grad(options)), 0, 1, generator), options);
}
REEL_OP("randn(int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor", not_differentiable, out,
        random, samples(call(ints({2, 3}))))
Tensor randn(IntArrayRef size, std::optional<Generator> generator, TensorOptions options) {
    check_sizes("randn", size, options.dtype());
    return fresh(normal_(empty(size, without_grad(options)), 0, 1, generator), options);
}
REEL_OP("randint(int low, int high, int[] size, *, Generator? generator=None, TensorOptions options={}) -> Tensor",
        not_differentiable, out, random, samples(call(-5, 5, ints({2, 3}))))
Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
               TensorOptions options) {
    const TensorOptions integers = options.has_dtype() ? options : options.dtype(kLong);
    check_sizes("randint", size, integers.dtype());
    return fresh(random_(empty(size, without_grad(integers)), low, high, generator), options);
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
    Tensor t = empty_raw({n}, kLong);
    std::int64_t* p = host_data<std::int64_t>(t, "randperm");
    std::iota(p, p + n, 0);
    {
        const Drawing drawing(generator);
        for (std::int64_t i = 0; i < n - 1; ++i)
            std::swap(p[i], p[i + std::int64_t(drawing.generator().random() % std::uint64_t(n - i))]);
    }
    return options.has_dtype() ? t.to(ScalarType(options.dtype())) : t;
}

} // namespace reel
