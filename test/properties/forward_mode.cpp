// Forward mode gives what reverse mode gives: along random directions of all operands together, and of each alone.
#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include "trial.hpp"

using namespace properties;

namespace {

/// Compares at one point; false where the op refuses one of the modes.
bool compare(const Trial& t, const char* along, Findings& findings) {
    variable_list gradients;
    try {
        gradients = t.gradients(leaves(t.operands(), t.wanted()), false);
    } catch (const Error&) {
        return false; // the matter of the tests of reverse mode
    }
    const variable_list v = t.directions(900);
    double by_reverse = 0, size = 1;
    for (std::size_t i = 0; i < v.size(); ++i) {
        by_reverse += real_inner(gradients[i], v[i]);
        size += std::sqrt(real_inner(gradients[i], gradients[i]) * real_inner(v[i], v[i]));
    }
    if (!std::isfinite(by_reverse)) return false; // an infinite slope
    try {
        const double by_forward = t.tangent_of_loss(v);
        if (!(std::abs(by_forward - by_reverse) <= 1e-9 * size))
            findings.add(t.sample(), "forward",
                         str("the tangent along ", along, " is ", by_forward, ", reverse mode says ", by_reverse));
        return true;
    } catch (const NotImplementedError&) {
    } catch (const std::exception& e) {
        findings.add(t.sample(), "forward", str("forward mode threw: ", e.what()));
    }
    return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(forward_mode)

BOOST_AUTO_TEST_CASE(agrees_with_reverse_mode) {
    Findings findings;
    int together = 0, alone = 0;
    for (const Sample& s : samples())
        for (const Trial& t : trials(s)) {
            together += compare(t, "a direction", findings);
            if (std::count(t.wanted().begin(), t.wanted().end(), true) < 2) continue;
            for (std::size_t i = 0; i < t.wanted().size(); ++i) {
                if (!t.wanted()[i]) continue;
                std::vector<bool> only(t.wanted().size());
                only[i] = true;
                const Trial one(s, t.operands(), only); // the other operands have no tangent at all
                if (one.usable()) alone += compare(one, str("operand ", i).c_str(), findings);
            }
        }
    findings.judge({"forward"});
    BOOST_TEST(together > 1500);
    BOOST_TEST(alone > 500);
    BOOST_TEST_MESSAGE(together << " points, and " << alone << " along one operand");
}

BOOST_AUTO_TEST_SUITE_END()
