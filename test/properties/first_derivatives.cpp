// First derivatives: reverse mode against differences, forward mode against reverse mode.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include "trial.hpp"

using namespace properties;

namespace {

void reverse(const Trial& t, const variable_list& gradients, Findings& findings, int& decided) {
    const auto loss = [&](const variable_list& x) { return t.loss(x); };
    t.along_places(6, loss, [&](std::size_t operand, std::int64_t place, const Difference& d) {
        std::int64_t n = 0;
        const double got = reals(gradients[operand], n)[place];
        ++decided;
        if (!d.agrees_with(got))
            findings.add(t.sample(), "reverse",
                         str("gradient of operand ", operand, " at place ", place, " is ", got, ", differences say ",
                             d.value, " (+-", d.uncertainty, ")"));
    });
}

void forward(const Trial& t, const variable_list& gradients, Findings& findings) {
    const variable_list v = t.directions(900);
    double by_reverse = 0, size = 1;
    for (std::size_t i = 0; i < v.size(); ++i) {
        by_reverse += real_inner(gradients[i], v[i]);
        size += std::sqrt(real_inner(gradients[i], gradients[i]) * real_inner(v[i], v[i]));
    }
    if (!std::isfinite(by_reverse)) return; // an infinite slope
    const double by_forward = t.tangent_of_loss(v);
    if (!(std::abs(by_forward - by_reverse) <= 1e-9 * size))
        findings.add(t.sample(), "forward",
                     str("the tangent along a direction is ", by_forward, ", reverse mode says ", by_reverse));
}

} // namespace

BOOST_AUTO_TEST_SUITE(derivatives)

BOOST_AUTO_TEST_CASE(of_first_order) {
    Findings findings;
    int decided = 0;
    for (const Sample& s : samples())
        for (const Trial& t : trials(s)) {
            variable_list gradients;
            try {
                gradients = t.gradients(leaves(t.operands(), t.wanted()), false);
            } catch (const NotImplementedError&) {
                continue; // refused in words
            } catch (const std::exception& e) {
                findings.add(s, "reverse", str("backward threw: ", e.what()));
                continue;
            }
            for (Tensor& g : gradients) g = g.resolve_conj().contiguous();
            if (!s.by_convention) reverse(t, gradients, findings, decided);
            try {
                forward(t, gradients, findings);
            } catch (const NotImplementedError&) {
            } catch (const std::exception& e) {
                findings.add(s, "forward", str("forward mode threw: ", e.what()));
            }
        }
    findings.judge({"reverse", "forward"});
    BOOST_TEST(decided > 5000);
    BOOST_TEST_MESSAGE(decided << " gradients compared with differences");
}

BOOST_AUTO_TEST_SUITE_END()
