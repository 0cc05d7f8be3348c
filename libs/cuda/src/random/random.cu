// Random numbers drawn on the device: each call takes counters from the generator, one for two elements.
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/random.hpp>

#include <cmath>

#include "elements.cuh"
#include "for_each.cuh"
#include "primitives.hpp"
#include "random/philox.cuh"

namespace reel::cuda {

namespace {

template <class V> struct Two { V first, second; };

/// Writes a number in the dtype of the elements; the branch is the same for all threads.
template <class V> __device__ void store(void* to, ScalarType type, std::int64_t at, V v) {
    switch (type) {
#define REEL_CASE(T, Name)                                                                                             \
    case ScalarType::Name:                                                                                             \
        static_cast<T*>(to)[at] = T(compute_t<T>(v));                                                                  \
        return;
        REEL_CASE(float, Float)
        REEL_CASE(double, Double)
        REEL_CASE(Half, Half)
        REEL_CASE(BFloat16, BFloat16)
        REEL_CASE(std::uint8_t, Byte)
        REEL_CASE(std::int8_t, Char)
        REEL_CASE(std::int16_t, Short)
        REEL_CASE(std::int32_t, Int)
        REEL_CASE(std::int64_t, Long)
#undef REEL_CASE
    case ScalarType::Bool:
        static_cast<bool*>(to)[at] = v != V(0);
        return;
    case ScalarType::ComplexFloat:
        static_cast<Complex<float>*>(to)[at] = Complex<float>(float(v));
        return;
    case ScalarType::ComplexDouble:
        static_cast<Complex<double>*>(to)[at] = Complex<double>(double(v));
        return;
    default:
        return;
    }
}

/// A thread draws for two neighbours in row-major order.
template <class Draw> struct Fill {
    Strided<1> g;
    void* out;
    ScalarType type;
    RandomSource source;
    Draw draw;
    __device__ void operator()(std::int64_t pair) const {
        const RandomPair bits = Philox(source)(std::uint64_t(pair));
        const auto drawn = draw(bits);
        std::int64_t at[1];
        g.offsets(2 * pair, at);
        store(out, type, at[0], drawn.first);
        if (2 * pair + 1 >= g.numel) return;
        g.offsets(2 * pair + 1, at);
        store(out, type, at[0], drawn.second);
    }
};
template <class Draw>
void fill(const char* op, const Tensor& out, const OptionalGenerator& generator, const Draw& rule) {
    if (out.numel() == 0) return; // and nothing is drawn
    const Tensor* const one[] = {&out};
    const auto g = strided(op, out.sizes(), one);
    const std::int64_t pairs = (g.numel + 1) / 2;
    const DeviceIndex device = out.device().index();
    for_each(op, device, pairs,
             Fill<Draw>{g, out.data_ptr(), out.scalar_type(), draw(op, device, generator, pairs), rule});
}

/// One number from each half of the bits.
template <class One> struct Each {
    One one;
    __device__ auto operator()(RandomPair bits) const -> Two<decltype(one(bits.first))> {
        return {one(bits.first), one(bits.second)};
    }
};

struct Uniform {
    double from, to;
    bool is_double; // else in single precision, whose numbers stay below the end
    __device__ double operator()(std::uint64_t bits) const {
        if (is_double) return uniform_double(bits) * (to - from) + from;
        return double(uniform_float(bits) * (float(to) - float(from)) + float(from));
    }
};
void uniform(const char* op, const Tensor& out, double from, double to, const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Uniform>{{from, to, out.scalar_type() == kDouble}});
}

/// Box and Muller: two uniform numbers become two normal ones.
struct Normal {
    double mean, std;
    bool exponential; // of the numbers
    __device__ Two<double> operator()(RandomPair bits) const {
        const double radius = std::sqrt(-2 * std::log1p(-uniform_double(bits.first))),
                     angle = 6.28318530717958647693 * uniform_double(bits.second);
        const double x = radius * std::cos(angle) * std + mean, y = radius * std::sin(angle) * std + mean;
        if (exponential) return {std::exp(x), std::exp(y)};
        return {x, y};
    }
};
void normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator) {
    fill(op, out, generator, Normal{mean, std, false});
}
void log_normal(const char* op, const Tensor& out, double mean, double std, const OptionalGenerator& generator) {
    fill(op, out, generator, Normal{mean, std, true});
}

enum class Shape { exponential, cauchy, geometric, bernoulli };
/// What follows from one uniform number; p and q are the distribution's numbers.
struct Shaped {
    Shape shape;
    double p, q;
    __device__ double operator()(std::uint64_t bits) const {
        const double u = uniform_double(bits);
        switch (shape) {
        case Shape::exponential:
            return -std::log1p(-u) / p;
        case Shape::cauchy:
            return p + q * std::tan(3.14159265358979323846 * (u - 0.5));
        case Shape::geometric: // of (0, 1]: no draw lasts forever
            return std::fmax(1., std::ceil(std::log1p(-u) / p));
        default:
            return u < p ? 1. : 0.;
        }
    }
};
void exponential(const char* op, const Tensor& out, double rate, const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Shaped>{{Shape::exponential, rate, 0}});
}
void cauchy(const char* op, const Tensor& out, double median, double sigma, const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Shaped>{{Shape::cauchy, median, sigma}});
}
void geometric(const char* op, const Tensor& out, double p, const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Shaped>{{Shape::geometric, std::log1p(-p), 0}});
}
void bernoulli(const char* op, const Tensor& out, double p, const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Shaped>{{Shape::bernoulli, p, 0}});
}
void dropout_mask(const Tensor& out, double p) { bernoulli("dropout", out, 1 - p, {}); }

struct Integers {
    std::uint64_t from, range; // 0: all
    __device__ std::int64_t operator()(std::uint64_t bits) const {
        return std::int64_t(range == 0 ? bits : bits % range + from);
    }
};
void random_integers(const char* op, const Tensor& out, std::uint64_t from, std::uint64_t range, bool,
                     const OptionalGenerator& generator) {
    fill(op, out, generator, Each<Integers>{{from, range}});
}

/// Elements in random order: 64 bits each are sorted, of equal ones the first stays first.
struct Bits {
    std::uint64_t* to;
    RandomSource source;
    __device__ void operator()(std::int64_t i) const { to[i] = Philox(source)(std::uint64_t(i)).first; }
};
void randperm(const Tensor& out, const OptionalGenerator& generator) {
    if (out.numel() == 0) return;
    const Tensor keys = out.new_empty(out.sizes(), kLong);
    const DeviceIndex device = out.device().index();
    for_each("randperm", device, out.numel(),
             Bits{data<std::uint64_t>(keys), draw("randperm", device, generator, out.numel())});
    kernels::copy.on(out, out, sort_keys("randperm", keys, out.numel()).places, false);
}

[[maybe_unused]] const bool attached = [] {
    kernels::uniform.set(kCUDA, &uniform);
    kernels::normal.set(kCUDA, &normal);
    kernels::log_normal.set(kCUDA, &log_normal);
    kernels::exponential.set(kCUDA, &exponential);
    kernels::cauchy.set(kCUDA, &cauchy);
    kernels::geometric.set(kCUDA, &geometric);
    kernels::bernoulli.set(kCUDA, &bernoulli);
    kernels::dropout_mask.set(kCUDA, &dropout_mask);
    kernels::random_integers.set(kCUDA, &random_integers);
    kernels::randperm.set(kCUDA, &randperm);
    return true;
}();

} // namespace

} // namespace reel::cuda
