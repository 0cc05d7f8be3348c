// Tables of transforms, and a cache of plans.
#include "cpu/spectral/fft_plan.hpp"

#include <list>
#include <mutex>
#include <utility>

#include "cpu/spectral/fft_roots.hpp"

namespace reel::cpu {

namespace {

template <class T> void put(std::vector<T>& v, FftRoots::C z) {
    v.push_back(static_cast<T>(z.real()));
    v.push_back(static_cast<T>(z.imag()));
}
template <class T> std::int64_t bytes_of(const std::vector<T>& v) { return std::int64_t(v.size() * sizeof(T)); }

/// e^(-pi i j^2 / n) for j < n: with it a transform becomes a convolution.
std::vector<FftRoots::C> chirp_of(std::int64_t n) {
    const FftRoots root(2 * n, n);
    std::vector<FftRoots::C> r;
    std::int64_t square = 0; // j^2 mod 2n
    for (std::int64_t j = 0; j < n; ++j) {
        r.push_back(root(square));
        square = (square + 2 * j + 1) % (2 * n);
    }
    return r;
}
/// The conjugated chirp around 0 in a circle of m elements, divided by m.
template <class T> std::vector<T> wrapped(const std::vector<FftRoots::C>& chirp, std::int64_t m) {
    std::vector<T> r(std::size_t(2 * m));
    const auto n = std::int64_t(chirp.size());
    for (std::int64_t j = 0; j < n; ++j)
        for (const std::int64_t at : {j, (m - j) % m}) {
            const FftRoots::C z = chirp[std::size_t(j)];
            r[std::size_t(2 * at)] = static_cast<T>(z.real() / static_cast<long double>(m));
            r[std::size_t(2 * at + 1)] = static_cast<T>(-z.imag() / static_cast<long double>(m));
        }
    return r;
}

/// Values by length, newest first, until they take too many bytes.
template <class P> class Recent {
public:
    std::shared_ptr<const P> get(std::int64_t n) {
        {
            const std::lock_guard guard(mutex_);
            for (auto i = list_.begin(); i != list_.end(); ++i)
                if (i->n == n) {
                    if (i != list_.begin()) list_.splice(list_.begin(), list_, i);
                    return i->plan;
                }
        }
        // Made outside of the lock: it may need plans of other lengths. Two threads may both make one.
        auto plan = std::make_shared<const P>(n);
        const std::int64_t bytes = plan->bytes();
        const std::lock_guard guard(mutex_);
        if (bytes > kept_bytes) return plan;
        list_.push_front({n, bytes, plan});
        bytes_ += bytes;
        while (bytes_ > kept_bytes || list_.size() > kept_plans) {
            bytes_ -= list_.back().bytes;
            list_.pop_back();
        }
        return plan;
    }

private:
    static constexpr std::int64_t kept_bytes = 16 << 20;
    static constexpr std::size_t kept_plans = 128;
    struct Entry {
        std::int64_t n, bytes;
        std::shared_ptr<const P> plan;
    };
    std::mutex mutex_;
    std::list<Entry> list_;
    std::int64_t bytes_ = 0;
};
template <class P> std::shared_ptr<const P> recent(std::int64_t n) {
    static Recent<P>& all = *new Recent<P>; // never destroyed: threads may still transform
    return all.get(n);
}
template <class T> struct Costs {
    explicit Costs(std::int64_t n) : costs{fft_lanes_cost(n) + 9 * double(n), fft_cut(n, fft_lanes<T>.lanes).cost} {}
    std::int64_t bytes() const { return sizeof(*this); }
    FftCosts costs;
};

} // namespace

template <class T> FftLanePlan<T>::FftLanePlan(std::int64_t n) : n_(n) {
    if (n == 1) return;
    make_stages();
    if (stages_.empty()) make_chirp();
}
template <class T> void FftLanePlan<T>::make_stages() {
    std::vector<std::size_t> begins;
    std::int64_t s = 1;
    for (const std::int64_t radix : fft_radices(n_)) {
        const std::int64_t m = n_ / s / radix;
        const FftRoots root(radix * m, radix * m), of_radix(radix, radix);
        begins.push_back(tables_.size());
        for (std::int64_t p = 0; p < m; ++p)
            for (std::int64_t k = 1; k < radix; ++k) put(tables_, root(p * k));
        begins.push_back(tables_.size());
        for (std::int64_t k = 0; k < radix; ++k) put(tables_, std::conj(of_radix(k)));
        stages_.push_back({radix, m, s, nullptr, nullptr});
        s *= radix;
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        stages_[i].twiddles = tables_.data() + begins[2 * i];
        stages_[i].roots = tables_.data() + begins[2 * i + 1];
    }
}
template <class T> void FftLanePlan<T>::make_chirp() {
    const std::int64_t m = fft_padded_lanes(n_), lanes = fft_lanes<T>.lanes;
    inner_ = fft_lane_plan<T>(m);
    const std::vector<FftRoots::C> chirp = chirp_of(n_);
    for (const FftRoots::C z : chirp) put(chirp_, z);
    const std::vector<T> circle = wrapped<T>(chirp, m);
    std::vector<T> block(std::size_t(fft_block<T>(m))), other(block.size());
    for (std::int64_t j = 0; j < m; ++j)
        for (std::int64_t part = 0; part < 2; ++part)
            block[std::size_t((2 * j + part) * lanes)] = circle[std::size_t(2 * j + part)];
    const T* const r = inner_->run(block.data(), other.data());
    for (std::int64_t j = 0; j < m; ++j) spectrum_.insert(spectrum_.end(), {r[2 * j * lanes], r[(2 * j + 1) * lanes]});
}
template <class T> std::int64_t FftLanePlan<T>::bytes() const {
    return 256 + bytes_of(tables_) + bytes_of(chirp_) + bytes_of(spectrum_);
}

template <class T> FftLinePlan<T>::FftLinePlan(std::int64_t n) : n_(n), cut_(fft_cut(n, fft_lanes<T>.lanes)) {
    switch (cut_.way) {
    case FftCut::Lane:
        first_ = fft_lane_plan<T>(n);
        break;
    case FftCut::Split:
        n1_ = cut_.first;
        n2_ = n / n1_;
        first_ = fft_lane_plan<T>(n1_);
        second_ = fft_lane_plan<T>(n2_);
        make_turns();
        break;
    case FftCut::Padded:
        inner_ = fft_line_plan<T>(cut_.padded);
        make_chirp();
    }
}
template <class T> void FftLinePlan<T>::make_turns() {
    const std::int64_t lanes = fft_lanes<T>.lanes;
    const FftRoots root(n_, n1_ * (lanes + blocks(n2_)));
    left_.resize(std::size_t(fft_block<T>(n1_)));
    for (std::int64_t k = 0; k < n1_; ++k)
        for (std::int64_t l = 0; l < lanes; ++l) {
            const FftRoots::C z = root(k * l);
            left_[std::size_t(2 * k * lanes + l)] = static_cast<T>(z.real());
            left_[std::size_t((2 * k + 1) * lanes + l)] = static_cast<T>(z.imag());
        }
    for (std::int64_t b = 0; b < blocks(n2_); ++b)
        for (std::int64_t k = 0; k < n1_; ++k) put(right_, root(k * b * lanes));
}
template <class T> void FftLinePlan<T>::make_chirp() {
    const std::int64_t m = inner_->size();
    const std::vector<FftRoots::C> chirp = chirp_of(n_);
    for (const FftRoots::C z : chirp) put(chirp_, z);
    spectrum_ = wrapped<T>(chirp, m);
    std::vector<T> scratch(std::size_t(inner_->scratch()));
    inner_->run({spectrum_.data(), 2, 1}, {spectrum_.data(), 2, 1}, false, scratch.data(), false);
}
template <class T> std::int64_t FftLinePlan<T>::bytes() const {
    return 256 + bytes_of(left_) + bytes_of(right_) + bytes_of(chirp_) + bytes_of(spectrum_);
}

template <class T> FftPairs<T>::FftPairs(std::int64_t h) {
    const std::int64_t n = 2 * h, w = fft_lanes<T>.lanes, groups = (h / 2 + w - 1) / w;
    constexpr std::int64_t longest_in_lanes = 1 << 15;
    const FftRoots root(n, h <= longest_in_lanes ? h / 2 : w + groups);
    const auto factor = [&](std::int64_t k) { return FftRoots::C(0, -1) * root(k); };
    if (h <= longest_in_lanes)
        for (std::int64_t k = 0; k <= h / 2; ++k) put(lanes, factor(k));
    left.resize(std::size_t(2 * w));
    for (std::int64_t l = 0; l < w; ++l) {
        left[std::size_t(l)] = static_cast<T>(factor(1 + l).real());
        left[std::size_t(w + l)] = static_cast<T>(factor(1 + l).imag());
    }
    for (std::int64_t g = 0; g < groups; ++g) put(right, root(g * w));
}
template <class T> std::int64_t FftPairs<T>::bytes() const {
    return 256 + bytes_of(lanes) + bytes_of(left) + bytes_of(right);
}

template <class T> std::shared_ptr<const FftLanePlan<T>> fft_lane_plan(std::int64_t n) {
    return recent<FftLanePlan<T>>(n);
}
template <class T> std::shared_ptr<const FftLinePlan<T>> fft_line_plan(std::int64_t n) {
    return recent<FftLinePlan<T>>(n);
}
template <class T> std::shared_ptr<const FftPairs<T>> fft_pairs(std::int64_t h) { return recent<FftPairs<T>>(h); }
template <class T> FftCosts fft_costs(std::int64_t n) { return recent<Costs<T>>(n)->costs; }

#define REEL_FFT_PLANS(T)                                                                                              \
    template FftLanePlan<T>::FftLanePlan(std::int64_t);                                                                \
    template FftLinePlan<T>::FftLinePlan(std::int64_t);                                                                \
    template std::shared_ptr<const FftLanePlan<T>> fft_lane_plan<T>(std::int64_t);                                     \
    template std::shared_ptr<const FftLinePlan<T>> fft_line_plan<T>(std::int64_t);                                     \
    template std::shared_ptr<const FftPairs<T>> fft_pairs<T>(std::int64_t);                                            \
    template FftCosts fft_costs<T>(std::int64_t);
REEL_FFT_PLANS(float)
REEL_FFT_PLANS(double)
#undef REEL_FFT_PLANS

} // namespace reel::cpu
