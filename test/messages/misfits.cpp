// Every op, every argument, each kind of misfit: what is thrown names the op and an argument, in the user's words.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "op_fuzz/messages.hpp"
#include "op_fuzz/samples.hpp"

using namespace reel;
using namespace op_fuzz;

namespace {

struct Misfit {
    std::string name;
    Value value;
};

std::vector<std::int64_t> with(IntArrayRef sizes, std::size_t at, std::int64_t n) {
    std::vector<std::int64_t> r(sizes.begin(), sizes.end());
    r[at] = n;
    return r;
}

/// Values that an argument which was `v` may not be, or not beside the others.
std::vector<Misfit> misfits(const Value& v, Dice& dice) {
    std::vector<Misfit> all{{"None", Value()},
                            {"an undefined tensor", Value(Tensor())},
                            {"a word", Value("not a mode")},
                            {"a long word", Value(std::string(10000, 'x'))},
                            {"a dtype", Value(kHalf)},
                            {"a dict", Value(ValueDict{{"key", Value(1)}})},
                            {"an object", Value::box(std::vector<float>{1})},
                            {"an empty list", Value::list({})},
                            {"a list of words", Value::list(std::vector<Value>(300, Value("x")))},
                            {"a number", Value(2.5)},
                            {"a complex number", Value(std::complex<double>(1, 2))},
                            {"far out of range", Value(1000)},
                            {"negative", Value(-1000)},
                            {"True", Value(true)}};
    if (v.isSequence() && !v.elements().empty()) {
        std::vector<Value> more = v.elements(), odd = v.elements();
        more.push_back(more.back());
        odd.back() = odd.back().isInt() ? Value(1000) : Value("x");
        all.push_back({"one entry more", Value::list(more)});
        all.push_back({"a wrong entry", Value::list(odd)});
    }
    if (!v.isTensor() || !v.toTensor().defined()) return all;
    const Tensor t = v.toTensor().detach();
    for (const ScalarType dtype : {kBool, kLong, kInt, kHalf, kComplexDouble})
        all.push_back({std::string("dtype ") + dtype_name(dtype), Value(t.to(dtype))});
    all.push_back({"0-dim", Value(drawn_tensor({}, t.scalar_type(), dice))});
    all.push_back({"a dimension more", Value(t.unsqueeze(0))});
    for (std::size_t d = 0; d < std::size_t(t.dim()); ++d) {
        all.push_back(
            {"a larger size", Value(drawn_tensor(with(t.sizes(), d, t.sizes()[d] + 1), t.scalar_type(), dice))});
        all.push_back({"no elements", Value(drawn_tensor(with(t.sizes(), d, 0), t.scalar_type(), dice))});
    }
    if (t.dim() > 0 && t.size(0) > 0) all.push_back({"a dimension less", Value(t.select(0, 0))});
    return all;
}

/// What is wrong with the error of the call, if there is one.
template <class F> std::string fault_of(const ops::Op& op, const Call& call, F f) {
    manual_seed(1);
    try {
        f();
    } catch (const Error& e) {
        const std::string fault = message_fault(op, call, e.msg());
        return fault.empty() ? fault : fault + ": " + e.msg().substr(0, 300);
    } catch (const std::exception& e) {
        return std::string("threw what is no reel::Error: ") + e.what();
    }
    return {};
}

/// Every argument of `call` in turn takes each misfit; faults are added to `faults`.
void try_all(const ops::Op& op, const Call& call, Dice& dice, std::vector<std::string>& faults, std::size_t& calls) {
    const std::size_t n = call.args.size() + call.kwargs.size();
    for (std::size_t i = 0; i < n; ++i) {
        const auto slot = [&](Call& c) -> Value& {
            return i < c.args.size() ? c.args[i] : (c.kwargs.begin() + (i - c.args.size()))->second;
        };
        Call original = copied(call);
        for (const Misfit& misfit : misfits(slot(original), dice)) {
            Call c = copied(call);
            slot(c) = misfit.value;
            ++calls;
            std::string fault = fault_of(op, c, [&] { op.call(c.args, c.kwargs); });
            if (fault.empty() && op.has_inplace() && !c.args.empty() && c.args[0].isTensor())
                fault = fault_of(op, c, [&] {
                    if (c.args[0].toTensor().defined()) c.args[0] = Value(c.args[0].toTensor().clone());
                    op.call_inplace(c.args, c.kwargs);
                });
            if (!fault.empty())
                faults.push_back(op.name + ", argument " + std::to_string(i) + ", " + misfit.name + ": " + fault);
        }
    }
    Call more = copied(call), unknown = copied(call), fewer = copied(call);
    more.args.resize(30, Value("x"));
    unknown.kwargs.set(Value("no_such_argument"), Value(1));
    if (!fewer.args.empty()) fewer.args.clear();
    for (const Call& c : {more, unknown, fewer}) {
        const std::string fault = fault_of(op, c, [&] { op.call(c.args, c.kwargs); });
        if (!fault.empty()) faults.push_back(op.name + ": " + fault);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(every_refusal_names_the_op_and_an_argument) {
    const NoGradGuard no_grad;
    Samples samples(reference_folder());
    std::vector<std::string> faults;
    std::size_t calls = 0, ops_tried = 0;
    for (const std::string& name : ops::registry().names()) {
        const ops::Op& op = ops::registry().at(name);
        BOOST_TEST_CHECKPOINT(name);
        Dice dice(7, name, 0);
        std::vector<Call> starts = samples.reference_calls(op, 2);
        if (starts.empty()) starts.push_back(samples.draw(op, dice));
        for (const Call& call : starts) try_all(op, call, dice, faults, calls);
        ++ops_tried;
    }
    BOOST_TEST(ops_tried > 600);
    BOOST_TEST(calls > 10 * ops_tried);
    for (std::size_t i = 0; i < faults.size() && i < 40; ++i) BOOST_TEST_MESSAGE(faults[i]);
    BOOST_TEST(faults.empty(), faults.size() << " messages of " << calls
                                             << " calls, the first: " << (faults.empty() ? std::string() : faults[0]));
}

BOOST_AUTO_TEST_SUITE_END()
