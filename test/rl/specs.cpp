// Specs: draws, membership, projection, shapes, text.
#include <reel/rl/specs.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"
#include <reel/autograd.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
using Sizes = std::vector<std::int64_t>;

namespace {

const float inf = std::numeric_limits<float>::infinity(), nan_ = std::numeric_limits<float>::quiet_NaN();

std::vector<TensorSpec> all_kinds() {
    return {Bounded(-1, 1, {3}),
            Bounded(reel::tensor({0.0f, -inf, -inf, 5.0f}), reel::tensor({inf, 2.0f, inf, 5.0f})),
            Bounded(-3, 4, {2, 2}, kLong),
            Bounded(0, 255, {4}, kByte),
            Bounded(-2, 2, {2}, kHalf),
            Bounded(-2, 2, {2}, kDouble),
            Unbounded({2, 3}),
            Unbounded({2}, kChar),
            Unbounded({2}, kBool),
            OneHot(4),
            OneHot(3, Sizes{5, 3}, kLong),
            MultiOneHot({2, 3}),
            Categorical(4),
            Categorical(5, {2, 2}, kInt),
            MultiCategorical({2, 7}, Sizes{3, 2}),
            Binary(3),
            Binary(std::nullopt, Sizes{2, 4}, kBool)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(specs)

BOOST_AUTO_TEST_CASE(draws_belong_and_repeat) {
    for (const TensorSpec& spec : all_kinds()) {
        BOOST_TEST_CONTEXT(spec.summary()) {
            Generator a{Device(kCPU)}, b{Device(kCPU)};
            a.manual_seed(3);
            b.manual_seed(3);
            const Tensor draw = spec.rand({40}, a);
            Sizes sizes = {40};
            sizes.insert(sizes.end(), spec.shape().begin(), spec.shape().end());
            BOOST_TEST(draw.sizes().vec() == sizes);
            BOOST_CHECK(draw.scalar_type() == spec.dtype());
            BOOST_TEST(spec.is_in(draw));
            BOOST_TEST(reel::equal(draw, spec.rand({40}, b)));
            BOOST_TEST(!reel::equal(draw, spec.rand({40}, b)));
            BOOST_TEST(spec.project(draw).is_same(draw));
            reel::manual_seed(7);
            const Tensor first = spec.rand();
            reel::manual_seed(7);
            BOOST_TEST(reel::equal(first, spec.rand())); // the default generator
            BOOST_TEST(first.sizes().vec() == spec.shape());
            BOOST_TEST(spec.zero({2}).sum().to(kDouble).item<double>() == 0.0);
        }
    }
}

BOOST_AUTO_TEST_CASE(draws_reach_all_of_the_domain) {
    reel::manual_seed(0);
    const Tensor uniform = Bounded(-1, 3, {1}).rand({4000});
    BOOST_TEST(std::abs(uniform.mean().item<double>() - 1.0) < 0.1);
    BOOST_TEST(uniform.max().item<double>() > 2.98);
    BOOST_TEST(uniform.min().item<double>() < -0.98);
    const Tensor above = Bounded(reel::tensor({2.0f}), reel::tensor({inf})).rand({4000});
    BOOST_TEST(above.min().item<double>() >= 2.0);
    BOOST_TEST(std::abs(above.mean().item<double>() - 3.0) < 0.1);
    const Tensor normal = Unbounded({1}).rand({4000});
    BOOST_TEST(std::abs(normal.mean().item<double>()) < 0.1);
    BOOST_TEST(std::abs(normal.std().item<double>() - 1.0) < 0.1);
    const Tensor wide = Bounded(-3e38, 3e38, {1}).rand({4000});
    BOOST_TEST(wide.abs().max().item<double>() <= 3.0001e38);
    BOOST_TEST(std::abs((wide / 3e38).mean().item<double>()) < 0.05);
    const Tensor integers = Bounded(-3, 4, {1}, kLong).rand({4000});
    for (std::int64_t v = -3; v <= 4; ++v)
        BOOST_TEST(std::abs(reel::eq(integers, v).sum().item<double>() - 500.0) < 120.0);
    const Tensor hot = OneHot(4).rand({4000}).to(kDouble).sum(0);
    for (std::int64_t i = 0; i < 4; ++i) BOOST_TEST(std::abs(hot[i].item<double>() - 1000.0) < 150.0);
    const Tensor bits = Binary(2).rand({4000}).to(kDouble).mean(0);
    BOOST_TEST(std::abs(bits[1].item<double>() - 0.5) < 0.05);
}

BOOST_AUTO_TEST_CASE(membership) {
    const Bounded box(-1, 1, {2});
    BOOST_TEST(box.is_in(reel::tensor({-1.0f, 1.0f})));
    BOOST_TEST(!box.is_in(reel::tensor({-1.0f, 1.1f})));
    BOOST_TEST(!box.is_in(reel::tensor({nan_, 0.0f})));
    BOOST_TEST(!box.is_in(reel::zeros({3})));
    BOOST_TEST(!box.is_in(reel::zeros({2}, TensorOptions(kDouble))));
    BOOST_TEST(!box.is_in(Tensor()));
    BOOST_TEST(box.is_in(reel::zeros({2, 5}).transpose(0, 1))); // read through its strides
    const OneHot hot(3, std::nullopt, kLong);
    BOOST_TEST(hot.is_in(reel::tensor({0, 1, 0})));
    BOOST_TEST(!hot.is_in(reel::tensor({0, 0, 0})));
    BOOST_TEST(!hot.is_in(reel::tensor({1, 1, 0})));
    BOOST_TEST(!hot.is_in(reel::tensor({2, 0, 0})));
    BOOST_TEST(!MultiOneHot({1, 2}, std::nullopt, kLong).is_in(reel::tensor({0, 1, 0})));
    BOOST_TEST(!Categorical(3).is_in(reel::tensor(std::int64_t(3))));
    BOOST_TEST(!Categorical(3).is_in(reel::tensor(std::int64_t(-1))));
    BOOST_TEST(!MultiCategorical({2, 3}).is_in(reel::tensor({2, 0})));
    BOOST_TEST(!Binary(2).is_in(reel::tensor({0, 2}).to(kChar)));
}

BOOST_AUTO_TEST_CASE(projection) {
    const auto same = [](const Tensor& a, const Tensor& b) {
        return a.scalar_type() == b.scalar_type() && reel::equal(a, b);
    };
    BOOST_TEST(same(Bounded(-1, 1, {3}).project(reel::tensor({-7.0f, nan_, inf})), reel::tensor({-1.0f, -1.0f, 1.0f})));
    BOOST_TEST(same(Bounded(0, 9, {2}, kLong).project(reel::tensor({1e30f, 2.6f})), reel::tensor({9, 3})));
    BOOST_TEST(same(OneHot(3, std::nullopt, kLong).project(reel::tensor({0.1f, 0.7f, 0.2f})), reel::tensor({0, 1, 0})));
    BOOST_TEST(
        same(MultiOneHot({2, 2}, std::nullopt, kLong).project(reel::tensor({0, 0, 3, 9})), reel::tensor({1, 0, 0, 1})));
    BOOST_TEST(same(Categorical(3, {4}).project(reel::tensor({-2.0f, 1.4f, 8.0f, nan_})), reel::tensor({0, 1, 2, 0})));
    BOOST_TEST(same(MultiCategorical({2, 5}).project(reel::tensor({7, 7})), reel::tensor({1, 4})));
    BOOST_TEST(same(Binary(2).project(reel::tensor({0.4f, 7.0f})), reel::tensor({0, 1}).to(kChar)));
    const Tensor given = reel::tensor({5.0f, 5.0f, 0.0f});
    Bounded(-1, 1, {3}).project(given);
    BOOST_TEST(given[0].item<float>() == 5.0f); // a new tensor
    for (const TensorSpec& spec : all_kinds())
        BOOST_TEST(spec.is_in(spec.project(reel::full(spec.shape(), 77.7, TensorOptions(kDouble)))), spec.summary());
    BOOST_CHECK_THROW(Bounded(-1, 1, {3}).project(reel::zeros({2})), Error);
}

BOOST_AUTO_TEST_CASE(what_check_says) {
    BOOST_TEST(
        message([] {
            OneHot(2, std::nullopt, kLong).check(reel::tensor({1, 1}), "CartPole.step: the action");
        }) ==
        "CartPole.step: the action: tensor([1, 1]) is not in OneHot(n=2, shape=[2], dtype=int64); project() gives "
        "the nearest value that is");
    const std::string text = message([] {
        Bounded(-2, 2, {3, 1}).check(reel::tensor({{1.f}, {3.f}, {0.f}}), "the action");
    });
    BOOST_TEST(text.find("tensor(3.) (value 1 of 3) is not in Bounded(low=-2, high=2, shape=[3, 1], dtype=float32)") !=
                   std::string::npos,
               text);
    BOOST_TEST(message([] { Categorical(2).check(reel::zeros({}), "x"); }).find("expected dtype int64") !=
               std::string::npos);
    Bounded(-2, 2, {1}).check(reel::tensor({2.0f}), "fine");
}

BOOST_AUTO_TEST_CASE(shapes) {
    const Bounded box(reel::tensor({-1.0f, -2.0f}), reel::tensor({1.0f, 2.0f}));
    const TensorSpec wide = box.expand({3, 2});
    BOOST_TEST(wide.shape() == (Sizes{3, 2}));
    BOOST_CHECK(wide[1] == box);
    BOOST_CHECK(wide.index({indexing::Slice(0, 2)}) == box.expand({2, 2}));
    BOOST_TEST(box.unsqueeze(0).shape() == (Sizes{1, 2}));
    BOOST_CHECK(box.unsqueeze(-1).squeeze(-1) == box);
    BOOST_CHECK(box[1] == Bounded(-2, 2, IntArrayRef()));
    const OneHot hot(3);
    BOOST_CHECK(hot.expand({4, 2, 3}).index({0, 1}) == hot);
    BOOST_TEST(hot.unsqueeze(-1).shape() == (Sizes{1, 3})); // before the positions
    BOOST_CHECK_THROW(hot[0], IndexError);
    BOOST_CHECK_THROW(hot.expand({4, 2}), Error);
    BOOST_CHECK_THROW(box.squeeze(3), IndexError);
    BOOST_CHECK(box.to(kDouble).low().scalar_type() == kDouble);
    BOOST_TEST(Unbounded({2}).to(kChar).high()[0].item<int>() == 127);
}

BOOST_AUTO_TEST_CASE(one_hot_and_numbers) {
    const OneHot hot(3, Sizes{2, 3});
    const Tensor rows = reel::tensor({{0, 0, 1}, {1, 0, 0}}).to(kBool);
    BOOST_TEST(reel::equal(hot.to_categorical(rows), reel::tensor({2, 0})));
    BOOST_CHECK(hot.to_categorical_spec() == Categorical(3, {2}));
    BOOST_TEST(reel::equal(Categorical(3, {2}).to_one_hot(reel::tensor({2, 0})), rows));
    BOOST_CHECK(Categorical(3, {2}).to_one_hot_spec() == hot);
    const MultiCategorical several({2, 3});
    const Tensor multi = several.to_one_hot(reel::tensor({1, 0}));
    BOOST_TEST(reel::equal(multi, reel::tensor({0, 1, 1, 0, 0}).to(kBool)));
    BOOST_TEST(reel::equal(MultiOneHot({2, 3}).to_categorical(multi), reel::tensor({1, 0})));
    BOOST_CHECK_THROW(hot.to_categorical(reel::zeros({2, 3}, TensorOptions(kBool))), ValueError);
    BOOST_CHECK_THROW(Bounded(0, 1, {1}).to_one_hot(reel::zeros({1})), ValueError);
}

BOOST_AUTO_TEST_CASE(equality_and_accessors) {
    const std::vector<TensorSpec> kinds = all_kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i)
        for (std::size_t j = 0; j < kinds.size(); ++j) BOOST_CHECK((kinds[i] == all_kinds()[j]) == (i == j));
    BOOST_TEST(OneHot(4).n() == 4);
    BOOST_TEST(Binary(3).n() == 3);
    BOOST_TEST(MultiCategorical({2, 7}).nvec() == (Sizes{2, 7}));
    BOOST_TEST(Bounded(-1, 1, {3}).low()[0].item<float>() == -1.0f);
    BOOST_CHECK_THROW(Bounded(-1, 1, {3}).n(), ValueError);
    BOOST_CHECK_THROW(OneHot(3).low(), ValueError);
    BOOST_CHECK_THROW(TensorSpec().shape(), Error);
    BOOST_TEST(OneHot(3).is_discrete());
    BOOST_TEST(!Bounded(0, 1, {1}).is_discrete());
}

BOOST_AUTO_TEST_CASE(impossible_specs) {
    BOOST_CHECK_THROW(Bounded(1, -1, {2}), ValueError);
    BOOST_CHECK_THROW(Bounded(double(nan_), 1, {2}), ValueError);
    BOOST_CHECK_THROW(Bounded(0.5, 3, {2}, kLong), ValueError);
    BOOST_CHECK_THROW(Bounded(0, 300, {2}, kByte), ValueError);
    BOOST_CHECK_THROW(Bounded(double(-inf), 3, {2}, kLong), ValueError);
    BOOST_CHECK_THROW(Bounded(reel::zeros({3}), reel::ones({3}), Sizes{2}), Error);
    BOOST_CHECK_THROW(OneHot(0), ValueError);
    BOOST_CHECK_THROW(OneHot(3, Sizes{2}), ValueError);
    BOOST_CHECK_THROW(MultiOneHot({}), ValueError);
    BOOST_CHECK_THROW(MultiCategorical({2, 0}), ValueError);
    BOOST_CHECK_THROW(Binary(), ValueError);
    BOOST_TEST(message([] { Categorical(-1); }) == "Categorical: n is -1; expected at least one choice");
    BOOST_CHECK_THROW(Bounded(0, 1, {1}, kComplexFloat), Error);
}

BOOST_AUTO_TEST_CASE(text_as_the_python_package_prints_it) {
    BOOST_TEST(OneHot(2).str() ==
               "OneHot(\n    shape=torch.Size([2]),\n    space=CategoricalBox(n=2),\n    device=cpu,\n"
               "    dtype=torch.bool,\n    domain=discrete)");
    BOOST_TEST(Bounded(-1, 1, {3}).str() ==
               "BoundedContinuous(\n    shape=torch.Size([3]),\n    space=ContinuousBox(\n"
               "        low=Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.float32, contiguous=True),\n"
               "        high=Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.float32, contiguous=True)),\n"
               "    device=cpu,\n    dtype=torch.float32,\n    domain=continuous)");
    BOOST_TEST(MultiCategorical({2, 3}).str().find(
                   "space=BoxList(boxes=[CategoricalBox(n=2), CategoricalBox(n=3)]),") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(composite)

BOOST_AUTO_TEST_CASE(entries) {
    Composite specs({{"a", Unbounded({2, 3})}, {{"n", "b"}, OneHot(4, Sizes{2, 4})}}, {2});
    BOOST_TEST(specs.size() == 2u);
    BOOST_CHECK(specs[(NestedKey{"n", "b"})] == OneHot(4, Sizes{2, 4}));
    BOOST_CHECK(specs.leaf_keys() == (std::vector<NestedKey>{"a", {"n", "b"}}));
    BOOST_CHECK(specs.keys(true) == (std::vector<NestedKey>{"a", {"n", "b"}, "n"}));
    BOOST_TEST(specs.composite("n").shape() == Sizes{2});
    BOOST_TEST(message([&] { specs["aa"]; }).find("Composite: no spec 'aa'; the nearest: 'a'") == 0u);
    BOOST_CHECK_THROW(specs["n"], TypeError);
    BOOST_CHECK_THROW(specs.composite("a"), TypeError);
    BOOST_TEST(message([&] { specs.set("c", Unbounded({3})); }) ==
               "Composite.set: expected the spec of 'c' to have a shape that begins with [2], got [3]; expand it");
    BOOST_CHECK_THROW(specs.set({"a", "x"}, Unbounded({2})), KeyError);
    BOOST_TEST(specs.size() == 2u);
    Composite copy = specs;
    copy.del_({"n", "b"}).set("c", Composite({{"d", Binary(1)}}));
    BOOST_TEST(specs.contains({"n", "b"}));                         // copies are independent
    BOOST_TEST((copy[NestedKey{"c", "d"}].shape() == Sizes{2, 1})); // expanded to the batch
    specs.update(copy);
    BOOST_TEST(specs.contains({"n", "b"}));
    BOOST_TEST(specs.contains({"c", "d"}));
}

BOOST_AUTO_TEST_CASE(draws_membership_projection) {
    const Composite specs({{"a", Bounded(-1, 1, {3})}, {{"n", "b"}, Categorical(4)}});
    const TensorDict draw = specs.rand({5});
    BOOST_TEST(draw.batch_size() == Sizes{5});
    BOOST_TEST((draw[NestedKey{"n", "b"}].sizes().vec() == Sizes{5}));
    BOOST_TEST(specs.is_in(draw));
    TensorDict wrong = specs.zero();
    wrong.set({"n", "b"}, reel::tensor(std::int64_t(9))).set("more", reel::zeros({1}));
    BOOST_TEST(!specs.is_in(wrong));
    const TensorDict projected = specs.project(wrong);
    BOOST_TEST(specs.is_in(projected));
    BOOST_TEST((wrong[NestedKey{"n", "b"}].item<int>() == 9));
    BOOST_TEST(message([&] { specs.check(wrong, "the step"); }).find("the step: entry ('n', 'b'): tensor(9)") == 0u);
    BOOST_CHECK_THROW(specs.check(TensorDict(), "the step"), KeyError);
    BOOST_TEST(!specs.is_in(TensorDict()));
}

BOOST_AUTO_TEST_CASE(shapes_equality_text) {
    const Composite one({{"a", Unbounded({3})}, {"n", Composite({{"b", OneHot(2)}})}});
    const Composite batch = one.expand({4});
    BOOST_TEST(batch.shape() == Sizes{4});
    BOOST_TEST((batch[NestedKey{"n", "b"}].shape() == Sizes{4, 2}));
    BOOST_CHECK(batch[0] == one);
    BOOST_CHECK(!(batch == one));
    BOOST_TEST(one.str() ==
               "Composite(\n    a: UnboundedContinuous(\n        shape=torch.Size([3]),\n        space=ContinuousBox(\n"
               "            low=Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.float32, contiguous=True),\n"
               "            high=Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.float32, contiguous=True)),\n"
               "        device=cpu,\n        dtype=torch.float32,\n        domain=continuous),\n    n: Composite(\n"
               "        b: OneHot(\n            shape=torch.Size([2]),\n            space=CategoricalBox(n=2),\n"
               "            device=cpu,\n            dtype=torch.bool,\n            domain=discrete),\n"
               "        device=None,\n        shape=torch.Size([])),\n    device=None,\n    shape=torch.Size([]))");
}

BOOST_AUTO_TEST_SUITE_END()
