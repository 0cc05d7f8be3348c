// Second derivatives: double backward against differences of the gradient, forward over reverse against double
// backward.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>

#include "trial.hpp"

using namespace properties;

namespace {

/// The gradient of sum <weights, gradients> by another backward; zeros where the gradients do not depend.
variable_list backward_again(const Trial& t, const variable_list& weights) {
    const variable_list in = leaves(t.operands(), t.wanted());
    variable_list inputs, roots, seeds;
    for (std::size_t i = 0; i < in.size(); ++i)
        if (t.wanted()[i]) inputs.push_back(in[i]);
    const variable_list gradients = t.gradients(in, true);
    for (std::size_t i = 0; i < gradients.size(); ++i)
        if (gradients[i].requires_grad()) {
            roots.push_back(gradients[i]);
            seeds.push_back(weights[i]);
        }
    variable_list second(inputs.size());
    if (!roots.empty()) second = autograd::grad(roots, inputs, seeds, true, false, true);
    for (std::size_t i = 0; i < second.size(); ++i)
        second[i] =
            second[i].defined() ? second[i].detach().resolve_conj().contiguous() : zeros_like(inputs[i]).detach();
    return second;
}

double weighted_gradients(const Trial& t, const variable_list& at, const variable_list& weights) {
    const variable_list gradients = t.gradients(leaves(at, t.wanted()), false);
    double sum = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) sum += real_inner(weights[i], gradients[i]);
    return sum;
}

void against_differences(const Trial& t, const variable_list& weights, const variable_list& second, Findings& findings,
                         int& decided) {
    const auto f = [&](const variable_list& x) { return weighted_gradients(t, x, weights); };
    variable_list here;
    for (const Tensor& g : second) here.push_back(g.cpu());
    t.along_places(4, f, [&](std::size_t operand, std::int64_t place, const Difference& d) {
        std::int64_t n = 0;
        const double got = reals(here[operand], n)[place];
        ++decided;
        if (!d.agrees_with(got))
            findings.add(t.sample(), "second",
                         str("second derivative by operand ", operand, " at place ", place, " is ", got,
                             ", differences of the gradient say ", d.value, " (+-", d.uncertainty, ")"));
    });
}

void forward_over_reverse(const Trial& t, const variable_list& weights, const variable_list& second,
                          Findings& findings) {
    const variable_list v = t.directions(700);
    double by_reverse = 0, by_forward = 0, size = 1;
    for (std::size_t i = 0; i < v.size(); ++i) {
        by_reverse += real_inner(second[i], v[i]);
        size += std::sqrt(real_inner(second[i], second[i]) * real_inner(v[i], v[i]));
    }
    if (!std::isfinite(by_reverse)) return;
    const variable_list tangents = t.tangents_of_gradients(v);
    for (std::size_t i = 0; i < tangents.size(); ++i) by_forward += real_inner(weights[i], tangents[i]);
    if (!(std::abs(by_forward - by_reverse) <= 1e-8 * size))
        findings.add(
            t.sample(), "forward over reverse",
            str("the gradient's tangent along a direction is ", by_forward, ", double backward says ", by_reverse));
}

void check(const Trial& t, Findings& findings, int& decided) {
    const variable_list weights = t.directions(800);
    variable_list second;
    try {
        second = backward_again(t, weights);
    } catch (const NotImplementedError&) {
        return; // refused in words
    } catch (const std::exception& e) {
        findings.add(t.sample(), "second", str("double backward threw: ", e.what()));
        return;
    }
    if (!t.sample().by_convention) against_differences(t, weights, second, findings, decided);
    try {
        forward_over_reverse(t, weights, second, findings);
    } catch (const NotImplementedError&) {
    } catch (const std::exception& e) {
        findings.add(t.sample(), "forward over reverse", str("threw: ", e.what()));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(derivatives)

BOOST_AUTO_TEST_CASE(of_second_order) {
    Findings findings;
    int decided = 0;
    for (const Sample& s : samples())
        for (const Trial& t : trials(s)) check(t, findings, decided);
    findings.judge({"second", "forward over reverse"});
    BOOST_TEST(decided > 3000);
    BOOST_TEST_MESSAGE(decided << " second derivatives compared with differences");
}

BOOST_AUTO_TEST_SUITE_END()
