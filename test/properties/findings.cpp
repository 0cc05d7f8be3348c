#include "findings.hpp"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace properties {

namespace {

/// An op that does not have a property, and why that stands.
struct Exception {
    const char *op, *aspect, *reason;
};
const Exception exceptions[] = {
    {"bernoulli_", "reverse", "the written tensor keeps its old history"},
    {"cholesky", "forward", "the tangent is not that of the Hermitian gradient"},
    {"cholesky", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"cholesky_inverse", "reverse", "the gradient is not masked to the triangle that is read"},
    {"cholesky_inverse", "second", "the gradient is not masked to the triangle that is read"},
    {"cholesky_solve", "reverse", "the gradient is not masked to the triangle that is read"},
    {"cholesky_solve", "second", "the gradient is not masked to the triangle that is read"},
    {"eq", "in place", "the written tensor keeps its old history"},
    {"exponential_", "reverse", "the written tensor keeps its old history"},
    {"ge", "in place", "the written tensor keeps its old history"},
    {"geqrf", "reverse", "no gradient, and no word about it"},
    {"gt", "in place", "the written tensor keeps its old history"},
    {"le", "in place", "the written tensor keeps its old history"},
    {"linalg.cholesky", "forward", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky_ex", "forward", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky_ex", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"linalg.ldl_factor", "reverse", "no gradient, and no word about it"},
    {"linalg.ldl_factor_ex", "reverse", "no gradient, and no word about it"},
    {"linalg.ldl_solve", "reverse", "no gradient, and no word about it"},
    {"logical_and", "in place", "the written tensor keeps its old history"},
    {"logical_not", "in place", "the written tensor keeps its old history"},
    {"logical_or", "in place", "the written tensor keeps its old history"},
    {"logical_xor", "in place", "the written tensor keeps its old history"},
    {"lt", "in place", "the written tensor keeps its old history"},
    {"native_layer_norm", "reverse",
     "mean and rstd are by-products for the backward and carry no gradient, as PyTorch's"},
    {"native_batch_norm", "reverse",
     "the batch's moments are by-products for the backward and carry no gradient, as PyTorch's"},
    {"ne", "in place", "the written tensor keeps its old history"},
    {"nextafter", "reverse",
     "where the operands are equal the result is `other`, which takes the gradient by definition"},
    {"nn.functional.prelu", "second", "at zero the slope counts as a constant, as PyTorch's"},
    {"normal", "reverse", "a drawn number is a constant; it is not reparametrised"},
    {"normal_", "reverse", "the written tensor keeps its old history"},
    {"random_", "reverse", "the written tensor keeps its old history"},
    {"triangular_solve", "forward", "the tangent touches the triangle that is not read"},
    {"uniform_", "reverse", "the written tensor keeps its old history"},
};

} // namespace

void Findings::add(const Sample& sample, const std::string& aspect, const std::string& what) {
    first_.try_emplace({sample.op, aspect}, sample.origin + ": " + what);
}

void Findings::judge(std::initializer_list<const char*> aspects) const {
    for (const auto& [key, what] : first_) {
        const bool known = std::any_of(std::begin(exceptions), std::end(exceptions),
                                       [&](const Exception& e) { return e.op == key.first && e.aspect == key.second; });
        if (!known) BOOST_ERROR(key.first << ", " << key.second << ": " << what);
    }
    for (const Exception& e : exceptions)
        if (std::find(aspects.begin(), aspects.end(), std::string(e.aspect)) != aspects.end())
            BOOST_TEST(first_.contains({e.op, e.aspect}),
                       "the exception of " << e.op << ", " << e.aspect << " (" << e.reason
                                           << ") is not needed any more: remove it from findings.cpp");
}

} // namespace properties
