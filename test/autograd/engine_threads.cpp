// Passes inside passes, failures, threads, complex numbers (rules E-72 to E-76).
#include "tape_helpers.hpp"

#include <atomic>
#include <complex>
#include <functional>
#include <set>
#include <thread>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

using namespace tape_test;

namespace {
/// backward() inside a Function's backward, `depth` levels down.
struct Nested : autograd::Function<Nested> {
    static inline int deepest = 0;
    static inline std::set<std::thread::id> threads;
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, std::int64_t depth) {
        ctx->saved_data["depth"] = Value(depth);
        return x * 1.0;
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
        const std::int64_t depth = ctx->saved_data.at("depth").toInt();
        deepest = std::max(deepest, int(depth));
        threads.insert(std::this_thread::get_id());
        if (depth < 200) {
            EnableGradGuard guard;
            const Tensor inner = leaf({1});
            Nested::apply(inner, depth + 1).backward();
            BOOST_REQUIRE(inner.grad().defined()); // it blocked until done
        }
        return {g[0], Tensor()};
    }
};
struct Square : autograd::Function<Square> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
        ctx->save_for_backward({x});
        return x * x;
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
        return {g[0] * ctx->get_saved_variables()[0] * 2.0};
    }
};
} // namespace

BOOST_AUTO_TEST_SUITE(engine_threads, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(E72_passes_inside_passes_move_to_fresh_stacks) { // E-72
    Nested::deepest = 0;
    Nested::threads.clear();
    const Tensor x = leaf({1});
    Nested::apply(x, std::int64_t(1)).backward();
    BOOST_TEST(Nested::deepest == 200);
    BOOST_TEST(Nested::threads.size() == 4u); // 60 levels each
    BOOST_TEST(item(x.grad()) == 1);
}

BOOST_AUTO_TEST_CASE(E72_the_same_graph_may_be_run_inside) { // E-72
    const Tensor x = leaf({1}), a = x * 2.0, y = a * 3.0;
    bool once = false;
    a.register_hook([&](const Tensor&) {
        if (!std::exchange(once, true)) a.backward({}, true);
    });
    y.backward({}, true);
    BOOST_TEST(item(x.grad()) == 2 + 6);
}

BOOST_AUTO_TEST_CASE(E73_the_first_exception_ends_the_pass) { // E-73
    struct Mine {
        int number;
    };
    const Tensor x = leaf({1}), w = leaf({1});
    const Tensor a = x * 2.0, b = w * 3.0; // b is newer: it and w's accumulator run first
    bool later = false, callback = false;
    a.register_hook([](const Tensor&) { throw Mine{7}; });
    x.register_hook([&](const Tensor&) { later = true; });
    const Tensor y = a + b;
    y.register_hook([&](const Tensor&) { autograd::queue_callback([&] { callback = true; }); });
    BOOST_CHECK_EXCEPTION(y.backward(), Mine, [](const Mine& m) { return m.number == 7; }); // its own type
    BOOST_TEST(!later);
    BOOST_TEST(!callback);
    BOOST_TEST(item(w.grad()) == 3); // what was accumulated stays
    BOOST_TEST(!x.grad().defined());
    (x * 4.0).backward(); // the engine goes on
    BOOST_TEST(item(x.grad()) == 4);
    BOOST_TEST(autograd::current_graph_task_id() == -1);
}

BOOST_AUTO_TEST_CASE(E73_errors_of_an_inner_pass_on_another_stack) { // E-72, E-73
    int depth = 0;
    std::function<void()> nest = [&] {
        if (++depth == 100) throw std::out_of_range("at the bottom");
        EnableGradGuard guard;
        const Tensor y = leaf({1}) * 2.0;
        y.register_hook([&](const Tensor&) { nest(); });
        y.backward();
    };
    BOOST_CHECK_THROW(nest(), std::out_of_range);
    BOOST_TEST(depth == 100);
}

BOOST_AUTO_TEST_CASE(E74_cpu_nodes_run_on_the_calling_thread) { // E-74
    const Tensor x = leaf({1}), y = x * 2.0;
    std::vector<std::thread::id> ids;
    y.register_hook([&](const Tensor&) { ids.push_back(std::this_thread::get_id()); });
    y.backward({}, true);
    std::thread other([&] { y.backward({}, true); });
    const auto other_id = other.get_id();
    other.join();
    BOOST_TEST((ids[0] == std::this_thread::get_id()));
    BOOST_TEST((ids[1] == other_id));
}

BOOST_AUTO_TEST_CASE(E75_subtracting_a_complex_gradient_descends) { // E-75
    using C = std::complex<double>;
    const Tensor z = full({1}, Scalar(C(1, -2)), kComplexDouble).requires_grad_();
    const auto loss = [](const Tensor& t) { return view_as_real((t * t.conj() * 0.5 + t * t)).select(-1, 0).sum(); };
    loss(z).backward();
    // d/dre + i d/dim of (re^2 + im^2) / 2 + re^2 - im^2
    const C g = z.grad().item().toComplexDouble();
    BOOST_TEST(g.real() == 3 * 1.0, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(g.imag() == -1 * -2.0, boost::test_tools::tolerance(1e-12));
    NoGradGuard guard;
    BOOST_TEST(item(loss(z - z.grad() * 0.01)) < item(loss(z)));
    BOOST_CHECK_EXCEPTION(
        [&] {
            EnableGradGuard on;
            (z * 2.0).backward();
        }(),
        Error, says("complex", "explicitly")); // E-10
}

BOOST_AUTO_TEST_CASE(E76_threads_over_one_graph) { // E-76
    const Tensor x = ones({16}, kDouble).requires_grad_();
    Tensor shared = x;
    for (int i = 0; i < 30; ++i) shared = shared * 1.0;
    std::vector<Tensor> roots;
    for (int t = 0; t < 3; ++t) roots.push_back((shared * double(t + 1)).sum());
    std::atomic<int> failed{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 3; ++t)
        all.emplace_back([&, t] {
            try {
                for (int i = 0; i < 30; ++i) roots[std::size_t(t)].backward({}, true);
            } catch (...) {
                ++failed;
            }
        });
    for (auto& t : all) t.join();
    BOOST_TEST(failed == 0);
    BOOST_TEST(list(x.grad()) == V(16, 30.0 * (1 + 2 + 3)), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E76_without_retain_one_thread_may_find_the_graph_released) { // E-76
    const Tensor x = leaf({2}), shared = x * x;
    const Tensor a = shared * 1.0, b = shared * 1.0;
    a.backward();
    std::string message;
    std::thread([&] {
        try {
            b.backward();
        } catch (const Error& e) {
            message = e.what();
        }
    }).join();
    BOOST_TEST(message.find("a second time") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(E76_one_thread_releases_what_others_unpack) { // E-76
    // Every pass either finds what it needs or says that the graph was used already; which of them does is a race.
    const Tensor x = ones({8}, kDouble).requires_grad_();
    const auto graphs = {
        std::function<Tensor()>([&] {
            Tensor y = x;
            for (int i = 0; i < 10; ++i) y = (y * x).exp().log();
            return y.sum();
        }),
        std::function<Tensor()>([&] {
            Tensor y = x;
            for (int i = 0; i < 10; ++i) y = Square::apply(y) * 0.5;
            return y.sum();
        }),
        std::function<Tensor()>(
            [&] { return autograd::checkpoint([](const Tensor& t) { return (t * t).exp().sum(); }, x); }),
        std::function<Tensor()>([&] {
            const autograd::SavedTensorsHooksGuard hooks([](const Tensor& t) { return Value(t); },
                                                         [](const Value& v) { return v.toTensor(); });
            return (x * x).exp().sum();
        }),
    };
    for (const auto& make : graphs) {
        std::atomic<int> done{0}, refused{0}, other{0};
        for (int i = 0; i < 50; ++i) {
            const Tensor root = make();
            std::vector<std::thread> all;
            for (int t = 0; t < 3; ++t)
                all.emplace_back([&] {
                    try {
                        root.backward();
                        ++done;
                    } catch (const Error& e) {
                        ++(says("a second time")(e) ? refused : other);
                    }
                });
            for (auto& t : all) t.join();
        }
        BOOST_TEST(done > 0);
        BOOST_TEST(other == 0);
        BOOST_TEST(done + refused == 150);
    }
}

BOOST_AUTO_TEST_SUITE_END()
