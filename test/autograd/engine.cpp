// The backward engine: order, accumulation, lifetime (rules E-10 to E-37).
#include <reel/autograd/backward.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include "tape_helpers.hpp"

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(engine)

BOOST_AUTO_TEST_CASE(gradients_of_a_small_graph) {
    const Tensor x = leaf({1, 2, 3});
    (x * x + x * 2.0).sum().backward();
    BOOST_TEST(list(x.grad()) == (V{4, 6, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E10_a_gradient_may_be_left_out_only_for_one_element) {
    const Tensor x = leaf({1, 2});
    BOOST_CHECK_EXCEPTION((x * 2.0).backward(), Error, [](const Error& e) {
        return e.msg() ==
               "backward: a gradient can be left out only for outputs of one element; output 0 has shape [2]";
    });
}

BOOST_AUTO_TEST_CASE(E20_E21_nodes_run_by_decreasing_sequence_number) {
    const Tensor x = leaf({1}), w = leaf({1});
    std::string order;
    const auto note = [&](const Tensor& t, char name) {
        t.register_hook([&order, name](const Tensor&) { order += name; });
    };
    const Tensor a = x * 2.0, b = w * 3.0, c = x * 4.0, d = a + b, e = d * c;
    note(x, 'x'), note(w, 'w'), note(a, 'a'), note(b, 'b'), note(c, 'c'), note(d, 'd'), note(e, 'e');
    e.backward();
    BOOST_TEST(order == "edcbwax");
}

BOOST_AUTO_TEST_CASE(E23_several_roots_and_a_root_that_is_an_ancestor) {
    const Tensor x = leaf({1});
    const Tensor y = x * 2.0, z = y * 3.0;
    autograd::backward({y, z});
    BOOST_TEST(x.grad().item<double>() == 8);
    const Tensor x2 = leaf({1});
    const Tensor y2 = x2 * 2.0, z2 = y2 * 3.0;
    const auto g = autograd::grad({y2, z2}, {x2, y2});
    BOOST_TEST(g[0].item<double>() == 8);
    BOOST_TEST(g[1].item<double>() == 4);
}

BOOST_AUTO_TEST_CASE(E27_a_chain_of_200000_nodes_runs_and_is_destroyed) {
    const Tensor x = leaf({1});
    {
        Tensor y = x;
        for (int i = 0; i < 200000; ++i) y = y + 1.0;
        y.backward();
    }
    BOOST_TEST(x.grad().item<double>() == 1);
}

BOOST_AUTO_TEST_CASE(E28_gradients_of_two_leaves_never_share_storage) {
    const Tensor a = leaf({1, 1}), b = leaf({1, 1});
    (a + b).sum().backward();
    BOOST_TEST(!a.grad().is_alias_of(b.grad()));
    const Tensor x = leaf({1, 1});
    const Tensor seed = ones({2}, kDouble);
    x.view({2}).backward(seed);
    BOOST_TEST(!x.grad().is_alias_of(seed));
}

BOOST_AUTO_TEST_CASE(E30_later_gradients_are_added_in_place) {
    const Tensor x = leaf({1});
    (x * 2.0).backward();
    const Tensor g = x.grad();
    (x * 3.0).backward();
    BOOST_TEST(x.grad().is_same(g));
    BOOST_TEST(g.item<double>() == 5);
}

BOOST_AUTO_TEST_CASE(E35_a_second_pass_over_released_tensors_is_refused) {
    const Tensor x = leaf({2});
    const Tensor y = x * x;
    y.backward();
    BOOST_CHECK_EXCEPTION(y.backward(), Error,
                          [](const Error& e) { return e.msg().find("retain_graph=true") != std::string::npos; });
    const Tensor z = (x + 1.0).sum();
    z.backward();
    BOOST_CHECK_NO_THROW(z.backward()); // saved nothing
}

BOOST_AUTO_TEST_CASE(E39_a_saved_tensor_modified_in_place_is_refused) {
    const Tensor x = leaf({2});
    const Tensor b = x * 1.0;
    const Tensor y = b * b;
    b += 1.0;
    BOOST_CHECK_EXCEPTION(y.backward(), Error, [](const Error& e) {
        return e.msg().find("is at version 1; expected version 0") != std::string::npos &&
               e.msg().find("AddBackward0") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(E44_in_place_on_a_view_updates_the_base) {
    const Tensor x = ones({2, 2}, kDouble).requires_grad_();
    const Tensor b = x * 1.0;
    b.select(0, 0) *= 5.0;
    b.sum().backward();
    BOOST_TEST(list(x.grad()) == (V{5, 5, 1, 1}), boost::test_tools::per_element());
    const Tensor x2 = ones({2, 2}, kDouble).requires_grad_();
    const Tensor b2 = x2 * 1.0, v = b2.select(0, 0);
    b2 *= 3.0;
    v.sum().backward();
    BOOST_TEST(list(x2.grad()) == (V{3, 3, 0, 0}), boost::test_tools::per_element());
    const Tensor x3 = ones({4}, kDouble).requires_grad_();
    const Tensor b3 = x3 * 1.0, v1 = b3.slice(0, 0, 2), v2 = b3.slice(0, 1);
    v1 *= 2.0;
    v2.sum().backward();
    BOOST_TEST(list(x3.grad()) == (V{0, 2, 1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E42_in_place_on_a_leaf_that_requires_grad_is_refused) {
    const Tensor x = leaf({1});
    BOOST_CHECK_THROW(x += 1.0, Error);
    NoGradGuard guard;
    BOOST_CHECK_NO_THROW(x += 1.0);
    BOOST_TEST(x._version() == 1);
}

BOOST_AUTO_TEST_CASE(double_backward_through_create_graph) {
    const Tensor x = leaf({3});
    const Tensor y = x * x * x;
    const Tensor g = autograd::grad({y}, {x}, {}, std::nullopt, true)[0];
    BOOST_TEST(g.item<double>() == 27);
    BOOST_TEST(autograd::grad({g}, {x})[0].item<double>() == 18);
}

BOOST_AUTO_TEST_CASE(E72_nested_backward_to_a_depth_of_hundreds, *boost::unit_test::label("threads")) {
    int depth = 0;
    std::function<void()> nest = [&] {
        if (++depth == 300) return;
        EnableGradGuard guard; // hooks run with recording off
        const Tensor x = leaf({1});
        const Tensor y = x * 2.0;
        y.register_hook([&](const Tensor&) { nest(); });
        y.backward();
    };
    nest();
    BOOST_TEST(depth == 300);
}

BOOST_AUTO_TEST_CASE(E73_an_exception_in_a_hook_leaves_the_engine_usable) {
    const Tensor x = leaf({1});
    const Tensor y = x * 2.0;
    y.register_hook([](const Tensor&) { throw std::runtime_error("mine"); });
    BOOST_CHECK_THROW(y.backward(), std::runtime_error);
    BOOST_TEST(!x.grad().defined());
    (x * 4.0).backward();
    BOOST_TEST(x.grad().item<double>() == 4);
}

BOOST_AUTO_TEST_CASE(E26_final_callbacks) {
    BOOST_CHECK_THROW(autograd::queue_callback([] {}), Error); // only inside of a pass
    const Tensor x = leaf({1}), y = x * 2.0;
    std::string order;
    auto h = y.register_hook([&](const Tensor&) {
        autograd::queue_callback([&] {
            BOOST_TEST(!GradMode::is_enabled());
            BOOST_TEST(x.grad().item<double>() == 2); // after accumulation
            order += 'a';
            autograd::queue_callback([&] { order += 'c'; });
        });
        autograd::queue_callback([&] { order += 'b'; });
    });
    y.backward({}, true);
    BOOST_TEST(order == "abc");
    h.remove();
    x.register_hook([](const Tensor&) { throw std::runtime_error("mine"); });
    y.register_hook([&](const Tensor&) { autograd::queue_callback([&] { order += 'x'; }); });
    BOOST_CHECK_THROW(y.backward(), std::runtime_error);
    BOOST_TEST(order == "abc"); // not after a failure
    BOOST_CHECK_THROW(autograd::queue_callback([] {}), Error);
}

BOOST_AUTO_TEST_CASE(E26_an_exception_in_a_callback_reaches_the_caller) {
    const Tensor x = leaf({1}), y = x * 2.0;
    bool later = false;
    y.register_hook([&](const Tensor&) {
        autograd::queue_callback([] { throw std::out_of_range("mine"); });
        autograd::queue_callback([&] { later = true; });
    });
    BOOST_CHECK_THROW(y.backward(), std::out_of_range);
    BOOST_TEST(!later);
    BOOST_TEST(x.grad().item<double>() == 2); // what was accumulated stays
}

BOOST_AUTO_TEST_CASE(E72_nested_backward_to_a_depth_of_thousands, *boost::unit_test::label("threads")) {
    int depth = 0;
    std::function<void()> nest = [&] {
        if (++depth == 3000) return;
        EnableGradGuard guard;
        const Tensor x = leaf({1}), y = x * 2.0;
        y.register_hook([&](const Tensor&) { nest(); });
        y.backward();
    };
    nest();
    BOOST_TEST(depth == 3000);
}

BOOST_AUTO_TEST_CASE(E72_backward_of_the_same_graph_inside_a_hook) {
    const Tensor x = leaf({1}), a = x * 2.0, y = a * 3.0;
    bool once = false;
    a.register_hook([&](const Tensor&) {
        if (std::exchange(once, true)) return;
        a.backward({}, true); // the outer pass holds this node
    });
    y.backward({}, true);
    BOOST_TEST(x.grad().item<double>() == 2 + 6);
}

BOOST_AUTO_TEST_CASE(E73_an_error_in_a_nested_pass_reaches_the_outer_caller, *boost::unit_test::label("threads")) {
    const Tensor x = leaf({1}), y = x * 2.0;
    struct Mine {
        int depth;
    };
    y.register_hook([&](const Tensor&) {
        EnableGradGuard guard;
        const Tensor z = leaf({1}) * 2.0;
        z.register_hook([](const Tensor&) { throw Mine{2}; });
        z.backward();
    });
    BOOST_CHECK_EXCEPTION(y.backward(), Mine, [](const Mine& m) { return m.depth == 2; });
    BOOST_TEST(autograd::current_graph_task_id() == -1);
    (x * 1.0).backward();
    BOOST_TEST(x.grad().item<double>() == 1);
}

BOOST_AUTO_TEST_CASE(E34_E76_several_threads_accumulate_into_one_leaf,
                     *boost::unit_test::label("threads")) { // E-34, E-76
    const Tensor x = zeros({64}, kDouble).requires_grad_();
    constexpr int threads = 4, passes = 200;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < passes; ++i) (x * 2.0).sum().backward();
        });
    for (auto& t : all) t.join();
    BOOST_TEST(list(x.grad()) == V(64, 2.0 * threads * passes), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E76_several_threads_over_one_shared_graph, *boost::unit_test::label("threads")) {
    const Tensor x = ones({16}, kDouble).requires_grad_();
    Tensor shared = x;
    for (int i = 0; i < 50; ++i) shared = shared * 1.0 + 0.0;
    std::vector<Tensor> roots;
    for (int t = 0; t < 4; ++t) roots.push_back((shared * double(t + 1)).sum());
    std::vector<std::thread> all;
    std::atomic<int> failed{0};
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&, t] {
            try {
                for (int i = 0; i < 50; ++i) roots[std::size_t(t)].backward({}, true);
            } catch (...) {
                ++failed;
            }
        });
    for (auto& t : all) t.join();
    BOOST_TEST(failed == 0);
    BOOST_TEST(list(x.grad()) == V(16, 50.0 * (1 + 2 + 3 + 4)), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E50_a_new_thread_records, *boost::unit_test::label("threads")) {
    NoGradGuard guard;
    bool recorded = false;
    std::thread([&] { recorded = (leaf({1}) * 2.0).requires_grad(); }).join();
    BOOST_TEST(recorded);
    BOOST_TEST(!(leaf({1}) * 2.0).requires_grad());
}

BOOST_AUTO_TEST_SUITE_END()
