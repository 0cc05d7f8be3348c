// What `backward` and `grad` accept, and what they answer (rules E-10 to E-19, E-85).
#include <reel/autograd/backward.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::backward;
using autograd::grad;

BOOST_AUTO_TEST_SUITE(backward_and_grad)

BOOST_AUTO_TEST_CASE(E10_the_omitted_seed) { // E-10
    const Tensor x = leaf({3}), m = x.view({1, 1, 1}) * 2.0;
    m.backward(); // one element, any shape: ones of that shape
    REEL_TEST_VALUES(x.grad(), 2);
    const Tensor two = leaf({1, 2});
    BOOST_CHECK_EXCEPTION((two * 2.0).backward(), Error,
                          says("a gradient can be left out only for outputs of one element; output 0 has shape [2]"));
    BOOST_CHECK_EXCEPTION(grad({x * 1.0, two * 1.0}, {x}), Error, says("output 1 has shape [2]"));
    const Tensor z = ones({1}, kComplexDouble).requires_grad_();
    BOOST_CHECK_EXCEPTION((z * 2.0).backward(), Error, says("output 0 is complex", "explicitly"));
}

BOOST_AUTO_TEST_CASE(E11_a_given_seed_has_the_shape_of_its_output) { // E-11
    const Tensor x = leaf({1, 2}), a = x * 2.0, b = x.sum();
    BOOST_CHECK_EXCEPTION(a.backward(ones({1}, kDouble)), Error,
                          says("gradient 0 has shape [1]", "output 0 has shape [2]"));
    BOOST_CHECK_EXCEPTION(a.backward(ones({3, 2}, kDouble)), Error, says("[3, 2]")); // broadcastable is not enough
    // Equal values on both places: the index is still the true one.
    BOOST_CHECK_EXCEPTION(backward({b, a}, {ones({}, kDouble), ones({}, kDouble)}), Error,
                          says("gradient 1 has shape []", "output 1 has shape [2]"));
    BOOST_CHECK_EXCEPTION(a.backward(ones({2}, kComplexDouble)), Error, says("gradient 0 is complex128", "both"));
    const Tensor f = ones({2}, kFloat).requires_grad_();
    (f * 2.0).backward(ones({2}, kLong)); // other dtypes are cast
    (f * 2.0).backward(ones({2}, kDouble));
    BOOST_TEST((f.grad().scalar_type() == kFloat));
    REEL_TEST_VALUES(f.grad(), 4, 4);
}

BOOST_AUTO_TEST_CASE(E12_one_seed_per_output) { // E-12
    const Tensor x = leaf({1}), a = x * 2.0, b = x * 3.0, one = ones({1}, kDouble);
    BOOST_CHECK_EXCEPTION(backward({a, b}, {one}), Error, says("got 1 gradients for 2 outputs"));
    BOOST_CHECK_EXCEPTION(backward({a}, {one, one}), Error, says("got 2 gradients for 1 outputs"));
    BOOST_CHECK_EXCEPTION(grad({a, b}, {x}, {one, one, one}), Error, says("got 3 gradients for 2 outputs"));
    BOOST_CHECK_EXCEPTION(backward({a, ones({1}, kDouble)}), Error, says("output 1 does not require grad"));
    BOOST_TEST(!x.grad().defined());
    backward({a, b}, {Tensor(), one}); // an undefined one counts as left out
    BOOST_TEST(item(x.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(E13_retain_graph_defaults_to_create_graph) { // E-13
    const Tensor x = leaf({2});
    const Tensor kept = x * x;
    grad({kept}, {x}, {}, std::nullopt, true);
    BOOST_CHECK_NO_THROW(grad({kept}, {x}));
    BOOST_CHECK_THROW(grad({kept}, {x}), Error); // that one did not retain
    const Tensor freed = x * x;
    grad({freed}, {x}, {}, false, true);
    BOOST_CHECK_THROW(grad({freed}, {x}), Error);
}

BOOST_AUTO_TEST_CASE(E14_inputs_are_not_empty_and_require_grad) { // E-14
    const Tensor x = leaf({1}), y = x * 2.0, plain = vec({1});
    BOOST_CHECK_EXCEPTION(y.backward({}, std::nullopt, false, TensorList()), Error, says("inputs is empty"));
    BOOST_CHECK_EXCEPTION(grad({y}, variable_list()), Error, says("inputs is empty"));
    BOOST_CHECK_EXCEPTION(grad({y}, {x, plain}), Error, says("input 1 does not require grad"));
    BOOST_CHECK_EXCEPTION(backward({y}, {}, std::nullopt, false, {plain}), Error,
                          says("input 0 does not require grad"));
}

BOOST_AUTO_TEST_CASE(E15_unused_inputs) { // E-15
    const Tensor x = leaf({1}), u = leaf({1, 2});
    const Tensor y = x * x;
    BOOST_CHECK_EXCEPTION(grad({y}, {x, u}, {}, true), Error, says("input 1 was not used", "allow_unused"));
    const auto absent = grad({y}, {x, u}, {}, true, false, true);
    BOOST_TEST(pattern(absent) == "10");
    const auto zero = grad({y}, {x, u}, {}, true, false, std::nullopt, true);
    REEL_TEST_VALUES(zero[1], 0, 0);
    BOOST_TEST(!zero[1].requires_grad());
    BOOST_TEST(grad({y}, {u}, {}, true, true, std::nullopt, true)[0].requires_grad());
    BOOST_CHECK_EXCEPTION(grad({y}, {u}, {}, true, false, false, true), ValueError,
                          says("materialize_grads", "allow_unused=false"));
    // Reached, but only by undefined gradients: unused all the same.
    const Tensor parts = x * 2.0;
    const auto node_output = parts.expand({2}).unbind();
    node_output[0].grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    BOOST_CHECK_EXCEPTION(grad({node_output[0]}, {x}), Error, says("allow_unused"));
}

BOOST_AUTO_TEST_CASE(E16_backward_into_certain_inputs_only) { // E-16
    const Tensor x = leaf({1}), w = leaf({2}), u = leaf({3});
    const Tensor a = x * 2.0, y = a * w;
    backward({y}, {}, true, false, {x});
    BOOST_TEST(item(x.grad()) == 4);
    BOOST_TEST(!w.grad().defined());
    BOOST_CHECK_NO_THROW(backward({y}, {}, true, false, {u})); // unused: nothing happens
    BOOST_TEST(!u.grad().defined());
    backward({y}, {}, true, false, {a});
    BOOST_TEST(item(a.grad()) == 2);
    BOOST_TEST(a.retains_grad()); // for good
    y.backward();
    BOOST_TEST(item(a.grad()) == 4);
}

BOOST_AUTO_TEST_CASE(E17_grad_leaves_every_gradient_alone) { // E-17
    const Tensor x = leaf({3}), w = leaf({2}), a = x * w;
    a.retain_grad();
    bool accumulated = false;
    x.register_post_accumulate_grad_hook([&](const Tensor&) { accumulated = true; });
    autograd::impl::grad_accumulator(x)->register_prehook([&](const variable_list&) {
        accumulated = true;
        return std::nullopt;
    });
    const auto g = grad({a * 1.0}, {x, w});
    BOOST_TEST(item(g[0]) == 2);
    BOOST_TEST(item(g[1]) == 3);
    BOOST_TEST(!x.grad().defined());
    BOOST_TEST(!w.grad().defined());
    BOOST_TEST(!accumulated);
}

BOOST_AUTO_TEST_CASE(E18_create_graph_warns_about_the_cycle) { // E-18
    const WarningUtils::WarnAlways always;
    const Tensor x = leaf({2});
    Warnings warnings;
    (x * x).backward({}, std::nullopt, true);
    BOOST_TEST(warnings.mention("reference cycle"));
    x.mutable_grad() = Tensor();
    warnings.texts.clear();
    grad({x * x}, {x}, {}, std::nullopt, true);
    BOOST_TEST(warnings.texts.empty());
}

BOOST_AUTO_TEST_CASE(E19_the_mode_of_the_caller_does_not_matter) { // E-19
    const Tensor x = leaf({2}), y = x * x * x;
    std::vector<bool> modes;
    y.register_hook([&](const Tensor&) { modes.push_back(GradMode::is_enabled()); });
    {
        NoGradGuard guard;
        const Tensor g = grad({y}, {x}, {}, true, true)[0];
        BOOST_TEST(g.requires_grad());
        BOOST_TEST(!GradMode::is_enabled());
    }
    const Tensor g = grad({y}, {x})[0];
    BOOST_TEST(!g.requires_grad());
    BOOST_TEST(modes == (std::vector<bool>{true, false}), boost::test_tools::per_element());
    BOOST_TEST(GradMode::is_enabled());
}

BOOST_AUTO_TEST_CASE(E85_no_roots_and_empty_roots) { // E-85
    const Tensor x = leaf({1});
    BOOST_CHECK_NO_THROW(backward(variable_list()));
    BOOST_CHECK_EXCEPTION(grad(variable_list(), {x}), Error, says("allow_unused"));
    BOOST_TEST(!grad(variable_list(), {x}, {}, std::nullopt, false, true)[0].defined());
    BOOST_CHECK_EXCEPTION(backward(variable_list(), {}, std::nullopt, false, {vec({1})}), Error,
                          says("does not require grad"));
    const Tensor none = x.slice(0, 0, 0);
    BOOST_CHECK_EXCEPTION(none.backward(), Error, says("has shape [0]"));
    none.backward(empty({0}, kDouble));
    REEL_TEST_VALUES(x.grad(), 0);
}

BOOST_AUTO_TEST_CASE(options_go_by_name_as_by_position) {
    const Tensor x = leaf({1, 2}), w = leaf({3, 4});
    const Tensor y = (x * w).sum();
    y.backward({.retain_graph = true});
    BOOST_TEST(equal(x.grad(), w.detach()));
    y.backward({.gradient = tensor(2.0), .retain_graph = true, .inputs = variable_list{w}});
    BOOST_TEST(equal(x.grad(), w.detach()));
    BOOST_TEST(equal(w.grad(), 3 * x.detach()));
    x.clear_grad();
    BOOST_TEST(!x.grad().defined());
    backward({y}, autograd::BackwardOptions{.retain_graph = true, .inputs = {x}});
    BOOST_TEST(equal(x.grad(), w.detach()));
    BOOST_TEST(equal(w.grad(), 3 * x.detach()));
    const variable_list g = grad({y}, {x}, autograd::GradOptions{.grad_outputs = {tensor(3.0)}, .create_graph = true});
    BOOST_TEST(equal(g[0], 3 * w.detach()));
    BOOST_TEST(g[0].requires_grad());
    BOOST_TEST(!grad({y}, {leaf({1})}, autograd::GradOptions{.retain_graph = true, .allow_unused = true})[0].defined());
    y.backward({}, true); // no gradient, as ever
    y.backward({});
    BOOST_CHECK_THROW(y.backward(), Error);
}

BOOST_AUTO_TEST_SUITE_END()
