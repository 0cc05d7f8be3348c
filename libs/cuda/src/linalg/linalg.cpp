// Factorizations of matrices, and products of groups of them, that lie on the device, by the host's library on copies.
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/kernels/linalg.hpp>

#include "through_host.hpp"

namespace reel::cuda {

namespace {

[[maybe_unused]] const bool attached = [] {
    through_host<&cpu::lu_factor, 3>(kernels::lu_factor);
    through_host<&cpu::lu_order, 1>(kernels::lu_order);
    through_host<&cpu::lu_det, 1>(kernels::lu_det);
    through_host<&cpu::lu_slogdet, 2>(kernels::lu_slogdet);
    through_host<&cpu::linalg_solve, 3>(kernels::linalg_solve);
    through_host<&cpu::solve_triangular, 1>(kernels::solve_triangular);
    through_host<&cpu::cholesky, 2>(kernels::cholesky);
    through_host<&cpu::geqrf, 2>(kernels::geqrf);
    through_host<&cpu::ldl_factor, 3>(kernels::ldl_factor);
    through_host<&cpu::ldl_solve, 1>(kernels::ldl_solve);
    through_host<&cpu::svd, 4>(kernels::svd);
    through_host<&cpu::eigh, 2>(kernels::eigh);
    through_host<&cpu::eig, 3>(kernels::eig);
    through_host<&cpu::grouped_mm, 1>(kernels::grouped_mm);
    return true;
}();

} // namespace

} // namespace reel::cuda
