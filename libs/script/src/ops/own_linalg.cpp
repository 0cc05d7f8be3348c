// Linear algebra as decomposed programs name it: with the factors that the reference's own derivatives read.
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

const ops::Op& op(const char* name) { return ops::registry().at(name); }

/// Puts LU and pivots of `a` behind `results`.
IValue with_factors(Args results, const IValue& a) {
    static const ops::Op& factor = op("linalg.lu_factor");
    for (const IValue& v : factor.call({a}).elements()) results.push_back(v);
    return IValue::tuple(std::move(results));
}
IValue det(Span a) {
    static const ops::Op& det = op("linalg.det");
    return with_factors({det.call({a[0]})}, a[0]);
}
IValue slogdet(Span a) {
    static const ops::Op& slogdet = op("linalg.slogdet");
    return with_factors(slogdet.call({a[0]}).elements(), a[0]);
}
/// A, UPLO, compute_v
IValue eigh(Span a) {
    static const ops::Op &both = op("linalg.eigh"), &values = op("linalg.eigvalsh");
    if (a[2].toBool()) return both.call({a[0], a[1]});
    const IValue found = values.call({a[0], a[1]});
    return IValue::tuple({found, empty({0}, a[0].toTensor().options())});
}
/// A, full_matrices, compute_uv, driver
IValue svd(Span a) {
    static const ops::Op &all = op("linalg.svd"), &values = op("linalg.svdvals");
    if (a[2].toBool()) return all.call({a[0], a[1]});
    const Tensor none = empty({0}, a[0].toTensor().options());
    return IValue::tuple({none, values.call({a[0]}), none});
}
/// A, B, left, check_errors: a singular matrix is an error in any case.
IValue solve_ex(Span a) {
    static const ops::Op& solve = op("linalg.solve");
    Kwargs options;
    options.set("left", a[2]);
    const Tensor& matrices = a[0].toTensor();
    const std::vector<Int> batch(matrices.sizes().begin(), matrices.sizes().end() - 2);
    IValue out = with_factors({solve.call({a[0], a[1]}, options)}, a[0]);
    Args results = out.elements();
    results.emplace_back(zeros(batch, TensorOptions(kInt)));
    return IValue::tuple(std::move(results));
}

/// self, pivot, check_errors
IValue lu_with_info(Span a) {
    static const ops::Op& factor = op("linalg.lu_factor_ex");
    Kwargs options;
    options.set("pivot", a[1]);
    options.set("check_errors", a[2]);
    return factor.call({a[0]}, options);
}

constexpr Line lines[] = {
    {"aten::_lu_with_info", lu_with_info}, {"aten::_linalg_det", det}, {"aten::_linalg_slogdet", slogdet},
    {"aten::_linalg_eigh", eigh},          {"aten::_linalg_svd", svd}, {"aten::_linalg_solve_ex", solve_ex},
};

} // namespace

std::span<const Line> linalg() { return lines; }

} // namespace reel::jit::own
