// What lies in memory otherwise has the same values: strided, transposed, offset, expanded, overlapping, conjugated.
#include <algorithm>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// Tensors that are laid out in one way; not defined where `t` cannot be.
struct Arrangement {
    const char* name;
    Tensor (*of)(const Tensor& t);
    bool same_values; ///< those of `t`; else others of its values
};

Tensor transposed(const Tensor& t) { return t.dim() < 2 ? Tensor() : t.transpose(0, -1).contiguous().transpose(0, -1); }
Tensor strided(const Tensor& t) {
    if (t.dim() == 0) return {};
    std::vector<std::int64_t> sizes = t.sizes().vec();
    sizes.back() *= 2;
    const Tensor every_second = zeros(sizes, t.options()).slice(-1, 1, {}, 2);
    every_second.copy_(t);
    return every_second;
}
Tensor offset(const Tensor& t) {
    const Tensor part = zeros({t.numel() + 3}, t.options()).narrow(0, 3, t.numel()).view(t.sizes());
    part.copy_(t);
    return part;
}
Tensor conjugated(const Tensor& t) { return t.is_complex() ? t.conj().resolve_conj().conj() : Tensor(); }
Tensor expanded(const Tensor& t) {
    if (t.dim() == 0 || t.numel() == 0) return {};
    return t.contiguous().narrow(0, 0, 1).expand(t.sizes());
}
/// Neighbours along every dimension are one element apart.
Tensor overlapping(const Tensor& t) {
    if (t.dim() < 2 || t.numel() == 0) return {};
    return t.contiguous().as_strided(t.sizes(), std::vector<std::int64_t>(std::size_t(t.dim()), 1));
}
const Arrangement arrangements[] = {{"transposed", transposed, true}, {"strided", strided, true},
                                    {"offset", offset, true},         {"conjugated", conjugated, true},
                                    {"expanded", expanded, false},    {"overlapping", overlapping, false}};

/// Products of matrices hand other strides to BLAS, variances of what is not dense sum in another order: a few
/// roundings of the largest element. Everything else has the same bits.
constexpr double other_order = 4;

/// What magnitude roundings have at least where sums are added up anew: on the host that of their result, on a device,
/// which adds in the order of memory, that of the terms, which may cancel.
double least_magnitude(const variable_list& operands) {
    double most = 0;
    for (const Tensor& t : operands)
        if (t.defined() && t.is_cuda() && t.numel() > 0 && (t.is_floating_point() || t.is_complex()))
            most = std::max(most, t.detach().abs().to(kDouble).nan_to_num(0, 0, 0).max().item().toDouble());
    return most;
}

struct Precision {
    ScalarType real, complex;
    double epsilon;
};
const Precision precisions[] = {{kDouble, kComplexDouble, 0x1p-52},
                                {kFloat, kComplexFloat, 0x1p-23},
                                {kBFloat16, kComplexFloat, 0x1p-7},
                                {kHalf, kComplexFloat, 0x1p-10}};
variable_list in_precision(variable_list operands, const Precision& p) {
    for (Tensor& t : operands)
        if (t.scalar_type() == kDouble) t = t.to(p.real);
        else if (t.scalar_type() == kComplexDouble) t = t.to(p.complex);
    return operands;
}

struct Counts {
    int equal = 0, apart = 0, refused = 0;
};

/// The leaves of `list` with their layouts kept.
variable_list in_place_leaves(const variable_list& list, const std::vector<bool>& wanted) {
    variable_list out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        out.push_back(list[i].detach());
        if (wanted[i]) out.back().requires_grad_();
    }
    return out;
}
variable_list made_dense(const variable_list& list) {
    variable_list out;
    for (const Tensor& t : list) out.push_back(t.detach().resolve_conj().clone(MemoryFormat::Contiguous));
    return out;
}

/// Is a gradient so large that only roundings made it? Equal columns, as expanding gives them, have no QR whose
/// derivative exists: what is divided by should be zero.
bool made_of_roundings(const variable_list& gradients) {
    return std::any_of(gradients.begin(), gradients.end(), [](const Tensor& g) {
        return g.defined() && g.numel() > 0 && g.detach().abs().max().item<double>() > 1e15;
    });
}

void compare(const Sample& s, const variable_list& laid, const Arrangement& way, double epsilon, Findings& findings,
             Counts& counts) {
    const variable_list plain = made_dense(laid);
    const Outcome expected = outcome_of([&] { return s.run_on(plain); }),
                  got = outcome_of([&] { return s.run_on(laid); });
    if (expected.refused() || got.refused()) {
        ++counts.refused;
        if (expected.refused() != got.refused())
            findings.add(s, "layout", str(way.name, ": ", got.refused() ? "refused: " + got.error : "not refused"));
        return;
    }
    const std::string exact = difference_between(got.tensors, expected.tensors);
    ++(exact.empty() ? counts.equal : counts.apart);
    const double least = exact.empty() ? 0 : least_magnitude(plain);
    if (const std::string what = difference_between(got.tensors, expected.tensors, other_order * epsilon, least);
        !what.empty())
        findings.add(s, "layout", str(way.name, ": ", what));
}

} // namespace

BOOST_AUTO_TEST_SUITE(layouts_of_operands)

BOOST_AUTO_TEST_CASE(give_the_values_of_the_dense_call) {
    Findings findings;
    Counts counts;
    for (const Sample& s : samples()) {
        if (s.is_random() || s.leaves_memory_unwritten()) continue; // numbers are drawn in the order of memory
        for (const Precision& p : precisions) {
            const variable_list operands = in_precision(made_dense(s.operands()), p);
            for (const Arrangement& way : arrangements)
                for (std::size_t i = 0; i < operands.size(); ++i) {
                    variable_list laid = operands;
                    laid[i] = way.of(operands[i]);
                    if (laid[i].defined()) compare(s, laid, way, p.epsilon, findings, counts);
                }
        }
    }
    findings.judge({"layout"});
    BOOST_TEST(counts.equal > 20000);
    BOOST_TEST(counts.apart < counts.equal / 100);
    BOOST_TEST_MESSAGE(counts.equal << " bit for bit, " << counts.apart << " but for the order of sums, "
                                    << counts.refused << " refused");
}

BOOST_AUTO_TEST_CASE(give_the_gradients_of_the_dense_call) {
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        if (s.is_random()) continue;
        const std::vector<bool> wanted = differentiable_operands(s);
        if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) continue;
        const variable_list operands = made_dense(s.operands());
        for (const Arrangement& way : arrangements) {
            variable_list laid = operands;
            bool changed = false;
            for (std::size_t i = 0; i < laid.size(); ++i)
                if (wanted[i])
                    if (const Tensor t = way.of(operands[i]); t.defined()) laid[i] = t, changed = true;
            if (!changed) continue;
            const variable_list plain = made_dense(laid);
            const Outcome expected = outcome_of([&] { return gradients_of(s, in_place_leaves(plain, wanted)); });
            const Outcome got = outcome_of([&] { return gradients_of(s, in_place_leaves(laid, wanted)); });
            if (expected.refused() != got.refused())
                findings.add(s, "layout's gradient",
                             str(way.name, ": ", got.refused() ? "refused: " + got.error : "not refused"));
            if (expected.refused() || got.refused()) continue;
            if (made_of_roundings(expected.tensors)) {
                BOOST_TEST(made_of_roundings(got.tensors), s.op);
                continue;
            }
            ++compared;
            if (const std::string what = difference_between(got.tensors, expected.tensors, 1e-12); !what.empty())
                findings.add(s, "layout's gradient", str(way.name, ": ", what));
        }
    }
    findings.judge({"layout's gradient"});
    BOOST_TEST(compared > 3000);
}

BOOST_AUTO_TEST_SUITE_END()
