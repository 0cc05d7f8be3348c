// Many lines of one length, each transformed on its own: cut into blocks of lanes, or one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <reel/autograd/fft_kernels.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/scratch.hpp"
#include "cpu/spectral/fft_plan.hpp"

namespace reel::cpu {

/// What one thread should have to do at least, in elements.
inline constexpr std::int64_t fft_grain = 1 << 14;
/// Longer lines than this are never put into blocks.
inline constexpr std::int64_t fft_longest_lanes = 1 << 15;

/// The lines of a batch, numbered so that neighbours in memory are neighbours; distances count single numbers.
class FftBatch {
public:
    using Places = std::array<std::int64_t, most_fft_lanes>;
    /// `n`: elements of the complex transforms.
    FftBatch(FftAxes axes, std::int64_t n, int lanes);
    std::int64_t lines() const { return lines_; }
    std::int64_t blocks() const { return lines_ / run_ * run_blocks_; }
    /// The lines of a block: how many, where the first begins, and how far from it the others do.
    struct Block {
        int count;
        std::int64_t in, out;
        const std::int64_t *in_lanes, *out_lanes;
    };
    /// None crosses from one run of neighbours to another. `own` is where the distances are put that are not those of
    /// all blocks.
    Block block(std::int64_t b, std::array<Places, 2>& own) const;
    void place(std::int64_t line, std::int64_t& in, std::int64_t& out) const;

private:
    FftAxes axes_; ///< the innermost last
    std::int64_t lines_ = 1, run_ = 1, run_blocks_ = 1;
    int lanes_;
    bool is_even_ = true; ///< one distance from each line of a run to the next
    bool is_grouped_;     ///< lanes of full blocks are in the order of fft_grouped
    Places in_, out_;     ///< where the lanes begin if so
};

/// Are blocks of lanes cheaper than one line after the other?
template <class T>
bool fft_prefers_lanes(std::int64_t n, std::int64_t in_step, std::int64_t out_step, const FftBatch& batch) {
    const FftCosts costs = fft_costs<T>(n);
    const std::int64_t apart = (in_step > 2 ? 3 : 0) + (out_step > 2 ? 3 : 0); // what it costs to gather single lines
    return double(batch.blocks()) * costs.lanes < double(batch.lines()) * (costs.line + double(apart * n));
}
/// Transforms every line of the batch. How they are cut follows from shapes alone, so that any number of threads
/// computes the same bits. `n` is the length of the complex transform behind it; `make(in_lanes)` gives a job that
/// knows
///   lanes(in, out, block, other)       blocks of rows() rows
///   line(in, out, scratch, threaded)   scratch() numbers
/// one or the other as asked. `in` and `out` tell step and imag; what varies is filled in here.
template <class T, class Make>
void fft_run(std::int64_t n, FftLine<const T> in, FftLine<T> out, const FftAxes& axes, Make make) {
    const FftBatch batch(axes, n, fft_lanes<T>.lanes);
    const bool in_lanes =
        batch.lines() > 1 && n <= fft_longest_lanes && fft_prefers_lanes<T>(n, in.step, out.step, batch);
    const auto job = make(in_lanes);
    if (in_lanes) {
        const std::int64_t block = fft_block<T>(job.rows()), work = n * fft_lanes<T>.lanes;
        auto some = [&](std::int64_t begin, std::int64_t end) {
            const Scratch scratch(std::size_t(2 * block) * sizeof(T));
            T* const p = scratch.as<T>();
            std::array<FftBatch::Places, 2> own;
            for (std::int64_t i = begin; i < end; ++i) {
                const FftBatch::Block b = batch.block(i, own);
                job.lanes(FftLines<const T>{in.data + b.in, b.in_lanes, b.count, in.step, in.imag},
                          FftLines<T>{out.data + b.out, b.out_lanes, b.count, out.step, out.imag}, p, p + block);
            }
        };
        parallel_for(0, batch.blocks(), std::max<std::int64_t>(1, fft_grain / work), some);
        return;
    }
    constexpr std::int64_t few = 16; // fewer lines than this do not keep the threads of a large machine busy
    const bool threaded = batch.lines() < few && n > 2 * fft_grain;
    auto some = [&](std::int64_t begin, std::int64_t end) {
        const Scratch scratch(std::size_t(job.scratch()) * sizeof(T));
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t from, to;
            batch.place(i, from, to);
            job.line(FftLine<const T>{in.data + from, in.step, in.imag}, FftLine<T>{out.data + to, out.step, out.imag},
                     scratch.template as<T>(), threaded);
        }
    };
    if (threaded) some(0, batch.lines());
    else parallel_for(0, batch.lines(), std::max<std::int64_t>(1, fft_grain / n), some);
}

} // namespace reel::cpu
