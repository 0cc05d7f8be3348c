// Where the pixels of an image come from under an affine map.
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/nn/affine_grid.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel {

namespace {

/// The centres of `n` pixels in [-1, 1], or, with `align_corners`, points from -1 to 1.
Tensor places(const Tensor& like, std::int64_t n, bool align_corners) {
    const TensorOptions options = TensorOptions(like.scalar_type()).device(like.device());
    if (n <= 1) return zeros({n}, options);
    const Tensor ends = linspace(-1, 1, n, options);
    return align_corners ? ends : ends * (double(n - 1) / double(n));
}

} // namespace

/// Coordinates [N, H, W, 2] (or [N, D, H, W, 3]) for grid_sample: those of each pixel of an image of the given size,
/// mapped by the matrices theta [N, 2, 3] (or [N, 3, 4]). `align_corners`: -1 and 1 are the centres of the outermost
/// pixels, else their outer edges. gradient: to theta. Errors: Error for other shapes and for integers.
REEL_OP("affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor", composite,
        samples(call(numbers({2, 2, 3}), ints({2, 1, 2, 3}), false),
                call(numbers({1, 3, 4}), ints({1, 1, 2, 2, 3}), true)))
Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
    REEL_CHECK(size.size() == 4 || size.size() == 5, "affine_grid: size is ", size,
               "; expected the size of the output, [N, C, H, W] or [N, C, D, H, W]");
    for (const std::int64_t s : size) REEL_CHECK(s > 0, "affine_grid: size is ", size, "; expected positive numbers");
    const std::int64_t d = std::int64_t(size.size()) - 2;
    REEL_CHECK_VALUE(theta.is_floating_point(), "affine_grid: theta is ", dtype_name(theta.scalar_type()),
                     "; expected a floating dtype");
    REEL_CHECK_VALUE(theta.dim() == 3 && theta.size(0) == size[0] && theta.size(1) == d && theta.size(2) == d + 1,
                     "affine_grid: theta has shape ", theta.sizes(), "; expected [", size[0], ", ", d, ", ", d + 1,
                     "] for size ", size);
    std::vector<std::int64_t> grid(size.begin() + 2, size.end());
    std::vector<Tensor> columns; // x, y(, z), 1
    for (std::int64_t i = d; i-- > 0;) {
        std::vector<std::int64_t> along(std::size_t(d), 1);
        along[std::size_t(i)] = grid[std::size_t(i)];
        columns.push_back(places(theta, grid[std::size_t(i)], align_corners).reshape(along).expand(grid));
    }
    columns.push_back(ones(grid, TensorOptions(theta.scalar_type()).device(theta.device())));
    const Tensor base = stack(columns, -1).reshape({1, -1, d + 1}).expand({size[0], -1, d + 1});
    grid.insert(grid.begin(), size[0]);
    grid.push_back(d);
    return base.bmm(theta.transpose(1, 2)).reshape(grid);
}
/// The same; without `align_corners` it warns and takes false.
REEL_OP("nn.functional.affine_grid(Tensor theta, int[] size, bool? align_corners=None) -> Tensor", composite,
        samples(call(numbers({2, 2, 3}), ints({2, 1, 2, 3}), true)))
Tensor affine_grid(const Tensor& theta, IntArrayRef size, std::optional<bool> align_corners) {
    if (!align_corners)
        REEL_WARN_ONCE("affine_grid: align_corners is not given and counts as false (it was true in PyTorch until "
                       "version 1.3); say which is meant");
    return affine_grid_generator(theta, size, align_corners.value_or(false));
}

} // namespace reel
