// `out=` writes what the call returns, into memory of any layout, and returns the tensor that it was given.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>

#include "comparison.hpp"
#include "findings.hpp"

using namespace properties;

namespace {

/// A tensor to write to: without elements, dense, or every second element of a larger one.
Tensor target(const Tensor& like, int kind) {
    if (kind == 0) return empty({0}, like.options());
    if (kind == 1 || like.dim() == 0) return zeros(like.sizes(), like.options());
    std::vector<std::int64_t> sizes = like.sizes().vec();
    sizes.back() *= 2;
    return zeros(sizes, like.options()).slice(-1, 0, {}, 2);
}

void compare(const Sample& s, const variable_list& expected, int kind, Findings& findings) {
    variable_list outs;
    for (const Tensor& t : expected) outs.push_back(target(t.detach().resolve_conj(), kind));
    Kwargs kwargs = s.kwargs;
    kwargs.set("out", outs.size() == 1 ? Value(outs[0]) : Value::tuple({outs.begin(), outs.end()}));
    Sample written = s;
    written.kwargs = kwargs;
    const Outcome got = outcome_of([&] { return written.run(); });
    const auto fault = [&](const std::string& what) { findings.add(s, "out", what); };
    if (got.refused()) return fault("refused: " + got.error);
    if (got.tensors.size() != outs.size()) return fault(str("returned ", got.tensors.size(), " tensors"));
    for (std::size_t i = 0; i < outs.size(); ++i) {
        if (!got.tensors[i].is_same(outs[i])) fault("it returned another tensor than it was given");
        if (const std::string what = difference_between(outs[i], expected[i]); !what.empty())
            fault(str("result ", i, " in tensor of kind ", kind, ": ", what));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(out_forms)

BOOST_AUTO_TEST_CASE(hold_what_the_call_returns) {
    const NoGradGuard guard;
    Findings findings;
    int compared = 0;
    for (const Sample& s : samples()) {
        const auto& schemas = ops::registry().at(s.op).schemas;
        const bool takes = std::any_of(schemas.begin(), schemas.end(), [&](const ops::Schema& schema) {
            std::vector<Value> bound;
            return schema.takes_out && schema.bind(s.args, s.kwargs, bound, nullptr);
        });
        if (s.call || !takes || s.leaves_memory_unwritten() || s.kwargs.contains("out")) continue;
        const variable_list expected = s.run();
        for (const int kind : {0, 1, 2}) compare(s, expected, kind, findings);
        ++compared;
    }
    findings.judge({"out"});
    BOOST_TEST(compared > 500);
    BOOST_TEST_MESSAGE(compared << " calls compared");
}

BOOST_AUTO_TEST_SUITE_END()
