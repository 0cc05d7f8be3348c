// Fourier transforms of one length, ready to run: radices, roots of unity, what is filled up.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/spectral/fft_cost.hpp"
#include "cpu/spectral/fft_lanes.hpp"

namespace reel::cpu {

/// How many numbers a block of so many rows has.
template <class T> std::int64_t fft_block(std::int64_t rows) { return rows * 2 * fft_lanes<T>.lanes; }

/// Transforms of n rows of a block, each lane on its own.
template <class T> class FftLanePlan {
public:
    explicit FftLanePlan(std::int64_t n);
    FftLanePlan(const FftLanePlan&) = delete;
    FftLanePlan& operator=(const FftLanePlan&) = delete;

    /// Rows that each of two blocks must have.
    std::int64_t rows() const { return inner_ ? inner_->rows() : n_; }
    std::int64_t bytes() const;
    /// Transforms `block`, with `other` of the same size as scratch; returns the one that holds the result.
    T* run(T* block, T* other) const;

private:
    void make_stages();
    void make_chirp();
    std::int64_t n_;
    std::vector<FftStage<T>> stages_;
    std::vector<T> tables_;                    ///< what the stages point to
    std::shared_ptr<const FftLanePlan> inner_; ///< of the length filled up to
    std::vector<T> chirp_, spectrum_;
};

/// One line in memory; distances count single numbers, as those of FftLines.
template <class T> struct FftLine {
    T* data;
    std::int64_t step, imag;
};

/// The transform of one line. Long ones are n1 x n2 matrices: columns first, then rows (W. M. Gentleman and G. Sande,
/// 1966), both in blocks of lanes.
template <class T> class FftLinePlan {
public:
    explicit FftLinePlan(std::int64_t n);
    FftLinePlan(const FftLinePlan&) = delete;
    FftLinePlan& operator=(const FftLinePlan&) = delete;

    std::int64_t size() const { return n_; }
    std::int64_t bytes() const;
    /// Numbers of scratch that `run` needs.
    std::int64_t scratch() const;
    /// `in` may be `out`. Real and imaginary parts are exchanged on both sides when `swapped`. `threaded`: cut over
    /// threads; the scratch is enough for that, too.
    void run(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const;

private:
    void make_turns();
    void make_chirp();
    std::int64_t blocks(std::int64_t lines) const { return (lines + fft_lanes<T>.lanes - 1) / fft_lanes<T>.lanes; }
    std::int64_t matrix() const { return blocks(n1_) * fft_block<T>(n2_); }
    /// Of two blocks, for one thread.
    std::int64_t pair() const;
    void run_split(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const;
    void run_padded(FftLine<const T> in, FftLine<T> out, bool swapped, T* scratch, bool threaded) const;
    void columns(FftLine<const T> in, bool swapped, T* matrix, T* pair, std::int64_t begin, std::int64_t end) const;
    void rows(T* matrix, FftLine<T> out, bool swapped, T* pair, std::int64_t begin, std::int64_t end) const;

    std::int64_t n_, n1_ = 0, n2_ = 0;
    FftCut cut_;
    std::shared_ptr<const FftLanePlan<T>> first_, second_;
    std::vector<T> left_, right_; ///< of element (k1, j2) the factors left_[k1][j2 % lanes] * right_[j2 / lanes][k1]
    std::shared_ptr<const FftLinePlan> inner_;
    std::vector<T> chirp_, spectrum_;
};

/// What turns spectra of pairs into those of real lines of n = 2h elements, and back.
template <class T> struct FftPairs {
    explicit FftPairs(std::int64_t h);
    std::int64_t bytes() const;
    std::vector<T> lanes;       ///< for blocks; empty for h that are too long for those
    std::vector<T> left, right; ///< for one line
};

/// What the ways to do a batch cost, in about cycles.
struct FftCosts {
    double lanes; ///< of a block
    double line;
};

/// Plans used last are kept, up to a bound of memory.
template <class T> std::shared_ptr<const FftLanePlan<T>> fft_lane_plan(std::int64_t n);
template <class T> std::shared_ptr<const FftLinePlan<T>> fft_line_plan(std::int64_t n);
template <class T> std::shared_ptr<const FftPairs<T>> fft_pairs(std::int64_t h);
template <class T> FftCosts fft_costs(std::int64_t n);

} // namespace reel::cpu
