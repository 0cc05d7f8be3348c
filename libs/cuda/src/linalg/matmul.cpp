// Matrix products: operands as the library wants them, whole numbers by Reel's own kernel.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/grouped_mm.hpp>
#include <reel/autograd/kernels/linear.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "linalg/integer_mm.hpp"
#include "linalg/product.hpp"

namespace reel::cuda {

namespace {

void product(const char* op, const Tensor& out, const Tensor& first, const Tensor& second, double alpha, double beta,
             const Tensor& bias) {
    const StridedMatrix a(first), b(second);
    multiply(op, {out.scalar_type(),
                  out.device().index(),
                  1,
                  out.size(0),
                  out.size(1),
                  first.size(1),
                  {a.data().data_ptr(), a.ld, 0, a.transposed},
                  {b.data().data_ptr(), b.ld, 0, b.transposed},
                  out.data_ptr(),
                  alpha,
                  beta,
                  bias.defined() ? bias.data_ptr() : nullptr});
}
void mm(const Tensor& out, const Tensor& a, const Tensor& b, double alpha, double beta) {
    if (isIntegralType(out.scalar_type(), true)) return integer_mm(out, a, b, alpha, beta);
    if (!multiplies(out.scalar_type())) detail::throw_no_kernel("mm", out, {true});
    product("mm", out, a, b, alpha, beta, {});
}
void linear(const Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias) {
    product("linear", out, input, weight.t(), 1, 0, bias);
}

/// A batch whose matrices the library takes as they are, or a dense copy. The operand points into `t`.
ProductOperand batch_operand(Tensor& t) {
    const Tensor first = t.select(0, 0);
    const StridedMatrix matrix(first);
    if (matrix.data().data_ptr() != t.data_ptr()) t = t.contiguous(); // its strides are others: now as the copy's are
    return {t.data_ptr(), matrix.ld, t.strides()[0], matrix.transposed};
}
void bmm(const Tensor& out, const Tensor& first, const Tensor& second) {
    const NoGradGuard guard;
    const std::int64_t batch = out.size(0);
    if (!multiplies(out.scalar_type())) { // one after the other, in the order of the stream
        for (std::int64_t i = 0; i < batch; ++i) mm(out.select(0, i), first.select(0, i), second.select(0, i), 1, 0);
        return;
    }
    Tensor a = first, b = second;
    const ProductOperand left = batch_operand(a), right = batch_operand(b);
    multiply("bmm", {out.scalar_type(), out.device().index(), batch, out.size(1), out.size(2), a.size(2), left, right,
                     out.data_ptr(), 1, 0, nullptr});
}

/// One product after the other; the host must know where groups end, and waits for that.
void grouped_mm(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& offs) {
    const NoGradGuard guard;
    const bool rows = b.dim() == 3, columns = a.dim() == 3; // which is cut; neither: the dimension that is summed over
    const std::vector<std::int64_t> bounds = group_bounds(offs.cpu(), rows ? a.size(0) : b.size(columns ? 1 : 0));
    Tensor(out).zero_();
    if (out.numel() == 0 || a.size(-1) == 0) return;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
        const std::int64_t begin = bounds[i], count = bounds[i + 1] - begin, group = std::int64_t(i);
        if (count == 0) continue;
        if (rows) mm(narrow(out, 0, begin, count), narrow(a, 0, begin, count), b.select(0, group), 1, 0);
        else if (columns) {
            const Tensor part = out.new_empty({out.size(0), count});
            mm(part, a.select(0, group), narrow(b, 1, begin, count), 1, 0);
            narrow(out, 1, begin, count).copy_(part);
        } else mm(out.select(0, group), narrow(a, 1, begin, count), narrow(b, 0, begin, count), 1, 0);
    }
}

[[maybe_unused]] const bool attached = [] {
    kernels::grouped_mm.set(kCUDA, &grouped_mm);
    kernels::mm.set(kCUDA, &mm);
    kernels::bmm.set(kCUDA, &bmm);
    kernels::linear.set(kCUDA, &linear);
    return true;
}();

} // namespace

} // namespace reel::cuda
