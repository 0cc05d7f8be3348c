// What a backward reads is saved: it has a version, saved-tensor hooks see it, and one pass releases it.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "findings.hpp"

using namespace properties;

namespace {

/// A recorded call: its leaves, and its outputs with a cotangent each.
struct Recorded {
    variable_list operands, inputs, outputs, cotangents;

    Recorded(const Sample& s, const std::vector<bool>& wanted) : operands(leaves(s.operands(), wanted)) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (wanted[i]) inputs.push_back(operands[i]);
        for (const Tensor& y : s.run_on(operands)) {
            if (!y.requires_grad()) continue;
            outputs.push_back(y);
            cotangents.push_back(noise_like(y, 100 + outputs.size()).to(y.scalar_type()));
        }
    }
    bool live() const { return !outputs.empty(); }
    variable_list backward(bool retain_graph) const {
        return autograd::grad(outputs, inputs, cotangents, retain_graph, false, true);
    }
};

/// But for the order of sums: a view whose base was written is made again.
bool same(const variable_list& a, const variable_list& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].defined() != b[i].defined()) return false;
        if (a[i].defined() && !allclose(a[i].detach(), b[i].detach(), 1e-12, 1e-12, true)) return false;
    }
    return true;
}

/// Other values that the op would take as well: indices stay within their range.
void overwrite(const Tensor& t) {
    const NoGradGuard guard;
    if (t.numel() == 0) return;
    if (t.scalar_type() == kBool) t.copy_(logical_not(t));
    else if (isIntegralType(t.scalar_type(), false)) {
        const Tensor turned = flip(t.reshape({-1}), {0}).reshape(t.sizes());
        t.copy_(equal(turned, t) ? zeros_like(t) : turned);
    } else t.copy_(t * 0.5 + 0.25);
}
bool may_be_overwritten(const Tensor& t) {
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (t.stride(d) == 0 && t.size(d) > 1) return false;
    return true;
}

/// Calls `f` with each sample that can be recorded and differentiated.
void each_recorded(const std::function<void(const Sample&, const std::vector<bool>&, const variable_list&)>& f) {
    for (const Sample& s : samples()) {
        const std::vector<bool> wanted = differentiable_operands(s);
        if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) continue;
        variable_list expected;
        try {
            const Recorded r(s, wanted);
            if (!r.live()) continue;
            expected = r.backward(false);
        } catch (const Error&) {
            continue; // has no gradient: another test's matter
        }
        f(s, wanted, expected);
    }
}

/// The version check, or the refusal of one of several views of a base that was written (E-47).
bool refuses_overwritten(const std::string& what) {
    return what.find("modified by an in-place operation") != std::string::npos ||
           what.find("its base or another view of its base was modified in place") != std::string::npos;
}

/// What is wrong when tensor `which` (operands first, then outputs) is overwritten between forward and backward.
std::string overwritten(const Sample& s, const std::vector<bool>& wanted, std::size_t which,
                        const variable_list& expected) {
    const Recorded r(s, wanted);
    const bool operand = which < r.operands.size();
    const Tensor& t = operand ? r.operands[which] : r.outputs.at(which - r.operands.size());
    if (!may_be_overwritten(t)) return {};
    overwrite(t);
    try {
        if (same(r.backward(false), expected)) return {};
    } catch (const Error& e) {
        const std::string what = e.what();
        if (refuses_overwritten(what)) return {};
        return str("backward threw something else: ", what);
    }
    return str(operand ? "operand " : "output ", operand ? which : which - r.operands.size(),
               " was overwritten before the backward, which gave another gradient");
}

} // namespace

BOOST_AUTO_TEST_SUITE(saved_operands)

BOOST_AUTO_TEST_CASE(an_overwritten_operand_changes_no_gradient_silently) { // E-39
    Findings findings;
    int tried = 0;
    each_recorded([&](const Sample& s, const std::vector<bool>& wanted, const variable_list& expected) {
        const std::size_t n = s.operands().size() + Recorded(s, wanted).outputs.size();
        for (std::size_t which = 0; which < n; ++which, ++tried)
            if (const std::string what = overwritten(s, wanted, which, expected); !what.empty())
                findings.add(s, "overwritten", what);
    });
    findings.judge({"overwritten"});
    BOOST_TEST(tried > 2000);
}

BOOST_AUTO_TEST_CASE(hooks_see_everything_that_a_backward_reads) { // E-53
    Findings findings;
    int tried = 0;
    each_recorded([&](const Sample& s, const std::vector<bool>& wanted, const variable_list& expected) {
        ++tried;
        const auto pack = [](const Tensor& t) -> Value { return t.detach().clone(); };
        const auto unpack = [](const Value& v) { return v.toTensor(); };
        std::optional<autograd::SavedTensorsHooksGuard> guard;
        guard.emplace(pack, unpack);
        const Recorded r(s, wanted);
        guard.reset();
        // Only what the hooks kept is as it was.
        for (const variable_list& list : {r.operands, r.outputs})
            for (const Tensor& t : list)
                if (may_be_overwritten(t)) overwrite(t);
        try {
            if (!same(r.backward(false), expected))
                findings.add(s, "hooks", "a backward read something that the saved-tensor hooks were not shown");
        } catch (const std::exception& e) {
            if (!r.outputs[0].is_view()) findings.add(s, "hooks", str("backward threw: ", e.what()));
        }
    });
    findings.judge({"hooks"});
    BOOST_TEST(tried > 800);
}

BOOST_AUTO_TEST_CASE(a_second_pass_is_refused_where_something_was_saved) { // E-35
    Findings findings;
    int refused = 0;
    each_recorded([&](const Sample& s, const std::vector<bool>& wanted, const variable_list& expected) {
        bool read = false; // in the pass, by a node that it went through
        const auto pack = [](const Tensor& t) -> Value { return t; };
        const auto unpack = [&read](const Value& v) {
            read = true;
            return v.toTensor();
        };
        {
            std::optional<autograd::SavedTensorsHooksGuard> guard;
            guard.emplace(pack, unpack);
            const Recorded r(s, wanted);
            guard.reset();
            r.backward(false);
        }
        const Recorded r(s, wanted);
        r.backward(false);
        try {
            const variable_list again = r.backward(false);
            if (read) findings.add(s, "second pass", "it was not refused, though the first read saved tensors");
            else if (!same(again, expected)) findings.add(s, "second pass", "it gave another gradient");
        } catch (const Error& e) {
            const std::string what = e.what();
            if (what.find("a second time") != std::string::npos) ++refused;
            else findings.add(s, "second pass", str("it threw something else: ", what));
        }
    });
    findings.judge({"second pass"});
    BOOST_TEST(refused > 500);
}

BOOST_AUTO_TEST_SUITE_END()
