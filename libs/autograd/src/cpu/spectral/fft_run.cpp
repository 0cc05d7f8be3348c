// Plans at work: blocks of lanes, and one line.
#include <algorithm>
#include <array>

#include "cpu/spectral/fft_lines.hpp"

namespace reel::cpu {

namespace {

/// Where the lanes of a block begin that are `apart` from each other.
std::array<std::int64_t, most_fft_lanes> evenly(std::int64_t first, std::int64_t apart) {
    std::array<std::int64_t, most_fft_lanes> r;
    for (int l = 0; l < most_fft_lanes; ++l) r[std::size_t(l)] = first + l * apart;
    return r;
}
/// f(scratch, begin, end) over blocks, in one go or on threads with scratch of their own.
template <class T, class F>
void over_blocks(std::int64_t count, std::int64_t grain, T* scratch, std::int64_t numbers, bool threaded, F f) {
    if (!threaded) return f(scratch, 0, count);
    parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
        const Scratch own(std::size_t(numbers) * sizeof(T));
        f(own.template as<T>(), begin, end);
    });
}

} // namespace

template <class T> T* FftLanePlan<T>::run(T* block, T* other) const {
    const FftLanes<T>& k = fft_lanes<T>;
    if (!inner_) return k.run(stages_.data(), int(stages_.size()), block, other);
    const std::int64_t m = inner_->n_;
    k.scale(block, chirp_.data(), n_, block, false);
    std::fill(block + fft_block<T>(n_), block + fft_block<T>(m), T(0));
    T* const r = inner_->run(block, other);
    k.scale(r, spectrum_.data(), m, r, true); // conjugated, so that the second transform goes backward
    T* const s = inner_->run(r, r == block ? other : block);
    for (std::int64_t i = fft_block<T>(1) / 2; i < fft_block<T>(n_); i += fft_block<T>(1))
        for (std::int64_t l = 0; l < k.lanes; ++l) s[i + l] = -s[i + l];
    k.scale(s, chirp_.data(), n_, s, false);
    return s;
}

template <class T> std::int64_t FftLinePlan<T>::pair() const {
    return 2 * fft_block<T>(second_ ? std::max(first_->rows(), second_->rows()) : first_->rows());
}
template <class T> std::int64_t FftLinePlan<T>::scratch() const {
    switch (cut_.way) {
    case FftCut::Lane:
        return pair();
    case FftCut::Split:
        return matrix() + pair();
    default:
        return 2 * inner_->size() + inner_->scratch();
    }
}
template <class T>
void FftLinePlan<T>::run(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const {
    if (cut_.way == FftCut::Split) return run_split(in, out, swapped, scratch, threaded);
    if (cut_.way == FftCut::Padded) return run_padded(in, out, swapped, scratch, threaded);
    const std::int64_t zero = 0;
    fft_lanes<T>.load({in.data, &zero, 1, in.step, in.imag}, n_, scratch, swapped);
    const T* const r = first_->run(scratch, scratch + fft_block<T>(first_->rows()));
    fft_lanes<T>.store(r, n_, {out.data, &zero, 1, out.step, out.imag}, swapped);
}

template <class T>
void FftLinePlan<T>::run_split(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const {
    const std::int64_t w = fft_lanes<T>.lanes;
    T* const matrix_of = scratch;
    T* const own = scratch + matrix();
    over_blocks(blocks(n2_), std::max<std::int64_t>(1, fft_grain / (n1_ * w)), own, pair(), threaded,
                [&](T* p, std::int64_t begin, std::int64_t end) { columns(in, swapped, matrix_of, p, begin, end); });
    over_blocks(blocks(n1_), std::max<std::int64_t>(1, fft_grain / (n2_ * w)), own, pair(), threaded,
                [&](T* p, std::int64_t begin, std::int64_t end) { rows(matrix_of, out, swapped, p, begin, end); });
}
template <class T>
void FftLinePlan<T>::columns(FftLine<const T> in, bool swapped, T* matrix, T* pair, std::int64_t begin,
                             std::int64_t end) const {
    const FftLanes<T>& k = fft_lanes<T>;
    for (std::int64_t b = begin; b < end; ++b) {
        const auto lanes = evenly(b * k.lanes * in.step, in.step);
        const int count = int(std::min<std::int64_t>(k.lanes, n2_ - b * k.lanes));
        k.load({in.data, lanes.data(), count, in.step * n2_, in.imag}, n1_, pair, swapped);
        const T* const r = first_->run(pair, pair + fft_block<T>(first_->rows()));
        k.turn(r, n1_, count, left_.data(), right_.data() + b * 2 * n1_, matrix + b * fft_block<T>(k.lanes),
               fft_block<T>(n2_));
    }
}
template <class T>
void FftLinePlan<T>::rows(T* matrix, FftLine<T> out, bool swapped, T* pair, std::int64_t begin,
                          std::int64_t end) const {
    const FftLanes<T>& k = fft_lanes<T>;
    for (std::int64_t b = begin; b < end; ++b) {
        T* block = matrix + b * fft_block<T>(n2_);
        const auto lanes = evenly(b * k.lanes * out.step, out.step);
        const int count = int(std::min<std::int64_t>(k.lanes, n1_ - b * k.lanes));
        if (second_->rows() > n2_) block = std::copy_n(block, fft_block<T>(n2_), pair) - fft_block<T>(n2_);
        const T* const r = second_->run(block, pair + fft_block<T>(second_->rows()));
        k.store(r, n2_, {out.data, lanes.data(), count, out.step * n1_, out.imag}, swapped);
    }
}

template <class T>
void FftLinePlan<T>::run_padded(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const {
    const FftLanes<T>& k = fft_lanes<T>;
    const std::int64_t m = inner_->size();
    T* const x = scratch;
    T* const rest = scratch + 2 * m;
    const int re = swapped ? 1 : 0, im = 1 - re;
    for (std::int64_t j = 0; j < n_; ++j) {
        x[2 * j + re] = in.data[j * in.step];
        x[2 * j + im] = in.imag ? in.data[j * in.step + in.imag] : T(0);
    }
    k.multiply(x, chirp_.data(), n_, x, false);
    std::fill(x + 2 * n_, x + 2 * m, T(0));
    inner_->run({x, 2, 1}, {x, 2, 1}, false, rest, threaded);
    k.multiply(x, spectrum_.data(), m, x, true); // conjugated, so that the second transform goes backward
    inner_->run({x, 2, 1}, {x, 2, 1}, false, rest, threaded);
    for (std::int64_t j = 0; j < n_; ++j) x[2 * j + 1] = -x[2 * j + 1];
    k.multiply(x, chirp_.data(), n_, x, false);
    for (std::int64_t j = 0; j < n_; ++j) {
        out.data[j * out.step] = x[2 * j + re];
        if (out.imag) out.data[j * out.step + out.imag] = x[2 * j + im];
    }
}

template class FftLanePlan<float>;
template class FftLanePlan<double>;
template class FftLinePlan<float>;
template class FftLinePlan<double>;

} // namespace reel::cpu
