// Calls by name take what PyTorch's Python functions take, positions and keywords.
#include <reel/autograd/op.hpp>

#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

Value call(const char* op, Args args, std::initializer_list<std::pair<const char*, Value>> named = {}) {
    Kwargs kwargs;
    for (const auto& [name, value] : named) kwargs.set(Value(name), value);
    return ops::registry().at(op).call(args, kwargs);
}
Tensor tensor_of(const char* op, Args args, std::initializer_list<std::pair<const char*, Value>> named = {}) {
    return call(op, std::move(args), named).toTensor();
}

} // namespace

BOOST_AUTO_TEST_SUITE(calls_by_name)

BOOST_AUTO_TEST_CASE(where_takes_the_condition_first) {
    const Tensor c = tensor({true, false}), x = tensor({1., 2.}), y = tensor({3., 4.});
    BOOST_TEST(tensor_of("where", {c, x, y}).equal(tensor({1., 4.})));
    BOOST_TEST(tensor_of("where", {c, x, 0}).equal(tensor({1., 0.})));
    BOOST_TEST(tensor_of("where", {c, 7., y}).equal(tensor({7., 4.})));
    BOOST_TEST(tensor_of("where", {}, {{"other", y}, {"input", x}, {"condition", c}}).equal(tensor({1., 4.})));
    BOOST_TEST(call("where", {c}).elements().size() == 1);
}

BOOST_AUTO_TEST_CASE(embedding_takes_the_numbers_first_in_nn_functional) {
    const Tensor w = arange(8.).reshape({4, 2}), i = tensor({2, 0});
    const Tensor rows = tensor({{4., 5.}, {0., 1.}});
    BOOST_TEST(tensor_of("nn.functional.embedding", {i, w}).equal(rows));
    BOOST_TEST(tensor_of("nn.functional.embedding", {}, {{"input", i}, {"weight", w}}).equal(rows));
    BOOST_TEST(tensor_of("embedding", {w, i}).equal(rows));
    BOOST_TEST(embedding(w, i).equal(rows));
    BOOST_TEST(
        tensor_of("nn.functional.embedding_bag", {i, w, tensor({0})}, {{"mode", "sum"}}).equal(tensor({{4., 6.}})));
}

BOOST_AUTO_TEST_CASE(embedding_in_the_order_of_libtorch) {
    const Tensor i = tensor({2, 0});
    // Every value of the last three says "none" or "no"; the table stays as it is.
    const Tensor w = arange(8.).reshape({4, 2}).requires_grad_(), y = embedding(w, i, -1, false, false);
    BOOST_TEST(y.detach().equal(tensor({{4., 5.}, {0., 1.}})));
    y.sum().backward();
    BOOST_TEST(w.grad().equal(tensor({{1., 1.}, {0., 0.}, {1., 1.}, {0., 0.}})));
    BOOST_TEST(w.detach().equal(arange(8.).reshape({4, 2})));
}

BOOST_AUTO_TEST_CASE(polygamma_in_both_orders) {
    const Tensor x = tensor({1., 2.5}), y = polygamma(x, 1);
    BOOST_TEST(tensor_of("polygamma", {1, x}).equal(y));
    BOOST_TEST(tensor_of("polygamma", {x, 1}).equal(y));
    BOOST_TEST(tensor_of("special.polygamma", {}, {{"n", 1}, {"input", x}}).equal(y));
    BOOST_TEST(polygamma(1, x).equal(y));
    BOOST_TEST(x.polygamma(1).equal(y));
}

BOOST_AUTO_TEST_CASE(tensordot_over_a_number_or_a_pair_of_lists) {
    const Tensor a = arange(6.).reshape({2, 3}), b = arange(6.).reshape({3, 2});
    BOOST_TEST(tensor_of("tensordot", {a, b, 1}).equal(a.matmul(b)));
    const Value first = Value::list({Value(1)}), second = Value::list({Value(0)});
    BOOST_TEST(
        tensor_of("tensordot", {}, {{"a", a}, {"b", b}, {"dims", Value::list({first, second})}}).equal(a.matmul(b)));
    BOOST_TEST(tensor_of("tensordot", {a, b.t()}, {{"dims", 2}}).item<double>() == (a * b.t()).sum().item<double>());
}

BOOST_AUTO_TEST_CASE(names_of_arguments_that_differ_between_aliases) {
    const Tensor x = arange(6.).reshape({2, 3});
    BOOST_TEST(tensor_of("swapaxes", {x}, {{"axis0", 0}, {"axis1", 1}}).equal(x.t()));
    BOOST_TEST(tensor_of("swapdims", {x}, {{"dim0", 0}, {"dim1", 1}}).equal(x.t()));
    for (const char* name : {"split_size_or_sections", "split_size"})
        BOOST_TEST(call("split", {x}, {{name, 2}, {"dim", 1}}).elements().size() == 2);
    BOOST_TEST(
        call("split", {}, {{"tensor", x}, {"split_size_or_sections", Value::list({Value(1), Value(2)})}, {"dim", 1}})
            .elements()[1]
            .toTensor()
            .equal(x.slice(1, 1, 3)));
    BOOST_CHECK_THROW(tensor_of("swapaxes", {x}, {{"dim0", 0}, {"dim1", 1}}), TypeError);
}

BOOST_AUTO_TEST_CASE(dropout_and_its_kin) {
    const Tensor x = ones({2, 3, 4}), none = Tensor();
    for (const char* op : {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"}) {
        BOOST_TEST(tensor_of(op, {x, 0.5, false}).equal(x));
        BOOST_TEST(tensor_of(op, {x}, {{"p", 0.5}, {"train", false}}).equal(x));
        BOOST_CHECK_THROW(tensor_of(op, {x}), TypeError); // Python's root functions have no defaults
    }
    for (const char* op : {"nn.functional.dropout", "nn.functional.dropout1d", "nn.functional.alpha_dropout",
                           "nn.functional.feature_alpha_dropout"})
        BOOST_TEST(tensor_of(op, {x, 0.5}, {{"training", false}}).equal(x));
    BOOST_TEST(tensor_of("nn.functional.alpha_dropout", {x}).equal(x)); // training=False there, True in dropout
    BOOST_TEST(tensor_of("nn.functional.dropout", {x, 1.}).equal(zeros({2, 3, 4})));
}

BOOST_AUTO_TEST_CASE(dropout_by_channels) {
    manual_seed(3);
    for (const auto& [op, sizes] : {std::pair{"nn.functional.dropout1d", std::vector<std::int64_t>{64, 5}},
                                    std::pair{"nn.functional.dropout3d", std::vector<std::int64_t>{64, 5, 2, 2}}}) {
        const Tensor y = tensor_of(op, {ones(sizes), 0.5}).reshape({64, -1}); // no batch dimension
        BOOST_TEST(y.amin(1).equal(y.amax(1)));
        const double kept = (y.select(1, 0) > 0).sum().item<double>();
        BOOST_TEST((kept > 16 && kept < 48));
    }
    BOOST_CHECK_EXCEPTION(tensor_of("nn.functional.dropout1d", {ones({3})}), Error, [](const Error& e) {
        return e.msg() == "dropout1d: input has shape [3]; expected two or three dimensions, [C, L] or [N, C, L]";
    });
}

BOOST_AUTO_TEST_CASE(inplace_writes_into_the_input) {
    const Tensor x = tensor({-1., 2.});
    const Tensor y = tensor_of("nn.functional.leaky_relu", {x, 0.5}, {{"inplace", true}});
    BOOST_TEST(y.is_same(x));
    BOOST_TEST(x.equal(tensor({-0.5, 2.})));
    const Tensor z = ones({8});
    BOOST_TEST(tensor_of("nn.functional.dropout", {z, 1., true, true}).is_same(z));
    BOOST_TEST(z.equal(zeros({8})));
}

BOOST_AUTO_TEST_CASE(losses_take_the_older_words_for_reduction) {
    tape_test::Warnings warnings;
    const Tensor x = tensor({1., 2.}), y = tensor({0., 0.});
    BOOST_TEST(tensor_of("nn.functional.mse_loss", {x, y}, {{"size_average", false}}).item<double>() == 5);
    BOOST_TEST(tensor_of("nn.functional.mse_loss", {x, y, Value(), false}).equal(tensor({1., 4.})));
    BOOST_TEST(tensor_of("nn.functional.mse_loss", {x, y, Value(), Value(), "sum"}).item<double>() == 5);
    BOOST_TEST(tensor_of("nn.functional.mse_loss", {x, y}).item<double>() == 2.5);
    BOOST_TEST(warnings.mention("size_average and reduce are deprecated; use reduction='sum' instead"));
}

BOOST_AUTO_TEST_CASE(softmax_over_a_dimension_of_its_choice) {
    tape_test::Warnings warnings;
    const Tensor x = arange(6.).reshape({2, 3});
    BOOST_TEST(tensor_of("nn.functional.softmax", {x}).equal(softmax(x, 1)));
    BOOST_TEST(
        tensor_of("nn.functional.log_softmax", {x[0], Value(), 3, kDouble}).equal(log_softmax(x[0], 0, kDouble)));
    BOOST_TEST(warnings.mention("softmax: the choice of a dimension is deprecated; say which with dim"));
    BOOST_TEST(tensor_of("special.softmax", {x, 0, kDouble}).equal(softmax(x, 0, kDouble)));
    BOOST_CHECK_THROW(tensor_of("softmax", {x}), TypeError);
}

BOOST_AUTO_TEST_CASE(words_of_numpy) {
    const Tensor x = arange(6.).reshape({2, 3});
    BOOST_TEST(tensor_of("sum", {x}, {{"axis", 1}, {"keepdims", true}}).equal(x.sum(1, true)));
    BOOST_TEST(tensor_of("add", {}, {{"x1", x}, {"x2", x}}).equal(x + x));
    BOOST_CHECK_THROW(tensor_of("sum", {x}, {{"axis", 1}, {"dim", 1}}), TypeError);
}

BOOST_AUTO_TEST_CASE(options_include_the_memory_format) {
    const Tensor x = ones({1, 2, 3, 3});
    BOOST_TEST(
        tensor_of("empty_like", {x}, {{"memory_format", "channels_last"}}).is_contiguous(MemoryFormat::ChannelsLast));
    BOOST_TEST(tensor_of("to", {x}, {{"memory_format", "channels_last"}}).is_contiguous(MemoryFormat::ChannelsLast));
    Generator g(kCPU);
    g.manual_seed(3);
    const Tensor a = rand_like(x, g);
    g.manual_seed(3);
    BOOST_TEST(rand({1, 2, 3, 3}, g).equal(a));
}

BOOST_AUTO_TEST_CASE(memory_read_as_another_dtype) {
    const Tensor x = tensor({1.f, -2.f}, kFloat);
    BOOST_TEST(x.view(kInt).equal(tensor({std::int64_t(0x3f800000), std::int64_t(std::int32_t(0xc0000000))}, kInt)));
    BOOST_TEST(x.view(kByte).size(0) == 8);
    BOOST_TEST(x.view(kByte).view(kFloat).equal(x));
    BOOST_TEST(tensor_of("view", {x, kDouble}).size(0) == 1);
    x.view(kInt).fill_(0);
    const Tensor leaf = ones({2}).requires_grad_();
    BOOST_TEST(!leaf.view(kInt).requires_grad());
    BOOST_TEST(x.equal(zeros({2})));
    BOOST_TEST(tensor(3.).view({}).dim() == 0); // a shape, not a dtype
    BOOST_CHECK_THROW(ones({3}, kFloat).view(kDouble), Error);
}

BOOST_AUTO_TEST_CASE(tensors_as_plain_values) {
    BOOST_TEST(call("is_nonzero", {tensor({2.})}).toBool());
    BOOST_CHECK_THROW(call("is_nonzero", {ones({2})}), Error);
    const Value list = call("tolist", {tensor({{1, 2}, {3, 4}})});
    BOOST_TEST(list.elements()[1].elements()[0].toInt() == 3);
    BOOST_TEST(call("tolist", {tensor(true)}).toBool());
    BOOST_TEST(call("tolist", {empty({0})}).elements().empty());
}

BOOST_AUTO_TEST_CASE(other_memory_for_a_tensor) {
    const Tensor x = zeros({2}), y = tensor({{1., 2.}, {3., 4.}});
    x.set_(y);
    BOOST_TEST(x.equal(y));
    BOOST_TEST(x.is_alias_of(y));
    x.set_(y, 1, {3});
    BOOST_TEST(x.equal(tensor({2., 3., 4.})));
    BOOST_TEST(x.set_().numel() == 0);
    BOOST_CHECK_THROW(x.set_(tensor({1})), TypeError);
    BOOST_CHECK_THROW(zeros({2}).requires_grad_().set_(y), Error);
}

BOOST_AUTO_TEST_CASE(views_into_memory_of_their_own) {
    const Tensor x = arange(6.).reshape({2, 3}).requires_grad_();
    const auto copies = [&](const Tensor& copy, const Tensor& view) {
        BOOST_TEST(copy.equal(view));
        BOOST_TEST(!copy.is_alias_of(x));
        BOOST_TEST(!copy.is_view());
    };
    copies(select_copy(x, 0, 1), x.select(0, 1));
    copies(slice_copy(x, 1, 1), x.slice(1, 1));
    copies(split_copy(x, 1)[1], x.split(1)[1]);
    copies(detach_copy(x), x.detach());
    select_copy(x, 1, 0).sum().backward();
    BOOST_TEST(x.grad().equal(tensor({{1., 0., 0.}, {1., 0., 0.}})));
    const Tensor z = view_as_complex_copy(ones({1, 2}));
    BOOST_TEST(view_as_real_copy(z).equal(ones({1, 2})));
}

BOOST_AUTO_TEST_SUITE_END()
