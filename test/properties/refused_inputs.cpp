// What an op cannot take it refuses: a value of another kind, sizes that do not fit. The error names the op and an
// argument.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "common/words.hpp"
#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// Does the message begin with the op's name, long or short, and name one of the arguments?
std::string fault_of(const Sample& s, const std::string& text) {
    const std::string last = s.op.substr(s.op.rfind('.') + 1);
    if (!text.starts_with(s.op) && !text.starts_with(last)) return "does not begin with the op's name: " + text;
    for (const ops::Schema& schema : ops::registry().at(s.op).schemas)
        for (const ops::Argument& a : schema.arguments)
            if (replay::has_word(text, a.name)) return {};
    return "names no argument: " + text;
}

/// The schema that the sample's call is bound to; null for calls of their own.
const ops::Schema* schema_of(const Sample& s, std::vector<Value>& bound) {
    if (s.call) return nullptr;
    for (const ops::Schema& schema : ops::registry().at(s.op).schemas)
        if (schema.bind(s.args, s.kwargs, bound, nullptr)) return &schema;
    return nullptr;
}

struct Counts {
    int refused = 0, taken = 0;
};

void must_refuse(const Sample& s, const std::string& how, Findings& findings, Counts& counts) {
    const Outcome got = outcome_of([&] { return s.run(); });
    if (!got.refused()) return ++counts.taken, findings.add(s, "refused input", how + ": it was taken");
    ++counts.refused;
    if (const std::string what = fault_of(s, got.error); !what.empty())
        findings.add(s, "refused input", how + ": the message " + what);
}
void may_refuse(const Sample& s, const std::string& how, Findings& findings, Counts& counts) {
    const Outcome got = outcome_of([&] { return s.run(); });
    ++(got.refused() ? counts.refused : counts.taken);
    if (!got.refused()) return;
    if (const std::string what = fault_of(s, got.error); !what.empty())
        findings.add(s, "misfit", how + ": the message " + what);
}

/// With one more dimension of an odd size in front, or one element more along the last.
Tensor misfit(const Tensor& t, bool longer) {
    if (!longer)
        return t.expand([&] {
            std::vector<std::int64_t> sizes = t.sizes().vec();
            sizes.insert(sizes.begin(), 7);
            return sizes;
        }());
    return t.dim() == 0 || t.numel() == 0 ? Tensor() : cat({t, t.narrow(-1, 0, 1)}, -1);
}

} // namespace

BOOST_AUTO_TEST_SUITE(refused_inputs)

BOOST_AUTO_TEST_CASE(values_of_another_kind) {
    const NoGradGuard guard;
    Findings findings;
    Counts counts;
    for (const Sample& s : samples()) {
        std::vector<Value> bound;
        const ops::Schema* schema = schema_of(s, bound);
        for (std::size_t i = 0; schema && i < s.args.size() && i < schema->arguments.size(); ++i) {
            const ops::Argument& a = schema->arguments[i];
            if (a.kwarg_only || a.type.starts_with("Value")) continue;
            Sample other = s;
            other.args[i] = Value::list({Value("seven"), Value(Device(kCPU))});
            must_refuse(other, "two words for " + a.name, findings, counts);
        }
    }
    findings.judge({"refused input"});
    BOOST_TEST(counts.refused > 2000);
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit) {
    const NoGradGuard guard;
    Findings findings;
    Counts counts;
    for (const Sample& s : samples())
        for (std::size_t i = 0; !s.call && i < s.operands().size(); ++i)
            for (const bool longer : {false, true}) {
                variable_list operands = leaves(s.operands(), std::vector<bool>(s.operands().size()));
                operands[i] = misfit(operands[i], longer);
                if (operands[i].defined())
                    may_refuse(s.with(operands), str("operand ", i, longer ? " longer" : " with a dimension more"),
                               findings, counts);
            }
    findings.judge({"misfit"});
    BOOST_TEST(counts.refused > 400);
    BOOST_TEST(counts.taken > 500);
}

BOOST_AUTO_TEST_SUITE_END()
