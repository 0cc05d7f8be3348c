// The backward engine: order, accumulation, lifetime (rules E-10 to E-37).
#include <reel/autograd/backward.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {
Tensor leaf(std::initializer_list<double> values) {
    Tensor t = empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t.requires_grad_();
}
std::vector<double> list(const Tensor& t) {
    const Tensor c = t.detach().contiguous();
    return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}
using V = std::vector<double>;
} // namespace

BOOST_AUTO_TEST_SUITE(engine)

BOOST_AUTO_TEST_CASE(gradients_of_a_small_graph) {
    const Tensor x = leaf({1, 2, 3});
    (x * x + x * 2.0).sum().backward();
    BOOST_TEST(list(x.grad()) == (V{4, 6, 8}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E10_a_gradient_may_be_left_out_only_for_one_element) {
    const Tensor x = leaf({1, 2});
    BOOST_CHECK_EXCEPTION((x * 2.0).backward(), Error, [](const Error& e) {
        return e.msg() == "backward: a gradient can be left out only for outputs of one element; output 0 has shape [2]";
    });
}

BOOST_AUTO_TEST_CASE(E20_E21_nodes_run_by_decreasing_sequence_number) {
    const Tensor x = leaf({1}), w = leaf({1});
    std::string order;
    const auto note = [&](const Tensor& t, char name) { t.register_hook([&order, name](const Tensor&) { order += name; }); };
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
    BOOST_CHECK_EXCEPTION(y.backward(), Error, [](const Error& e) { return e.msg().find("retain_graph=true") != std::string::npos; });
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
        return e.msg().find("is at version 1; expected version 0") != std::string::npos && e.msg().find("AddBackward0") != std::string::npos;
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

BOOST_AUTO_TEST_CASE(E72_nested_backward_to_a_depth_of_hundreds) {
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

BOOST_AUTO_TEST_SUITE_END()
