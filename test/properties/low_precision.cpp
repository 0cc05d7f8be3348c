// float32, bfloat16 and float16 against float64: what the digits of the operands allow.
#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

struct Precision {
    ScalarType real, complex; ///< complex numbers of half precision do not exist: the same as real
    double epsilon, largest;  ///< from 1 to the next number; the last finite one
    double smallest;          ///< the first above zero
    const char* aspect;
};
const Precision precisions[] = {{kFloat, kComplexFloat, 0x1p-23, 3.4e38, 0x1p-149, "float32"},
                                {kBFloat16, kBFloat16, 0x1p-7, 3.3e38, 0x1p-133, "bfloat16"},
                                {kHalf, kHalf, 0x1p-10, 65504, 0x1p-24, "float16"}};

bool is_wide(const Tensor& t) { return t.scalar_type() == kDouble || t.scalar_type() == kComplexDouble; }
ScalarType narrowed(const Tensor& t, const Precision& p) {
    return t.scalar_type() == kDouble ? p.real : t.scalar_type() == kComplexDouble ? p.complex : t.scalar_type();
}
Tensor widened(const Tensor& t) {
    return t.is_complex() ? t.to(kComplexDouble) : t.is_floating_point() ? t.to(kDouble) : t;
}

/// Arguments that name a dtype would undo what is tried.
bool asks_for_dtype(const Sample& s) {
    const auto wide = [](const Value& v) { return v.isDtype(); };
    if (std::any_of(s.args.begin(), s.args.end(), wide)) return true;
    for (const auto& [key, v] : s.kwargs)
        if (wide(v)) return true;
    return false;
}

/// How far each result moves when every operand is rounded once, the largest of a few tries: the op's condition here.
std::vector<double> movements(const Sample& s, const variable_list& operands, const variable_list& at, double epsilon) {
    std::vector<double> most(at.size());
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        variable_list moved = operands;
        for (Tensor& t : moved)
            if (is_wide(t)) t = t * (noise_like(t, 400 + seed).sgn() * epsilon + 1);
        const Outcome y = outcome_of([&] { return s.run_on(moved); });
        if (y.refused() || y.tensors.size() != at.size()) return {};
        for (std::size_t i = 0; i < at.size(); ++i)
            if (!y.tensors[i].sizes().equals(at[i].sizes())) return {}; // its shape depends on values
            else if (is_wide(at[i]) && at[i].numel() > 0)
                most[i] = std::max(most[i], (y.tensors[i] - at[i]).abs().max().item().toDouble());
    }
    return most;
}

/// Roundings inside the op, each of which may move the result as far as rounding the operands does.
constexpr double roundings = 4;

void compare(const Sample& s, const Precision& p, Findings& findings, int& compared) {
    variable_list low, operands;
    for (const Tensor& t : s.operands()) {
        low.push_back(t.detach().to(narrowed(t, p)));
        operands.push_back(is_wide(t) ? widened(low.back()) : t); // the same numbers
    }
    const Outcome expected = outcome_of([&] { return s.run_on(operands); }),
                  got = outcome_of([&] { return s.run_on(low); });
    if (expected.refused() || got.unsupported || expected.tensors.empty()) return;
    if (got.refused()) { // half precision may be refused by its name
        if (p.real == kFloat || got.error.find(p.aspect) == std::string::npos)
            findings.add(s, p.aspect, "refused: " + got.error);
        return;
    }
    const std::vector<double> moved = movements(s, operands, expected.tensors, p.epsilon);
    if (moved.empty()) return;
    for (std::size_t i = 0; i < expected.tensors.size(); ++i) {
        const Tensor &y = got.tensors[i], wide = expected.tensors[i];
        if (!y.sizes().equals(wide.sizes())) findings.add(s, p.aspect, str("result ", i, " has shape ", y.sizes()));
        if (!y.sizes().equals(wide.sizes()) || !is_wide(wide) || wide.numel() == 0) continue;
        ++compared;
        const double size = wide.abs().max().item().toDouble();
        if (!(size <= p.largest) || !std::isfinite(moved[i])) continue;
        const double apart = (widened(y) - wide).abs().max().item().toDouble(),
                     bound = roundings * (p.epsilon * size + moved[i] + p.smallest);
        if (!(apart <= bound))
            findings.add(s, p.aspect,
                         str("result ", i, " is ", apart, " from that of float64; expected at most ", bound));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(low_precision)

BOOST_AUTO_TEST_CASE(gives_what_its_digits_allow) {
    const NoGradGuard guard;
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        if (s.is_random() || s.leaves_memory_unwritten() || asks_for_dtype(s) || s.by_convention) continue;
        const variable_list operands = s.operands();
        if (std::none_of(operands.begin(), operands.end(), is_wide)) continue;
        const bool complex =
            std::any_of(operands.begin(), operands.end(), [](const Tensor& t) { return t.is_complex(); });
        for (const Precision& p : precisions)
            if (!complex || p.complex != p.real) compare(s, p, findings, compared);
    }
    findings.judge({"float32", "bfloat16", "float16"});
    BOOST_TEST(compared > 2000);
    BOOST_TEST_MESSAGE(compared << " results compared");
}

BOOST_AUTO_TEST_SUITE_END()
