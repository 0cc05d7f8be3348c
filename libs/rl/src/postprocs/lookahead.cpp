// Distances along trajectories, and rows of tensors taken from where they lead.
#include "postprocs/lookahead.hpp"
#include "detail/host_tensor.hpp"

#include <cmath>
#include <cstring>

#include <reel/autograd/function.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_factory.hpp>

namespace reel::rl {

namespace {

using autograd::AutogradContext;
using autograd::variable_list;

constexpr std::int64_t elements_per_task = 16384;

std::int64_t product(IntArrayRef sizes, std::int64_t begin, std::int64_t end) {
    std::int64_t n = 1;
    for (std::int64_t i = begin; i < end; ++i) n *= sizes[std::size_t(i)];
    return n;
}

template <class Row> void copy_rows(const std::byte* from, std::byte* to, const std::int64_t* source, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + std::size_t(i) * sizeof(Row), from + std::size_t(source[i]) * sizeof(Row), sizeof(Row));
}
void copy_rows(const std::byte* from, std::byte* to, const std::int64_t* source, std::int64_t n, std::size_t bytes) {
    struct Sixteen {
        std::uint64_t parts[2];
    };
    switch (bytes) {
    case 1:
        return copy_rows<std::uint8_t>(from, to, source, n);
    case 4:
        return copy_rows<std::uint32_t>(from, to, source, n);
    case 8:
        return copy_rows<std::uint64_t>(from, to, source, n);
    case 16:
        return copy_rows<Sixteen>(from, to, source, n);
    default:
        for (std::int64_t i = 0; i < n; ++i)
            std::memcpy(to + std::size_t(i) * bytes, from + std::size_t(source[i]) * bytes, bytes);
    }
}

/// Rows of a matrix, in another order: rows of the first dimension of `x` as `source` names them.
struct TakeRows : autograd::Function<TakeRows> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& source) {
        ctx->save_for_backward({source});
        if (!x.is_cpu()) return index_select(x, 0, source.to(x.device()));
        const Tensor from = x.contiguous(), to = empty_like(from);
        const std::int64_t n = source.numel(), width = n ? from.numel() / n : 0;
        const std::size_t bytes = std::size_t(width) * elementSize(x.scalar_type());
        if (bytes == 0) return to;
        const auto* in = static_cast<const std::byte*>(from.const_data_ptr());
        auto* out = static_cast<std::byte*>(to.mutable_data_ptr());
        const auto* at = source.const_data_ptr<std::int64_t>();
        parallel_for(0, n, std::max<std::int64_t>(1, elements_per_task / width), [&](std::int64_t a, std::int64_t b) {
            copy_rows(in, out + std::size_t(a) * bytes, at + a, b - a, bytes);
        });
        return to;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const Tensor source = ctx->get_saved_variables()[0].to(g[0].device());
        return {zeros_like(g[0]).index_add(0, source, g[0]), Tensor()};
    }
    static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
        return {apply(tangents[0], ctx->get_saved_variables()[0])};
    }
};

} // namespace

StepLayout::StepLayout(IntArrayRef sizes, std::int64_t time_dim)
    : rows(product(sizes, 0, time_dim)), length(sizes[std::size_t(time_dim)]),
      lanes(product(sizes, time_dim + 1, std::int64_t(sizes.size()))) {}

Lookahead::Lookahead(const Tensor& flags, std::int64_t time_dim, std::int64_t far)
    : layout(flags.sizes(), time_dim), reach(far), sizes(flags.sizes().begin(), flags.sizes().end()),
      done(flags.detach().cpu().to(kBool).contiguous()), steps(detail::host_tensor<std::int64_t>(sizes).tensor),
      source(detail::host_tensor<std::int64_t>(sizes).tensor) {
    const bool* end = done.const_data_ptr<bool>();
    auto* distance = steps.mutable_data_ptr<std::int64_t>();
    auto* place = source.mutable_data_ptr<std::int64_t>();
    const StepLayout l = layout;
    const std::int64_t row = l.length * l.lanes;
    parallel_for(0, l.rows, std::max<std::int64_t>(1, elements_per_task / std::max<std::int64_t>(row, 1)),
                 [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t r = first; r < last; ++r)
                         for (std::int64_t i = row - 1; i >= 0; --i) {
                             const std::int64_t at = r * row + i;
                             const bool stops = i >= row - l.lanes || end[at];
                             // one more than the step after it, which has been looked at
                             const std::int64_t d = stops ? 0 : std::min(distance[at + l.lanes], far);
                             distance[at] = d + 1;
                             place[at] = at + d * l.lanes;
                         }
                 });
}

Tensor Lookahead::discount(double gamma) const {
    const std::int64_t longest = std::min(reach, layout.length - 1) + 1;
    const auto [powers, power] = detail::host_tensor<double>({longest + 1});
    for (std::int64_t i = 0; i <= longest; ++i) power[i] = std::pow(gamma, double(i));
    return powers.to(get_default_dtype()).index_select(0, steps.reshape({-1})).reshape(sizes);
}

Tensor Lookahead::nonterminal() const { return steps.gt(1); }

Tensor Lookahead::move(const Tensor& leaf) const {
    std::vector<std::int64_t> flat{layout.steps()};
    for (std::int64_t i = std::int64_t(sizes.size()); i < leaf.dim(); ++i) flat.push_back(leaf.size(i));
    return TakeRows::apply(leaf.reshape(flat), source.reshape({-1})).reshape(leaf.sizes());
}

} // namespace reel::rl
