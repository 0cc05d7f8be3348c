// stack and cat, the same for all tensors, comparison; gradients through all of them (TD-2).
#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/tensordict.hpp>

#include <message.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;

namespace {

using Sizes = std::vector<std::int64_t>;

TensorDict sample(double value = 1) {
    return TensorDict({{"a", full({2, 3}, value)}, {{"b", "c"}, full({2}, value)}}, {2});
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_stack)

BOOST_AUTO_TEST_CASE(stack_and_cat) {
    const TensorDict x = sample(1), y = sample(2);
    BOOST_TEST(stack({x, y}).batch_size() == (Sizes{2, 2}));
    const TensorDict last = stack({x, y, x}, -1);
    BOOST_TEST(last.batch_size() == (Sizes{2, 3}));
    BOOST_TEST(last["a"].sizes().vec() == (Sizes{2, 3, 3}));
    BOOST_TEST(last.dict("b").batch_size() == (Sizes{2, 3}));
    BOOST_TEST((last.index({0, 1})[{"b", "c"}].item<float>() == 2));
    BOOST_TEST(cat({x, y}).batch_size() == (Sizes{4}));
    BOOST_TEST(cat({x, y})["a"].sum().item<float>() == 18);
    TensorDict reversed({2}); // the order of the first counts
    reversed.set("b", y.dict("b")).set("a", y["a"]);
    BOOST_TEST((stack({x, reversed}).keys() == std::vector<NestedKey>{"a", "b"}));
    BOOST_TEST(stack({x, reversed}).equal(stack({x, y})));
    const TensorDict mixed = stack({x, x.to(kDouble)});
    BOOST_TEST(mixed["a"].scalar_type() == kDouble);
    const TensorDict empty = stack({TensorDict({2}), TensorDict({2})});
    BOOST_TEST(empty.batch_size() == (Sizes{2, 2}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_joined) {
    const TensorDict x = sample();
    BOOST_TEST(message([&] {
                   stack({x, x.exclude({"a"})});
               }) ==
               "stack(TensorDict): 'a' is in dictionary 0 and not in dictionary 1; all must have the same entries: "
               "exclude('a') it, or fill it in");
    BOOST_TEST(
        message([&] {
            cat({x, x, TensorDict(x.clone()).set({"b", "d"}, zeros({2}))});
        }) == "cat(TensorDict): ('b', 'd') is in dictionary 2 and not in dictionary 0; all must have the same entries: "
              "exclude(('b', 'd')) it, or fill it in");
    BOOST_CHECK_THROW(stack({x, x.exclude({"a"})}), KeyError);
    BOOST_TEST(message([&] {
                   stack({x, x[indexing::Slice(0, 1)]});
               }) ==
               "stack(TensorDict): the dictionary itself has batch size [1] in dictionary 1 and [2] in dictionary 0");
    BOOST_TEST(message([&] {
                   stack({x, TensorDict(x.clone()).set("a", zeros({2, 4}))});
               }) ==
               "stack(TensorDict): 'a' has sizes [2, 4] in dictionary 1 and [2, 3] in dictionary 0; pad the entries to "
               "one size, or exclude('a') before");
    BOOST_TEST(
        message([&] {
            cat({x, TensorDict(x.clone()).set("a", zeros({2, 4}))});
        }) ==
        "cat(TensorDict): 'a' has sizes [2, 4] in dictionary 1 and [2, 3] in dictionary 0; pad the entries to one "
        "size, or exclude('a') before");
    BOOST_TEST(message([&] {
                   stack({x, TensorDict(x.clone()).set("b", zeros({2}))});
               }) == "stack(TensorDict): 'b' is a TensorDict in dictionary 0 and a tensor in dictionary 1");
    BOOST_TEST(message([] { stack(std::vector<TensorDict>()); }) ==
               "stack(TensorDict): expected at least one dictionary");
    BOOST_TEST(message([&] { stack({x}, 2); }) ==
               "stack(TensorDict): dimension 2 is out of range for a new one of the batch size [2]");
    BOOST_TEST(message([] { cat({TensorDict()}); }) ==
               "cat(TensorDict): dimension 0 is out of range for the batch size []");
    TensorDict odd = x.clone();
    odd.dict("b").set_batch_size({}); // behind its parent's back
    BOOST_CHECK_THROW(cat({odd, odd}), Error);
    BOOST_TEST(odd[0].dict("b").batch_dims() == 0);
}

BOOST_AUTO_TEST_CASE(gradients_flow) {
    const Tensor a = arange(6, kFloat).reshape({2, 3}).requires_grad_(), c = ones({2}).requires_grad_();
    const TensorDict x({{"a", a}, {{"b", "c"}, c}}, {2});
    const TensorDict joined = cat({x, x, x});
    BOOST_TEST(joined["a"].requires_grad());
    const TensorDict rows = stack({joined, joined}, 1).index({tensor({0, 0, 5}), 1});
    const TensorDict picked = rows.gather(0, tensor({2, 2})).apply([](const Tensor& t) { return t * 3; });
    (picked["a"].sum() + picked[0][{"b", "c"}]).backward();
    // Row 5 is row 1 of `a`, picked twice, and of `c` once.
    BOOST_TEST(a.grad().equal(tensor({0., 0., 0., 6., 6., 6.}, kFloat).reshape({2, 3})));
    BOOST_TEST(c.grad().equal(tensor({0., 3.}, kFloat)));
    BOOST_TEST(!x.detach()["a"].requires_grad());
    BOOST_TEST(x.clone()["a"].requires_grad());
    TensorDict buffer({{"a", zeros({2, 3})}, {{"b", "c"}, zeros({2})}}, {2});
    buffer.index_put_({0}, x[1]); // recorded as a write into any tensor is
    buffer["a"].sum().backward();
    BOOST_TEST(a.grad()[1].equal(full({3}, 7.0)));
}

BOOST_AUTO_TEST_CASE(apply_makes_new_dictionaries) {
    const TensorDict x = sample();
    const TensorDict twice = x.apply([](const Tensor& t) { return t * 2; });
    BOOST_TEST((twice[{"b", "c"}].sum().item<float>() == 4));
    BOOST_TEST(x["a"].sum().item<float>() == 6);
    const TensorDict rows = x.apply([](const Tensor& t) { return t[0]; }, Sizes{});
    BOOST_TEST(rows.batch_dims() == 0);
    BOOST_TEST(rows.dict("b").batch_dims() == 0);
    BOOST_TEST(message([&] { x.apply([](const Tensor& t) { return t[0]; }); }) ==
               "TensorDict::apply: the tensor for 'a' has sizes [3], which do not begin with the batch size [2]");
    TensorDict with_empty = x.clone();
    with_empty.set("z", TensorDict({2}));
    const TensorDict some = with_empty.apply([](const Tensor& t) { return t.dim() == 2 ? t : Tensor(); });
    BOOST_TEST((some.keys() == std::vector<NestedKey>{"a", "z"})); // "b" has lost all it had, "z" never had any
    std::string seen;
    x.named_apply([&](const NestedKey& key, const Tensor& t) {
        seen += key.str();
        return t;
    });
    BOOST_TEST(seen == "'a'('b', 'c')");
}

BOOST_AUTO_TEST_CASE(apply_in_place) {
    TensorDict x = sample();
    const Tensor a = x["a"];
    x.apply_([](Tensor& t) { t.mul_(5); });
    BOOST_TEST(a.sum().item<float>() == 30);
    x.apply_([](Tensor& t) { t = t + 1; }); // another tensor takes the place
    BOOST_TEST(x["a"].sum().item<float>() == 36);
    BOOST_TEST(a.sum().item<float>() == 30);
    BOOST_CHECK_THROW(x.apply_([](Tensor& t) { t = t[0]; }), Error);
    x.zero_();
    BOOST_TEST((x[{"b", "c"}].sum().item<float>() == 0));
}

BOOST_AUTO_TEST_CASE(clone_and_to) {
    const TensorDict x({{"a", ones({2})}, {{"b", "n"}, ones({2}, kLong)}}, {2});
    const TensorDict shallow = x.clone(false), deep = x.clone();
    BOOST_TEST(shallow["a"].is_same(x["a"]));
    BOOST_TEST(!shallow.dict("b").is(x.dict("b")));
    BOOST_TEST(!deep["a"].is_alias_of(x["a"]));
    BOOST_TEST(deep.equal(x));
    const TensorDict wide = x.to(kDouble);
    BOOST_TEST(wide["a"].scalar_type() == kDouble);
    BOOST_TEST((wide[{"b", "n"}].scalar_type() == kLong)); // floating entries alone
    BOOST_TEST(!x.device().has_value());
    TensorDict shapes = x.to(Device(kMeta));
    BOOST_TEST(shapes.device()->is_meta());
    BOOST_TEST(shapes.dict("b").device()->is_meta());
    BOOST_TEST(shapes["a"].is_meta());
    shapes.set("new", ones({2})).set("nested", TensorDict({{"x", ones({2})}}, {2}));
    BOOST_TEST(shapes["new"].is_meta()); // what comes in goes there
    BOOST_TEST((shapes[{"nested", "x"}].is_meta()));
    BOOST_TEST(x.cpu().device()->is_cpu());
}

BOOST_AUTO_TEST_CASE(comparison) {
    const TensorDict x = sample();
    BOOST_TEST(x.equal(sample()));
    BOOST_TEST(!x.equal(sample(2)));
    BOOST_TEST(!x.equal(x.exclude({"a"})));
    BOOST_TEST(!x.equal(x.to(kDouble)));
    TensorDict other = x.clone();
    other.set_batch_size({});
    BOOST_TEST(!x.equal(other));
    TensorDict reversed({2});
    reversed.set("b", x.dict("b")).set("a", x["a"]);
    BOOST_TEST(x.equal(reversed)); // the order of the names does not matter
    TensorDict swapped({2});
    swapped.set("a", x.dict("b")).set("b", x["a"]);
    BOOST_TEST(!x.equal(swapped));
    BOOST_TEST(x.allclose(x.apply([](const Tensor& t) { return t + 1e-7; })));
    BOOST_TEST(!x.allclose(x.apply([](const Tensor& t) { return t + 1e-2; })));
    BOOST_TEST(x.allclose(x.apply([](const Tensor& t) { return t + 1e-2; }), 0, 0.1));
    const TensorDict nan = sample(std::numeric_limits<double>::quiet_NaN());
    BOOST_TEST(!nan.equal(nan));
    BOOST_TEST(nan.equal(nan.clone(), true));
    BOOST_TEST(!nan.equal(x, true));
    BOOST_TEST(nan.allclose(nan, 1e-5, 1e-8, true));
}

BOOST_AUTO_TEST_SUITE_END()
