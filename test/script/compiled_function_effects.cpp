// Compiled functions that do more than compute: random numbers, running moments, indices that may be wrong; and
// arguments whose histories hang together.
#include <reel/script/compiled_function.hpp>

#include <thread>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "message.hpp"
#include "script/compiled.hpp"

using namespace reel;
using namespace reel::testing;
using jit::compile;

namespace {

/// Calls `f` six times, with gradients; everything that came of it, and where the stream of random numbers ended.
template <class F> std::vector<Tensor> six_calls(const F& f, const std::vector<Tensor>& inputs) {
    manual_seed(7);
    std::vector<Tensor> r;
    for (int i = 0; i < 6; ++i) {
        const Tensor x = (inputs[std::size_t(i) % inputs.size()]).detach().clone().requires_grad_();
        const Tensor y = f(x);
        r.push_back(y.detach());
        if (y.requires_grad()) {
            weighed(y).backward();
            r.push_back(x.grad());
        }
    }
    r.push_back(rand({3}));
    return r;
}
template <class F> void check_draws(const char* what, F f, const Tensor& x) {
    const auto compiled = compile(f);
    const std::vector<Tensor> a = six_calls(compiled, {x, x + 1}), b = six_calls(f, {x, x + 1});
    for (std::size_t i = 0; i < a.size(); ++i) BOOST_TEST(same(a[i], b[i]), what << ", " << i);
    BOOST_TEST(compiled.explain().replays == 4u, what << ": " << compiled.explain());
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_compiled_function_effects)

BOOST_AUTO_TEST_CASE(draws_are_those_of_the_eager_stream) {
    const Tensor x = randn({5, 6});
    check_draws(
        "dropout", [](const Tensor& t) { return dropout(t.exp(), 0.4, true).tanh(); }, x);
    check_draws(
        "twice", [](const Tensor& t) { return dropout(dropout(t, 0.5, true) * t, 0.2, true); }, x);
    check_draws(
        "feature_dropout", [](const Tensor& t) { return feature_dropout(t * 2, 0.5, true); }, x);
    check_draws(
        "alpha_dropout", [](const Tensor& t) { return alpha_dropout(t * 2, 0.3, true); }, x);
    check_draws(
        "rand",
        [](const Tensor& t) {
            return t * rand({6}) + randn({5, 1});
        },
        x);
    check_draws(
        "randperm", [](const Tensor& t) { return t.index_select(1, randperm(6)) * 2; }, x);
    check_draws(
        "bernoulli", [](const Tensor& t) { return t * bernoulli(t.detach().sigmoid()); }, x);
    check_draws(
        "multinomial", [](const Tensor& t) { return t.gather(1, multinomial(softmax(t.detach(), 1), 3)); }, x);
    check_draws(
        "rrelu", [](const Tensor& t) { return rrelu(t, 0.1, 0.4, true); }, x);
    check_draws(
        "normal_", [](const Tensor& t) { return t + zeros({6}).normal_(1, 2); }, x);
    check_draws(
        "randint",
        [](const Tensor& t) {
            return t * randint(0, 9, {5, 6});
        },
        x);
}

BOOST_AUTO_TEST_CASE(calling_again_draws_the_same) {
    const auto f = [](const Tensor& t) {
        const Tensor d = dropout(t * t, 0.5, true);
        return std::make_tuple(d * d, d.exp());
    };
    const auto compiled = compile(f);
    manual_seed(3);
    for (int i = 0; i < 3; ++i) compiled(randn({20}, kDouble).requires_grad_());
    const Tensor x = randn({20}, kDouble).requires_grad_(), z = x.detach().clone().requires_grad_();
    const Tensor state = get_rng_state();
    const auto [a, b] = compiled(x);
    rand({5}); // the stream moves on before the gradients are asked for
    const auto one = autograd::grad({b.sum()}, {x}, {}, true);
    const auto first = autograd::grad({(a * b).sum()}, {x}, {}, true, true);
    const auto second = autograd::grad({(first[0] * first[0]).sum()}, {x});
    const Tensor end = rand({3});
    set_rng_state(state);
    const auto [c, d] = f(z);
    rand({5});
    const auto one_ = autograd::grad({d.sum()}, {z}, {}, true);
    const auto first_ = autograd::grad({(c * d).sum()}, {z}, {}, true, true);
    BOOST_TEST(same(one[0], one_[0]));
    BOOST_TEST(allclose(first[0], first_[0]));
    BOOST_TEST(allclose(second[0], autograd::grad({(first_[0] * first_[0]).sum()}, {z})[0]));
    BOOST_TEST(same(end, rand({3})));
    BOOST_TEST(compiled.explain().replays == 2u);
}

BOOST_AUTO_TEST_CASE(generators_of_their_own_are_left_alone) {
    const Generator own(kCPU);
    BOOST_TEST(refusal([&](const Tensor& t) { return t * zeros({4}).normal_(0, 1, own); }, rand({4})) ==
               "it draws from a generator of its own");
    // the default one, in another's place
    const auto compiled = compile([](const Tensor& t) { return dropout(t, 0.5, true); });
    const Tensor x = ones({40});
    for (int i = 0; i < 3; ++i) compiled(x);
    const Tensor before = get_rng_state();
    Tensor inside;
    {
        const GeneratorScope scope(Generator(kCPU).manual_seed(5));
        inside = compiled(x);
    }
    BOOST_TEST(same(before, get_rng_state()));
    {
        const GeneratorScope scope(Generator(kCPU).manual_seed(5));
        BOOST_TEST(same(inside, dropout(x, 0.5, true)));
    }
}

BOOST_AUTO_TEST_CASE(threads_draw_one_stretch_after_the_other, *boost::unit_test::label("threads")) {
    const auto f = [](const Tensor& t) { return dropout(t, 0.5, true) + dropout(t, 0.5, true) * 2; };
    const auto compiled = compile(f);
    for (int i = 0; i < 2; ++i) compiled(ones({64}));
    std::vector<std::thread> threads;
    std::vector<std::vector<Tensor>> got(4);
    manual_seed(11);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; ++i) got[t].push_back(compiled(ones({64})));
        });
    for (std::thread& t : threads) t.join();
    BOOST_TEST(compiled.explain().replays == 100u, compiled.explain());
    // every call took one stretch of the stream: in some order, all are what one thread would have got
    manual_seed(11);
    std::vector<Tensor> left;
    for (const auto& list : got) left.insert(left.end(), list.begin(), list.end());
    for (int i = 0; i < 100; ++i) {
        const Tensor next = f(ones({64}));
        const auto at = std::ranges::find_if(left, [&](const Tensor& t) { return same(t, next); });
        BOOST_REQUIRE(at != left.end());
        left.erase(at);
    }
}

BOOST_AUTO_TEST_CASE(losses_over_classes_follow_their_targets) {
    const Tensor weight = tensor({0.5f, 1.f, 2.f, 0.25f});
    const auto targets = [](int i) { return i % 2 ? tensor({1, -100, 3}, kLong) : tensor({i % 4, 0, 2}, kLong); };
    const auto check = [&](const char* what, auto f) {
        const auto compiled = compile(f);
        for (int i = 0; i < 6; ++i) {
            const Tensor x = randn({3, 4}).requires_grad_(), z = x.detach().clone().requires_grad_();
            const Tensor y = compiled(x, targets(i)), r = f(z, targets(i));
            weighed(y).backward();
            weighed(r).backward();
            BOOST_TEST((same(y, r) && same(x.grad(), z.grad())), what << ", " << i);
        }
        BOOST_TEST(compiled.explain().replays == 4u, what << ": " << compiled.explain());
        const Tensor x = randn({3, 4}).requires_grad_();
        const auto wrong = [&](const auto& g) { return message([&] { g(x, tensor({1, 4, 0}, kLong)); }); };
        BOOST_TEST(wrong(compiled) == wrong(f));
        BOOST_TEST(has(wrong(compiled), "target 4 is out of range for 4 classes"));
        BOOST_TEST(same(compiled(x, targets(1)), f(x, targets(1))));
        BOOST_TEST(compiled.explain().replays == 5u, what << ": " << compiled.explain());
    };
    check("mean", [](const Tensor& x, const Tensor& t) { return cross_entropy(x, t); });
    check("weighed", [&](const Tensor& x, const Tensor& t) { return cross_entropy(x * 2, t, weight); });
    check("sum", [&](const Tensor& x, const Tensor& t) { return cross_entropy(x, t, weight, -100, "sum"); });
    check("each", [](const Tensor& x, const Tensor& t) { return cross_entropy(x, t, {}, -100, "none"); });
    check("smooth", [&](const Tensor& x, const Tensor& t) { return cross_entropy(x, t, weight, -100, "mean", 0.1); });
    check("two", [&](const Tensor& x, const Tensor& t) {
        return cross_entropy(x, t) * 2 + nll_loss(x, t, weight) + nll_loss(x.tanh(), t, weight, -100, "sum");
    });
}

BOOST_AUTO_TEST_CASE(indices_are_checked_in_every_call) {
    const auto check = [](const char* what, auto f, auto index, const char* error) {
        const auto compiled = compile(f);
        for (int i = 0; i < 6; ++i) {
            const Tensor x = randn({5, 3}).requires_grad_(), z = x.detach().clone().requires_grad_();
            const Tensor y = compiled(x, index(i)), r = f(z, index(i));
            weighed(y).backward();
            weighed(r).backward();
            BOOST_TEST((same(y, r) && same(x.grad(), z.grad())), what << ", " << i);
        }
        BOOST_TEST(compiled.explain().replays == 4u, what << ": " << compiled.explain());
        const Tensor x = randn({5, 3});
        const auto wrong = [&](const auto& g) { return message([&] { g(x, index(0) + 5); }); };
        BOOST_TEST(wrong(compiled) == wrong(f), what);
        BOOST_TEST(has(wrong(compiled), error), wrong(compiled));
    };
    const auto positive = [](int i) { return tensor({i % 5, 4, 0, 4}, kLong); };
    const auto any = [](int i) { return tensor({i % 5, i - 5 < 0 ? i - 5 : -1, 2}, kLong); };
    check(
        "embedding", [](const Tensor& w, const Tensor& i) { return embedding(w, i, 4) * 2; }, positive,
        "out of range for a dimension of size 5");
    check(
        "index_select", [](const Tensor& w, const Tensor& i) { return w.index_select(0, i).exp(); }, positive,
        "out of range");
    check(
        "index", [](const Tensor& w, const Tensor& i) { return w.index({i}) * w.index({i}); }, any, "out of range");
    check(
        "gather", [](const Tensor& w, const Tensor& i) { return w.gather(0, i.unsqueeze(1)); }, positive,
        "out of range");
    const auto compiled = compile([](const Tensor& w, const Tensor& i) { return embedding(w, i); });
    const Tensor w = randn({5, 3});
    compiled(w, positive(0));
    BOOST_TEST(has(message([&] { compiled(w, positive(0) + 5); }), "out of range")); // in the call that is compared
    for (int i = 0; i < 3; ++i) BOOST_TEST(same(compiled(w, positive(i)), embedding(w, positive(i))));
    BOOST_TEST(compiled.explain().replays == 2u);
}

BOOST_AUTO_TEST_CASE(a_call_that_succeeds_is_not_failed_by_its_replay) {
    // What is recorded looks rows up; the call that it is compared with does not, and its indices are none.
    const auto function = [](bool& looks_up, Tensor& count) {
        return [&looks_up, &count](const Tensor& w, const Tensor& i) {
            {
                const NoGradGuard off;
                count.add_(1);
            }
            const Tensor noise = rand({3});
            return (looks_up ? embedding(w, i) : w.slice(0, 0, 2)) * noise;
        };
    };
    bool looks_up = true;
    Tensor count = zeros({}, kLong), count_ = zeros({}, kLong);
    const auto eager = function(looks_up, count_);
    const auto compiled = compile(function(looks_up, count));
    const Tensor w = randn({5, 3}).requires_grad_(), z = w.detach().clone().requires_grad_();
    for (int call = 0; call < 4; ++call) {
        looks_up = call == 0;
        const Tensor i = tensor({1, call == 0 ? 4 : 7}, kLong);
        manual_seed(call);
        const Tensor y = compiled(w, i);
        const Tensor next = rand({2}); // draws go on where the call left them
        manual_seed(call);
        const Tensor r = eager(z, i);
        BOOST_TEST((same(y, r) && same(next, rand({2})) && same(count, count_)), call);
        weighed(y).backward();
        weighed(r).backward();
        BOOST_TEST(same(w.grad(), z.grad()), call);
    }
    const jit::CompileReport report = compiled.explain();
    BOOST_TEST(report.replays == 0u);
    BOOST_TEST(has(report.text(), "eager: its replay fails for other arguments: "), report);
    BOOST_TEST(has(report.text(), "index 7 is out of range"), report);
}

BOOST_AUTO_TEST_CASE(tensors_from_outside_change_once_a_call) {
    Tensor mean = zeros({3}), var = ones({3}), count = zeros({}, kLong);
    Tensor mean_ = zeros({3}), var_ = ones({3}), count_ = zeros({}, kLong);
    const auto f = [](Tensor& m, Tensor& v, Tensor& n) {
        return [&m, &v, &n](const Tensor& x) {
            n.add_(1);
            const Tensor y = batch_norm(x, {}, {}, m, v, true, 0.1, 1e-5, false);
            return batch_norm(y.tanh(), {}, {}, m, v, true, 0.3, 1e-5, false); // moves them once more
        };
    };
    const auto eager = f(mean_, var_, count_);
    const auto compiled = compile(f(mean, var, count));
    for (int i = 0; i < 6; ++i) {
        const Tensor x = randn({4, 3}, kDouble).to(kFloat).requires_grad_(), z = x.detach().clone().requires_grad_();
        const Tensor y = compiled(x), r = eager(z);
        BOOST_TEST((same(y, r) && same(mean, mean_) && same(var, var_) && same(count, count_)), i);
        weighed(y).backward();
        weighed(r).backward();
        BOOST_TEST(same(x.grad(), z.grad()), i);
        // differentiated again: called again, unseen
        const Tensor a = x.detach().requires_grad_();
        const Tensor s = compiled(a);
        eager(a);
        const Tensor g = autograd::grad({s.pow(2).sum()}, {a}, {}, true, true)[0];
        BOOST_TEST(g.requires_grad());
        BOOST_TEST((same(mean, mean_) && same(var, var_) && same(count, count_)), i);
    }
    BOOST_TEST(compiled.explain().replays == 10u, compiled.explain());
    const auto raised = [](const Tensor& t, const auto& g) {
        const auto before = t._version();
        g(ones({4, 3}).requires_grad_());
        return t._version() - before;
    };
    BOOST_TEST((raised(mean, compiled) == 2u && raised(mean_, eager) == 2u && raised(count, compiled) == 1u));
    // what a gradient would depend on
    Tensor scale = ones({3});
    BOOST_TEST(has(refusal(
                       [&](const Tensor& x) {
                           {
                               const NoGradGuard off;
                               scale.mul_(1.5);
                           }
                           return x * scale;
                       },
                       randn({3}).requires_grad_()),
                   "a tensor that"));
    BOOST_TEST(allclose(scale, full({3}, 1.5 * 1.5 * 1.5)));
    // where nobody asks for gradients, calls may remember
    const NoGradGuard off;
    Tensor memory = zeros({3});
    const auto step = compile([&](const Tensor& x) { return memory.mul_(0.5).add_(x) * 2; });
    Tensor memory_ = zeros({3});
    for (int i = 0; i < 5; ++i) {
        const Tensor x = randn({3});
        BOOST_TEST(same(step(x), memory_.mul_(0.5).add_(x) * 2));
        BOOST_TEST(same(memory, memory_));
    }
    BOOST_TEST(step.explain().replays == 3u, step.explain());
}

BOOST_AUTO_TEST_CASE(hooks_are_there_before_the_first_call) {
    Tensor w = randn({3}).requires_grad_();
    int on_leaf = 0, on_input = 0, on_middle = 0;
    w.register_hook([&](const Tensor& g) {
        ++on_leaf;
        return g * 2;
    });
    const auto compiled = compile([&](const Tensor& x) { return (x * w).exp(); });
    for (int i = 1; i <= 4; ++i) {
        const Tensor x = randn({3}).requires_grad_();
        x.register_hook([&](const Tensor&) { ++on_input; });
        const Tensor middle = x * 3;
        middle.register_hook([&](const Tensor& g) {
            ++on_middle;
            return g * 10;
        });
        middle.retain_grad();
        const Tensor y = compiled(middle);
        y.sum().backward();
        BOOST_TEST((on_leaf == i && on_input == i && on_middle == i), i);
        BOOST_TEST(allclose(w.grad(), middle.detach() * y.detach() * 2));
        BOOST_TEST(allclose(middle.grad(), w.detach() * y.detach() * 10));
        BOOST_TEST(allclose(x.grad(), w.detach() * y.detach() * 30));
        w.mutable_grad().reset();
    }
    BOOST_TEST(compiled.explain().replays == 2u, compiled.explain());
    const Tensor x = randn({3}).requires_grad_();
    const Tensor y = compiled(x);
    const Tensor g = autograd::grad({y.sum()}, {w}, {}, true, true)[0]; // calls it again
    BOOST_TEST(on_leaf == 5);
    BOOST_TEST(allclose(g, x.detach() * y.detach() * 2));
}

BOOST_AUTO_TEST_CASE(histories_of_arguments_hang_together) {
    const auto cell = [](const Tensor& x, const Tensor& h, const Tensor& c, const Tensor& w) {
        const Tensor next = (linear(cat({x, h}, 1), w)).sigmoid() * c + x;
        return std::make_tuple(next.tanh(), next);
    };
    const Tensor w0 = randn({4, 8}, kDouble);
    const auto run = [&](const auto& f) {
        const Tensor w = w0.clone().requires_grad_();
        Tensor h = zeros({2, 4}, kDouble) * w.sum(), c = h + 1, total;
        manual_seed(1);
        for (int t = 0; t < 6; ++t) {
            const auto [h1, c1] = f(randn({2, 4}, kDouble), h, c, w); // c leads to h, and both to w
            h = h1, c = c1;
        }
        (h * c).sum().backward();
        return w.grad();
    };
    const auto compiled = compile(cell);
    const Tensor expected = run(cell);
    for (int i = 0; i < 3; ++i) BOOST_TEST(allclose(run(compiled), expected));
    BOOST_TEST(compiled.explain().replays > 10u, compiled.explain());
    // two arguments of which one is made of the other
    const auto f = [](const Tensor& a, const Tensor& b) { return a.sin() * b; };
    const auto both = compile(f);
    for (int i = 0; i < 4; ++i) {
        const Tensor x = randn({3}).requires_grad_(), z = x.detach().clone().requires_grad_();
        const Tensor a = x * 2, b = a.exp();
        both(a, b).sum().backward();
        const Tensor c = z * 2, d = c.exp();
        f(c, d).sum().backward();
        BOOST_TEST(same(x.grad(), z.grad()), i);
    }
    BOOST_TEST(both.explain().replays == 2u, both.explain());
}

BOOST_AUTO_TEST_SUITE_END()
