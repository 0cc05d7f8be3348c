#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/unbounded.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "specs/dispatch.hpp"
#include "specs/spec_impl.hpp"

namespace reel::rl {
namespace detail {
namespace {

double standard_normal(CPUGeneratorImpl& g) {
    const double radius = std::sqrt(-2 * std::log1p(-g.uniform_double()));
    return radius * std::cos(2 * M_PI * g.uniform_double());
}
std::uint64_t below(CPUGeneratorImpl& g, std::uint64_t range) {
    if (range == 0) return g.random64(); // all 2^64 of them
    return range >> 32 ? g.random64() % range : g.random() % range;
}
template <class T> T draw(T low, T high, CPUGeneratorImpl& g) {
    if constexpr (std::is_same_v<T, bool>) return low == high ? low : bool(g.random() & 1);
    else if constexpr (std::is_integral_v<T>)
        return T(std::uint64_t(low) + below(g, std::uint64_t(high) - std::uint64_t(low) + 1));
    else {
        const bool below_finite = std::isfinite(low), above_finite = std::isfinite(high);
        if (below_finite && above_finite) {
            const T u = std::is_same_v<T, double> ? T(g.uniform_double()) : T(g.uniform_float());
            const T width = high - low; // infinite beyond the largest number: then in two halves
            const T v = std::isfinite(width) ? T(low + u * width)
                                             : T(low + u * (high / 2 - low / 2) + u * (high / 2 - low / 2));
            return std::min(v, high);
        }
        if (below_finite) return low - T(std::log1p(-g.uniform_double()));
        if (above_finite) return high + T(std::log1p(-g.uniform_double()));
        return T(standard_normal(g));
    }
}

/// Bounded with its bounds, Unbounded with the dtype's.
struct Box : SpecImpl {
    Tensor low, high; ///< contiguous, of the shape and dtype
    bool bounded;

    Box(Tensor low, Tensor high, bool bounded, std::optional<Device> device)
        : SpecImpl(low.sizes().vec(), low.scalar_type(), device), low(std::move(low)), high(std::move(high)),
          bounded(bounded) {}
    const char* name() const override { return bounded ? "Bounded" : "Unbounded"; }
    std::string printed_name() const override {
        return std::string(name()) + (isFloatingType(dtype) ? "Continuous" : "Discrete");
    }
    bool discrete() const override { return !isFloatingType(dtype); }
    std::string space() const override {
        const std::string tensor = str("Tensor(shape=torch.Size(", sizes_text(shape),
                                       "), device=", device ? device->str() : std::string("cpu"), ", dtype=torch.",
                                       dtype_name(dtype), ", contiguous=True)");
        return str("ContinuousBox(\n        low=", tensor, ",\n        high=", tensor, ")");
    }
    std::string domain() const override {
        if (!bounded || low.numel() == 0) return {};
        const Tensor l = low.to(kDouble).reshape({-1}), h = high.to(kDouble).reshape({-1});
        const auto text = [](const Tensor& b) {
            const bool one = b.min().item<double>() == b.max().item<double>();
            std::string out;
            for (std::int64_t i = 0; i < (one ? 1 : std::min<std::int64_t>(b.numel(), 8)); ++i)
                out += str(i ? ", " : "", b[i].item<double>());
            return one ? out : "[" + out + (b.numel() > 8 ? ", ..." : "") + "]";
        };
        return str("low=", text(l), ", high=", text(h));
    }
    std::shared_ptr<SpecImpl> copy() const override { return std::make_shared<Box>(*this); }
    void fill(const Tensor& out, CPUGeneratorImpl& g) const override {
        visit_real(dtype, "Bounded.rand", [&]<class T>(T*) {
            T* const to = out.data_ptr<T>();
            const T *const l = low.data_ptr<T>(), *const h = high.data_ptr<T>();
            const std::int64_t period = low.numel(), n = out.numel();
            for (std::int64_t i = 0, j = 0; i < n; ++i, j = j + 1 == period ? 0 : j + 1)
                to[i] = T(draw<Wide<T>>(l[j], h[j], g));
        });
    }
    std::int64_t outside(const Tensor& value) const override {
        if (!bounded) return -1;
        return visit_real(dtype, "Bounded.is_in", [&]<class T>(T*) -> std::int64_t {
            const T* const v = value.data_ptr<T>();
            const T *const l = low.data_ptr<T>(), *const h = high.data_ptr<T>();
            const std::int64_t period = low.numel(), n = value.numel();
            for (std::int64_t i = 0, j = 0; i < n; ++i, j = j + 1 == period ? 0 : j + 1)
                if (!(Wide<T>(v[i]) >= Wide<T>(l[j]) && Wide<T>(v[i]) <= Wide<T>(h[j]))) return i;
            return -1;
        });
    }
    Tensor nearest(const Tensor& value) const override {
        if (!bounded) return value.to(dtype);
        const Tensor l = low.to(value.device(), dtype), h = high.to(value.device(), dtype);
        if (!value.is_floating_point()) return reel::clamp(value.to(dtype), l, h);
        // compared before the conversion, which would wrap what an integer type cannot hold
        const ScalarType wide = isFloatingType(dtype) ? promote_types(dtype, value.scalar_type()) : kDouble;
        const Tensor v = value.to(wide);
        const Tensor clamped = reel::clamp(v, l.to(wide), h.to(wide));
        const Tensor known = reel::where(reel::isnan(v), l.to(wide), clamped);
        return isFloatingType(dtype) ? known.to(dtype) : reel::round(known).to(dtype);
    }
    void reshape(const std::function<Tensor(const Tensor&)>& f) override {
        low = f(low).contiguous();
        high = f(high).contiguous();
    }
    void convert() override;
    bool same_domain(const SpecImpl& other) const override {
        const Box& o = static_cast<const Box&>(other);
        return reel::equal(low, o.low) && reel::equal(high, o.high);
    }
    Tensor bound(bool upper) const override { return upper ? high.clone() : low.clone(); }
};

/// The smallest and the largest value of a dtype.
std::pair<Tensor, Tensor> range_of(ScalarType dtype, IntArrayRef shape) {
    return visit_real(dtype, "Unbounded", [&]<class T>(T*) {
        const auto filled = [&](Wide<T> v) {
            Tensor t = reel::empty(shape, TensorOptions(dtype));
            std::fill_n(t.data_ptr<T>(), t.numel(), T(v));
            return t;
        };
        using Limits = std::numeric_limits<Wide<T>>;
        if constexpr (Limits::has_infinity) return std::pair(filled(-Limits::infinity()), filled(Limits::infinity()));
        else return std::pair(filled(Limits::min()), filled(Limits::max()));
    });
}
void Box::convert() {
    if (!bounded) std::tie(low, high) = range_of(dtype, shape);
    else low = low.to(dtype), high = high.to(dtype);
}

std::shared_ptr<const SpecImpl> make_box(const Tensor& low, const Tensor& high, IntArrayRef shape, ScalarType dtype,
                                         std::optional<Device> device) {
    const auto fitted = [&](const Tensor& bound) {
        const Tensor owned = bound.detach().cpu().to(dtype).expand(shape);
        REEL_CHECK_VALUE(isFloatingType(dtype) || reel::equal(owned.to(bound.scalar_type()), bound.cpu().expand(shape)),
                         "Bounded: the bound ", bound, " is no number of dtype ", dtype_name(dtype));
        return owned.is_same(bound) || owned.is_alias_of(bound) ? owned.clone().contiguous() : owned.contiguous();
    };
    const Tensor l = fitted(low), h = fitted(high);
    REEL_CHECK_VALUE(reel::le(l, h).all().item<bool>(), "Bounded: low is not at most high everywhere; got low ", low,
                     " and high ", high);
    return std::make_shared<Box>(l, h, true, device);
}
std::vector<std::int64_t> common(const Tensor& low, const Tensor& high) {
    return reel::add(reel::zeros_like(low), reel::zeros_like(high)).sizes().vec();
}

} // namespace
} // namespace detail

Bounded::Bounded(double low, double high, IntArrayRef shape, ScalarType dtype, std::optional<Device> device)
    : TensorSpec(detail::make_box(reel::full({}, low, TensorOptions(kDouble)),
                                  reel::full({}, high, TensorOptions(kDouble)), shape, dtype, device)) {}
Bounded::Bounded(const Tensor& low, const Tensor& high, std::optional<std::vector<std::int64_t>> shape,
                 std::optional<ScalarType> dtype, std::optional<Device> device)
    : TensorSpec(detail::make_box(low, high, shape ? *shape : detail::common(low, high),
                                  dtype.value_or(low.scalar_type()), device)) {}
Unbounded::Unbounded(IntArrayRef shape, ScalarType dtype, std::optional<Device> device)
    : TensorSpec([&] {
          auto [low, high] = detail::range_of(dtype, shape);
          return std::make_shared<const detail::Box>(std::move(low), std::move(high), false, device);
      }()) {}

} // namespace reel::rl
