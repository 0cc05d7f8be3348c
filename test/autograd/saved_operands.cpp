// Indices, labels, masks and offsets are saved as every operand that a backward reads: with a version, seen by
// saved-tensor hooks, released after the pass.
#include <reel/autograd/saved_tensor_hooks.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;

namespace {

struct Call {
    const char* name;
    Tensor operand; ///< not differentiable, read by the backward
    std::function<Tensor(const Tensor& x, const Tensor& operand)> run;
};

Tensor longs(std::initializer_list<std::int64_t> values) {
    return tensor(std::vector<std::int64_t>(values), TensorOptions(kLong));
}
Tensor ramp() { return arange(0, 12, 1, kDouble).div(10).view({4, 3}); }

std::vector<Call> calls() {
    const Tensor lengths = longs({4}), targets = longs({1, 2}), weight = vec({1, 2, 3});
    return {
        {"index", longs({0, 2}), [](const Tensor& x, const Tensor& i) { return index_op(x, {i}); }},
        {"x[i]", longs({0, 2}), [](const Tensor& x, const Tensor& i) { return x[i]; }},
        {"index_put", longs({0, 2}),
         [](const Tensor& x, const Tensor& i) { return index_put(x, {i}, zeros({3}, kDouble)); }},
        {"masked_select", ramp() > 0.5, [](const Tensor& x, const Tensor& m) { return masked_select(x, m); }},
        {"nll_loss", longs({0, 1, 2, 0}), [](const Tensor& x, const Tensor& t) { return nll_loss(x, t); }},
        {"cross_entropy", longs({0, 1, 2, 0}), [](const Tensor& x, const Tensor& t) { return cross_entropy(x, t); }},
        {"cross_entropy, weight", weight,
         [](const Tensor& x, const Tensor& w) {
             return cross_entropy(x, longs({0, 1, 2, 0}), w, -100, "sum");
         }},
        {"ctc_loss", targets,
         [=](const Tensor& x, const Tensor& t) { return ctc_loss(log_softmax(x, 1), t, lengths, longs({2})); }},
        {"embedding_bag", longs({0, 2, 3}),
         [](const Tensor& x, const Tensor& i) {
             return functional_embedding_bag(i, x, longs({0, 2}), std::nullopt, 2., false, "mean");
         }},
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(saved_operands)

BOOST_AUTO_TEST_CASE(overwriting_one_is_refused_by_the_backward) { // E-39
    for (const Call& call : calls()) {
        const Tensor x = ramp().requires_grad_(), y = call.run(x, call.operand).sum();
        call.operand.zero_();
        BOOST_TEST_CONTEXT(call.name)
        BOOST_CHECK_EXCEPTION(y.backward(), Error, says("modified by an in-place operation", "expected version 0"));
    }
}

BOOST_AUTO_TEST_CASE(a_second_pass_is_refused) { // E-35
    for (const Call& call : calls()) {
        const Tensor x = ramp().requires_grad_(), y = call.run(x, call.operand).sum();
        y.backward();
        BOOST_TEST_CONTEXT(call.name)
        BOOST_CHECK_EXCEPTION(y.backward(), Error, says("a second time", "retain_graph=true"));
    }
}

BOOST_AUTO_TEST_CASE(saved_tensor_hooks_see_them) { // E-53
    for (const Call& call : calls()) {
        const Tensor x = ramp().requires_grad_();
        bool seen = false;
        {
            const autograd::SavedTensorsHooksGuard guard(
                [&](const Tensor& t) -> Value {
                    seen |= t.storage() == call.operand.storage();
                    return t;
                },
                [](const Value& v) { return v.toTensor(); });
            call.run(x, call.operand);
        }
        BOOST_TEST(seen, call.name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
