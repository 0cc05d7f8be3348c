// Reel's own transforms: complex lines, real ones as lines of pairs, one dimension after the other.
#include "cpu/spectral/fft.hpp"
#include "cpu/spectral/fft_lines.hpp"

namespace reel::cpu {

namespace {

/// The complex transform behind a job, for blocks or for one line.
template <class T> struct Plans {
    std::shared_ptr<const FftLanePlan<T>> blocks;
    std::shared_ptr<const FftLinePlan<T>> single;
    Plans(std::int64_t n, bool in_lanes) {
        if (in_lanes) blocks = fft_lane_plan<T>(n);
        else single = fft_line_plan<T>(n);
    }
};

/// Complex to complex.
template <class T> struct ComplexJob {
    std::int64_t n;
    bool backward;
    Plans<T> plans;
    std::int64_t rows() const { return plans.blocks->rows(); }
    std::int64_t scratch() const { return plans.single->scratch(); }
    void lanes(const FftLines<const T>& in, const FftLines<T>& out, T* block, T* other) const {
        fft_lanes<T>.load(in, n, block, backward);
        fft_lanes<T>.store(plans.blocks->run(block, other), n, out, backward);
    }
    void line(FftLine<const T> in, FftLine<T> out, T* scratch, bool threaded) const {
        plans.single->run(in, out, backward, scratch, threaded);
    }
};

/// f(begin, end) over the groups of a line's pairs.
template <class T, class F> void over_groups(std::int64_t h, bool threaded, F f) {
    const std::int64_t w = fft_lanes<T>.lanes, groups = (h / 2 + w - 1) / w;
    if (groups == 0 || !threaded) f(0, groups);
    else parallel_for(0, groups, fft_grain / w, f);
}

/// Real to half a spectrum: an even number of elements as pairs, h of them.
template <class T> struct PairsToHalfJob {
    std::int64_t h;
    Plans<T> plans;
    std::shared_ptr<const FftPairs<T>> pairs;
    std::int64_t rows() const { return std::max(h + 1, plans.blocks->rows()); }
    std::int64_t scratch() const { return 4 * h + 2 + plans.single->scratch(); }
    void lanes(const FftLines<const T>& in, const FftLines<T>& out, T* block, T* other) const {
        fft_lanes<T>.load(in, h, block, false);
        const T* const r = plans.blocks->run(block, other);
        T* const half = r == block ? other : block;
        fft_lanes<T>.pairs_to_half(r, pairs->lanes.data(), h, half);
        fft_lanes<T>.store(half, h + 1, out, false);
    }
    void line(FftLine<const T> in, FftLine<T> out, T* scratch, bool threaded) const {
        T* const spectrum = scratch;
        T* const half = out.step == 2 ? out.data : scratch + 2 * h;
        plans.single->run(in, {spectrum, 2, 1}, false, scratch + 4 * h + 2, threaded);
        over_groups<T>(h, threaded, [&](std::int64_t begin, std::int64_t end) {
            fft_lanes<T>.line_to_half(spectrum, pairs->left.data(), pairs->right.data(), h, half, begin, end);
        });
        if (half != out.data)
            for (std::int64_t k = 0; k <= h; ++k) std::copy_n(half + 2 * k, 2, out.data + k * out.step);
    }
};
template <class T> struct HalfToPairsJob {
    std::int64_t h;
    Plans<T> plans;
    std::shared_ptr<const FftPairs<T>> pairs;
    std::int64_t rows() const { return std::max(h + 1, plans.blocks->rows()); }
    std::int64_t scratch() const { return 4 * h + 2 + plans.single->scratch(); }
    void lanes(const FftLines<const T>& in, const FftLines<T>& out, T* block, T* other) const {
        fft_lanes<T>.load(in, h + 1, block, false);
        fft_lanes<T>.half_to_pairs(block, pairs->lanes.data(), h, other);
        fft_lanes<T>.store(plans.blocks->run(other, block), h, out, true);
    }
    void line(FftLine<const T> in, FftLine<T> out, T* scratch, bool threaded) const {
        T* const spectrum = scratch;
        const T* half = in.data;
        if (in.step != 2) {
            for (std::int64_t k = 0; k <= h; ++k) std::copy_n(in.data + k * in.step, 2, scratch + 2 * h + 2 * k);
            half = scratch + 2 * h;
        }
        over_groups<T>(h, threaded, [&](std::int64_t begin, std::int64_t end) {
            fft_lanes<T>.half_to_line(half, pairs->left.data(), pairs->right.data(), h, spectrum, begin, end);
        });
        plans.single->run({spectrum, 2, 1}, out, true, scratch + 4 * h + 2, threaded);
    }
};

/// An odd number of real elements: as complex ones.
template <class T> struct OddToHalfJob {
    std::int64_t n;
    Plans<T> plans;
    std::int64_t rows() const { return plans.blocks->rows(); }
    std::int64_t scratch() const { return 2 * n + plans.single->scratch(); }
    void lanes(const FftLines<const T>& in, const FftLines<T>& out, T* block, T* other) const {
        fft_lanes<T>.load(in, n, block, false);
        fft_lanes<T>.store(plans.blocks->run(block, other), n / 2 + 1, out, false);
    }
    void line(FftLine<const T> in, FftLine<T> out, T* scratch, bool threaded) const {
        plans.single->run(in, {scratch, 2, 1}, false, scratch + 2 * n, threaded);
        for (std::int64_t k = 0; k <= n / 2; ++k) std::copy_n(scratch + 2 * k, 2, out.data + k * out.step);
    }
};
template <class T> struct HalfToOddJob {
    std::int64_t n;
    Plans<T> plans;
    std::int64_t rows() const { return plans.blocks->rows(); }
    std::int64_t scratch() const { return 2 * n + plans.single->scratch(); }
    void lanes(const FftLines<const T>& in, const FftLines<T>& out, T* block, T* other) const {
        const std::int64_t w = fft_lanes<T>.lanes;
        fft_lanes<T>.load(in, n / 2 + 1, block, true); // imaginary parts first
        std::fill_n(block, w, T(0));
        for (std::int64_t k = 1; k <= n / 2; ++k) {
            const T* const from = block + 2 * k * w;
            T* const to = block + 2 * (n - k) * w;
            for (std::int64_t l = 0; l < w; ++l) to[l] = -from[l];
            std::copy_n(from + w, w, to + w);
        }
        fft_lanes<T>.store(plans.blocks->run(block, other), n, out, true);
    }
    void line(FftLine<const T> in, FftLine<T> out, T* scratch, bool threaded) const {
        scratch[0] = in.data[0];
        scratch[1] = 0;
        for (std::int64_t k = 1; k <= n / 2; ++k) {
            const T re = in.data[k * in.step], im = in.data[k * in.step + 1];
            scratch[2 * k] = scratch[2 * (n - k)] = re;
            scratch[2 * k + 1] = im;
            scratch[2 * (n - k) + 1] = -im;
        }
        plans.single->run({scratch, 2, 1}, out, true, scratch + 2 * n, threaded);
    }
};

/// The same axes counted in single numbers.
FftAxes in_numbers(FftAxes axes, std::int64_t in, std::int64_t out) {
    // A stride of which no step is made may be too long to count.
    for (FftAxis& a : axes) {
        a.in = std::int64_t(std::uint64_t(a.in) * std::uint64_t(in));
        a.out = std::int64_t(std::uint64_t(a.out) * std::uint64_t(out));
    }
    return axes;
}
/// Where dimension `d` is transformed, all others are the batch.
FftAxes others(const FftAxes& dims, std::size_t d, const FftAxes& batch) {
    FftAxes r = batch;
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (i != d) r.push_back(dims[i]);
    return r;
}
FftAxes in_output(FftAxes axes) {
    for (FftAxis& a : axes) a.in = a.out;
    return axes;
}
FftAxes in_input(FftAxes axes) {
    for (FftAxis& a : axes) a.out = a.in;
    return axes;
}

template <class T>
void complex_dim(const std::complex<T>* in, std::complex<T>* out, const FftAxis& dim, const FftAxes& batch,
                 bool forward) {
    const std::int64_t n = dim.n;
    fft_run<T>(n, {reinterpret_cast<const T*>(in), 2 * dim.in, 1}, {reinterpret_cast<T*>(out), 2 * dim.out, 1},
               in_numbers(batch, 2, 2), [=](bool in_lanes) {
                   return ComplexJob<T>{n, !forward, Plans<T>(n, in_lanes)};
               });
}
template <class T>
void complex_transform(const std::complex<T>* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch,
                       bool forward) {
    for (std::size_t d = dims.size(); d-- > 0;) {
        if (d + 1 == dims.size()) complex_dim(in, out, dims[d], others(dims, d, batch), forward);
        else {
            const FftAxes there = in_output(dims);
            complex_dim<T>(out, out, there[d], others(there, d, in_output(batch)), forward);
        }
    }
}

template <class T> void from_real(const T* in, std::complex<T>* out, const FftAxes& dims, const FftAxes& batch) {
    FftAxis last = dims.back();
    const std::int64_t n = last.n, h = n / 2;
    T* const to = reinterpret_cast<T*>(out);
    const FftAxes rest = in_numbers(others(dims, dims.size() - 1, batch), 1, 2);
    if (n % 2 == 0)
        fft_run<T>(h, {in, 2 * last.in, last.in}, {to, 2 * last.out, 1}, rest, [=](bool in_lanes) {
            return PairsToHalfJob<T>{h, Plans<T>(h, in_lanes), fft_pairs<T>(h)};
        });
    else
        fft_run<T>(n, {in, last.in, 0}, {to, 2 * last.out, 1}, rest, [=](bool in_lanes) {
            return OddToHalfJob<T>{n, Plans<T>(n, in_lanes)};
        });
    if (dims.size() == 1) return;
    last.n = h + 1;
    FftAxes half = batch;
    half.push_back(last);
    complex_transform<T>(out, out, in_output(FftAxes(dims.begin(), dims.end() - 1)), in_output(half), true);
}
template <class T> void to_real(std::complex<T>* in, T* out, const FftAxes& dims, const FftAxes& batch) {
    const FftAxis last = dims.back();
    const std::int64_t n = last.n, h = n / 2;
    if (dims.size() > 1) {
        FftAxes half = batch;
        half.push_back({h + 1, last.in, last.out});
        complex_transform<T>(in, in, in_input(FftAxes(dims.begin(), dims.end() - 1)), in_input(half), false);
    }
    const T* const from = reinterpret_cast<const T*>(in);
    const FftAxes rest = in_numbers(others(dims, dims.size() - 1, batch), 2, 1);
    if (n % 2 == 0)
        fft_run<T>(h, {from, 2 * last.in, 1}, {out, 2 * last.out, last.out}, rest, [=](bool in_lanes) {
            return HalfToPairsJob<T>{h, Plans<T>(h, in_lanes), fft_pairs<T>(h)};
        });
    else
        fft_run<T>(n, {from, 2 * last.in, 1}, {out, last.out, 0}, rest, [=](bool in_lanes) {
            return HalfToOddJob<T>{n, Plans<T>(n, in_lanes)};
        });
}

} // namespace

constinit const FftKernels own_fft_kernels = {"reel",
                                              {&complex_transform<float>, &from_real<float>, &to_real<float>},
                                              {&complex_transform<double>, &from_real<double>, &to_real<double>}};

} // namespace reel::cpu
