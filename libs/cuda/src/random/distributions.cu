// Draws whose parameters are tensors: one number for each element of them.
#include <reel/autograd/detail/count_draws.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/random.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>

#include "first_where.cuh"
#include "primitives.hpp"
#include "random/philox.cuh"

namespace reel::cuda {

namespace {

Tensor wide(const Tensor& t) { return t.detach().to(kDouble).contiguous(); }
double value_at(const Tensor& t, std::int64_t i) { return t.view({-1}).narrow(0, i, 1).item().toDouble(); }

/// Draws `one(i, numbers)` for each element of `out`, in double precision, from a counter of its own.
template <class One> struct DrawEach {
    double* to;
    RandomSource source;
    One one;
    __device__ void operator()(std::int64_t i) const {
        const Philox philox(source);
        PhiloxSequence numbers(philox, i);
        to[i] = one(i, numbers);
    }
};
template <class One>
void draw_each(const char* op, const Tensor& out, const OptionalGenerator& generator, const One& one) {
    if (out.numel() == 0) return;
    const DeviceIndex device = out.device().index();
    const bool direct = out.scalar_type() == kDouble && out.is_contiguous();
    const Tensor drawn = direct ? out : out.new_empty(out.sizes(), kDouble);
    for_each(op, device, out.numel(),
             DrawEach<One>{data<double>(drawn), draw(op, device, generator, out.numel()), one});
    if (!direct) kernels::copy.on(out, out, drawn, false);
}

struct NoProbability {
    const double* p;
    __device__ bool operator()(std::int64_t i) const { return !(p[i] >= 0 && p[i] <= 1); }
};
struct Negative {
    const double* x;
    __device__ bool operator()(std::int64_t i) const { return !(x[i] >= 0); }
};

struct Bernoulli {
    const double* p;
    template <class G> __device__ double operator()(std::int64_t i, G& g) const {
        return g.uniform_double() < p[i] ? 1 : 0;
    }
};
void bernoulli_of(const Tensor& out, const Tensor& probabilities, const OptionalGenerator& generator) {
    const NoGradGuard guard;
    const Tensor p = wide(probabilities);
    const std::int64_t bad = first_where("bernoulli", p, p.numel(), NoProbability{data<double>(p)});
    REEL_CHECK(bad < 0, "bernoulli: ", value_at(p, bad), " is not a probability");
    draw_each("bernoulli", out, generator, Bernoulli{data<double>(p)});
}

struct Poisson {
    const double* rates;
    template <class G> __device__ double operator()(std::int64_t i, G& g) const {
        return reel::detail::draw_poisson(rates[i], g);
    }
};
void poisson(const Tensor& out, const Tensor& given, const OptionalGenerator& generator) {
    const NoGradGuard guard;
    const Tensor rates = wide(given);
    const std::int64_t bad = first_where("poisson", rates, rates.numel(), Negative{data<double>(rates)});
    REEL_CHECK(bad < 0, "poisson: input holds the rate ", value_at(rates, bad),
               "; expected rates that are not negative");
    draw_each("poisson", out, generator, Poisson{data<double>(rates)});
}

struct Binomial {
    const double *counts, *p;
    template <class G> __device__ double operator()(std::int64_t i, G& g) const {
        return reel::detail::draw_binomial(counts[i], p[i], g);
    }
};
void binomial(const Tensor& out, const Tensor& count, const Tensor& prob, const OptionalGenerator& generator) {
    const NoGradGuard guard;
    const Tensor counts = wide(count), p = wide(prob);
    const std::int64_t bad_count = first_where("binomial", counts, counts.numel(), Negative{data<double>(counts)});
    REEL_CHECK(bad_count < 0, "binomial: count holds ", value_at(counts, bad_count),
               "; expected numbers that are not negative");
    const std::int64_t bad = first_where("binomial", p, p.numel(), NoProbability{data<double>(p)});
    REEL_CHECK(bad < 0, "binomial: prob holds ", value_at(p, bad), "; expected probabilities");
    draw_each("binomial", out, generator, Binomial{data<double>(counts), data<double>(p)});
}

struct Slope {
    const bool* chosen;
    double lower, upper;
    template <class G> __device__ double operator()(std::int64_t i, G& g) const {
        const double u = g.uniform_double();
        return chosen[i] ? u * (upper - lower) + lower : 1;
    }
};
void rrelu_slope(const Tensor& out, const Tensor& drawn, double lower, double upper,
                 const OptionalGenerator& generator) {
    draw_each("rrelu", out, generator, Slope{data<bool>(drawn), lower, upper});
}

// --- places in rows of weights

struct NoWeight {
    const double* w;
    __device__ bool operator()(std::int64_t i) const { return !(w[i] >= 0 && w[i] < HUGE_VAL); }
};
struct NoTotal {
    const double* running; ///< sums of each row
    std::int64_t n;
    __device__ bool operator()(std::int64_t row) const { return !(running[row * n + n - 1] > 0); }
};
/// Weights over exponential draws: the largest quotients are a draw without replacement.
struct Race {
    const double* weights;
    template <class G> __device__ double operator()(std::int64_t i, G& g) const {
        return weights[i] / -std::log1p(-g.uniform_double());
    }
};
struct TakeFirst {
    std::int64_t* out;
    const std::int64_t* places;
    std::int64_t n, samples;
    __device__ void operator()(std::int64_t i) const { out[i] = places[i / samples * n + i % samples]; }
};
/// The first place whose running sum exceeds a uniform number: one of weight zero is never it.
struct Search {
    std::int64_t* out;
    const double* running;
    std::int64_t n, samples;
    RandomSource source;
    __device__ void operator()(std::int64_t i) const {
        const double* const row = running + i / samples * n;
        const double u = uniform_double(Philox(source)(std::uint64_t(i)).first) * row[n - 1];
        std::int64_t low = 0, high = n - 1;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (row[middle] > u) high = middle;
            else low = middle + 1;
        }
        out[i] = low;
    }
};
void multinomial(const Tensor& out, const Tensor& given, bool replacement, const OptionalGenerator& generator) {
    const NoGradGuard guard;
    const std::int64_t rows = out.size(0), samples = out.size(1), n = given.size(-1);
    const Tensor weights = wide(given).view({rows, n}), running = reel::cumsum(weights, -1);
    const DeviceIndex device = out.device().index();
    const std::int64_t bad = first_where("multinomial", weights, rows * n, NoWeight{data<double>(weights)});
    REEL_CHECK(bad < 0, "multinomial: weight ", value_at(weights, bad), " is not a finite number >= 0");
    REEL_CHECK(first_where("multinomial", weights, rows, NoTotal{data<double>(running), n}) < 0,
               "multinomial: the weights of a row sum to zero");
    if (replacement && samples > 1) {
        for_each("multinomial", device, rows * samples,
                 Search{data<std::int64_t>(out), data<double>(running), n, samples,
                        draw("multinomial", device, generator, rows * samples)});
        return;
    }
    const Tensor quotients = weights.new_empty({rows, n});
    draw_each("multinomial", quotients, generator, Race{data<double>(weights)});
    const SortedKeys sorted = sort_keys("multinomial", keys_of("multinomial", quotients, true), n);
    for_each("multinomial", device, rows * samples,
             TakeFirst{data<std::int64_t>(out), data<std::int64_t>(sorted.places), n, samples});
}

[[maybe_unused]] const bool attached = [] {
    kernels::bernoulli_of.set(kCUDA, &bernoulli_of);
    kernels::poisson.set(kCUDA, &poisson);
    kernels::binomial.set(kCUDA, &binomial);
    kernels::multinomial.set(kCUDA, &multinomial);
    kernels::rrelu_slope.set(kCUDA, &rrelu_slope);
    return true;
}();

} // namespace

} // namespace reel::cuda
