// Random numbers: PyTorch's streams on the CPU.
#include <reel/autograd/kernels/random.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <reel/autograd/detail/count_draws.hpp>
#include <reel/autograd/detail/standard_normal.hpp>
#include <reel/autograd/host_data.hpp>

#include "cpu/random/box_muller.hpp"
#include "cpu/random/draws.hpp"
#include "cpu/random/with_words.hpp"
#include "op/dispatch.hpp"
#include "tensor/drawing.hpp"
#include "tensor/raw.hpp"

namespace reel {

double detail::standard_normal(CPUGeneratorImpl& g) {
    if (g.next_normal) {
        const double v = *g.next_normal;
        g.next_normal.reset();
        return v;
    }
    const double u1 = g.uniform_double(), u2 = g.uniform_double();
    const double r = std::sqrt(-2 * std::log1p(-u2)), theta = 2 * std::numbers::pi * u1;
    g.next_normal = r * std::sin(theta);
    return r * std::cos(theta);
}

namespace cpu {

namespace {

/// Dense memory for what is drawn for `self`, its dimensions in the order of their strides: numbers are drawn in the
/// order in which the elements lie, as in PyTorch.
Tensor drawn_for(const Tensor& self, ScalarType type) {
    std::vector<std::size_t> order(self.sizes().size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return self.strides()[a] > self.strides()[b]; });
    Dims strides(order.size());
    std::int64_t step = 1;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        strides[*d] = step;
        step *= self.sizes()[*d];
    }
    return detail::empty_strided_raw(self.sizes(), strides, type);
}
/// Fills `out` by `fill(T*, count, generator)`, which draws one number after the other.
template <class T, class Fill>
void fill_drawn(const char* op, const Tensor& out, const OptionalGenerator& generator, Fill fill) {
    const bool direct = out.scalar_type() == dtype_of<T> && out.is_contiguous();
    const Tensor wide = direct ? out : drawn_for(out, dtype_of<T>);
    T* const p = host_data<T>(wide, op);
    {
        const detail::Drawing drawing(generator);
        fill(p, wide.numel(), drawing.generator());
    }
    if (!direct) detail::copy_raw(out, wide);
}
/// Each number of T by `draw`, from `words` words of the generator: none for a number that is not fixed.
template <class T, int words, class Draw>
void draw_each(const char* op, const Tensor& out, const OptionalGenerator& generator, Draw draw) {
    fill_drawn<T>(op, out, generator, [&](T* p, std::int64_t n, CPUGeneratorImpl& g) {
        if constexpr (words == 0)
            for (std::int64_t i = 0; i < n; ++i) p[i] = draw(g);
        else
            with_words<words>(n, g, [=](std::int64_t first, const std::uint32_t* drawn, std::int64_t some) {
                DrawnWords d(drawn);
                for (std::int64_t i = 0; i < some; ++i) p[first + i] = draw(d);
            });
    });
}
/// Uniform in [0, 1), as the generator's functions give them, times `width`, plus `from`; then what `finish(T*, count)`
/// makes of each stretch.
template <class T, class Finish>
void uniform_numbers(T* p, std::int64_t n, CPUGeneratorImpl& g, T width, T from, Finish finish) {
    constexpr bool wide = std::is_same_v<T, double>;
    with_words<wide ? 2 : 1>(n, g, [=](std::int64_t first, const std::uint32_t* words, std::int64_t some) {
        T* const to = p + first;
        DrawnWords d(words);
        for (std::int64_t i = 0; i < some; ++i)
            if constexpr (wide) to[i] = d.uniform_double() * width + from;
            else to[i] = d.uniform_float() * width + from;
        finish(to, some);
    });
}
template <class T> void uniform_numbers(T* p, std::int64_t n, CPUGeneratorImpl& g, T width, T from) {
    uniform_numbers(p, n, g, width, from, [](T*, std::int64_t) {});
}
/// What 16 bits would round to the bound, which is not drawn, becomes `from`.
template <class Narrow, class T> void exclude_bound(T* p, std::int64_t n, double from, double to) {
    const float bound = float(Narrow(float(to)));
    for (std::int64_t i = 0; i < n; ++i)
        if (float(Narrow(float(p[i]))) == bound) p[i] = T(from);
}
/// Sixteen after sixteen uniform numbers become normal ones. `in_turn`: each sixteen is drawn when the one before is
/// done, as 16-bit numbers are, not all of them first.
template <class T>
void normal_blocks(T* p, std::int64_t n, const OptionalGenerator& generator, double mean, double std, bool in_turn) {
    const detail::Drawing drawing(generator);
    CPUGeneratorImpl& g = drawing.generator();
    const auto made_normal = [&](T* first, std::int64_t count) { // a ragged end is drawn again
        if constexpr (std::is_same_v<T, float>) box_muller_kernels.f32(first, count / 16 * 16, T(mean), T(std));
        else box_muller_kernels.f64(first, count / 16 * 16, T(mean), T(std));
    };
    uniform_numbers(p, in_turn ? n / 16 * 16 : n, g, T(1), T(0), made_normal);
    if (n % 16 != 0) uniform_numbers(p + n - 16, 16, g, T(1), T(0), made_normal);
}

} // namespace

void uniform(const char* op, const Tensor& out, double from, double to, const OptionalGenerator& generator) {
    const auto fill = [&]<class T>() {
        fill_drawn<T>(op, out, generator, [&](T* p, std::int64_t n, CPUGeneratorImpl& g) {
            uniform_numbers(p, n, g, T(to) - T(from), T(from));
            if (out.scalar_type() == kHalf) exclude_bound<Half>(p, n, from, to);
            if (out.scalar_type() == kBFloat16) exclude_bound<BFloat16>(p, n, from, to);
        });
    };
    out.scalar_type() == kDouble ? fill.template operator()<double>() : fill.template operator()<float>();
}

void normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator) {
    if (out.numel() < 16 || !out.is_contiguous())
        return draw_each<double, 0>(op, out, generator,
                                    [&](CPUGeneratorImpl& g) { return detail::standard_normal(g) * std + mean; });
    if (out.scalar_type() == kDouble)
        return normal_blocks(host_data<double>(out, op), out.numel(), generator, mean, std, false);
    const Tensor f = out.scalar_type() == kFloat ? out : detail::empty_raw(out.sizes(), kFloat);
    normal_blocks(host_data<float>(f, op), f.numel(), generator, mean, std, out.scalar_type() != kFloat);
    if (out.scalar_type() != kFloat) detail::copy_raw(out, f);
}
void log_normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator) {
    draw_each<double, 0>(op, out, generator,
                         [=](CPUGeneratorImpl& g) { return std::exp(detail::standard_normal(g) * std + mean); });
}
void exponential(const char* op, const Tensor& out, double rate, const OptionalGenerator& generator) {
    draw_each<double, 2>(op, out, generator, [=](DrawnWords& d) { return -std::log1p(-d.uniform_double()) / rate; });
}
void cauchy(const char* op, const Tensor& out, double median, double sigma, const OptionalGenerator& generator) {
    draw_each<double, 2>(op, out, generator, [=](DrawnWords& d) {
        return median + sigma * std::tan(std::numbers::pi * (d.uniform_double() - 0.5));
    });
}
void geometric(const char* op, const Tensor& out, double p, const OptionalGenerator& generator) {
    const double log_q = std::log1p(-p);
    draw_each<double, 2>(op, out, generator,
                         [=](DrawnWords& d) { return std::ceil(std::log(d.uniform_double()) / log_q); });
}
void bernoulli(const char* op, const Tensor& out, double p, const OptionalGenerator& generator) {
    draw_each<double, 2>(op, out, generator, [=](DrawnWords& d) { return double(d.uniform_double() < p); });
}
void random_integers(const char* op, const Tensor& out, std::uint64_t from, std::uint64_t range, bool wide,
                     const OptionalGenerator& generator) {
    if (wide)
        return draw_each<std::int64_t, 2>(op, out, generator, [=](DrawnWords& d) {
            const std::uint64_t drawn = d.random64();
            return std::int64_t(range == 0 ? drawn : drawn % range + from);
        });
    REEL_INTERNAL_ASSERT(range > 0 && range <= 0xffffffffu, "random_integers");
    const Remainder below(static_cast<std::uint32_t>(range));
    draw_each<std::int64_t, 1>(op, out, generator,
                               [=](DrawnWords& d) { return std::int64_t(below(d.random()) + from); });
}

namespace {
Tensor as_doubles(const Tensor& t) { return detail::contiguous_raw(detail::cast_raw(t, kDouble)); }
} // namespace

void bernoulli_of(const Tensor& out, const Tensor& probabilities, const OptionalGenerator& generator) {
    const Tensor wide = as_doubles(probabilities), drawn = detail::empty_raw(out.sizes(), kDouble);
    const double* const p = host_data<double>(wide, "bernoulli");
    double* const to = host_data<double>(drawn, "bernoulli");
    const double* const bad = std::find_if(p, p + wide.numel(), [](double v) { return !(v >= 0 && v <= 1); });
    REEL_CHECK(bad == p + wide.numel(), "bernoulli: ", *bad, " is not a probability");
    {
        const detail::Drawing drawing(generator);
        const auto draw = [&]<int words>() {
            with_words<words>(wide.numel(), drawing.generator(),
                              [=](std::int64_t first, const std::uint32_t* in, std::int64_t some) {
                                  DrawnWords d(in);
                                  for (std::int64_t i = first; i < first + some; ++i)
                                      if constexpr (words == 1) to[i] = double(double(d.uniform_float()) < p[i]);
                                      else to[i] = double(d.uniform_double() < p[i]);
                              });
        };
        if (out.scalar_type() == kDouble) draw.template operator()<2>();
        else draw.template operator()<1>();
    }
    detail::copy_raw(out, drawn);
}

void poisson(const Tensor& out, const Tensor& rates, const OptionalGenerator& generator) {
    const Tensor wide = as_doubles(rates), drawn = detail::empty_raw(out.sizes(), kDouble);
    const double *const rate = host_data<double>(wide, "poisson"), *const end = rate + wide.numel();
    const double* const bad = std::find_if(rate, end, [](double r) { return !(r >= 0); });
    REEL_CHECK(bad == end, "poisson: input holds the rate ", *bad, "; expected rates that are not negative");
    {
        const detail::Drawing drawing(generator);
        std::transform(rate, end, host_data<double>(drawn, "poisson"),
                       [&](double r) { return detail::draw_poisson(r, drawing.generator()); });
    }
    detail::copy_raw(out, drawn);
}

void binomial(const Tensor& out, const Tensor& count, const Tensor& prob, const OptionalGenerator& generator) {
    const Tensor counts = as_doubles(count), probabilities = as_doubles(prob),
                 drawn = detail::empty_raw(out.sizes(), kDouble);
    const double *n = host_data<double>(counts, "binomial"), *p = host_data<double>(probabilities, "binomial");
    for (std::int64_t i = 0; i < counts.numel(); ++i) {
        REEL_CHECK(n[i] >= 0, "binomial: count holds ", n[i], "; expected numbers that are not negative");
        REEL_CHECK(p[i] >= 0 && p[i] <= 1, "binomial: prob holds ", p[i], "; expected probabilities");
    }
    {
        const detail::Drawing drawing(generator);
        std::transform(n, n + counts.numel(), p, host_data<double>(drawn, "binomial"),
                       [&](double c, double q) { return detail::draw_binomial(c, q, drawing.generator()); });
    }
    detail::copy_raw(out, drawn);
}

namespace {

template <class T> void check_weights(const T* w, std::int64_t n) {
    double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        REEL_CHECK(double(w[i]) >= 0 && std::isfinite(double(w[i])), "multinomial: weight ", double(w[i]),
                   " is not a finite number >= 0");
        total += double(w[i]);
    }
    REEL_CHECK(total > 0, "multinomial: the weights of a row sum to zero");
}
/// The largest quotients of weights and exponential draws.
template <class T>
void without_replacement(const T* weights, std::int64_t rows, std::int64_t n, std::int64_t samples, std::int64_t* out,
                         CPUGeneratorImpl& g) {
    std::vector<T> q(static_cast<std::size_t>(rows * n));
    Draws draws(g, 2 * rows * n);
    for (T& v : q) v = T(-std::log1p(-draws.uniform_double()));
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    for (std::int64_t r = 0; r < rows; ++r) {
        T* v = q.data() + r * n;
        for (std::int64_t i = 0; i < n; ++i) v[i] = T(weights[r * n + i] / v[i]);
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + samples, order.end(),
                          [v](auto a, auto b) { return v[a] > v[b]; });
        std::copy_n(order.begin(), samples, out + r * samples);
    }
}
/// The place of the first of `n` rising numbers that is not below `u`, n for none: without branches, which nobody could
/// foresee.
template <class T> std::int64_t first_not_below(const T* rising, std::int64_t n, double u) {
    const T* first = rising;
    for (std::int64_t left = n; left > 1; left -= left / 2) first += double(first[left / 2 - 1]) < u ? left / 2 : 0;
    return first - rising + (double(*first) < u);
}
template <class T>
void with_replacement(const T* weights, std::int64_t rows, std::int64_t n, std::int64_t samples, std::int64_t* out,
                      CPUGeneratorImpl& g) {
    std::vector<T> cumulative(static_cast<std::size_t>(n));
    Draws draws(g, 2 * rows * samples);
    for (std::int64_t r = 0; r < rows; ++r) {
        T sum = T(0);
        for (std::int64_t i = 0; i < n; ++i) cumulative[std::size_t(i)] = sum = T(sum + weights[r * n + i]);
        for (T& c : cumulative) c = T(c / sum);
        for (std::int64_t k = 0; k < samples; ++k) {
            const double u = draws.uniform_double();
            out[r * samples + k] = std::min(first_not_below(cumulative.data(), n, u), n - 1);
        }
    }
}

} // namespace

void multinomial(const Tensor& out, const Tensor& weights, bool replacement, const OptionalGenerator& generator) {
    const std::int64_t rows = out.size(0), samples = out.size(1), n = weights.size(-1);
    const detail::Drawing drawing(generator);
    std::int64_t* const o = host_data<std::int64_t>(out, "multinomial");
    dispatch_floating(weights.scalar_type(), "multinomial", [&]<class T>() {
        const T* const w = host_data<T>(weights, "multinomial");
        for (std::int64_t r = 0; r < rows; ++r) check_weights(w + r * n, n);
        if (!replacement || samples == 1) without_replacement(w, rows, n, samples, o, drawing.generator());
        else with_replacement(w, rows, n, samples, o, drawing.generator());
    });
}

// Fisher and Yates, forward.
void randperm(const Tensor& out, const OptionalGenerator& generator) {
    const std::int64_t n = out.numel();
    std::int64_t* const p = host_data<std::int64_t>(out, "randperm");
    std::iota(p, p + n, 0);
    const detail::Drawing drawing(generator);
    Draws draws(drawing.generator(), std::max<std::int64_t>(n - 1, 0));
    for (std::int64_t i = 0; i < n - 1; ++i) {
        const std::uint32_t word = draws.random();
        const std::uint64_t left = std::uint64_t(n - i);
        std::swap(p[i], p[i + std::int64_t(left > 0xffffffffu ? word : word % std::uint32_t(left))]);
    }
}

void dropout_mask(const Tensor& out, double p) {
    const detail::Drawing drawing;
    // k / 2^53 < 1 - p for the 53 bits k that a double is drawn from, by the sign of a difference: a comparison would
    // become a jump, which is mispredicted every other time
    const auto stays = std::uint64_t(std::ceil((1 - p) * double(std::uint64_t(1) << 53)));
    dispatch_floating_complex(out.scalar_type(), "dropout", [&]<class T>() {
        T* const m = host_data<T>(out, "dropout");
        const T either[] = {T(0.f), T(1.f)};
        with_words<2>(out.numel(), drawing.generator(),
                      [=](std::int64_t first, const std::uint32_t* words, std::int64_t some) {
                          DrawnWords d(words);
                          for (std::int64_t i = 0; i < some; ++i)
                              m[first + i] = either[((d.random64() & ((std::uint64_t(1) << 53) - 1)) - stays) >> 63];
                      });
    });
}

void rrelu_slope(const Tensor& out, const Tensor& drawn, double lower, double upper,
                 const OptionalGenerator& generator) {
    const bool* const chosen = host_data<bool>(drawn, "rrelu");
    double* const to = host_data<double>(out, "rrelu");
    const detail::Drawing drawing(generator);
    for (std::int64_t i = 0; i < out.numel(); ++i)
        to[i] = chosen[i] ? drawing.generator().uniform_double() * (upper - lower) + lower : 1;
}

} // namespace cpu

} // namespace reel
