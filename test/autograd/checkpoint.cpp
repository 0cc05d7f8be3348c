// Activation checkpointing (rules E-86 to E-89).
#include <reel/autograd/checkpoint.hpp>

#include <reel/autograd/random.hpp>
#include <reel/autograd/tape_view.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::checkpoint;
using autograd::CheckpointError;
using autograd::CheckpointOptions;

namespace {
Tensor draw(std::int64_t n) { return rand({n}, std::nullopt, TensorOptions(kDouble)); }
bool same(const Tensor& a, const Tensor& b) { return reel::all(a == b).item<bool>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(checkpointing)

BOOST_AUTO_TEST_CASE(E86_the_function_runs_again_once_per_pass) {
    const Tensor x = leaf({0.5});
    int runs = 0;
    const auto f = [&](const Tensor& t) {
        ++runs;
        return tanh(t * t) * t;
    };
    const Tensor y = checkpoint(f, x);
    BOOST_TEST(runs == 1);
    y.backward({}, true);
    BOOST_TEST(runs == 2);
    const double g = item(x.grad());
    y.backward({}, true);
    BOOST_TEST(runs == 3);
    const Tensor plain = leaf({0.5});
    f(plain).backward();
    BOOST_TEST(g == item(plain.grad()));
    BOOST_TEST(item(x.grad()) == 2 * g);
}

BOOST_AUTO_TEST_CASE(E86_saved_tensors_are_not_kept) {
    const Tensor x = ones({1000}, kDouble).requires_grad_();
    const auto f = [](const Tensor& t) { return tanh(tanh(tanh(t))).sum(); };
    const Tensor plain = f(x);
    BOOST_TEST(autograd::TapeView(plain).saved_bytes() >= 3u * 8000);
    const Tensor y = checkpoint(f, x);
    BOOST_TEST(autograd::TapeView(y).saved_bytes() == 0u);
    const auto a = autograd::grad({y}, {x})[0], b = autograd::grad({plain}, {x})[0];
    BOOST_TEST(same(a, b));
}

BOOST_AUTO_TEST_CASE(E86_double_backward) {
    const Tensor x = leaf({3});
    const Tensor y = checkpoint([](const Tensor& t) { return t * t * t; }, x);
    const Tensor g = autograd::grad({y}, {x}, {}, true, true)[0];
    BOOST_TEST(item(g) == 27);
    BOOST_TEST(item(autograd::grad({g}, {x})[0]) == 18);
}

BOOST_AUTO_TEST_CASE(E86_random_numbers_are_drawn_again) {
    const Tensor x = leaf({1, 2, 3, 4});
    manual_seed(7);
    Tensor mask;
    const auto f = [&](const Tensor& t) {
        mask = draw(4);
        return t * mask * t;
    };
    const Tensor y = checkpoint(f, x);
    const Tensor first = mask;
    const Tensor next = draw(2);
    manual_seed(7);
    draw(4);
    BOOST_TEST(same(next, draw(2)));
    const Tensor before = draw(1); // moves the stream on
    y.sum().backward();
    BOOST_TEST(same(mask, first));
    BOOST_TEST(!mask.is_same(first)); // it ran again
    (void)before;
}

BOOST_AUTO_TEST_CASE(E87_early_stop) {
    const Tensor x = leaf({2});
    int ends = 0;
    const auto f = [&](const Tensor& t) {
        const Tensor r = t * t;
        ++ends;
        return r;
    };
    const Tensor y = checkpoint(f, x);
    y.backward();
    BOOST_TEST(ends == 1); // the second run ended at the last saving
    CheckpointOptions to_the_end;
    to_the_end.early_stop = false;
    checkpoint(to_the_end, f, x).backward();
    BOOST_TEST(ends == 3);
    const Tensor nothing = checkpoint([&](const Tensor& t) { return ++ends, t + 1.0; }, x);
    nothing.backward();
    BOOST_TEST(ends == 4); // nothing saved, nothing run again
}

BOOST_AUTO_TEST_CASE(E89_the_second_run_must_do_the_same) {
    const Tensor x = leaf({2, 3});
    int runs = 0;
    const Tensor fewer = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * t * t : t * 1.0; }, x);
    BOOST_CHECK_EXCEPTION(fewer.sum().backward(), CheckpointError, says("saved 0 tensors, but the forward saved"));
    runs = 0;
    const Tensor other = checkpoint(
        [&](const Tensor& t) { return ++runs == 1 ? (t * t).sum() : (t.slice(0, 0, 1) * t.slice(0, 0, 1)).sum(); }, x);
    BOOST_CHECK_EXCEPTION(other.backward(), CheckpointError, says("but the forward saved float64 [2]"));
    runs = 0;
    const Tensor throws = checkpoint(
        [&](const Tensor& t) {
            if (++runs > 1) throw std::runtime_error("mine");
            return t * t;
        },
        x);
    BOOST_CHECK_THROW(throws.sum().backward(), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(nested_checkpoints) {
    const Tensor x = leaf({0.3});
    const auto inner = [](const Tensor& t) { return tanh(t) * t; };
    const Tensor y = checkpoint([&](const Tensor& t) { return checkpoint(inner, t) * t; }, x);
    const Tensor g = autograd::grad({y}, {x})[0];
    const Tensor plain = inner(x) * x;
    BOOST_TEST(item(g) == item(autograd::grad({plain}, {x})[0]));
}

BOOST_AUTO_TEST_CASE(a_function_without_result_is_recomputed_for_what_it_left_outside) {
    const Tensor x = leaf({1, 2});
    int runs = 0;
    Tensor kept;
    checkpoint(
        [&](const Tensor& v) {
            ++runs;
            const Tensor y = (v * v).sum();
            if (!kept.defined()) kept = y;
        },
        x);
    BOOST_TEST(runs == 1);
    kept.backward();
    BOOST_TEST(runs == 2);
    BOOST_TEST(equal(x.grad(), 2 * x.detach()));
    checkpoint(
        CheckpointOptions{.use_reentrant = true}, [&](const Tensor&) { ++runs; }, x);
    BOOST_TEST(runs == 3);
}

BOOST_AUTO_TEST_SUITE_END()
