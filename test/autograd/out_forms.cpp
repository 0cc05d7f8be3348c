// Results that go into tensors of the caller: `add_out(out, a, b)` and `out=` by name.
#include <reel/autograd/ops_out.hpp>

#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/op.hpp>
#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;
using namespace tape_test;

BOOST_AUTO_TEST_SUITE(out_forms)

BOOST_AUTO_TEST_CASE(results_lie_in_the_output) {
    const Tensor a = tensor({1., 2.}), b = tensor({3., 5.});
    Tensor out = zeros({2});
    const void* const memory = out.data_ptr();
    Tensor& same = add_out(out, a, b, 2);
    BOOST_TEST(&same == &out);
    BOOST_TEST(out.equal(tensor({7., 12.})));
    BOOST_TEST(out.data_ptr() == memory);
    BOOST_TEST(out._version() == 1);
    BOOST_TEST(ops::registry().at("add").call({a, b}, {{"alpha", 2}, {"out", out}}).toTensor().is_same(out));
    BOOST_TEST(mul_out(out, out, out).equal(tensor({49., 144.}))); // an operand may be the output
    Tensor part = zeros({2, 2});
    add_out(part[1], a, b);
    BOOST_TEST(part.equal(tensor({{0., 0.}, {4., 7.}})));
    BOOST_TEST(ops::registry().at("add").call({a, b}, {{"out", Value()}}).toTensor().equal(a + b));
}

BOOST_AUTO_TEST_CASE(ops_that_do_not_promote_want_the_results_own_dtype) {
    const Tensor x = tensor({{1., 4.}, {3., 2.}});
    Tensor wide = zeros({2}, kDouble);
    BOOST_TEST(testing::message([&] { amin_out(wide, x, {0}); }) ==
               "amin: out is float64 and the result float32; expected one dtype");
    BOOST_TEST(testing::message([&] {
                   ops::registry().at("amin").call({x}, {{"dim", 0}, {"out", wide}});
               }).starts_with("amin: out is float64 and the result float32; expected one dtype"));
    BOOST_TEST(wide.equal(zeros({2}, kDouble)));
    Tensor places = zeros({2}, kInt); // what says where is int64 and nothing else
    BOOST_TEST(testing::message([&] { argmax_out(places, x, 1); }) ==
               "argmax: out is int32 and the result int64; expected one dtype");
    Tensor values = zeros({1, 2});
    BOOST_TEST(testing::message([&] { topk_out(values, places, x, 1, 0); }) ==
               "topk: out is int32 and the result int64; expected one dtype");
    add_out(wide, x[0], x[1]); // one that promotes
    BOOST_TEST(wide.equal(tensor({4., 6.}, kDouble)));
}

BOOST_AUTO_TEST_CASE(several_results) {
    const Tensor x = tensor({{1., 4.}, {3., 2.}});
    Tensor values = empty({0}), indices = empty({0}, kLong);
    const auto [v, i] = max_out(values, indices, x, 1, false);
    BOOST_TEST(v.is_same(values));
    BOOST_TEST(values.equal(tensor({4., 3.})));
    BOOST_TEST(indices.equal(tensor({1, 0})));
    const Value by_name = ops::registry().at("max").call({x, 0}, {{"out", Value::list({values, indices})}});
    BOOST_TEST(values.equal(tensor({3., 4.})));
    BOOST_TEST(by_name.elements()[1].toTensor().is_same(indices));
    BOOST_TEST(testing::message([&] {
                   ops::registry().at("max").call({x, 0}, {{"out", values}});
               }) == "max: out holds 1 tensors; expected 2");
}

BOOST_AUTO_TEST_CASE(outputs_are_resized_with_a_warning_unless_empty) {
    const WarningUtils::WarnAlways always;
    Warnings warnings;
    Tensor empty_one = empty({0}), other = empty({3});
    add_out(empty_one, ones({2, 2}), ones({2, 2}));
    BOOST_TEST(warnings.texts.empty());
    add_out(other, ones({2, 2}), ones({2, 2}));
    BOOST_TEST(warnings.mention("add: an output with one or more elements was resized since it had shape [3], which "
                                "does not match the required output shape [2, 2]"));
    BOOST_TEST(other.equal(full({2, 2}, 2.)));
}

BOOST_AUTO_TEST_CASE(dtypes_must_be_castable) {
    Tensor wide = empty({2}, kDouble), whole = tensor({8, 9});
    add_out(wide, ones({2}), ones({2}));
    BOOST_TEST(wide.equal(full({2}, 2., kDouble)));
    BOOST_TEST(testing::message([&] { add_out(whole, ones({2}), ones({2})); }) ==
               "add: the result is float32, which can't be cast to the dtype of out, int64");
    BOOST_TEST(whole.equal(tensor({8, 9})));
    BOOST_CHECK_THROW(add_out(whole, ones({2}), ones({2})), TypeError);
}

BOOST_AUTO_TEST_CASE(nothing_is_written_unless_everything_fits) {
    const Tensor x = tensor({{1., 4.}, {3., 2.}});
    Tensor values = zeros({2}), indices = zeros({2}, kBool);
    BOOST_CHECK_THROW(max_out(values, indices, x, 1), TypeError);
    BOOST_TEST(values.equal(zeros({2})));
}

BOOST_AUTO_TEST_CASE(gradients_do_not_pass) {
    const Tensor x = ones({2}).requires_grad_();
    Tensor out = zeros({2});
    const std::string expected = "add: functions with out=... arguments don't support automatic differentiation, but "
                                 "one of the arguments requires grad; detach() it, use a no-grad block, or leave out "
                                 "away";
    BOOST_TEST(testing::message([&] { add_out(out, x, ones({2})); }) == expected);
    BOOST_TEST(testing::message([&] { add_out(x, out, ones({2})); }) == expected);
    BOOST_TEST(testing::message([&] { ops::registry().at("add").call({x, x}, {{"out", out}}); }) == expected);
    BOOST_TEST(testing::message([&] { stack_out(out, {x, x}); }).find("stack: functions with out=") == 0U);
    BOOST_TEST(out.equal(zeros({2})));
    const NoGradGuard guard;
    BOOST_TEST(add_out(out, x, x).equal(full({2}, 2.)));
}

BOOST_AUTO_TEST_CASE(factories_make_what_the_output_holds) {
    Tensor out = empty({0}, kLong);
    zeros_out(out, {2});
    BOOST_TEST(out.equal(tensor({0, 0})));
    ops::registry().at("ones").call({Value::list({3})}, {{"out", out.resize_({0})}});
    BOOST_TEST(out.equal(tensor({1, 1, 1})));
    Tensor drawn = empty({4}, kDouble);
    manual_seed(5);
    rand_out(drawn, {4});
    manual_seed(5);
    BOOST_TEST(drawn.equal(rand({4}, kDouble)));
}

BOOST_AUTO_TEST_CASE(memory_that_elements_share_is_refused) {
    Tensor out = zeros({1}).expand({3});
    BOOST_TEST(testing::message([&] { add_out(out, ones({3}), ones({3})); }) ==
               "add: out has shape [3] and strides [0], so several elements share memory; clone() it first");
    Tensor none = zeros({1, 1}).expand({0, 3}); // no elements, none that share
    BOOST_TEST(add_out(none, ones({0, 3}), ones({0, 3})).sizes() == IntArrayRef({0, 3}));
}

BOOST_AUTO_TEST_CASE(an_argument_by_position_in_functions_of_python) {
    const Tensor x = tensor({{3., 4.}});
    Tensor out = empty({0});
    // input, p, dim, eps, out
    ops::registry().at("nn.functional.normalize").call({x, 2., 1, 1e-12, out});
    BOOST_TEST(out.allclose(tensor({{0.6, 0.8}})));
    ops::registry().at("norm").call({x}, {{"out", out.resize_({0})}});
    BOOST_TEST(out.item<double>() == 5);
}

BOOST_AUTO_TEST_CASE(lists_of_results) {
    const Tensor x = arange(4.);
    Tensor first = empty({0}), second = empty({0});
    split_copy_out({first, second}, x, 2);
    BOOST_TEST(second.equal(tensor({2., 3.})));
}

BOOST_AUTO_TEST_SUITE_END()
