// A gradient that is recorded for another backward has the value of one that is not: some ops have a derivative kernel
// for the latter (E-21).
#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "trial.hpp"

using namespace properties;

BOOST_AUTO_TEST_SUITE(derivatives)

BOOST_AUTO_TEST_CASE(recorded_or_not) {
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples())
        for (const Trial& t : trials(s)) {
            const auto gradients = [&](bool create_graph) {
                return outcome_of([&] { return t.gradients(leaves(t.operands(), t.wanted()), create_graph); });
            };
            const Outcome plain = gradients(false), recorded = gradients(true);
            if (plain.refused()) continue;
            if (recorded.refused()) { // the second derivative may be refused in words
                if (!recorded.unsupported) findings.add(s, "recorded", "refused: " + recorded.error);
                continue;
            }
            ++compared;
            if (const std::string what = difference_between(plain.tensors, recorded.tensors, 1e-12, 1); !what.empty())
                findings.add(s, "recorded", what);
        }
    findings.judge({"recorded"});
    BOOST_TEST(compared > 1500);
    BOOST_TEST_MESSAGE(compared << " gradients compared");
}

BOOST_AUTO_TEST_SUITE_END()
