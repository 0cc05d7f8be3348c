// Derivatives in one loop: without a graph some ops take a kernel of their own, which must be what the recorded ops
// give (E-21).
#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// The gradients of all outputs for fixed cotangents, of those operands that require grad.
variable_list gradients(const Sample& s, const variable_list& in, bool create_graph) {
    variable_list roots, seeds, inputs, out;
    for (const Tensor& y : s.run_on(in))
        if (y.requires_grad()) {
            roots.push_back(y);
            seeds.push_back(noise_like(y, 100 + seeds.size()).to(y.scalar_type()));
        }
    for (const Tensor& t : in)
        if (t.requires_grad()) inputs.push_back(t);
    if (roots.empty() || inputs.empty()) return {};
    for (const Tensor& g : autograd::grad(roots, inputs, seeds, true, create_graph, true))
        if (g.defined()) out.push_back(g.detach());
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fused_derivatives)

BOOST_AUTO_TEST_CASE(are_the_recorded_ones) {
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        const std::vector<bool> wanted = differentiable_operands(s);
        if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) continue;
        const variable_list in = leaves(s.operands(), wanted);
        const Outcome fused = outcome_of([&] { return gradients(s, in, false); }),
                      recorded = outcome_of([&] { return gradients(s, in, true); });
        if (recorded.unsupported) continue; // refused in words
        if (fused.refused() || recorded.refused()) {
            if (fused.error != recorded.error)
                findings.add(s, "fused", str("without a graph: '", fused.error, "', with one: '", recorded.error, "'"));
            continue;
        }
        ++compared;
        if (const std::string what = difference_between(fused.tensors, recorded.tensors, 1e-12, 1); !what.empty())
            findings.add(s, "fused", "the gradient depends on create_graph: " + what);
    }
    findings.judge({"fused"});
    BOOST_TEST(compared > 1000);
    BOOST_TEST_MESSAGE(compared << " gradients compared");
}

BOOST_AUTO_TEST_SUITE_END()
