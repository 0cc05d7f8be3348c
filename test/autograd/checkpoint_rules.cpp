// Both forms of checkpointing, and sequences of stages (rules E-86 to E-91).
#include "tape_helpers.hpp"

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/random.hpp>

using namespace tape_test;
using autograd::backward;
using autograd::checkpoint;
using autograd::checkpoint_sequential;
using autograd::CheckpointEarlyStopGuard;
using autograd::CheckpointError;
using autograd::CheckpointOptions;
using autograd::grad;

namespace {
CheckpointOptions reentrant() {
    CheckpointOptions o;
    o.use_reentrant = true;
    return o;
}
Tensor draw(std::int64_t n) { return rand({n}, std::nullopt, TensorOptions(kDouble)); }
using Stage = std::function<Tensor(const Tensor&)>;
} // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_rules)

BOOST_AUTO_TEST_CASE(E86_every_kind_of_pass) { // E-86
    const Tensor x = leaf({2}), w = leaf({3});
    int runs = 0;
    const auto f = [&](const Tensor& t, const Kwargs& options) {
        ++runs;
        return t * w * t * options.at("scale").toDouble();
    };
    const Kwargs options{{"scale", Value(10.0)}};
    const Tensor y = checkpoint(f, x, options);
    BOOST_TEST(item(grad({y}, {x}, {}, true)[0]) == 120);
    BOOST_TEST(runs == 2);
    backward({y}, {}, true, false, {w});
    BOOST_TEST(item(w.grad()) == 40);
    BOOST_TEST(runs == 3); // once per pass
    const Tensor g = grad({y}, {x}, {}, true, true)[0];
    BOOST_TEST(item(grad({g}, {x})[0]) == 60);
    // Without any argument that requires grad.
    const Tensor z = checkpoint(f, vec({2}), options);
    z.backward();
    BOOST_TEST(item(w.grad()) == 80);
}

BOOST_AUTO_TEST_CASE(E86_grad_mode_and_random_numbers_of_the_second_run) { // E-86
    const Tensor x = leaf({1, 2});
    std::vector<bool> modes;
    std::vector<Tensor> masks;
    const Tensor y = checkpoint(
        [&](const Tensor& t) {
            modes.push_back(GradMode::is_enabled());
            masks.push_back(draw(2));
            return t * masks.back() * t;
        },
        x);
    const auto state = reel::detail::getDefaultCPUGenerator().get_state();
    y.sum().backward(); // grad mode is off around it
    BOOST_TEST(modes == (std::vector<bool>{true, true}), boost::test_tools::per_element());
    BOOST_TEST(list(masks[0]) == list(masks[1]), boost::test_tools::per_element());
    BOOST_TEST(reel::equal(state, reel::detail::getDefaultCPUGenerator().get_state())); // put back
    CheckpointOptions careless;
    careless.preserve_rng_state = false;
    masks.clear();
    checkpoint(
        careless, [&](const Tensor& t) { return masks.push_back(draw(2)), t * masks.back() * t; }, x)
        .sum()
        .backward();
    BOOST_TEST(!reel::equal(masks[0], masks[1]));
}

BOOST_AUTO_TEST_CASE(E87_early_stop_and_the_scope_that_switches_it_off) { // E-87
    const Tensor x = leaf({2});
    int ends = 0;
    const auto f = [&](const Tensor& t) {
        const Tensor r = t * t;
        ++ends;
        return r;
    };
    checkpoint(f, x).backward();
    BOOST_TEST(ends == 1);
    Tensor y;
    {
        const CheckpointEarlyStopGuard off(false); // around the forward
        y = checkpoint(f, x);
    }
    y.backward();
    BOOST_TEST(ends == 3);
    checkpoint(f, x).backward();
    BOOST_TEST(ends == 4);
    const Tensor nothing = checkpoint([&](const Tensor& t) { return ++ends, t + 1.0; }, x);
    nothing.backward();
    BOOST_TEST(ends == 5); // nothing saved, no second run
}

BOOST_AUTO_TEST_CASE(E87_early_stop_counts_what_was_saved) { // E-87: also what nobody wants any more
    const Tensor x = leaf({2});
    int after = 0, ends = 0;
    const auto f = [&](const Tensor& t) {
        const Tensor r = t * t;
        ++after;
        (t * t * t).sum(); // its node is gone at once
        ++ends;
        return r;
    };
    checkpoint(f, x).backward();
    BOOST_TEST(after == 2);
    BOOST_TEST(ends == 1);
}

BOOST_AUTO_TEST_CASE(E72_E86_passes_inside_of_a_checkpointed_function) { // E-72, E-86
    const Tensor x = leaf({2}), w = leaf({3});
    int runs = 0;
    CheckpointOptions to_the_end;
    to_the_end.early_stop = false;
    const auto f = [&](const Tensor& t) {
        ++runs;
        (w * w).sum().backward(); // needs its saved tensors: runs everything again before the forward is at its end
        return t * t;
    };
    const Tensor y = checkpoint(to_the_end, f, x);
    BOOST_TEST(runs == 2);
    y.backward();
    BOOST_TEST(runs == 3);
    REEL_TEST_VALUES(x.grad(), 4);
    // A pass inside of a hook has the function run for itself, and the outer one is not asked to do so again.
    runs = 0;
    const auto twice = [&](const Tensor& t) { return ++runs, exp(exp(t)); };
    const Tensor z = checkpoint(to_the_end, twice, x);
    int nested = 0;
    z.register_hook([&](const Tensor&) {
        if (nested++ == 0) autograd::grad({z}, {x}, {}, true);
    });
    z.backward();
    BOOST_TEST(runs == 3);
}

BOOST_AUTO_TEST_CASE(E88_tensor_hooks_fire_once_per_pass) { // E-88
    for (const bool form : {false, true}) {
        CheckpointOptions o;
        o.use_reentrant = form;
        const Tensor x = leaf({2});
        int fired = 0;
        const Tensor y = checkpoint(
            o,
            [&](const Tensor& t) {
                const Tensor a = t * t;
                if (a.requires_grad()) a.register_hook([&](const Tensor&) { ++fired; });
                return a * a;
            },
            x);
        y.backward();
        BOOST_TEST(fired == 1);
        BOOST_TEST(item(x.grad()) == 32);
    }
}

BOOST_AUTO_TEST_CASE(E89_the_second_run_must_save_the_same) { // E-89
    const Tensor x = leaf({2, 3});
    int runs = 0;
    const auto more = [&](const Tensor& t) { return ++runs == 1 ? t * t : t * t * t; };
    BOOST_CHECK_NO_THROW(checkpoint(more, x).sum().backward()); // unnoticed under early stop
    CheckpointOptions to_the_end;
    to_the_end.early_stop = false;
    runs = 0;
    BOOST_CHECK_EXCEPTION(checkpoint(to_the_end, more, x).sum().backward(), CheckpointError,
                          says("saves more tensors than the 2", "forward saved"));
    runs = 0;
    const Tensor fewer = checkpoint([&](const Tensor& t) { return ++runs == 1 ? t * t * t : t * 1.0; }, x);
    BOOST_CHECK_EXCEPTION(fewer.sum().backward(), CheckpointError, says("saved 0 tensors", "forward saved 4"));
    const auto other = [&](const Tensor& t) { return ++runs == 1 ? exp(t).sum() : exp(t.to(kFloat)).sum(); };
    runs = 0;
    BOOST_CHECK_EXCEPTION(checkpoint(other, x).backward(), CheckpointError, says("float32", "float64", "[2]"));
    CheckpointOptions unchecked;
    unchecked.determinism_check = false;
    runs = 0;
    BOOST_CHECK_NO_THROW(checkpoint(unchecked, other, x).backward());
    runs = 0; // values are not compared
    const Tensor values = checkpoint([&](const Tensor& t) { return exp(t * double(++runs)).sum(); }, x);
    BOOST_CHECK_NO_THROW(values.backward());
    runs = 0;
    const Tensor throws = checkpoint(
        [&](const Tensor& t) {
            if (++runs > 1) throw std::out_of_range("mine");
            return t * t;
        },
        x);
    BOOST_CHECK_THROW(throws.sum().backward(), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(E90_one_node_that_runs_everything_again) { // E-90
    const Tensor x = leaf({2}), w = leaf({3});
    std::vector<bool> modes;
    const auto f = [&](const Tensor& t, double k) {
        modes.push_back(GradMode::is_enabled());
        return t * t * w * k;
    };
    const Tensor y = checkpoint(reentrant(), f, x, 10.0);
    BOOST_TEST(item(y) == 120);
    BOOST_TEST(y.grad_fn()->name() == "CheckpointBackward");
    BOOST_TEST(y.grad_fn()->next_edge(0).function->is_accumulator()); // one node for everything
    (y * 2.0).backward();
    BOOST_TEST(modes == (std::vector<bool>{false, true}), boost::test_tools::per_element());
    BOOST_TEST(item(x.grad()) == 2 * 2 * 2 * 3 * 10);
    BOOST_TEST(item(w.grad()) == 2 * 4 * 10); // what the function captures gets its gradient by the inner backward
}

BOOST_AUTO_TEST_CASE(E90_several_results_and_random_numbers) { // E-90
    const Tensor x = leaf({1, 2});
    std::vector<Tensor> masks;
    const auto [a, b, n] = checkpoint(
        reentrant(),
        [&](const Tensor& t, const variable_list& more) {
            masks.push_back(draw(2));
            return std::tuple(t * masks.back(), t * more[0], 7);
        },
        x, variable_list{vec({5, 5})});
    BOOST_TEST(n == 7);
    (a.sum() + b.sum()).backward();
    BOOST_TEST(list(masks[0]) == list(masks[1]), boost::test_tools::per_element());
    BOOST_TEST(list(x.grad()) == list(masks[0] + 5.0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E90_what_the_reentrant_form_refuses) { // E-90
    const Tensor x = leaf({2}), w = leaf({3});
    const auto square = [](const Tensor& t) { return t * t; };
    {
        Warnings warnings;
        const Tensor y = checkpoint(
            reentrant(), [&](const Tensor& t) { return t * w; }, vec({2}));
        BOOST_TEST(warnings.mention("no argument requires grad"));
        BOOST_TEST(!y.requires_grad());
    }
    BOOST_CHECK_EXCEPTION(
        checkpoint(
            reentrant(), [&](const Tensor& t, const Kwargs&) { return t * w; }, x, Kwargs{{"k", Value(1)}}),
        ValueError, says("keyword arguments", "use_reentrant=false"));
    const Tensor y = checkpoint(reentrant(), square, x);
    BOOST_CHECK_EXCEPTION(grad({y}, {x}, {}, true), Error, says("does not work with grad()"));
    BOOST_CHECK_EXCEPTION(backward({y}, {}, true, false, {x}), Error, says("backward(inputs=...)"));
    BOOST_CHECK_NO_THROW(y.backward());
    const Tensor none = checkpoint(
        reentrant(), [](const Tensor& t) { return t.detach() * 2.0; }, x);
    BOOST_CHECK_EXCEPTION(none.backward(), Error, says("no result of the function requires grad"));
}

BOOST_AUTO_TEST_CASE(E90_an_input_modified_in_place_afterwards) { // E-90: E-39 in both forms
    for (const bool form : {false, true}) {
        CheckpointOptions o;
        o.use_reentrant = form;
        const Tensor x = leaf({2}), a = x * 1.0;
        const Tensor y = checkpoint(
            o, [](const Tensor& t) { return t * t; }, a);
        a.add_(1.0);
        BOOST_CHECK_EXCEPTION(y.backward(), Error,
                              says("modified by an in-place operation", "version 1", "expected version 0"));
    }
}

BOOST_AUTO_TEST_CASE(E91_segments_of_a_sequence) { // E-91
    for (const bool form : {false, true}) {
        CheckpointOptions o;
        o.use_reentrant = form;
        o.early_stop = false;
        std::vector<int> runs(5);
        std::vector<Stage> stages;
        for (int i = 0; i < 5; ++i)
            stages.emplace_back([&runs, i](const Tensor& t) { return ++runs[std::size_t(i)], tanh(t) * (i + 1.0); });
        const Tensor x = leaf({0.5, -0.2}), y = checkpoint_sequential(o, stages, 2, x);
        y.sum().backward();
        BOOST_TEST(runs == (std::vector<int>{2, 2, 1, 1, 1}), boost::test_tools::per_element());
        const Tensor plain = leaf({0.5, -0.2});
        Tensor z = plain;
        for (const Stage& s : stages) z = s(z);
        z.sum().backward();
        BOOST_TEST(list(x.grad()) == list(plain.grad()), boost::test_tools::per_element());
    }
    std::vector<Stage> one{[](const Tensor& t) { return t * t; }};
    const Tensor x = leaf({3});
    checkpoint_sequential(one, 1, x).backward(); // the only segment is the last: not checkpointed
    BOOST_TEST(item(x.grad()) == 6);
    BOOST_CHECK_EXCEPTION(checkpoint_sequential(one, 2, x), ValueError, says("cannot make 2 segments of 1 stages"));
    BOOST_CHECK_THROW(checkpoint_sequential(one, 0, x), ValueError);
}

BOOST_AUTO_TEST_CASE(contexts_around_both_runs) {
    std::vector<std::string> log;
    struct Inside {
        Inside(std::vector<std::string>& l, const char* n) : log(l), name(n) { log.push_back(std::string("+") + n); }
        ~Inside() { log.push_back("-" + name); }
        std::vector<std::string>& log;
        std::string name;
    };
    CheckpointOptions o;
    int asked = 0;
    o.context_fn = [&] {
        ++asked;
        return autograd::CheckpointContexts{[&] { return std::make_shared<Inside>(log, "forward"); },
                                            [&] { return std::make_shared<Inside>(log, "again"); }};
    };
    const auto f = [&](const Tensor& t) { return log.emplace_back("run"), t * t * t; };
    const Tensor x = leaf({2});
    const Tensor y = checkpoint(o, f, x);
    BOOST_TEST(log == (std::vector<std::string>{"+forward", "run", "-forward"}), boost::test_tools::per_element());
    y.backward({}, true);
    BOOST_TEST(item(x.grad()) == 12);
    y.backward();
    BOOST_TEST(log.size() == 9u);
    BOOST_TEST(log[3] == "+again");
    BOOST_TEST(log[5] == "-again");
    BOOST_TEST(asked == 1);
    o.use_reentrant = true;
    BOOST_CHECK_EXCEPTION(checkpoint(o, f, x), ValueError, says("context_fn and debug", "use_reentrant=false"));
}

BOOST_AUTO_TEST_CASE(debug_lists_what_either_run_saved) {
    CheckpointOptions o;
    o.early_stop = false;
    int runs = 0;
    const auto f = [&](const Tensor& t) { return ++runs == 1 ? exp(t) : (t * t).sin(); };
    const Tensor x = leaf({2, 3});
    for (const bool debug : {false, true}) {
        o.debug = debug;
        runs = 0;
        const Tensor y = checkpoint(o, f, x).sum();
        try {
            y.backward();
            BOOST_ERROR("nothing was thrown");
        } catch (const CheckpointError& e) {
            const std::string what = e.what();
            BOOST_TEST((what.find("the forward saved:\n  0: float64 [2] of ExpBackward0") != std::string::npos) ==
                           debug,
                       what);
            BOOST_TEST((what.find("the recomputation saved:\n  0: float64 [2], a leaf") != std::string::npos) == debug,
                       what);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
