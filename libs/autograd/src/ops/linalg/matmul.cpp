// Matrix products. Transposes reach the product as flags, never as copies.
#include <reel/autograd/kernels/linear.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/kept_for.hpp"
#include "tensor/raw.hpp"
#include "tensor/sparse_parts.hpp"
#include "tensor/sparse_products.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

void product(const Tensor& out, const Tensor& a, const Tensor& b, double alpha = 1, double beta = 0) {
    if (out.numel() == 0) return;
    if (a.size(1) == 0) {
        if (beta == 0) fill_raw(out, 0);
        return;
    }
    kernels::mm(out, a, b, alpha, beta);
}
/// Has the device a product that ends with a bias, and is this one?
bool adds_bias_on_the_way(const Tensor& out, const Tensor& input, const Tensor& bias) {
    return kernels::linear.has(out.device().type()) && bias.defined() && out.numel() > 0 && input.size(1) > 0 &&
           isFloatingType(out.scalar_type()) && bias.scalar_type() == out.scalar_type();
}
void check_pair(const char* op, const Tensor& a, const Tensor& b, std::int64_t inner_a, std::int64_t inner_b) {
    REEL_CHECK(a.scalar_type() == b.scalar_type(), op, ": input is ", dtype_name(a.scalar_type()), " and mat2 is ",
               dtype_name(b.scalar_type()), "; both must have one dtype");
    REEL_CHECK(a.scalar_type() != kBool, op,
               ": matrix products are not defined for bool tensors; convert to an integer or floating dtype");
    check_one_device(op, a, {&b});
    REEL_CHECK(inner_a == inner_b, op, ": inner dimensions differ: input is ", a.sizes(), ", mat2 is ", b.sizes());
}

} // namespace

REEL_OP("mm(Tensor input, Tensor mat2) -> Tensor", rule, method, out_exact)
Tensor mm(const Tensor& input, const Tensor& mat2) {
    REEL_CHECK(input.dim() == 2 && mat2.dim() == 2, "mm: expected two matrices, got shapes ", input.sizes(), " and ",
               mat2.sizes());
    check_pair("mm", input, mat2, input.size(1), mat2.size(0));
    if (any_sparse(input, mat2)) [[unlikely]]
        return mm_sparse("mm", input, mat2);
    Tensor out = empty_raw({input.size(0), mat2.size(1)}, input.scalar_type(), input.device());
    product(out, input, mat2);
    record({"mm", Work::kProduct}, {input, mat2}, out, {kept_for(mat2, input), kept_for(input, mat2)},
           [](RuleContext& c) -> GradList {
               const Tensor& g = c.grad();
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = reel::mm(g, reel::conj(reel::t(c.saved(1))));
               if (c.needs(1)) r[1] = reel::mm(reel::conj(reel::t(c.saved(0))), g);
               return r;
           });
    return out;
}
REEL_OP("bmm(Tensor input, Tensor mat2) -> Tensor", rule, method, out_exact)
Tensor bmm(const Tensor& input, const Tensor& mat2) {
    REEL_CHECK(input.dim() == 3 && mat2.dim() == 3 && input.size(0) == mat2.size(0),
               "bmm: expected two batches of matrices of one size, got shapes ", input.sizes(), " and ", mat2.sizes());
    check_pair("bmm", input, mat2, input.size(2), mat2.size(1));
    Tensor out = empty_raw({input.size(0), input.size(1), mat2.size(2)}, input.scalar_type(), input.device());
    if (out.numel() > 0) { // there may be 2^62 matrices without elements
        if (input.size(2) == 0) fill_raw(out, 0);
        else kernels::bmm(out, input, mat2);
    }
    record({"bmm", Work::kProduct}, {input, mat2}, out, {kept_for(mat2, input), kept_for(input, mat2)},
           [](RuleContext& c) -> GradList {
               const Tensor& g = c.grad();
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = reel::bmm(g, reel::conj(reel::transpose(c.saved(1), 1, 2)));
               if (c.needs(1)) r[1] = reel::bmm(reel::conj(reel::transpose(c.saved(0), 1, 2)), g);
               return r;
           });
    return out;
}
/// Products of vectors, matrices and batches with broadcasting batch dimensions.
REEL_OP("matmul(Tensor input, Tensor other) -> Tensor", composite, method, out_exact)
Tensor matmul(const Tensor& input, const Tensor& other) {
    REEL_CHECK(input.dim() > 0 && other.dim() > 0, "matmul: both operands need at least one dimension, got shapes ",
               input.sizes(), " and ", other.sizes());
    const std::int64_t da = input.dim(), db = other.dim();
    check_pair("matmul", input, other, input.size(-1), other.size(db == 1 ? 0 : -2));
    if (da == 1 && db == 1) return dot(input, other);
    if (da == 2 && db == 2) return mm(input, other);
    if (da == 1 && db == 2) return reshape(mm(unsqueeze(input, 0), other), {other.size(1)});
    if (db == 1 && da == 2) return reshape(mm(input, unsqueeze(other, 1)), {input.size(0)});
    if (db <= 2) { // many rows against one matrix: one product, not a batch of them
        Dims s(input.sizes());
        s.pop_back();
        std::int64_t rows = 1;
        for (const std::int64_t v : s) rows *= v;
        if (db == 2) s.push_back(other.size(1));
        return reshape(mm(reshape(input, {rows, input.size(-1)}), db == 1 ? unsqueeze(other, 1) : other), s);
    }
    // Everything else is a batch: a vector on the left becomes a row, whose dimension the result loses again.
    const Tensor a = da == 1 ? unsqueeze(input, 0) : input;
    const auto batch = [](const Tensor& t) { return IntArrayRef(t.sizes().data(), t.sizes().size() - 2); };
    const Dims shared = broadcast_shapes("matmul", batch(a), batch(other));
    const auto flat = [&](const Tensor& t) {
        Dims s(shared);
        s.push_back(t.size(-2));
        s.push_back(t.size(-1));
        std::int64_t n = 1;
        for (const std::int64_t v : shared) n *= v;
        return reshape(expand(t, s), {n, t.size(-2), t.size(-1)});
    };
    const Tensor r = bmm(flat(a), flat(other));
    Dims s(shared);
    if (da > 1) s.push_back(a.size(-2));
    s.push_back(other.size(-1));
    return reshape(r, s);
}
REEL_OP("mv(Tensor input, Tensor vec) -> Tensor", composite, method, out_exact)
Tensor mv(const Tensor& input, const Tensor& vec) {
    REEL_CHECK(input.dim() == 2 && vec.dim() == 1, "mv: expected a matrix and a vector, got shapes ", input.sizes(),
               " and ", vec.sizes());
    return matmul(input, vec);
}
REEL_OP("dot(Tensor input, Tensor tensor) -> Tensor", rule, method, out_exact)
Tensor dot(const Tensor& input, const Tensor& tensor) {
    REEL_CHECK(input.dim() == 1 && tensor.dim() == 1, "dot: expected two vectors, got shapes ", input.sizes(), " and ",
               tensor.sizes());
    check_pair("dot", input, tensor, input.size(0), tensor.size(0));
    if (any_sparse(input, tensor)) [[unlikely]]
        return reshape(mm(unsqueeze(input, 0), unsqueeze(tensor, 1)), {});
    Tensor out = empty_raw({}, input.scalar_type(), input.device());
    const std::int64_t n = input.size(0);
    product(alias_raw(out, {1, 1}, {1, 1}, out.storage_offset()),
            alias_raw(input, {1, n}, {0, input.strides()[0]}, input.storage_offset()),
            alias_raw(tensor, {n, 1}, {tensor.strides()[0], 0}, tensor.storage_offset()));
    record("dot", {input, tensor}, out, {kept_for(tensor, input), kept_for(input, tensor)},
           [](RuleContext& c) -> GradList {
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = c.grad() * reel::conj(c.saved(1));
               if (c.needs(1)) r[1] = c.grad() * reel::conj(c.saved(0));
               return r;
           });
    return out;
}
/// y = x w^T + b
REEL_OP("nn.functional.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", rule, out_exact)
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    REEL_CHECK(weight.dim() == 1 || weight.dim() == 2, "linear: weight has shape ", weight.sizes(),
               "; expected [out_features, in_features]");
    REEL_CHECK(input.dim() > 0 && input.size(-1) == weight.size(-1), "linear: input has shape ", input.sizes(),
               ", whose last dimension must equal in_features ", weight.size(-1), " of weight ", weight.sizes());
    REEL_CHECK(input.scalar_type() == weight.scalar_type(), "linear: input is ", dtype_name(input.scalar_type()),
               " and weight is ", dtype_name(weight.scalar_type()), "; convert one of them");
    if (input.dim() != 2 || weight.dim() != 2 ||
        (bias.defined() && (bias.dim() != 1 || bias.size(0) != weight.size(0)))) {
        const Tensor y = matmul(input, weight.dim() == 1 ? weight : t(weight));
        return bias.defined() ? y + bias : y;
    }
    Tensor out = empty_raw({input.size(0), weight.size(0)}, input.scalar_type(), input.device());
    if (adds_bias_on_the_way(out, input, bias)) kernels::linear(out, input, weight, contiguous_raw(bias));
    else {
        // BLAS adds the product to what is there: the bias costs a copy, not a pass of its own.
        if (bias.defined()) copy_raw(out, expand_raw(bias, out.sizes()));
        if (input.size(1) > 0 || !bias.defined())
            product(out, input,
                    alias_raw(weight, {weight.size(1), weight.size(0)}, {weight.strides()[1], weight.strides()[0]},
                              weight.storage_offset()),
                    1, bias.defined() ? 1 : 0);
    }
    const Tensor &kept_input = kept_for(weight, input), &kept_weight = kept_for(input, weight);
    // The bias comes first: leaves that are made ready together run in edge order, as in PyTorch.
    if (bias.defined())
        record({"linear", Work::kLinear}, {bias, input, weight}, out, {kept_input, kept_weight},
               [](RuleContext& c) -> GradList {
                   const Tensor& g = c.grad();
                   GradList r{Tensor(), Tensor(), Tensor()};
                   if (c.needs(0)) r[0] = reel::sum(g, 0);
                   if (c.needs(1)) r[1] = reel::mm(g, reel::conj(c.saved(1)));
                   if (c.needs(2)) r[2] = reel::mm(reel::t(g), reel::conj(c.saved(0)));
                   return r;
               });
    else
        record({"linear", Work::kLinear}, {input, weight}, out, {kept_input, kept_weight},
               [](RuleContext& c) -> GradList {
                   const Tensor& g = c.grad();
                   GradList r{Tensor(), Tensor()};
                   if (c.needs(0)) r[0] = reel::mm(g, reel::conj(c.saved(1)));
                   if (c.needs(1)) r[1] = reel::mm(reel::t(g), reel::conj(c.saved(0)));
                   return r;
               });
    return out;
}

} // namespace reel
