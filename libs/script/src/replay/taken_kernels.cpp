// Which kernels can be replayed, and what each of them writes.
#include "replay/taken_kernels.hpp"

#include <reel/autograd/kernels/accumulate.hpp>
#include <reel/autograd/kernels/block_copies.hpp>
#include <reel/autograd/kernels/conv.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/ctc_loss.hpp>
#include <reel/autograd/kernels/embedding.hpp>
#include <reel/autograd/kernels/fft.hpp>
#include <reel/autograd/kernels/fractional_max_pool.hpp>
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/kernels/histogram.hpp>
#include <reel/autograd/kernels/index.hpp>
#include <reel/autograd/kernels/interpolate.hpp>
#include <reel/autograd/kernels/linalg.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/kernels/nll_loss.hpp>
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/kernels/pool.hpp>
#include <reel/autograd/kernels/quantile.hpp>
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/kernels/rnn.hpp>
#include <reel/autograd/kernels/scan.hpp>
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/kernels/softmax.hpp>
#include <reel/autograd/kernels/sort.hpp>
#include <reel/autograd/kernels/sum.hpp>
#include <reel/autograd/kernels/where.hpp>

#include "replay/rnn_calls.hpp"

namespace reel::jit::replay {

namespace {

/// Bits of the arguments that a kernel writes; what it adds to is among them.
template <int... argument> inline constexpr unsigned writes = ((1u << argument) | ...);

int taken = 0;
template <auto& kernel, auto cpu, unsigned written> void keep() {
    kernel.set(kCPU, &Stand<kernel, cpu>::template keep<written>);
    ++taken;
}
template <auto& kernel, auto cpu> void refuse() {
    kernel.set(kCPU, &Stand<kernel, cpu>::refuse);
    ++taken;
}

#define REEL_KEEP(name, ...) keep<kernels::name, &cpu::name, writes<__VA_ARGS__>>()
#define REEL_REFUSE(name) refuse<kernels::name, &cpu::name>()

void keep_arithmetic() {
    REEL_KEEP(accumulate, 0);
    REEL_KEEP(join_blocks, 0);
    REEL_KEEP(copy, 0);
    REEL_KEEP(fill, 0);
    REEL_KEEP(fft_c2c, 1);
    REEL_KEEP(fft_r2c, 1);
    REEL_KEEP(fft_c2r, 1);
    REEL_KEEP(grouped_mm, 0);
    REEL_KEEP(histc, 0);
    REEL_KEEP(wrap_index, 1);
    REEL_KEEP(gather, 0);
    REEL_KEEP(scatter, 1);
    REEL_KEEP(mm, 0);
    REEL_KEEP(bmm, 0);
    REEL_KEEP(searchsorted, 1);
    REEL_KEEP(isin, 1);
    REEL_KEEP(where, 0);
}
void keep_reductions() {
    REEL_KEEP(prod, 0);
    REEL_KEEP(all, 0);
    REEL_KEEP(any, 0);
    REEL_KEEP(count_nonzero, 0);
    REEL_KEEP(extremum, 1);
    REEL_KEEP(extremum_place, 1);
    REEL_KEEP(median_place, 1);
    REEL_KEEP(mode_place, 0);
    REEL_KEEP(variance, 1);
    REEL_KEEP(vector_norm, 1);
    REEL_KEEP(logsumexp, 0);
    REEL_KEEP(cumsum, 0);
    REEL_KEEP(cumprod, 0);
    REEL_KEEP(running_extremum, 1, 2);
    REEL_KEEP(logcumsumexp, 0);
    REEL_KEEP(recurrence, 0);
    REEL_KEEP(reverse, 0);
    REEL_KEEP(softmax, 0);
    REEL_KEEP(sort, 1, 2);
    REEL_KEEP(topk, 0, 1);
    REEL_KEEP(kthvalue, 0, 1);
    REEL_KEEP(sum_rows, 0);
    REEL_KEEP(sum_columns, 0);
}
void keep_layers() {
    REEL_KEEP(rnn, 2);
    REEL_KEEP(rnn_backward, 2);
    REEL_KEEP(conv, 1);
    REEL_KEEP(conv_transpose, 1);
    REEL_KEEP(conv_weight, 1);
    REEL_KEEP(resample, 0);
    REEL_KEEP(nll_loss, 1);
    REEL_KEEP(nll_loss_backward, 1);
    REEL_KEEP(norm_moments, 2, 3);
    REEL_KEEP(norm_rstd, 1);
    REEL_KEEP(norm_running, 1);
    REEL_KEEP(norm_forward, 2);
    REEL_KEEP(norm_backward, 8, 9, 10);
    REEL_KEEP(layer_norm, 1, 2, 3);
    REEL_KEEP(layer_norm_backward, 7, 8, 9);
    REEL_KEEP(max_pool, 2, 3);
    REEL_KEEP(max_pool_pick, 3);
    REEL_KEEP(max_pool_unpick, 1);
    REEL_KEEP(max_unpool, 1);
    REEL_KEEP(max_unpool_adjoint, 3);
    REEL_KEEP(avg_pool, 2);
    REEL_KEEP(avg_pool_adjoint, 1);
}
void keep_factors() {
    REEL_KEEP(lu_factor, 1, 2, 3);
    REEL_KEEP(lu_order, 1);
    REEL_KEEP(lu_det, 1);
    REEL_KEEP(lu_slogdet, 1, 2);
    REEL_KEEP(linalg_solve, 1, 2, 3);
    REEL_KEEP(solve_triangular, 1);
    REEL_KEEP(cholesky, 1, 2);
    REEL_KEEP(geqrf, 0, 1);
    REEL_KEEP(ldl_factor, 1, 2, 3);
    REEL_KEEP(ldl_solve, 1);
    REEL_KEEP(svd, 1, 2, 3, 4);
    REEL_KEEP(eigh, 1, 2);
    REEL_KEEP(eig, 1, 2, 3);
}
/// They return what they found, fill structures, or draw at random.
void refuse_others() {
    REEL_REFUSE(take_rows);
    REEL_REFUSE(put_rows);
    REEL_REFUSE(ctc_loss);
    REEL_REFUSE(ctc_loss_backward);
    REEL_REFUSE(ctc_loss_curvature);
    REEL_REFUSE(embedding_renorm);
    REEL_REFUSE(embedding_bag);
    REEL_REFUSE(embedding_bag_max);
    REEL_REFUSE(embedding_bag_backward);
    REEL_REFUSE(embedding_bag_scale_backward);
    REEL_REFUSE(fractional_max_pool);
    REEL_REFUSE(histogram);
    REEL_REFUSE(check_index);
    REEL_REFUSE(nll_loss_weigh);
    REEL_REFUSE(quantile);
    REEL_REFUSE(uniform);
    REEL_REFUSE(normal);
    REEL_REFUSE(log_normal);
    REEL_REFUSE(exponential);
    REEL_REFUSE(cauchy);
    REEL_REFUSE(geometric);
    REEL_REFUSE(bernoulli);
    REEL_REFUSE(random_integers);
    REEL_REFUSE(bernoulli_of);
    REEL_REFUSE(poisson);
    REEL_REFUSE(binomial);
    REEL_REFUSE(multinomial);
    REEL_REFUSE(randperm);
    REEL_REFUSE(dropout_mask);
    REEL_REFUSE(rrelu_slope);
    REEL_REFUSE(nonzero);
    REEL_REFUSE(unique);
}

/// As a device's library does: before any thread calls.
const bool done = [] {
    keep_arithmetic();
    keep_reductions();
    keep_layers();
    keep_factors();
    refuse_others();
    return true;
}();

} // namespace

int taken_kernels() { return done ? taken : 0; }

} // namespace reel::jit::replay
