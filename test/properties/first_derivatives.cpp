// First derivatives: reverse mode against differences.
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
            for (Tensor& g : gradients) g = g.resolve_conj().cpu().contiguous();
            if (!s.by_convention) reverse(t, gradients, findings, decided);
        }
    findings.judge({"reverse"});
    BOOST_TEST(decided > 5000);
    BOOST_TEST_MESSAGE(decided << " gradients compared with differences");
}

BOOST_AUTO_TEST_SUITE_END()
