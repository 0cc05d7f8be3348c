// Selecting and writing elements: index lists, gather and scatter, embedding.
#include <reel/autograd/indexing.hpp>

#include <limits>

#include "shape_helpers.hpp"

#include <reel/autograd/index.hpp>
#include <reel/autograd/printing.hpp>
#include <reel/autograd/range_factories.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;
using indexing::Ellipsis;
using indexing::None;
using indexing::Slice;

BOOST_AUTO_TEST_SUITE(indexing_)

BOOST_AUTO_TEST_CASE(subscripts_follow_numpy) {
    const Tensor x = arange(24).reshape({2, 3, 4});
    REEL_TEST_LIST(x.index({1, 2}), 20, 21, 22, 23);
    REEL_TEST_LIST(x.index({Ellipsis, -1}), 3, 7, 11, 15, 19, 23);
    REEL_TEST_LIST(x.index({0, Slice(None, None, 2), Slice(1, 3)}), 1, 2, 9, 10);
    REEL_TEST_SIZES(x.index({None, 0, None}), 1, 1, 3, 4);
    BOOST_TEST(x.index({1, Slice(0, 2)}).is_alias_of(x));
    REEL_TEST_LIST(x.index({tensor({1, 0}), tensor({2, 0})}), 20, 21, 22, 23, 0, 1, 2, 3);
    // Index tensors apart from each other move to the front.
    REEL_TEST_SIZES(x.index({tensor({0, 1, 1}), Slice(), tensor({0, 1, 3})}), 3, 3);
    REEL_TEST_LIST(x.index({x > 21}), 22, 23);
    REEL_TEST_LIST(x[1][0], 12, 13, 14, 15);
    BOOST_TEST(message<IndexError>([&] {
                   x.index({0, 3});
               }) == "index: index 3 is out of range for dimension 1 of size 3; tensor sizes [2, 3, 4]");
    BOOST_TEST(!message<ValueError>([&] { x.index({Slice(None, None, -1)}); }).empty());
    BOOST_TEST(!message<IndexError>([&] { x.index({0, 0, 0, 0}); }).empty());
    BOOST_TEST(!message<IndexError>([&] { x.index({tensor({2})}); }).empty());
}

BOOST_AUTO_TEST_CASE(writing_by_subscript) {
    const Tensor x = zeros({2, 3}, kDouble);
    x.index_put_({0, Slice(1)}, tensor({5., 6.}, kDouble));
    x.index_put_({tensor({1, 1}), tensor({0, 0})}, tensor({1., 2.}, kDouble), true);
    REEL_TEST_LIST(x, 0, 5, 6, 3, 0, 0);
    x[0] = tensor({7., 8., 9.}, kDouble);
    REEL_TEST_LIST(x, 7, 8, 9, 3, 0, 0);
    x.index_put_({x > 7}, 0);
    REEL_TEST_LIST(x, 7, 0, 0, 3, 0, 0);
}

BOOST_AUTO_TEST_CASE(gradients_of_index_lists) {
    const Tensor rows = tensor({1, 0, 1}), mask = tensor({true, false, true});
    for (const Tensor& x : {leaf({2, 3}), strided({2, 3}).requires_grad_()}) {
        check_gradients([&](const Tensor& t) { return t.index({rows}) * 2.0; }, {x});
        check_gradients([&](const Tensor& t) { return t.index({Slice(), mask}) * t.index({Slice(), Slice(1)}); }, {x});
    }
    const auto put = [&](const autograd::variable_list& v) {
        const Tensor t = v[0] * 1.0;
        t.index_put_({rows, tensor({0, 1, 2})}, v[1] * v[1]);
        return t;
    };
    check_gradients(put, {leaf({2, 3}), leaf({3})});
}

BOOST_AUTO_TEST_CASE(gather_and_scatter) {
    const Tensor x = tensor({{1., 2., 3.}, {4., 5., 6.}}, kDouble), i = tensor({{2, 0}, {1, 1}});
    REEL_TEST_LIST(x.gather(1, i), 3, 1, 5, 5);
    REEL_TEST_LIST(x.scatter(1, i, tensor({{7., 8.}, {9., 10.}}, kDouble)), 8, 2, 7, 4, 10, 6);
    REEL_TEST_LIST(x.scatter_add(1, i, ones({2, 2}, kDouble)), 2, 2, 4, 4, 7, 6);
    REEL_TEST_LIST(x.index_select(1, tensor({2, 2})), 3, 3, 6, 6);
    REEL_TEST_LIST(x.index_add(1, tensor({0, 0}), ones({2, 2}, kDouble), 2), 5, 2, 3, 8, 5, 6);
    REEL_TEST_LIST(x.take(tensor({0, -1})), 1, 6);
    check_gradients([&](const Tensor& t) { return t.gather(1, i) * 2.0; }, {leaf({2, 3})});
    check_gradients(
        [&](const autograd::variable_list& v) {
            return v[0].scatter(1, tensor({{2, 0}, {1, 0}}), v[1]);
        },
        {leaf({2, 3}), leaf({2, 2})});
    check_gradients([&](const autograd::variable_list& v) { return v[0].scatter_add(1, i, v[1]); },
                    {leaf({2, 3}), leaf({2, 3})});
    check_gradients([&](const autograd::variable_list& v) { return v[0].index_copy(0, tensor({1}), v[1]); },
                    {leaf({2, 3}), leaf({1, 3})});
    BOOST_TEST(message<IndexError>([&] { x.gather(1, tensor({{3}})); }) ==
               "gather: index 3 is out of range for a dimension of size 3");
    BOOST_TEST(message([&] {
                   x.scatter(1, i, ones({2, 2}));
               }) == "scatter: src must have the dtype of input, got Float and Double");
}

// Recorded they go by the ops, else they are added into zeros at once.
BOOST_AUTO_TEST_CASE(gradients_of_picked_elements_recorded_and_not) {
    const auto check = [](const Tensor& x, auto f) {
        const Tensor y = f(x), seed = rand_like(y);
        const Tensor once = autograd::grad({y}, {x}, {seed}, true, false)[0],
                     recorded = autograd::grad({y}, {x}, {seed}, true, true)[0];
        BOOST_TEST(once.sizes() == x.sizes());
        BOOST_TEST(allclose(once, recorded));
    };
    const auto leaf_of = [](IntArrayRef sizes, ScalarType t) { return randn(sizes, t).requires_grad_(); };
    for (const ScalarType t : {kDouble, kBFloat16, kComplexDouble}) {
        const Tensor rows = tensor({2, 0, 2, 2}), picked = randint(0, 5, {3, 4}, kLong);
        for (const std::int64_t d : {0, 1, 2})
            check(leaf_of({3, 4, 5}, t), [&](const Tensor& x) { return x.index_select(d, rows); });
        check(leaf_of({5, 6}, t).t(), [&](const Tensor& x) { return x.index_select(1, rows); });
        check(leaf_of({3, 4}, t), [&](const Tensor& x) { return x.index_select(0, zeros({0}, kLong)); });
        check(leaf_of({}, t), [&](const Tensor& x) { return x.index_select(0, zeros({1}, kLong)); });
        check(leaf_of({5, 6}, t), [&](const Tensor& x) { return x.gather(0, picked); });
        check(leaf_of({4, 6}, t), [&](const Tensor& x) { return x.gather(1, picked); });
        check(leaf_of({}, t), [&](const Tensor& x) { return x.gather(0, zeros({}, kLong)); });
        check(leaf_of({4, 6}, t), [&](const Tensor& x) { return x.gather(1, zeros({0, 2}, kLong)); });
    }
}

BOOST_AUTO_TEST_CASE(masks) {
    const Tensor x = tensor({{1., 2.}, {3., 4.}}, kDouble), m = tensor({{true, false}, {true, true}});
    REEL_TEST_LIST(x.masked_select(m), 1, 3, 4);
    REEL_TEST_LIST(x.masked_scatter(m, tensor({7., 8., 9.}, kDouble)), 7, 2, 8, 9);
    REEL_TEST_LIST(m.nonzero(), 0, 0, 1, 0, 1, 1);
    check_gradients([&](const Tensor& t) { return t.masked_select(m) * 2.0; }, {leaf({2, 2})});
    check_gradients([&](const autograd::variable_list& v) { return v[0].masked_scatter(m, v[1]); },
                    {leaf({2, 2}), leaf({4})});
}

BOOST_AUTO_TEST_CASE(embedding_rows) {
    const Tensor w = leaf({4, 2}), i = tensor({{1, 3}, {1, 2}});
    REEL_TEST_SIZES(embedding(w, i), 2, 2, 2);
    embedding(w, i, 3, true).sum().backward();
    REEL_TEST_LIST(w.grad(), 0, 0, 1, 1, 1, 1, 0, 0); // row 3 is padding, row 1 was used twice
    check_gradients([&](const Tensor& t) { return embedding(t, i) * 2.0; }, {leaf({4, 2})});
    const Tensor table = tensor({{3., 4.}, {0.3, 0.4}}, kDouble);
    functional_embedding(tensor({0, 1}), table, std::nullopt, 1.0);
    BOOST_TEST(list(table)[0] == 0.6, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(list(table)[2] == 0.3);
    BOOST_TEST(message<IndexError>([&] { embedding(w, tensor({4})); }) ==
               "embedding: index 4 is out of range for a dimension of size 4");
    REEL_TEST_LIST(one_hot(tensor({2, 0})), 0, 0, 1, 1, 0, 0);
    BOOST_TEST(message([&] { one_hot(tensor({2}), 2); }) ==
               "one_hot: class number 2 is out of range for num_classes 2");
}

BOOST_AUTO_TEST_CASE(errors_name_the_dimension_of_the_tensor_that_was_indexed) {
    using namespace indexing;
    const Tensor x = zeros({2, 3, 4});
    const auto refused = [&](std::initializer_list<TensorIndex> i) { return message([&] { x.index(i); }); };
    BOOST_TEST(refused({0, 0, 4}) ==
               "index: index 4 is out of range for dimension 2 of size 4; tensor sizes [2, 3, 4]");
    BOOST_TEST(refused({None, Slice(), 1, tensor(-5)}) ==
               "index: index -5 is out of range for dimension 2 of size 4; tensor sizes [2, 3, 4]");
    BOOST_TEST(refused({Ellipsis, 0, 7}) ==
               "index: index 7 is out of range for dimension 2 of size 4; tensor sizes [2, 3, 4]");
    BOOST_TEST(refused({0, zeros({3, 5}, kBool)}) ==
               "index: mask of sizes [3, 5] does not match the tensor's sizes [2, 3, 4] at dimension 2");
    BOOST_TEST(refused({zeros({2, 3}, kBool), 9}) ==
               "index: index 9 is out of range for dimension 2 of size 4; tensor sizes [2, 3, 4]");
    BOOST_TEST(refused({true, 1, 3}) ==
               "index: index 3 is out of range for dimension 1 of size 3; tensor sizes [2, 3, 4]");
}

BOOST_AUTO_TEST_CASE(uint8_masks_select_with_a_warning) {
    struct Log : WarningHandler {
        std::vector<std::string> texts;
        WarningUtils::WarningHandlerGuard guard{this};
        void process(const Warning& w) override { texts.push_back(w.msg()); }
    } log;
    const Tensor x = tensor({1., 2., 3.}), mask = tensor({1, 0, 1}).to(kByte);
    REEL_TEST_LIST(x.index({mask}), 1, 3);
    BOOST_TEST(log.texts.size() == 1u);
    BOOST_TEST(log.texts.at(0) ==
               "index: indexing with dtype torch.uint8 is now deprecated, since such a mask may one day be taken for "
               "positions; use a bool one (mask.to(kBool))");
    x.index({mask.to(kBool)});
    BOOST_TEST(log.texts.size() == 1u);
}

BOOST_AUTO_TEST_CASE(indices_as_functions_and_their_kinds) {
    const Tensor x = arange(6).reshape({2, 3}), rows = tensor({1});
    REEL_TEST_LIST(index(x, {rows}), 3, 4, 5);
    BOOST_TEST(index_put_(x, {rows, 0}, tensor({9})).is_same(x));
    REEL_TEST_LIST(x, 0, 1, 2, 9, 4, 5);
    REEL_TEST_LIST(index_put_(x, {rows, 0}, tensor({1}), /*accumulate=*/true), 0, 1, 2, 10, 4, 5);
    const std::vector<indexing::TensorIndex> all{None, "...", 3, false, Slice(1, 2), rows};
    BOOST_TEST((all[0].is_none() && all[1].is_ellipsis() && all[2].is_integer() && all[3].is_boolean()));
    BOOST_TEST((all[4].is_slice() && all[5].is_tensor() && !all[5].is_none() && !all[3].is_integer()));
    BOOST_TEST(
        (all[2].integer() == 3 && !all[3].boolean() && all[4].slice().stop() == 2 && all[5].tensor().is_same(rows)));
}
BOOST_AUTO_TEST_CASE(ranges_take_options_in_the_steps_place) {
    const Tensor t = arange(1, 4, kDouble);
    BOOST_TEST((t.scalar_type() == kDouble && t.sum().item<double>() == 6));
    BOOST_TEST(arange(0, 4, dtype(kFloat).requires_grad(true)).requires_grad());
    REEL_TEST_LIST(arange(0, 4, 2), 0, 2);
    BOOST_TEST((ones(2, kFloat).to(t.dtype()).scalar_type() == kDouble));
}

BOOST_AUTO_TEST_CASE(the_text_of_indices) {
    using namespace reel::indexing;
    const auto text = [](const auto& object) {
        std::ostringstream os;
        os << object;
        return os.str();
    };
    const std::vector<TensorIndex> all = {None, "...", -2, true, Slice(1, None, 2), Slice(None, 3)};
    BOOST_TEST(text(all) == "(None, ..., -2, True, 1::2, :3:1)");
    set_printing(Printing::libtorch);
    BOOST_TEST(text(all) == "(None, ..., -2, true, 1:9223372036854775807:2, 0:3:1)");
    set_printing(Printing::python);
    BOOST_TEST(text(Slice(1, 2, 3)) == "1:2:3");
    BOOST_TEST(text(TensorIndex(tensor({7}))) == text(tensor({7})));
}
BOOST_AUTO_TEST_CASE(integers_are_printed_to_the_last_digit) {
    std::ostringstream os;
    using Range = std::numeric_limits<std::int64_t>;
    os << tensor({Range::max(), Range::min(), std::int64_t(9007199254740993)});
    BOOST_TEST(os.str() == "tensor([ 9223372036854775807, -9223372036854775808,     9007199254740993])");
}
BOOST_AUTO_TEST_CASE(bounds_of_slices_by_libtorchs_numbers) {
    using namespace reel::indexing;
    const Slice open(1, None), same(1, INDEX_MAX);
    BOOST_TEST((open.stop() == INDEX_MAX));
    BOOST_TEST((same.stop() == std::nullopt));
    BOOST_TEST(!(Slice(1, 4).stop() == INDEX_MAX));
    BOOST_TEST(std::int64_t(INDEX_MAX) == std::numeric_limits<std::int64_t>::max());
    BOOST_TEST(std::int64_t(INDEX_MIN) == std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(arange(5).index({same}).size(0) == 4);
}
BOOST_AUTO_TEST_CASE(a_number_is_put_by_a_list_of_indices) {
    const Tensor x = zeros({2, 2});
    const std::vector<indexing::TensorIndex> at = {0, 1};
    x.index_put_(at, 3);
    REEL_TEST_LIST(x, 0, 3, 0, 0);
}
BOOST_AUTO_TEST_CASE(index_put_writes_into_a_copy_and_is_differentiable) {
    const Tensor x = leaf({2, 3}), v = leaf({2});
    const Tensor y = x.index_put({Slice(), 1}, v);
    BOOST_TEST(!y.is_alias_of(x));
    BOOST_TEST(equal(y.select(1, 1), v));
    BOOST_TEST(equal(y.select(1, 0), x.select(1, 0)));
    (y * y).sum().backward();
    BOOST_TEST(equal(v.grad(), 2 * v.detach()));
    BOOST_TEST((x.grad().select(1, 1) == 0).all().item<bool>());
    BOOST_TEST(equal(x.grad().select(1, 2), 2 * x.detach().select(1, 2)));
    const std::vector<indexing::TensorIndex> twice = {tensor({0, 0})};
    REEL_TEST_LIST(zeros({2}).index_put(twice, ones({2}), /*accumulate=*/true), 2, 0);
}
BOOST_AUTO_TEST_CASE(what_has_no_elements_has_no_address) {
    const Tensor x = arange(5);
    BOOST_TEST(x.slice(0, 2, 2).data_ptr() == nullptr);
    BOOST_TEST(x.slice(0, 2, 2).data_ptr<std::int64_t>() == nullptr);
    BOOST_TEST(x.slice(0, 2, 3).data_ptr() == x.data_ptr<std::int64_t>() + 2);
    BOOST_TEST(empty({0, 3}).data_ptr() == nullptr);
    BOOST_TEST(!message<NotImplementedError>([&] { empty({0}, kMeta).data_ptr(); }).empty());
}
BOOST_AUTO_TEST_CASE(methods_of_libtorch) {
    const Tensor x = numbers({3, 4});
    const Tensor part = x.narrow_copy(1, 1, 2);
    BOOST_TEST(equal(part, x.narrow(1, 1, 2)));
    BOOST_TEST(!part.is_alias_of(x));
    BOOST_TEST(equal(x.as_strided_scatter(ones({2}, kDouble), {2}, {5}).select(1, 0).select(0, 0), ones({}, kDouble)));
    const Tensor like = x.new_empty_strided({2, 3}, {1, 2}, kFloat);
    REEL_TEST_SIZES(like, 2, 3);
    BOOST_TEST(like.stride(1) == 2);
    BOOST_TEST(like.scalar_type() == kFloat);
    BOOST_TEST(x.new_empty_strided({2}, {1}).scalar_type() == kDouble);
    BOOST_TEST(message<Error>([&] { x.new_empty_strided({2}, {1, 1}); }).find("new_empty_strided: size") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
