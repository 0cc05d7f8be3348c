#include "ops/aliases.hpp"

#include <algorithm>

namespace reel::jit {

namespace {

struct Alias {
    std::string_view name, canonical;
};
/// Without `aten::`. Forms in place (`arccos_`) follow.
constexpr Alias table[] = {
    {"absolute", "abs"},
    {"adjoint", "mH"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"det", "linalg_det"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"ger", "outer"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"inverse", "linalg_inv"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"linalg_matmul", "matmul"},
    {"matrix_exp", "linalg_matrix_exp"},
    {"matrix_power", "linalg_matrix_power"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"orgqr", "linalg_householder_product"},
    {"row_stack", "vstack"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammainc", "igamma"},
    {"special_gammaincc", "igammac"},
    {"special_gammaln", "lgamma"},
    {"special_i0", "i0"},
    {"special_log1p", "log1p"},
    {"special_log_softmax", "log_softmax"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_multigammaln", "mvlgamma"},
    {"special_polygamma", "polygamma"},
    {"special_psi", "digamma"},
    {"special_round", "round"},
    {"special_sinc", "sinc"},
    {"special_softmax", "softmax"},
    {"special_xlogy", "xlogy"},
    {"subtract", "sub"},
    {"swapaxes", "transpose"},
    {"swapdims", "transpose"},
    {"true_divide", "div"},
};

bool takes_the_same(const FunctionSchema& a, const FunctionSchema& b) {
    return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                      [](const Argument& x, const Argument& y) { return x.type->str() == y.type->str(); });
}
} // namespace

const Operator& canonical(const Operator& op) {
    std::string_view name = op.schema.name;
    if (!name.starts_with("aten::")) return op;
    name.remove_prefix(6);
    const bool in_place = name.ends_with('_') && !name.ends_with("__");
    if (in_place) name.remove_suffix(1);
    const auto alias = std::lower_bound(std::begin(table), std::end(table), name,
                                        [](const Alias& a, std::string_view n) { return a.name < n; });
    if (alias == std::end(table) || alias->name != name) return op;
    std::string other = "aten::" + std::string(alias->canonical);
    if (in_place) other += '_';
    for (const Operator* const candidate : operators(Symbol(other)))
        if (takes_the_same(candidate->schema, op.schema)) return *candidate;
    return op;
}

} // namespace reel::jit
