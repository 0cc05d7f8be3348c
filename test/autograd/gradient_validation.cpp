// What the engine checks of every gradient, and what stands for an absent one (rules E-57 to E-60).
#include "tape_helpers.hpp"

#include <reel/autograd/function.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

using namespace tape_test;
using autograd::GradList;

namespace {

/// A node made by hand that answers with whatever it was given.
struct Answers final : autograd::Node {
    std::vector<Tensor> answers;
    std::string name() const override { return "AnswersBackward0"; }
    GradList apply(GradList&&) override {
        GradList out;
        for (const Tensor& t : answers) out.push_back(t);
        return out;
    }
};
/// A tensor of one element whose gradient function sends `answers` to `inputs`.
Tensor behind(const std::vector<Tensor>& inputs, std::vector<Tensor> answers) {
    intrusive_ptr<Answers> node(new Answers);
    node->answers = std::move(answers);
    for (const Tensor& t : inputs) node->add_next_edge(autograd::gradient_edge(t));
    const Tensor y = zeros({1}, kDouble);
    node->add_input_metadata(y);
    y.impl()->set_history(node, 0);
    return y;
}
struct SeesGradients : autograd::Function<SeesGradients> {
    static inline std::string seen;
    static variable_list forward(autograd::AutogradContext*, const Tensor& x) { return {x * 1.0, x * 2.0}; }
    static variable_list backward(autograd::AutogradContext*, variable_list g) {
        seen = pattern(g);
        return {g[0] + g[1]};
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(gradient_validation)

BOOST_AUTO_TEST_CASE(E57_one_gradient_per_edge) { // E-57
    const Tensor x = leaf({1, 2});
    BOOST_CHECK_EXCEPTION(behind({x}, {}).backward(), Error, says("AnswersBackward0 returned 0 gradients; expected 1"));
    BOOST_CHECK_EXCEPTION(behind({x}, {x, x}).backward(), Error,
                          says("AnswersBackward0 returned 2 gradients; expected 1"));
}

BOOST_AUTO_TEST_CASE(E57_shapes) { // E-57
    const Tensor x = leaf({1, 2});
    behind({x}, {ones({3, 2}, kDouble)}).backward(); // broadcast from the target: summed down
    REEL_TEST_VALUES(x.grad(), 3, 3);
    for (const std::int64_t wrong : {3, 1})
        BOOST_CHECK_EXCEPTION(
            behind({x}, {ones({wrong}, kDouble)}).backward(), Error,
            says("AnswersBackward0: result 0", "shape [" + std::to_string(wrong) + "]", "expected [2]"));
    const Tensor second = leaf({1, 2, 3});
    BOOST_CHECK_EXCEPTION(behind({x, second}, {Tensor(), ones({2}, kDouble)}).backward(), Error,
                          says("result 1", "expected [3]"));
}

BOOST_AUTO_TEST_CASE(E57_dtypes) { // E-57
    const Tensor x = leaf({1, 2});
    behind({x}, {ones({2}, kFloat)}).backward();
    BOOST_TEST((x.grad().scalar_type() == kDouble));
    BOOST_CHECK_EXCEPTION(behind({x}, {ones({2}, kComplexDouble)}).backward(), Error,
                          says("AnswersBackward0", "complex128", "real tensor of float64"));
    const Tensor z = ones({2}, kComplexDouble).requires_grad_();
    behind({z}, {ones({2}, kDouble)}).backward(); // the other way round is fine
    BOOST_TEST((z.grad().scalar_type() == kComplexDouble));
}

BOOST_AUTO_TEST_CASE(E57_devices) { // E-57
    const Tensor x = leaf({1, 2});
    const TensorOptions meta = TensorOptions(kDouble).device(Device(kMeta));
    BOOST_CHECK_EXCEPTION(behind({x}, {empty({2}, meta)}).backward(), Error,
                          says("AnswersBackward0", "on meta", "expected it on cpu"));
}

BOOST_AUTO_TEST_CASE(E57_what_is_undefined_or_wanted_by_nobody_is_not_checked) { // E-57
    const Tensor x = leaf({1, 2}), plain = vec({1, 2, 3});
    BOOST_CHECK_NO_THROW(behind({x, plain}, {Tensor(), ones({7}, kFloat)}).backward());
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(E58_seeds_are_gradients_too) { // E-58
    const Tensor x = ones({2}, kFloat).requires_grad_(), y = x * 2.0;
    ScalarType seen = ScalarType::Undefined;
    y.register_hook([&](const Tensor& g) { seen = g.scalar_type(); });
    y.backward(ones({2}, kDouble));
    BOOST_TEST((seen == kFloat));
    const Tensor z = x * 2.0;
    BOOST_CHECK_EXCEPTION(z.backward(empty({2}, TensorOptions(kFloat).device(Device(kMeta)))), Error,
                          says("gradient 0", "meta", "cpu"));
    BOOST_CHECK_EXCEPTION(z.backward(ones({2}, kComplexFloat)), Error, says("complex64"));
}

BOOST_AUTO_TEST_CASE(E59_nothing_in_nothing_out) { // E-59
    const Tensor x = leaf({1, 2}), a = x * 2.0, b = exp(a);
    std::string from_a = "?";
    b.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    a.grad_fn()->register_posthook([&](const variable_list& g, const variable_list& go) {
        from_a = pattern(g) + pattern(go);
        return std::nullopt;
    });
    b.sum().backward();
    BOOST_TEST(from_a == "000"); // no zeros were made up
    BOOST_TEST(!x.grad().defined());
    // A sum ignores the undefined summand.
    const Tensor y = leaf({3}), p = y * 2.0, q = y * 5.0;
    p.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    (p + q).backward();
    BOOST_TEST(item(y.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(E20_a_node_without_gradient_still_looks_at_what_it_saved) { // E-20, E-53
    // The cut hands nothing on, so exp runs with an undefined gradient.
    int unpacks = 0;
    const Tensor x = leaf({1});
    Tensor y;
    {
        const autograd::SavedTensorsHooksGuard guard([](const Tensor& t) { return Value(t); },
                                                     [&](const Value& v) { return ++unpacks, v.toTensor(); });
        y = x.exp();
    }
    const Tensor z = y * 1.0;
    z.grad_fn()->register_posthook(
        [](const variable_list& in, const variable_list&) { return std::optional(variable_list(in.size())); });
    z.backward();
    BOOST_TEST(unpacks == 1);
    BOOST_TEST(!x.grad().defined());
    BOOST_CHECK_EXCEPTION(z.backward(), Error, says("a second time"));
}

BOOST_AUTO_TEST_CASE(E59_outputs_without_gradient_beside_one_with) { // E-59
    const Tensor x = leaf({1, 2, 3, 4, 5});
    x.unbind()[0].backward();
    REEL_TEST_VALUES(x.grad(), 1, 0, 0, 0, 0);
    const Tensor y = leaf({1, 2, 3, 4});
    y.split(2)[1].sum().backward();
    REEL_TEST_VALUES(y.grad(), 0, 0, 1, 1);
}

BOOST_AUTO_TEST_CASE(E60_custom_functions_get_zeros) { // E-60
    const Tensor x = leaf({1});
    const auto out = SeesGradients::apply(x);
    out[1].backward();
    BOOST_TEST(SeesGradients::seen == "11");
    BOOST_TEST(item(x.grad()) == 1);
    // Also where not a single gradient came.
    const Tensor y = SeesGradients::apply(x)[0], z = y * 2.0;
    SeesGradients::seen.clear();
    z.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    z.backward();
    BOOST_TEST(SeesGradients::seen == "11");
    BOOST_TEST(item(x.grad()) == 1); // zeros were added
}

BOOST_AUTO_TEST_SUITE_END()
