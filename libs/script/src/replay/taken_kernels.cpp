// Which kernels can be replayed, and what each of them writes.
#include "replay/taken_kernels.hpp"

#include <reel/autograd/kernels/accumulate.hpp>
#include <reel/autograd/kernels/block_copies.hpp>
#include <reel/autograd/kernels/cdist.hpp>
#include <reel/autograd/kernels/conv.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/cross.hpp>
#include <reel/autograd/kernels/ctc_loss.hpp>
#include <reel/autograd/kernels/embedding.hpp>
#include <reel/autograd/kernels/fft.hpp>
#include <reel/autograd/kernels/flip.hpp>
#include <reel/autograd/kernels/fractional_max_pool.hpp>
#include <reel/autograd/kernels/grid_sample.hpp>
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/kernels/histogram.hpp>
#include <reel/autograd/kernels/index.hpp>
#include <reel/autograd/kernels/interpolate.hpp>
#include <reel/autograd/kernels/linalg.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/kernels/nll_loss.hpp>
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/kernels/orgqr.hpp>
#include <reel/autograd/kernels/pad.hpp>
#include <reel/autograd/kernels/pool.hpp>
#include <reel/autograd/kernels/prod_of_columns.hpp>
#include <reel/autograd/kernels/quantile.hpp>
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/kernels/rnn.hpp>
#include <reel/autograd/kernels/scan.hpp>
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/kernels/softmax.hpp>
#include <reel/autograd/kernels/softmax_passes.hpp>
#include <reel/autograd/kernels/sort.hpp>
#include <reel/autograd/kernels/sum.hpp>
#include <reel/autograd/kernels/tiled_attention.hpp>
#include <reel/autograd/kernels/where.hpp>

#include "replay/nll_calls.hpp"
#include "replay/rnn_calls.hpp"

namespace reel::jit::replay {

/// An answer that nobody asks a second time.
template <> struct Kept<bool&> {
    struct type {
        std::shared_ptr<bool> value = std::make_shared<bool>();
        operator bool&() const { return *value; }
    };
    static type keep(Recorder&, bool) { return {}; }
};

namespace {

/// Bits of the arguments that a kernel writes; what it adds to is among them.
template <int... argument> inline constexpr unsigned writes = ((1u << argument) | ...);

int taken = 0;
template <auto& kernel, auto cpu, unsigned written> void keep() {
    kernel.set(kCPU, &Stand<kernel, cpu>::template keep<written>);
    ++taken;
}
template <auto& kernel, auto cpu, unsigned written> void draw() {
    kernel.set(kCPU, &Stand<kernel, cpu>::template draw<written>);
    ++taken;
}
template <auto& kernel, auto cpu> void decline() {
    kernel.set(kCPU, &Stand<kernel, cpu>::decline);
    ++taken;
}
template <auto& kernel, auto cpu> void refuse() {
    kernel.set(kCPU, &Stand<kernel, cpu>::refuse);
    ++taken;
}

#define REEL_KEEP(name, ...) keep<kernels::name, &cpu::name, writes<__VA_ARGS__>>()
#define REEL_DRAW(name, ...) draw<kernels::name, &cpu::name, writes<__VA_ARGS__>>()
#define REEL_DECLINE(name) decline<kernels::name, &cpu::name>()
#define REEL_REFUSE(name) refuse<kernels::name, &cpu::name>()

void keep_arithmetic() {
    REEL_KEEP(accumulate, 0);
    REEL_KEEP(join_blocks, 0);
    REEL_KEEP(copy, 0);
    REEL_KEEP(cross, 1);
    REEL_KEEP(fill, 0);
    REEL_KEEP(fft_c2c, 1);
    REEL_KEEP(fft_r2c, 1);
    REEL_KEEP(fft_c2r, 1);
    REEL_KEEP(flip, 0);
    REEL_KEEP(grouped_mm, 0);
    REEL_KEEP(histogram, 1, 2);
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
    REEL_KEEP(prod_of_columns, 0);
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
    REEL_KEEP(softmax_columns, 0);
    REEL_KEEP(softmax_backward, 0);
    REEL_KEEP(sort, 1, 2);
    REEL_KEEP(topk, 0, 1);
    REEL_KEEP(kthvalue, 0, 1);
    REEL_KEEP(sum_rows, 0);
    REEL_KEEP(sum_columns, 0);
    REEL_KEEP(sum_of_numbers, 0);
    REEL_KEEP(pad, 0);
    REEL_KEEP(pad_adjoint, 0);
    REEL_KEEP(cdist, 0);
}
void keep_layers() {
    REEL_KEEP(rnn, 2);
    REEL_KEEP(rnn_backward, 2);
    REEL_KEEP(conv, 1);
    REEL_KEEP(conv_transpose, 1);
    REEL_KEEP(conv_weight, 1);
    REEL_KEEP(resample, 0);
    REEL_KEEP(grid_sample, 0);
    REEL_KEEP(grid_sample_backward, 1, 2);
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
    REEL_KEEP(fractional_max_pool, 2);
    REEL_KEEP(avg_pool, 2);
    REEL_KEEP(avg_pool_adjoint, 1);
    REEL_KEEP(tiled_attention, 0, 1);
    REEL_KEEP(tiled_attention_backward, 0, 1, 2);
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
    REEL_KEEP(orgqr, 0);
    REEL_KEEP(ldl_factor, 1, 2, 3);
    REEL_KEEP(ldl_solve, 1);
    REEL_KEEP(svd, 1, 2, 3, 4);
    REEL_KEEP(eigh, 1, 2);
    REEL_KEEP(eig, 1, 2, 3);
}
/// An index is checked in every run. Whether one is negative must not decide what is recorded: all are wrapped.
void check_index_stand(const char* op, const Tensor& index, std::int64_t size, bool wrap, bool& negative) {
    if (!reel::detail::launch_observer) [[likely]]
        return cpu::check_index(op, index, size, wrap, negative);
    const reel::detail::UnobservedScope scope;
    cpu::check_index(op, index, size, wrap, negative);
    Recorder* const r = current_recorder();
    if (!r) return;
    negative = wrap;
    using Call = CallOf<void, const char*, const Tensor&, std::int64_t, bool, bool&>;
    const Tensor* const read[] = {&index};
    r->kernel("check_index", std::make_unique<Call>(&cpu::check_index, *r, op, index, size, wrap, negative), read, {},
              true);
}
/// They find something on the host, beside what they write or instead.
void keep_what_finds() {
    kernels::check_index.set(kCPU, &check_index_stand);
    kernels::nll_loss_weigh.set(kCPU, &nll_loss_weigh_stand);
    kernels::nll_loss.set(kCPU, &nll_loss_stand);
    kernels::nll_loss_backward.set(kCPU, &nll_loss_backward_stand);
    taken += 4;
    REEL_DECLINE(take_rows);
    REEL_DECLINE(put_rows);
}
void draw_at_random() {
    REEL_DRAW(uniform, 1);
    REEL_DRAW(normal, 1);
    REEL_DRAW(log_normal, 1);
    REEL_DRAW(exponential, 1);
    REEL_DRAW(cauchy, 1);
    REEL_DRAW(geometric, 1);
    REEL_DRAW(bernoulli, 1);
    REEL_DRAW(random_integers, 1);
    REEL_DRAW(bernoulli_of, 0);
    REEL_DRAW(poisson, 0);
    REEL_DRAW(binomial, 0);
    REEL_DRAW(multinomial, 0);
    REEL_DRAW(randperm, 0);
    REEL_DRAW(dropout_mask, 0);
    REEL_DRAW(rrelu_slope, 0);
}
/// They return what they found, or fill structures.
void refuse_others() {
    REEL_REFUSE(ctc_loss);
    REEL_REFUSE(ctc_loss_backward);
    REEL_REFUSE(ctc_loss_curvature);
    REEL_REFUSE(embedding_renorm);
    REEL_REFUSE(embedding_bag);
    REEL_REFUSE(embedding_bag_max);
    REEL_REFUSE(embedding_bag_backward);
    REEL_REFUSE(embedding_bag_scale_backward);
    REEL_REFUSE(quantile);
    REEL_REFUSE(nonzero);
    REEL_REFUSE(unique);
}

/// As a device's library does: before any thread calls.
const bool done = [] {
    keep_arithmetic();
    keep_reductions();
    keep_layers();
    keep_factors();
    keep_what_finds();
    draw_at_random();
    refuse_others();
    return true;
}();

} // namespace

int taken_kernels() { return done ? taken : 0; }

} // namespace reel::jit::replay
