// Calls that are free of conventions, for ops whose gradient follows one.
#include <map>

#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sample.hpp"
#include "vectors.hpp"

namespace properties {

namespace {

Tensor adjoint_of(const Tensor& a) { return a.dim() < 2 ? a : conj(transpose(a, -2, -1)).resolve_conj(); }
Tensor hermitian_part(const Tensor& a) { return (a + adjoint_of(a)) / 2; }
/// V diag(1, 2, ...) W
Tensor weighted(const Tensor& v, const Tensor& w) {
    const Tensor ranks = arange(1, v.size(-1) + 1, 1, kDouble).to(v.device(), v.scalar_type());
    return matmul(v * ranks, w);
}
Value of_eigh(const std::vector<Value>& r) {
    const Tensor& v = r.at(1).toTensor();
    return Value::list({r.at(0), Value(weighted(v, adjoint_of(v)))});
}
Value of_eig(const std::vector<Value>& r) {
    const Tensor& v = r.at(1).toTensor();
    return Value::list({r.at(0), Value(weighted(v, linalg::inv(v)))});
}
/// U, S and V^H, or V as `svd` returns it.
Value of_svd(const std::vector<Value>& r, bool adjoint) {
    const Tensor &s = r.at(1).toTensor(), v = r.at(2).toTensor();
    const std::int64_t k = s.size(-1); // full matrices have more columns, which no convention fixes
    const Tensor u = r.at(0).toTensor().narrow(-1, 0, k), vh = (adjoint ? v : adjoint_of(v)).narrow(-2, 0, k);
    return Value::list({r.at(1), Value(weighted(u, vh)), Value(weighted(u, adjoint_of(u)))});
}
Value as_is(const std::vector<Value>& r) { return Value::list(r); }

Value of_cholesky_ex(const std::vector<Value>& r) {
    REEL_CHECK_LINALG(!r.at(1).toTensor().any().item().toBool(), "cholesky_ex: the operand is not positive definite");
    return r.at(0);
}
Tensor definite_part(const Tensor& a) {
    const Tensor h = hermitian_part(a);
    return matmul(h, h) + eye(h.size(-1), h.size(-1), TensorOptions(h.scalar_type()).device(h.device()));
}
Tensor normalised(const Tensor& log_probs) { return log_softmax(log_probs, -1); }

struct Freedom {
    Tensor (*prepare)(const Tensor& first); ///< what the op takes its first operand for; null: what it is
    std::function<Value(const std::vector<Value>&)> finish;
    std::vector<Vectors> vectors = {};
};
const std::map<std::string, Freedom>& freedoms() {
    static const std::map<std::string, Freedom> table{
        {"cholesky", {hermitian_part, as_is}},
        {"linalg.cholesky", {hermitian_part, as_is}},
        {"linalg.cholesky_ex", {hermitian_part, of_cholesky_ex}},
        {"linalg.eigvalsh", {hermitian_part, as_is}},
        {"linalg.matrix_sqrth", {definite_part, as_is}},
        {"linalg.ldl_factor", {hermitian_part, as_is}},
        {"linalg.ldl_factor_ex", {hermitian_part, as_is}},
        {"linalg.eigh", {hermitian_part, of_eigh, {{1}}}},
        {"linalg.eig", {nullptr, of_eig, {{1}}}},
        {"linalg.svd", {nullptr, [](const std::vector<Value>& r) { return of_svd(r, true); }, {{0}, {2, true}}}},
        {"svd", {nullptr, [](const std::vector<Value>& r) { return of_svd(r, false); }, {{0}, {2}}}},
        {"nn.functional.ctc_loss", {normalised, as_is}},
    };
    return table;
}
const Freedom* freedom_of(const Sample& s) {
    if (const auto it = freedoms().find(s.op); it != freedoms().end()) return &it->second;
    static const Freedom symmetric{hermitian_part, as_is};
    const Value* hermitian = s.kwargs.find(std::string_view("hermitian"));
    return s.op == "linalg.pinv" && hermitian && hermitian->isBool() && hermitian->toBool() ? &symmetric : nullptr;
}

} // namespace

std::vector<Vectors> vectors_up_to_phase(const Sample& sample) {
    const Freedom* const freedom = sample.by_convention ? freedom_of(sample) : nullptr;
    return freedom ? freedom->vectors : std::vector<Vectors>();
}

void add_gauge_free_samples(std::vector<Sample>& list) {
    for (std::size_t i = 0, n = list.size(); i < n; ++i) {
        const Freedom* freedom = freedom_of(list[i]);
        if (!freedom || list[i].args.empty() || !list[i].args[0].isTensor()) continue;
        list[i].by_convention = true;
        Sample free = list[i];
        free.by_convention = false;
        free.origin += ", gauge-free";
        free.kwargs = Kwargs();
        free.call = [freedom, op = list[i].op, kwargs = list[i].kwargs](const Args& args) -> Value {
            Args a = args;
            if (freedom->prepare) a[0] = freedom->prepare(a[0].toTensor());
            const Value result = ops::registry().at(op).call(a, kwargs);
            return freedom->finish(result.isSequence() ? result.elements() : std::vector<Value>{result});
        };
        list.push_back(std::move(free));
    }
}

} // namespace properties
