// Compiled functions: what is not replayed, and the rules of the tape that hold all the same.
#include <reel/script/compiled_function.hpp>

#include <atomic>
#include <thread>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/backward.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/op_calls.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

#include "message.hpp"
#include "script/compiled.hpp"

using namespace reel;
using namespace reel::testing;
using jit::compile;

BOOST_AUTO_TEST_SUITE(script_compiled_function_limits)

BOOST_AUTO_TEST_CASE(hooks_run_as_often_as_without) {
    Tensor w = randn({3}).requires_grad_();
    const auto compiled = compile([&](const Tensor& x) { return (x * w).exp(); });
    for (int i = 0; i < 3; ++i) compiled(randn({3}).requires_grad_());
    int on_leaf = 0, on_input = 0;
    const RemovableHandle handle = w.register_hook([&](const Tensor& g) {
        ++on_leaf;
        return g * 2;
    });
    const Tensor x = randn({3}).requires_grad_();
    x.register_hook([&](const Tensor&) { ++on_input; });
    const Tensor y = compiled(x);
    y.sum().backward();
    BOOST_TEST(on_leaf == 1);
    BOOST_TEST(on_input == 1);
    BOOST_TEST(allclose(w.grad(), x.detach() * y.detach() * 2));
    int between = 0;
    const auto hooked = compile([&](const Tensor& t) {
        const Tensor m = t * 2;
        m.register_hook([&](const Tensor&) { ++between; });
        return m.exp();
    });
    for (int i = 0; i < 4; ++i) hooked(x).sum().backward();
    BOOST_TEST(between == 4);
    BOOST_TEST(has(why(hooked), "there is a hook on MulBackward0"), why(hooked));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_replayed_runs_eagerly_and_says_why) {
    const Tensor x = rand({4}) + 1;
    BOOST_TEST(refusal([](const Tensor& t) { return t.sum().item<float>() > 0 ? t * 2 : t; }, x) ==
               "item works with values on the host");
    BOOST_TEST(refusal([](const Tensor& t) { return t * t.data_ptr<float>()[0]; }, x) ==
               "data_ptr works with values on the host");
    BOOST_TEST(refusal([](const Tensor& t) { return t.nonzero(); }, x) == "nonzero is no kernel that can be replayed");
    BOOST_TEST(has(refusal([](const Tensor& t) { return t.mul_(1) * 2; }, x.clone()), "writes to an argument"));
    Tensor count = zeros({});
    BOOST_TEST(
        has(refusal([&](const Tensor& t) { return t + (count += 1); }, x), "writes to a tensor that was there before"));
    BOOST_TEST(count.item<float>() == 3); // once for each call
    BOOST_TEST(refusal(
                   [](const Tensor& t) {
                       return t.view({2, 2});
                   },
                   x) == "a result is, or aliases, a tensor from outside");
    BOOST_TEST(refusal([](const Tensor& t) { return t; }, x) == "a result is, or aliases, a tensor from outside");
    BOOST_TEST(refusal([](const Tensor& t) { return (t * 2).split(2); }, x) == "two results share memory");
    BOOST_TEST(refusal(
                   [](const Tensor& t) { // reads what the recording cannot see
                       return t * double(*static_cast<const float*>(t.data_ptr()));
                   },
                   x) == "it was replayed"); // the same values each time: right so far
    const auto unseen = compile([](const Tensor& t) { return t * double(*static_cast<const float*>(t.data_ptr())); });
    for (int i = 0; i < 4; ++i) {
        const Tensor in = randn({4});
        BOOST_TEST(same(unseen(in), in * double(in[0].item<float>())));
    }
    BOOST_TEST(has(why(unseen), "other values for other arguments"), why(unseen));
    const auto pair = compile([](const Tensor& a, const Tensor& b) { return a * b; });
    for (int i = 0; i < 3; ++i) BOOST_TEST(same(pair(x, x), x * x));
    BOOST_TEST(why(pair) == "two arguments share memory");
}

BOOST_AUTO_TEST_CASE(functions_of_the_users_own_run_eagerly) {
    struct Twice : autograd::Function<Twice> {
        static Tensor forward(autograd::AutogradContext*, Tensor t) { return t * 2; }
        static autograd::variable_list backward(autograd::AutogradContext*, autograd::variable_list g) {
            return {g[0] * 3};
        }
    };
    const Tensor x = randn({4}).requires_grad_();
    BOOST_TEST(has(refusal([](const Tensor& t) { return Twice::apply(t).exp(); }, x), "is no op's own node"));
}

BOOST_AUTO_TEST_CASE(modes_have_recordings_of_their_own_or_none) {
    const auto compiled = compile(chain);
    const Tensor x = randn({6}).requires_grad_();
    for (int i = 0; i < 3; ++i) BOOST_TEST(compiled(x).requires_grad());
    {
        const NoGradGuard off;
        for (int i = 0; i < 3; ++i) BOOST_TEST(!compiled(x).requires_grad());
    }
    for (int i = 0; i < 3; ++i) BOOST_TEST(compiled(randn({2, 3})).sizes() == IntArrayRef({2, 3}));
    BOOST_TEST(compiled.explain().graphs.size() == 3u);
    BOOST_TEST(compiled.explain().replays == 3u);
    {
        const autograd::DetectAnomalyGuard anomaly;
        BOOST_TEST(compiled(x).grad_fn()->name() == "MulBackward0");
    }
    BOOST_TEST(has(why(compiled), "anomaly mode"));
    {
        const InferenceMode inference;
        BOOST_TEST(compiled(x).is_inference());
    }
    {
        struct Through final : ops::OpCallMode {
            Value take(const ops::OpCall& call) override { return ++calls, call.run(); }
            int calls = 0;
        } mode;
        const ops::OpCallScope scope(&mode);
        compiled(x);
        BOOST_TEST(mode.calls == 83);
    }
    int packed = 0;
    {
        const autograd::SavedTensorsHooksGuard hooks([&](const Tensor& t) { return ++packed, Value(t); },
                                                     [](const Value& v) { return v.toTensor(); });
        compiled(x);
    }
    BOOST_TEST(packed > 0);
    BOOST_TEST(compiled.explain().replays == 3u);
    compiled.reset();
    BOOST_TEST(compiled.explain().graphs.empty());
}

BOOST_AUTO_TEST_CASE(the_tape_keeps_its_rules) {
    const auto compiled = compile([](const Tensor& x) { return (x * x).exp(); });
    for (int i = 0; i < 2; ++i) compiled(randn({3}).requires_grad_()).sum().backward();
    const Tensor x = randn({3}).requires_grad_();
    Tensor y = compiled(x);
    BOOST_TEST(y.grad_fn()->name() == "CompiledFunctionBackward");
    y.sum().backward({}, true);
    const Tensor once = x.grad().clone();
    y.sum().backward();
    BOOST_TEST(same(x.grad(), once + once));
    BOOST_TEST(has(message([&] { y.sum().backward(); }), "backward through the graph a second time"));
    y = compiled(x);
    y.mul_(2); // the backward reads it
    BOOST_TEST(has(message([&] { y.sum().backward(); }), "was modified by an in-place operation"));
    y = compiled(x);
    {
        const NoGradGuard off;
        x.add_(1);
    }
    BOOST_TEST(has(message([&] { y.sum().backward(); }), "was modified by an in-place operation"));
    // two calls before either backward: each keeps its own
    const Tensor a = randn({3}).requires_grad_(), b = randn({3}).requires_grad_();
    const Tensor ya = compiled(a), yb = compiled(b);
    ya.sum().backward();
    yb.sum().backward();
    BOOST_TEST(allclose(a.grad(), a.detach() * 2 * ya.detach()));
    BOOST_TEST(allclose(b.grad(), b.detach() * 2 * yb.detach()));
    // through each other
    const Tensor c = randn({3}).requires_grad_();
    const Tensor yc = compiled(compiled(c * 0.1) * 0.1);
    yc.sum().backward();
    const Tensor d = c.detach().clone().requires_grad_();
    const auto f = [](const Tensor& t) { return (t * t).exp(); };
    f(f(d * 0.1) * 0.1).sum().backward();
    BOOST_TEST(same(c.grad(), d.grad()));
}

/// Gradients that call the function once more are those of the call, or an error: never those of other values.
BOOST_AUTO_TEST_CASE(what_changed_since_a_call_is_noticed_when_it_is_repeated) {
    const Tensor shift = randn({3}), scale = randn({3}), offset = randn({3});
    const auto f = [&](const Tensor& x) { // the backward reads scale and the sum, neither shift nor offset
        return std::make_tuple(sin(x * scale + shift), x + offset);
    };
    const auto compiled = compile(f);
    const auto changed_between = [&](const Tensor& outside, bool again, bool one) {
        const Tensor x = randn({3}).requires_grad_(), y = x.detach().clone().requires_grad_();
        const auto a = compiled(x), b = f(y);
        const Tensor before = outside.clone();
        Tensor(outside).add_(1);
        const auto gradient = [&](const auto& results, const Tensor& of) {
            const Tensor whole = one ? std::get<0>(results) : std::get<0>(results) * 2 + std::get<1>(results);
            return autograd::grad({whole.sum()}, {of}, {}, std::nullopt, again)[0];
        };
        std::string said = message([&] { BOOST_TEST(allclose(gradient(a, x), gradient(b, y))); });
        Tensor(outside).copy_(before);
        return said;
    };
    for (int i = 0; i < 3; ++i) compiled(randn({3}).requires_grad_());
    for (const bool again : {false, true})
        for (const bool one : {false, true}) {
            const std::string said = changed_between(shift, again, one);
            BOOST_TEST(has(said, again || one ? "a tensor from outside that it uses (float32 of shape [3]) was "
                                                "modified in place since: modify a clone of it, or call the "
                                                "function eagerly"
                                              : "nothing was thrown"),
                       said);
            BOOST_TEST(has(changed_between(scale, again, one), "was modified by an in-place operation"));
            BOOST_TEST(changed_between(offset, again, one) == "nothing was thrown"); // nothing depends on it
        }
    const auto shifted = compile([&](const Tensor& x, const Tensor& by) { return sin(x + by); });
    for (int i = 0; i < 3; ++i) shifted(randn({3}).requires_grad_(), randn({3}));
    const Tensor x = randn({3}).requires_grad_(), by = randn({3}), y = shifted(x, by);
    Tensor(by).zero_();
    BOOST_TEST(has(message([&] { autograd::grad({y.sum()}, {x}, {}, true, true); }),
                   "an argument of it (float32 of shape [3]) was modified in place since"));
    BOOST_TEST(message([&] { autograd::grad({y}, {x}, {ones({3})}); }) == "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(errors_nesting_and_threads) {
    int calls = 0;
    const auto failing = compile([&](const Tensor& x) {
        if (++calls == 1) throw std::runtime_error("not yet");
        return x.mm(x);
    });
    BOOST_CHECK_THROW(failing(randn({2, 2})), std::runtime_error);
    for (int i = 0; i < 4; ++i) failing(randn({2, 2}));
    BOOST_TEST(failing.explain().replays == 2u);
    BOOST_CHECK_THROW(failing(randn({2, 3})), Error);
    const auto inner = compile([](const Tensor& x) { return x.exp() + 1; });
    const auto outer = [&](const Tensor& x) { return inner(x) * 2; };
    BOOST_TEST(like_eager(
        compile(outer), [](const Tensor& x) { return (x.exp() + 1) * 2; }, numbers({5})));
    const auto shared = compile(chain);
    std::atomic<int> bad{0};
    const auto from_four_threads = [&] {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i) {
                    const Tensor x = full({33}, 0.01 * i).requires_grad_(), y = x.detach().clone().requires_grad_();
                    const Tensor a = shared(x), b = chain(y);
                    a.sum().backward();
                    b.sum().backward();
                    bad += !same(a, b) || !same(x.grad(), y.grad());
                }
            });
        for (std::thread& t : threads) t.join();
    };
    from_four_threads(); // one of them records, others' calls are eager meanwhile
    BOOST_TEST(bad == 0);
    for (int i = 0; i < 8; ++i) shared(full({33}, 0.5).requires_grad_()).sum().backward();
    const auto before = shared.explain().replays;
    from_four_threads();
    BOOST_TEST(bad == 0);
    BOOST_TEST(shared.explain().replays == before + 200);
}

BOOST_AUTO_TEST_SUITE_END()
