// Bilinear sampling: neighbours and weights of a block of places are found once, for all channels.
#include <reel/autograd/kernels/grid_sample.hpp>

#include <algorithm>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/grid_corners.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

template <class T> struct Sampling {
    const Tensor &input, &grid;
    bool align;
    const GridKernels<T>& kernel = grid_kernels<T>;
    std::int64_t batch = input.size(0), channels = input.size(1), height = input.size(2), width = input.size(3),
                 plane = height * width, places = grid.size(1) * grid.size(2),
                 blocks = (places + grid_block - 1) / grid_block;
    const T *image = host_data<T>(input, "grid_sample"), *at = host_data<T>(grid, "grid_sample");

    /// Calls `f(corners, image, first place, places)` for all blocks, over threads.
    template <class F> void each_block(F f) const {
        const std::int64_t grain = std::max<std::int64_t>(1, 32768 / (grid_block * (4 + channels)));
        parallel_for(0, batch * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
            const Scratch scratch(sizeof(GridCorners<T>));
            GridCorners<T>& corners = *scratch.as<GridCorners<T>>();
            for (std::int64_t b = begin; b < end; ++b) f(find(b / blocks, b % blocks, corners), b / blocks, corners);
        });
    }
    struct Range {
        std::int64_t first, count;
    };
    Range find(std::int64_t n, std::int64_t block, GridCorners<T>& corners) const {
        const std::int64_t first = block * grid_block, count = std::min(grid_block, places - first);
        kernel.find(at + (n * places + first) * 2, count, height, width, align, corners);
        return {first, count};
    }

    void forward(T* out) const {
        each_block([&](Range r, std::int64_t n, const GridCorners<T>& corners) {
            for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c)
                kernel.blend(image + c * plane, corners, r.count, out + c * places + r.first);
        });
    }
    void grid_gradient(const T* grad, T* to) const {
        const T by_x = T(align ? width - 1 : width) / 2, by_y = T(align ? height - 1 : height) / 2;
        each_block([&](Range r, std::int64_t n, const GridCorners<T>& corners) {
            T dots[4][grid_block] = {};
            for (std::int64_t c = n * channels; c < (n + 1) * channels; ++c)
                kernel.dots(grad + c * places + r.first, image + c * plane, corners, r.count, dots);
            const auto &w = corners.weight, &s = corners.slope;
            for (std::int64_t i = 0; i < r.count; ++i) {
                T x = 0, y = 0;
                for (int k = 0; k < 4; ++k) {
                    // What does not count there may be infinite.
                    const T along_x = s[0][k & 1][i] * w[1][k >> 1][i], along_y = w[0][k & 1][i] * s[1][k >> 1][i];
                    x += along_x != 0 ? along_x * dots[k][i] : T(0);
                    y += along_y != 0 ? along_y * dots[k][i] : T(0);
                }
                T* const pair = to + (n * places + r.first + i) * 2;
                pair[0] = x * by_x;
                pair[1] = y * by_y;
            }
        });
    }
    /// Some channels of one image at a time: places may share neighbours, so each plane is one thread's.
    void input_gradient(const T* grad, T* to) const {
        constexpr std::int64_t together = 8;
        const std::int64_t groups = (channels + together - 1) / together,
                           grain = std::max<std::int64_t>(1, 32768 / (together * std::max<std::int64_t>(places, 1)));
        std::fill_n(to, batch * channels * plane, T(0));
        parallel_for(0, batch * groups, grain, [&](std::int64_t begin, std::int64_t end) {
            const Scratch scratch(sizeof(GridCorners<T>));
            GridCorners<T>& corners = *scratch.as<GridCorners<T>>();
            for (std::int64_t job = begin; job < end; ++job) {
                const std::int64_t n = job / groups, first = n * channels + job % groups * together,
                                   last = std::min((n + 1) * channels, first + together);
                for (std::int64_t b = 0; b < blocks; ++b) {
                    const Range r = find(n, b, corners);
                    for (std::int64_t c = first; c < last; ++c)
                        kernel.spread(grad + c * places + r.first, corners, r.count, to + c * plane);
                }
            }
        });
    }
};

} // namespace

void grid_sample(const Tensor& out, const Tensor& input, const Tensor& grid, bool align_corners) {
    detail::dispatch<detail::Floats>(out.scalar_type(), "grid_sample", [&]<class T>() {
        Sampling<T>{input, grid, align_corners}.forward(host_data<T>(out, "grid_sample"));
    });
}
void grid_sample_backward(const Tensor& grad, const Tensor& grad_input, const Tensor& grad_grid, const Tensor& input,
                          const Tensor& grid, bool align_corners) {
    detail::dispatch<detail::Floats>(grad.scalar_type(), "grid_sample", [&]<class T>() {
        const Sampling<T> sampling{input, grid, align_corners};
        const T* const g = host_data<T>(grad, "grid_sample");
        if (grad_input.defined()) sampling.input_gradient(g, host_data<T>(grad_input, "grid_sample"));
        if (grad_grid.defined()) sampling.grid_gradient(g, host_data<T>(grad_grid, "grid_sample"));
    });
}

} // namespace reel::cpu
