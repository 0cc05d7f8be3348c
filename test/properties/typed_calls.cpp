// A call by name and the C++ calls of the same schema (method, namespace, defaults left out) give the same bits.
#include <map>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/op_calls.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "findings.hpp"
#include "typed_call.hpp"

using namespace properties;

namespace {

/// The schema that the sample's call is bound to.
const ops::Schema* bind(const Sample& s, std::vector<Value>& bound) {
    for (const ops::Schema& schema : ops::registry().at(s.op).schemas)
        if (schema.bind(s.args, s.kwargs, bound, nullptr)) return &schema;
    return nullptr;
}
bool stands_at_defaults(const ops::Schema& schema, const std::vector<Value>& bound, const TypedCall& typed) {
    for (const int i : typed.at_defaults)
        if (!bound.at(std::size_t(i)).isNone() &&
            bound[std::size_t(i)].repr() != schema.arguments[std::size_t(i)].default_value.repr())
            return false;
    return true;
}
std::string difference_between(const Value& a, const Value& b) {
    if (a.isTensor() && b.isTensor()) return properties::difference_between(a.toTensor(), b.toTensor());
    if (!a.isSequence() || !b.isSequence()) return a.repr() == b.repr() ? "" : a.repr() + " beside " + b.repr();
    const std::vector<Value>&p = a.elements(), &q = b.elements();
    if (p.size() != q.size()) return str(p.size(), " results beside ", q.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        if (const std::string what = difference_between(p[i], q[i]); !what.empty()) return what;
    return {};
}

/// Writes down whose calls came.
class Taken : public ops::OpCallMode {
public:
    Value take(const ops::OpCall& call) override {
        schemas.push_back(call.schema.text);
        return call.run();
    }
    std::vector<std::string> schemas;
};
/// Empty when `call` came once, as a call of `schema`.
template <class F> std::string not_taken_once(const std::string& schema, F call) {
    Taken taken;
    manual_seed(0);
    {
        const ops::OpCallScope scope(&taken);
        call();
    }
    if (taken.schemas == std::vector<std::string>{schema}) return {};
    std::string came;
    for (const std::string& text : taken.schemas) came += (came.empty() ? "" : ", ") + text;
    return came.empty() ? "is not taken" : "came as " + came;
}

} // namespace

BOOST_AUTO_TEST_SUITE(calls_in_cpp)

BOOST_AUTO_TEST_CASE(give_what_the_call_by_name_gives) {
    const NoGradGuard guard;
    Findings findings;
    std::multimap<std::string, TypedCall> by_schema;
    for (const TypedCall& typed : typed_calls()) by_schema.emplace(typed.schema, typed);
    int compared = 0;
    for (const Sample& s : samples()) {
        std::vector<Value> bound;
        const ops::Schema* schema = s.call || s.leaves_memory_unwritten() ? nullptr : bind(s, bound);
        if (!schema || s.op.ends_with('_')) continue;
        manual_seed(0);
        const Value expected = ops::registry().at(s.op).call(s.args, s.kwargs);
        const auto [first, last] = by_schema.equal_range(schema->text);
        for (auto it = first; it != last; ++it) {
            if (!stands_at_defaults(*schema, bound, it->second)) continue;
            ++compared;
            manual_seed(0);
            try {
                if (const std::string what = difference_between(it->second.call(bound), expected); !what.empty())
                    findings.add(s, "typed", str(it->second.form, ": ", what));
            } catch (const Error& e) {
                findings.add(s, "typed", str(it->second.form, ": refused: ", e.what()));
            }
        }
    }
    findings.judge({"typed"});
    BOOST_TEST(compared > 1000);
    BOOST_TEST_MESSAGE(compared << " calls compared");
}

BOOST_AUTO_TEST_CASE(arrive_once_where_calls_are_taken) {
    const NoGradGuard guard;
    Findings findings;
    std::multimap<std::string, TypedCall> by_schema;
    for (const TypedCall& typed : typed_calls()) by_schema.emplace(typed.schema, typed);
    int tried = 0;
    for (const Sample& s : samples()) {
        std::vector<Value> bound;
        const ops::Schema* schema = s.call || s.leaves_memory_unwritten() ? nullptr : bind(s, bound);
        if (!schema || s.op.ends_with('_')) continue;
        const auto judge = [&](const std::string& form, const std::string& what) {
            ++tried;
            if (!what.empty()) findings.add(s, "taken", form + ": " + what);
        };
        judge("named", not_taken_once(schema->text, [&] { ops::registry().at(s.op).call(s.args, s.kwargs); }));
        const auto [first, last] = by_schema.equal_range(schema->text);
        for (auto it = first; it != last; ++it)
            if (stands_at_defaults(*schema, bound, it->second))
                judge(it->second.form, not_taken_once(schema->text, [&] { it->second.call(bound); }));
    }
    findings.judge({"taken"});
    BOOST_TEST(tried > 2000);
    BOOST_TEST_MESSAGE(tried << " calls taken");
}

BOOST_AUTO_TEST_SUITE_END()
