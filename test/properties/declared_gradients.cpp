// What the blocks of the ops declare about their gradients, against what the ops do.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/random.hpp>

#include "comparison.hpp"
#include "sample.hpp"

using namespace properties;

namespace {

void add_differentiable(const Value& v, variable_list& out) {
    if (v.isTensor()) {
        if (v.toTensor().defined() && isDifferentiableType(v.toTensor().scalar_type())) out.push_back(v.toTensor());
    } else if (v.isSequence()) {
        for (const Value& e : v.elements()) add_differentiable(e, out);
    }
}
bool holds(const variable_list& list, const Tensor& t) {
    return std::any_of(list.begin(), list.end(), [&](const Tensor& e) { return e.is_same(t); });
}

/// One schema with what is given to each argument.
struct Call {
    const ops::Schema* schema = nullptr;
    std::vector<Value> bound;
    std::string origin;
    bool in_place = false; ///< the first argument is written

    /// The same call of fresh leaves; those in `wanted` require grad.
    Call of_leaves(const variable_list& wanted, std::vector<std::pair<Tensor, Tensor>>& made) const;
};

Value with_leaves(const Value& v, const variable_list& wanted, std::vector<std::pair<Tensor, Tensor>>& made) {
    if (v.isTensor() && v.toTensor().defined()) {
        const Tensor t = v.toTensor();
        Tensor leaf = t.detach().clone();
        if (holds(wanted, t)) leaf.requires_grad_();
        made.emplace_back(t, leaf);
        return Value(leaf);
    }
    if (!v.isSequence()) return v;
    std::vector<Value> elements;
    for (const Value& e : v.elements()) elements.push_back(with_leaves(e, wanted, made));
    return v.isTuple() ? Value::tuple(std::move(elements)) : Value::list(std::move(elements));
}
Call Call::of_leaves(const variable_list& wanted, std::vector<std::pair<Tensor, Tensor>>& made) const {
    Call call{schema, {}, origin, in_place};
    for (const Value& v : bound) call.bound.push_back(with_leaves(v, wanted, made));
    // A leaf that requires grad cannot be written.
    if (in_place && call.bound[0].isTensor()) call.bound[0] = Value(call.bound[0].toTensor().clone());
    return call;
}

/// Does a result of the call require grad when the operands in `wanted` do? Nothing where no result could, and where
/// the call writes into one of these operands, which is a result then (the moments of a normalization in training).
std::optional<bool> requires_grad(const Call& call, const variable_list& wanted) {
    std::vector<std::pair<Tensor, Tensor>> made;
    const Call fresh = call.of_leaves(wanted, made);
    manual_seed(0);
    variable_list results;
    add_differentiable(call.schema->call(fresh.bound), results);
    for (const auto& [operand, leaf] : made)
        if (holds(wanted, operand) && leaf._version() > 0) return std::nullopt;
    std::optional<bool> any;
    for (const Tensor& t : results) any = any.value_or(false) || t.requires_grad();
    return any;
}

/// Does the result follow when the operands in `moved` move a little? Nothing flows from an operand without elements,
/// or from one that the other arguments leave out.
bool depends(const Call& call, const variable_list& moved) {
    const auto result = [&](bool move) {
        const NoGradGuard guard;
        std::vector<std::pair<Tensor, Tensor>> made;
        const Call fresh = call.of_leaves({}, made);
        for (const auto& [operand, leaf] : made)
            if (move && holds(moved, operand)) leaf.mul_(1.001).add_(0.001);
        manual_seed(0);
        variable_list results;
        add_differentiable(call.schema->call(fresh.bound), results);
        return results;
    };
    return !difference_between(result(false), result(true)).empty();
}

/// A call of `schema` from the values of another schema's call: by the arguments' names, a number or the first tensor
/// where there is none. Without a schema when that does not go through.
Call derived(const ops::Schema& schema, const Call& from) {
    Kwargs given;
    for (const ops::Argument& a : schema.arguments) {
        const auto& names = from.schema->arguments;
        const auto same =
            std::find_if(names.begin(), names.end(), [&](const ops::Argument& b) { return a.name == b.name; });
        const Value* const value = same == names.end() ? nullptr : &from.bound[std::size_t(same - names.begin())];
        if (a.type.starts_with("Scalar") || a.type.starts_with("float")) {
            if (!a.has_default) given.set(a.name, Value(2.0));
        } else if (value && value->isTensor() == a.type.starts_with("Tensor")) given.set(a.name, *value);
        else if (a.type == "Tensor" && !a.has_default)
            given.set(a.name, from.bound[0].isTensor() ? Value(from.bound[0].toTensor().clone()) : from.bound[0]);
        else if (a.type == "int" && !a.has_default) given.set(a.name, Value(std::int64_t(1)));
    }
    Call call{&schema, {}, "as " + from.origin, from.in_place};
    try {
        manual_seed(0);
        if (!schema.bind({}, given, call.bound, nullptr)) return {};
        std::vector<std::pair<Tensor, Tensor>> made;
        schema.call(call.of_leaves({}, made).bound);
    } catch (const Error&) {
        return {};
    }
    return call;
}
bool shows_a_gradient(const Call& call) {
    variable_list given;
    for (const Value& v : call.bound) add_differentiable(v, given);
    return !given.empty();
}
std::set<std::string> shown(const std::vector<Call>& calls) {
    std::set<std::string> texts;
    for (const Call& c : calls)
        if (shows_a_gradient(c)) texts.insert(c.schema->text);
    return texts;
}

/// The samples that are calls by name, and calls that follow from them for an op's other schemas.
const std::vector<Call>& calls() {
    static const std::vector<Call> list = [] {
        std::vector<Call> made;
        std::map<std::string, std::vector<std::size_t>> by_op;
        for (const Sample& sample : samples()) {
            BoundCall bound = bound_call(sample);
            if (!bound.schema) continue;
            by_op[sample.op].push_back(made.size());
            made.push_back({bound.schema, std::move(bound.arguments), sample.name(), sample.op.ends_with('_')});
        }
        const std::set<std::string> tried = shown(made);
        for (const auto& [op, places] : by_op)
            for (const ops::Schema& s : ops::registry().at(op).schemas)
                for (const std::size_t i : places) {
                    if (tried.contains(s.text) || !shows_a_gradient(made[i])) continue;
                    if (Call call = derived(s, made[i]); call.schema) {
                        made.push_back(std::move(call));
                        break;
                    }
                }
        return made;
    }();
    return list;
}

} // namespace

BOOST_AUTO_TEST_SUITE(declared_gradients)

/// The result requires grad if one of the arguments does that the schema declares differentiable and that it depends
/// on, and not if none does that the schema declares so.
BOOST_AUTO_TEST_CASE(every_sample_has_the_gradients_that_its_schema_declares) {
    std::map<std::string, std::string> found; // by schema and argument
    int decided = 0;
    for (const Call& call : calls())
        for (std::size_t i = 0; i < call.bound.size(); ++i) {
            const ops::Argument& a = call.schema->arguments[i];
            // What is written in place stays on the tape, with zeros for its gradient where the op has none.
            const bool written = i == 0 && call.in_place;
            variable_list given;
            add_differentiable(call.bound[i], given);
            if (given.empty() || !a.type.starts_with("Tensor") || (written && !a.differentiable)) continue;
            const std::string place = call.schema->text + ": " + a.name;
            try {
                const std::optional<bool> has = requires_grad(call, given);
                if (!has) continue;
                ++decided;
                if (*has != a.differentiable && (*has || depends(call, given)))
                    found.emplace(place, str("declared ", a.differentiable ? "differentiable" : "not differentiable",
                                             ", and the result ", *has ? "requires grad" : "does not require grad",
                                             " (", call.origin, ")"));
            } catch (const std::exception& e) {
                if (a.differentiable) found.emplace(place, str(e.what(), " (", call.origin, ")"));
            }
        }
    for (const auto& [place, what] : found) BOOST_ERROR(place << ": " << what);
    BOOST_TEST(decided > 1800);
    BOOST_TEST_MESSAGE(decided << " arguments of samples compared with their schemas");
}

/// A schema that declares a gradient has an argument that it reaches, and one that declares none has none.
BOOST_AUTO_TEST_CASE(a_declared_gradient_has_somewhere_to_go) {
    for (const std::string& name : ops::registry().names())
        for (const ops::Schema& s : ops::registry().at(name).schemas) {
            bool reaches = false;
            for (const ops::Argument& a : s.arguments) reaches |= a.differentiable || a.type == "Value";
            BOOST_TEST((s.gradient == ops::Gradient::None || reaches),
                       s.text << " has a gradient that reaches nothing");
            if (s.gradient == ops::Gradient::None)
                for (const ops::Argument& a : s.arguments) BOOST_TEST(!a.differentiable, s.text << ": " << a.name);
        }
}

/// Every schema that declares a gradient is called with an operand that could have one; a sample that is a call of the
/// C++ function stands for all schemas of its op.
BOOST_AUTO_TEST_CASE(every_declared_gradient_is_tried) {
    std::set<std::string> tried = shown(calls());
    for (const Sample& sample : samples())
        if (sample.call)
            for (const ops::Schema& s : ops::registry().at(sample.op).schemas) tried.insert(s.text);
    for (const std::string& name : ops::registry().names())
        for (const ops::Schema& s : ops::registry().at(name).schemas)
            if (s.gradient != ops::Gradient::None)
                BOOST_TEST(tried.contains(s.text), s.text << " has no sample that shows its gradient");
}

BOOST_AUTO_TEST_SUITE_END()
