#include "sharding/flat_buffer.hpp"

#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>

#include "sharding/rows.hpp"

namespace reel::distributed {

void FlatBuffer::add(std::size_t parameter, const std::vector<std::int64_t>& sizes) {
    places_.push_back({parameter, sizes, length_});
    length_ += rows_each(sizes[0], ranks_) * row_size(sizes);
}

Gathering FlatBuffer::begin_gather(const ProcessGroup& group, const std::vector<Tensor>& locals, bool beside) const {
    const TensorOptions options = TensorOptions(dtype_).device(device_);
    const Tensor own = reel::zeros({length_}, options), all = own.new_empty({length_ * ranks_});
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (const std::int64_t n = locals[i].numel(); n > 0)
            own.narrow(0, places_[i].offset, n).copy_(locals[i].detach().reshape({-1}));
    if (beside) return {all, all_gather_into_async(all, own, group)};
    all_gather_into(all, own, group);
    return {all, {}};
}

void FlatBuffer::end_gather(const Gathering& gathering, std::vector<Tensor>& whole) const {
    gathering.work.wait();
    const Tensor& all = gathering.all;
    for (const FlatPlace& p : places_) {
        const std::int64_t size = row_size(p.sizes);
        const Tensor whole_one = all.new_empty(p.sizes), flat = whole_one.view({-1});
        for (std::int64_t r = 0; r < ranks_; ++r)
            if (const Rows rows = rows_of(r, p.sizes[0], ranks_); rows.count * size > 0)
                flat.narrow(0, rows.begin * size, rows.count * size)
                    .copy_(all.narrow(0, r * length_ + p.offset, rows.count * size));
        whole[p.parameter] = whole_one;
    }
}

void FlatBuffer::reduce(const ProcessGroup& group, const std::vector<Tensor>& gradients,
                        std::vector<Tensor>& rows_out) const {
    // Behind each segment stands which parameters this rank has a gradient of: the sum tells whether any rank has.
    const auto count = std::int64_t(places_.size()), segment = length_ + count;
    const TensorOptions options = TensorOptions(dtype_).device(device_);
    const Tensor all = reel::zeros({ranks_, segment}, options), own = all.new_empty({segment});
    for (std::int64_t i = 0; i < count; ++i) {
        if (!gradients[std::size_t(i)].defined()) continue;
        const FlatPlace& p = places_[std::size_t(i)];
        const std::int64_t size = row_size(p.sizes);
        Tensor whole = gradients[std::size_t(i)].detach();
        whole = (whole.is_sparse() ? whole.to_dense() : whole).reshape({p.sizes[0], size});
        for (std::int64_t r = 0; r < ranks_; ++r)
            if (const Rows rows = rows_of(r, p.sizes[0], ranks_); rows.count * size > 0)
                all.select(0, r)
                    .narrow(0, p.offset, rows.count * size)
                    .view({rows.count, size})
                    .copy_(whole.narrow(0, rows.begin, rows.count));
        all.narrow(1, length_ + i, 1).fill_(1);
    }
    all.div_(ranks_);
    reduce_scatter_tensor(own, all.view({-1}), kSum, group);
    const Tensor had = own.narrow(0, length_, count).ne(0).to(Device(kCPU));
    for (std::int64_t i = 0; i < count; ++i) {
        const FlatPlace& p = places_[std::size_t(i)];
        if (!had.const_data_ptr<bool>()[i]) continue;
        std::vector<std::int64_t> sizes = p.sizes;
        sizes[0] = rows_of(rank_, p.sizes[0], ranks_).count;
        rows_out[p.parameter] = own.narrow(0, p.offset, sizes[0] * row_size(p.sizes)).view(sizes).clone();
    }
}

} // namespace reel::distributed
