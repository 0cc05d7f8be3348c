// Operands without elements and without dimensions: an op takes them or refuses them in words, whatever their layout,
// and an element alone has the value that it has in a line of one.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// Every operand that is as long as the first along `dim`, without elements there.
variable_list emptied(const variable_list& operands, std::int64_t dim) {
    variable_list out;
    for (const Tensor& t : operands)
        out.push_back(dim < t.dim() && t.size(dim) == operands[0].size(dim) ? t.detach().narrow(dim, 0, 0).clone() : t);
    return out;
}

std::string gradient_fault(const Sample& s, const variable_list& operands, const std::vector<bool>& wanted) {
    const variable_list in = leaves(operands, wanted);
    const Outcome g = outcome_of([&] { return gradients_of(s, in); });
    if (g.refused()) return g.unsupported ? "" : "backward refused: " + g.error;
    std::size_t next = 0;
    for (const Tensor& t : in) {
        if (!t.requires_grad() || g.tensors.empty()) continue;
        const Tensor& got = g.tensors[next++];
        if (got.defined() && !got.sizes().equals(t.sizes()))
            return str("the gradient of ", t.sizes(), " has shape ", got.sizes());
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(empty_and_scalar)

BOOST_AUTO_TEST_CASE(operands_without_elements) {
    Findings findings;
    int taken = 0, refused = 0;
    for (const Sample& s : samples()) {
        const variable_list operands = s.operands();
        if (operands.empty() || s.leaves_memory_unwritten()) continue;
        const std::vector<bool> wanted = differentiable_operands(s);
        for (std::int64_t d = 0; d < operands[0].dim(); ++d) {
            const variable_list none = emptied(operands, d);
            const Outcome got = outcome_of([&] { return s.run_on(none); });
            ++(got.refused() ? refused : taken);
            variable_list turned = none;
            for (Tensor& t : turned)
                if (t.dim() > 1) t = t.transpose(0, -1).contiguous().transpose(0, -1);
            const Outcome again = outcome_of([&] { return s.run_on(turned); });
            if (got.refused() != again.refused())
                findings.add(s, "empty", "its layout decides whether it is refused: " + got.error + again.error);
            if (got.refused() || again.refused()) continue;
            if (const std::string what = difference_between(got.tensors, again.tensors);
                !what.empty() && !s.is_random())
                findings.add(s, "empty", "its layout decides the result: " + what);
            if (const std::string what = gradient_fault(s, none, wanted); !what.empty())
                findings.add(s, "empty", str("without elements along ", d, ": ", what));
        }
    }
    findings.judge({"empty"});
    BOOST_TEST(taken > 1500);
    BOOST_TEST_MESSAGE(taken << " calls taken, " << refused << " refused");
}

BOOST_AUTO_TEST_CASE(an_element_alone) {
    const NoGradGuard guard;
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        variable_list alone, line;
        for (const Tensor& t : s.operands()) {
            if (t.numel() == 0) break;
            line.push_back(t.detach().reshape({-1}).narrow(0, 0, 1).clone());
            alone.push_back(line.back().reshape({}));
        }
        if (alone.empty() || alone.size() != s.operands().size() || s.leaves_memory_unwritten()) continue;
        const Outcome one = outcome_of([&] { return s.run_on(alone); }),
                      of_line = outcome_of([&] { return s.run_on(line); });
        if (one.refused() || of_line.refused()) continue;
        ++compared;
        for (std::size_t i = 0; i < std::min(one.tensors.size(), of_line.tensors.size()); ++i) {
            const Tensor &a = one.tensors[i], b = of_line.tensors[i];
            if (a.numel() != b.numel()) findings.add(s, "alone", str("result ", i, " has ", a.numel(), " elements"));
            else if (const std::string what = difference_between(a.reshape({-1}), b.reshape({-1})); !what.empty())
                findings.add(s, "alone", what);
        }
    }
    findings.judge({"alone"});
    BOOST_TEST(compared > 400);
    BOOST_TEST_MESSAGE(compared << " calls compared");
}

BOOST_AUTO_TEST_SUITE_END()
