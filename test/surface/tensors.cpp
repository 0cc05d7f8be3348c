// Methods of tensors. Compiled, not run.
#include <reel/reel.hpp>

using namespace reel;

void what_a_tensor_is() {
    auto t = ones({2, 2});
    t.ndimension();
    t.get_device();
    t.layout();
    t.options();
    t.itemsize();
    t.element_size();
    t.nbytes();
    t.storage_offset();
    t.is_non_overlapping_and_dense();
    t.is_signed();
    t.is_cpu();
    t.is_cuda();
    t.is_meta();
    t.is_same(t);
    t.is_same_size(t);
    t.is_alias_of(t);
    t.is_nonzero();
    t.has_storage();
    t.use_count();
    t.is_uniquely_owned();
    t.name();
    t.toString();
    t.print();
}
void elements_and_conversions() {
    auto t = ones({2, 2});
    t.data_ptr();
    t.data_ptr<float>();
    t.data<float>();
    t.const_data_ptr<float>();
    t.const_data_ptr();
    t.mutable_data_ptr();
    t.mutable_data_ptr<float>();
    t.accessor<float, 2>();
    t.accessor<const float, 2>();
    t.packed_accessor32<float, 2>();
    t.packed_accessor64<float, 2>();
    t.item();
    t.storage();
    t.to(kDouble);
    t.to(kCPU);
    t.to(kCPU, kDouble);
    t.to(TensorOptions(kDouble));
    t.to(t);
    t.to(kDouble, false, true, MemoryFormat::Contiguous);
    t.cpu();
    t.toType(kDouble);
    t.type_as(t);
    t.detach_();
}
void shapes_and_views() {
    auto t = ones({2, 2});
    t.unflatten(0, {1, 2});
    t.squeeze(IntArrayRef{0});
    t.mT();
    t.mH();
    t.t();
    t.movedim(0, 1);
    t.broadcast_to({2, 2});
    t.narrow(0, 0, 1);
    t.slice(0, 0, 1);
    t.slice(0, nullopt, 1);
    t.chunk(2);
    t.split(1);
    t.split_with_sizes({1, 1});
    t.split({1, 1});
    t.unbind();
    t.diagonal();
    t.as_strided({1}, {1}, 0);
    t.alias();
    t.resize_({2});
    t.transpose_(0, 1);
    t.squeeze_();
    t.unsqueeze_(0);
    t.t_();
    t[tensor(0)];
}
void indexing_and_choice() {
    auto t = ones({2, 2});
    using namespace indexing;
    t.index({0, Slice(), None, Ellipsis, "...", true, tensor({0, 1})});
    t.index_put_({0}, 1);
    t.index_put_({tensor({0})}, t, true);
    where(t > 1, t, t);
    where(t > 1, t, 0);
    where(t > 1, 1.0, 0.0);
    t.where(t > 1, t);
}
void arithmetic_and_draws() {
    auto t = ones({2, 2});
    t.div(t, "floor");
    t.logical_and(t);
    t.nan_to_num();
    t.lerp(t, 0.5);
    t.addcmul(t, t, 2);
    t.masked_fill(t > 1, 3);
    t.clamp(0, 1);
    t.clamp(t, t);
    t.clamp(nullopt, 1);
    t.frac();
    t.atan2(t);
    t.random_();
    t.random_(3);
    t.random_(1, 3);
    t.exponential_(1);
}
void reductions() {
    auto t = ones({2, 2});
    t.sum({0, 1}, true, kDouble);
    t.sum(0);
    t.sum(kDouble);
    t.mean(0);
    t.prod(0, true);
    t.any(0);
    t.all();
    t.any({0, 1});
    auto [a, b] = t.max(0);
    t.max();
    t.min(0, true);
    t.amax(0);
    t.amax();
    t.aminmax();
    t.argmax();
    t.argmin(0);
    t.cumsum(0);
    t.cumprod(0);
    t.logsumexp(0);
    t.median();
    t.median(0);
    t.nansum();
    t.nanmean();
    t.count_nonzero();
    t.norm();
    t.norm(2, {0}, true);
    t.norm(1, 0);
    t.var();
    t.var(true);
    t.var({0}, true, true);
    t.var(IntArrayRef{0}, 1, true);
    t.std(0);
    t.std(false);
    var_mean(t);
    std_mean(t, {0}, true);
    t.var(nullopt, nullopt);
}
void normalised_and_sorted() {
    auto t = ones({2, 2});
    t.softmax(0);
    t.softmax(0, kDouble);
    t.log_softmax(0);
    t.sort();
    t.sort(0, true);
    t.argsort();
    t.topk(1);
    t.kthvalue(1);
    t.nonzero();
    unique_consecutive(t);
    unique_dim(t, 0);
    _unique2(t);
    unique(t);
    t.equal(t);
    t.allclose(t);
    t.isclose(t);
}
void linear_algebra() {
    auto t = ones({2, 2});
    matmul(t, t);
    t.mm(t);
    vdot(t[0], t[0]);
    inner(t, t);
    outer(t[0], t[0]);
    addr(t, t[0], t[0]);
    addbmm(t, t.unsqueeze(0), t.unsqueeze(0));
    addmm(t, t, t);
    addmv(t[0], t, t[0]);
    einsum("ij,jk->ik", {t, t});
    tril(t);
    trace(t);
    cross(t, t, 0);
}
void joined_and_moved() {
    auto t = ones({2, 2});
    cat({t, t});
    stack({t, t}, 0);
    t.repeat({2, 2});
    t.tile({2});
    t.repeat_interleave(2);
    repeat_interleave(tensor({1, 2}));
    t.flip({0});
    t.roll(1);
    t.roll({1}, {0});
    t.index_select(0, tensor({0}));
    t.index_add(0, tensor({0}), t);
    t.index_copy_(0, tensor({0}), t);
    t.index_fill_(0, tensor({0}), 1);
    t.gather(0, tensor({{0}}));
    t.scatter_(0, tensor({{0}}), t);
    t.scatter_(0, tensor({{0}}), 3.0);
    t.scatter_add_(0, tensor({{0}}), t);
    t.masked_select(t > 1);
    t.masked_scatter_(t > 1, t);
    t.take(tensor({0}));
    constant_pad_nd(t, {1, 1});
    t.tensor_split(2);
    meshgrid({t[0], t[0]});
    meshgrid({t[0], t[0]}, "ij");
}
void gradients_and_hooks() {
    auto t = ones({2, 2});
    t.set_requires_grad(true);
    t.requires_grad_();
    t.grad();
    t.mutable_grad();
    t.backward();
    t.backward({}, true, false, TensorList());
    t.is_leaf();
    auto fn = t.grad_fn();
    t.output_nr();
    t.retain_grad();
    t.retains_grad();
    t._version();
    t.is_view();
    t._base();
    unsigned h = t.register_hook([](Tensor g) { return g; });
    t.register_hook([](Tensor) {});
    t.remove_hook(h);
    t.grad_dtype();
    t.set_grad_dtype(kFloat);
    t.data();
    t.tensor_data();
    t.variable_data();
    t.set_data(t);
}
