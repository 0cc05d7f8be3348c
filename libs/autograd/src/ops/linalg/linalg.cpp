// The parts of ops on matrices that do not depend on the op.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/permute.hpp>

#include "ops/linalg/linalg.hpp"

#include <limits>

#include "tensor/host_values.hpp"

namespace reel::matrices {

Batch::Batch(const Tensor& t) : m(t.size(-2)), n(t.size(-1)) {
    Dims s(t.sizes()), st(t.strides());
    std::swap(s[s.size() - 1], s[s.size() - 2]);
    std::swap(st[st.size() - 1], st[st.size() - 2]);
    data = empty_raw(s, t.scalar_type(), t.device());
    copy_raw(data, alias_raw(t, s, st, t.storage_offset()));
    count = 1;
    for (std::size_t i = 0; i + 2 < s.size(); ++i) count *= s[i];
}
Batch::Batch(IntArrayRef batch, std::int64_t m, std::int64_t n, ScalarType dtype, Device device)
    : m(m), n(n), count(1) {
    Dims s(batch);
    for (const std::int64_t b : s) count *= b;
    s.push_back(n);
    s.push_back(m);
    data = empty_raw(s, dtype, device);
}
Tensor Batch::matrices() const {
    Dims s(data.sizes()), st(data.strides());
    std::swap(s[s.size() - 1], s[s.size() - 2]);
    std::swap(st[st.size() - 1], st[st.size() - 2]);
    return alias_raw(data, s, st, data.storage_offset());
}

Dims batch_sizes(const Tensor& t, std::int64_t drop) {
    Dims s(t.sizes());
    for (std::int64_t i = 0; i < drop; ++i) s.pop_back();
    return s;
}
Dims with(const Dims& batch, std::initializer_list<std::int64_t> more) {
    Dims s(batch);
    for (const std::int64_t v : more) s.push_back(v);
    return s;
}
std::pair<Tensor, Tensor> broadcast_batches(const char* op, const Tensor& a, const Tensor& b) {
    const Dims ba = batch_sizes(a), bb = batch_sizes(b);
    if (ba == bb) return {a, b};
    const Dims both = broadcast_shapes(op, ba, bb);
    return {expand(a, with(both, {a.size(-2), a.size(-1)})), expand(b, with(both, {b.size(-2), b.size(-1)}))};
}
void check_matrices(const char* op, const char* name, const Tensor& a, bool square) {
    REEL_CHECK(a.dim() >= 2, op, ": ", name, " has shape ", a.sizes(), "; expected matrices, at least two dimensions");
    REEL_CHECK(!square || a.size(-1) == a.size(-2), op, ": ", name, " has shape ", a.sizes(),
               "; expected square matrices");
    const ScalarType t = a.scalar_type();
    REEL_CHECK_VALUE(a.size(-1) <= std::numeric_limits<int>::max() && a.size(-2) <= std::numeric_limits<int>::max(), op,
                     ": ", name, " has shape ", a.sizes(), "; expected matrices with fewer than 2^31 rows and columns");
    REEL_CHECK_NOT_IMPLEMENTED(t == kFloat || t == kDouble || isComplexType(t), op, ": ", name, " is ", dtype_name(t),
                               "; expected float32, float64, complex64 or complex128");
}
void check_same_dtype(const char* op, const Tensor& a, const Tensor& b) {
    REEL_CHECK(a.scalar_type() == b.scalar_type(), op, ": the operands are ", dtype_name(a.scalar_type()), " and ",
               dtype_name(b.scalar_type()), "; both must have one dtype");
}
void check_pivots(const char* op, const char* name, const Tensor& lu, const Tensor& pivots) {
    REEL_CHECK_TYPE(pivots.scalar_type() == kInt, op, ": ", name, " is ", dtype_name(pivots.scalar_type()),
                    "; expected int32, as lu_factor returns them");
    const std::int64_t m = lu.size(-2);
    const Dims wanted = with(batch_sizes(lu), {std::min(m, lu.size(-1))});
    REEL_CHECK_VALUE(pivots.sizes().equals(wanted), op, ": ", name, " has shape ", pivots.sizes(), "; expected ",
                     IntArrayRef(wanted), " for factors of shape ", lu.sizes());
    if (!has_values(pivots)) return;
    for (const std::int32_t v : HostValues<std::int32_t>(pivots, op))
        REEL_CHECK_VALUE(v >= 1 && v <= m, op, ": ", name, " holds ", v, "; expected rows from 1 to ", m,
                         ", as lu_factor returns them");
}
Tensor adjoint_of(const Tensor& t) { return conj(transpose(t, -2, -1)); }
Tensor identity_like(const Tensor& a) { return eye(a.size(-1), std::nullopt, a.options()); }
GradList gradient_of(RuleContext& c, std::size_t n,
                     const std::function<std::vector<Tensor>(const TensorList&)>& again) {
    const bool recording = GradMode::is_enabled(); // a second derivative goes through the operands themselves
    std::vector<Tensor> operands, wanted, roots, seeds;
    for (std::size_t i = 0; i < n; ++i) {
        const Tensor t = c.saved(i);
        // detached, so that this pass ends here and reaches nothing of the tape that is running
        operands.push_back(recording ? t : t.detach().requires_grad_(c.needs(i)));
        if (c.needs(i)) wanted.push_back(operands.back());
    }
    std::vector<Tensor> outputs;
    {
        const EnableGradGuard guard;
        outputs = again(operands);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (c.grad(i).defined() && outputs[i].requires_grad()) {
            roots.push_back(outputs[i]);
            seeds.push_back(c.grad(i));
        }
    GradList gradients(n);
    if (roots.empty()) return gradients;
    const std::vector<Tensor> got = autograd::grad(roots, wanted, seeds, recording, recording, true);
    for (std::size_t i = 0, k = 0; i < n; ++i)
        if (c.needs(i)) gradients[i] = got[k++];
    return gradients;
}
void check_infos(const char* op, const Tensor& info, const char* meaning) {
    if (!has_values(info)) return;
    const HostValues<std::int32_t> p(info, op);
    for (std::int64_t i = 0; i < p.size(); ++i)
        REEL_CHECK_LINALG(p[i] == 0, op, ": matrix ", i, " of the batch: ", meaning, " (at ", p[i], ")");
}

} // namespace reel::matrices
