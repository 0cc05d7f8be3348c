// In-place forms: written over a result or over a view of one, they have the derivatives of the op itself.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "declared_words.hpp"
#include "trial.hpp"

using namespace properties;

namespace {

/// The sample with its in-place form, over a copy of the first operand (`view` false) or over part of one.
Sample in_place(const Sample& s, bool view) {
    Sample form = s;
    form.origin += view ? ", in place on a view" : ", in place";
    form.call = [op = s.op, kwargs = s.kwargs, view](const Args& args) -> Value {
        Args a = args;
        const Tensor whole = view ? stack({args[0].toTensor(), args[0].toTensor()}) : args[0].toTensor().clone();
        const Tensor target = view ? select(whole, 0, 1) : whole;
        a[0] = target;
        const Tensor first = ops::registry().at(op).call_inplace(a, kwargs).toTensor();
        return Value::list({Value(view ? select(whole, 0, 1) : first)});
    };
    form.kwargs = Kwargs();
    return form;
}
/// The same by way of the out-of-place form, rounded to the operand's dtype as a write rounds it.
Sample out_of_place(const Sample& s) {
    Sample form = s;
    form.call = [op = s.op, kwargs = s.kwargs](const Args& args) -> Value {
        const Tensor y = ops::registry().at(op).call(args, kwargs).toTensor();
        return y.to(args[0].toTensor().scalar_type());
    };
    form.kwargs = Kwargs();
    return form;
}

/// Does the in-place form write? A view in place turns the tensor into another view instead.
bool writes(const Sample& s) {
    const BoundCall call = bound_call(s);
    return !call.schema || !declared_views().contains(call.schema->text);
}
bool same_shape(const Sample& s) {
    const NoGradGuard guard;
    const Tensor first = s.args[0].toTensor();
    const variable_list y = s.run();
    return y.size() == 1 && y[0].sizes().equals(first.sizes()) && can_cast(y[0].scalar_type(), first.scalar_type());
}

/// Gradients and a tangent of `form`, as numbers to compare.
std::vector<double> derivatives_of(const Sample& form, const variable_list& operands, const std::vector<bool>& wanted) {
    const Trial t(form, operands, wanted);
    std::vector<double> out;
    for (const Tensor& g : t.gradients(leaves(operands, wanted), false)) {
        const Tensor dense = g.resolve_conj().cpu().contiguous();
        std::int64_t n = 0;
        const double* p = reals(dense, n);
        out.insert(out.end(), p, p + n);
    }
    out.push_back(t.tangent_of_loss(t.directions(600)));
    return out;
}
bool close(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= 1e-9 * std::max(1.0, std::abs(b[i]))) &&
            !(std::isnan(a[i]) && std::isnan(b[i])) && a[i] != b[i])
            return false;
    return a.size() == b.size();
}

void check(const Sample& s, const std::vector<bool>& wanted, Findings& findings, int& compared) {
    const variable_list operands = s.operands();
    std::vector<double> expected;
    try {
        expected = derivatives_of(out_of_place(s), operands, wanted);
    } catch (const std::exception&) {
        return; // what the op itself refuses is another test's matter
    }
    for (const bool view : {false, true}) {
        const Sample form = in_place(s, view);
        try {
            if (!close(derivatives_of(form, operands, wanted), expected))
                findings.add(form, "in place", "its derivatives are not those of the out-of-place form");
            ++compared;
        } catch (const NotImplementedError&) {
        } catch (const std::exception& e) {
            findings.add(form, "in place", str("threw: ", e.what()));
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(derivatives)

BOOST_AUTO_TEST_CASE(of_in_place_forms) {
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        const ops::Op& op = ops::registry().at(s.op);
        if (s.call || s.op.ends_with('_') || !op.has_inplace() || s.args.empty() || !s.args[0].isTensor()) continue;
        std::vector<bool> wanted = differentiable_operands(s);
        if (!writes(s) || !same_shape(s)) continue;
        check(s, wanted, findings, compared);
        wanted[0] = false; // only what is written into the operand is on the tape
        if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) check(s, wanted, findings, compared);
    }
    findings.judge({"in place"});
    BOOST_TEST(compared > 300);
}

BOOST_AUTO_TEST_SUITE_END()
