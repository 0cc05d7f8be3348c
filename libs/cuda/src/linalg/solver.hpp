// What cuSOLVER computes of Reel's factorizations.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda::solver {

/// Is the library there, and is it for these matrices [..., columns, rows]? Many small ones are the host's, which is
/// through with them before so many kernels are launched; a capture has no host.
bool takes(const Tensor& matrices);

// Of dense matrices, column by column; what is named before the operands is overwritten. `info`, int32 on the device,
// has a number for each matrix, as LAPACK's. Each throws Error with the op and what the library says.
void potrf(const char* op, const Tensor& a, const Tensor& info, bool upper);
/// `pivots`: int64, from 1; undefined: no exchanges.
void getrf(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info);
void getrs(const char* op, const Tensor& x, const Tensor& lu, const Tensor& pivots);
void geqrf(const char* op, const Tensor& a, const Tensor& tau);
void syevd(const char* op, const Tensor& a, const Tensor& w, const Tensor& info, bool upper, bool vectors);
/// Of no fewer rows than columns: a = u diag(s) vh. Without columns of `u`, values alone; `full`: square factors.
void gesvd(const char* op, const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& info,
           bool full);
/// `w`: complex. `v`: of the dtype of `a`, for pairs of complex vectors their parts, as LAPACK's; none without columns.
void geev(const char* op, const Tensor& a, const Tensor& w, const Tensor& v, const Tensor& info);
/// Of the lower triangle of symmetric matrices; `pivots` are int32, as LAPACK's.
void sytrf(const char* op, const Tensor& a, const Tensor& pivots, const Tensor& info);
/// `pivots`: int64.
void sytrs(const char* op, const Tensor& x, const Tensor& a, const Tensor& pivots);

} // namespace reel::cuda::solver
