// Results that go into tensors of the caller.

#include "op/out.hpp"

namespace reel::detail {

void OutForm::refuse(const Tensor& t) const {
    REEL_CHECK(!recording_ || !t.defined() || !t.requires_grad(), op_,
               ": functions with out=... arguments don't support automatic differentiation, but one of the arguments "
               "requires grad; detach() it, use a no-grad block, or leave out away");
}
void OutForm::refuse(const Value& v) const {
    if (v.isTensor()) refuse(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) refuse(e);
}

namespace {
void check(const char* op, const Tensor& out, const Tensor& result) {
    REEL_CHECK(out.defined(), op, ": out is undefined; expected a tensor to write into");
    REEL_CHECK(out.device() == result.device(), op, ": out is on ", out.device(), " and the result on ",
               result.device(), "; expected one device");
    REEL_CHECK_WITH(TypeError, out.scalar_type() == result.scalar_type() || !out_has_exact_dtype(op), op, ": out is ",
                    dtype_name(out.scalar_type()), " and the result ", dtype_name(result.scalar_type()),
                    "; expected one dtype");
    REEL_CHECK_WITH(TypeError, can_cast(result.scalar_type(), out.scalar_type()), op, ": the result is ",
                    dtype_name(result.scalar_type()), ", which can't be cast to the dtype of out, ",
                    dtype_name(out.scalar_type()));
    for (std::int64_t d = 0; d < out.dim(); ++d)
        REEL_CHECK(out.numel() == 0 || out.size(d) == 1 || out.stride(d) != 0, op, ": out has shape ", out.sizes(),
                   " and strides ", out.strides(), ", so several elements share memory; clone() it first");
}
} // namespace

void OutForm::write(std::span<const Tensor> outs, std::span<const Tensor> results) const {
    REEL_CHECK(outs.size() == results.size(), op_, ": out holds ", outs.size(), " tensors; expected ", results.size());
    for (std::size_t i = 0; i < outs.size(); ++i) check(op_, outs[i], results[i]);
    for (std::size_t i = 0; i < outs.size(); ++i) {
        const Tensor& out = outs[i];
        Tensor from = results[i];
        if (from.is_same(out)) continue;
        if (from.is_alias_of(out)) from = from.clone();
        if (!out.sizes().equals(from.sizes())) {
            if (out.numel() != 0)
                REEL_WARN(op_, ": an output with one or more elements was resized since it had shape ", out.sizes(),
                          ", which does not match the required output shape ", from.sizes(),
                          "; resize it to zero elements first, out.resize_({0}), to reuse its memory");
            out.resize_(from.sizes());
        }
        out.copy_(from);
    }
}
Tensor& OutForm::write(const Tensor& out, const Tensor& result) const {
    write(std::span(&out, 1), std::span(&result, 1));
    return const_cast<Tensor&>(out);
}

std::vector<Tensor> tensors_of(const char* op, const Value& v) {
    if (v.isTensor()) return {v.toTensor()};
    std::vector<Tensor> all;
    REEL_CHECK_WITH(TypeError, v.isSequence(), op, ": out is ", v.repr(), "; expected a tensor or several");
    for (const Value& e : v.elements()) {
        if (e.isTensor()) all.push_back(e.toTensor());
        else
            for (const Tensor& t : tensors_of(op, e)) all.push_back(t);
    }
    return all;
}

} // namespace reel::detail
