// Edges and names in the place of tensors, and the layout of stored gradients (rules T-35, E-35, E-77, E-79).
#include "tape_helpers.hpp"

#include <map>
#include <unordered_set>

#include <reel/autograd/ordered_dict.hpp>

using namespace tape_test;
using autograd::backward;
using autograd::Edge;
using autograd::grad;
using autograd::gradient_edge;
using Named = OrderedDict<std::string, Tensor>;

namespace {
struct DerivedDict : Named {
    using Named::Named;
};
template <class Inputs>
concept InputsOfGrad = requires(const variable_list& roots, const Inputs& inputs) {
    grad(roots, inputs);
};
} // namespace

BOOST_AUTO_TEST_SUITE(gradient_edges)

BOOST_AUTO_TEST_CASE(T35_edges_as_roots) { // T-35
    const Tensor x = leaf({1, 2}), y = x.sum();
    backward({gradient_edge(y)}, {}, true);
    REEL_TEST_VALUES(x.grad(), 1, 1);
    const Tensor z = x * 2.0;
    BOOST_CHECK_EXCEPTION(backward({gradient_edge(z)}), Error, says("output 0 has shape [2]"));
    backward({gradient_edge(z), y}, {vec({3, 4}), Tensor()}); // mixed with a tensor
    REEL_TEST_VALUES(x.grad(), 8, 10);
    backward({gradient_edge(x)}, {vec({1, 1})}); // a leaf's
    REEL_TEST_VALUES(x.grad(), 9, 11);
    BOOST_CHECK_EXCEPTION(backward({Edge()}), Error, says("output 0 is an invalid gradient edge"));
}

BOOST_AUTO_TEST_CASE(T35_edges_as_inputs) { // T-35
    const Tensor x = leaf({1}), w = leaf({5}), a = x * 2.0, y = a * w;
    std::string order;
    a.register_hook([&](const Tensor&) { order += 'a'; });
    const auto g = grad({y}, {gradient_edge(a), x, gradient_edge(w)}, {}, true);
    BOOST_TEST(item(g[0]) == 5);
    BOOST_TEST(item(g[1]) == 10);
    BOOST_TEST(item(g[2]) == 2);
    BOOST_TEST(order == "a"); // hooks act as for the tensor
    backward({y}, {}, true, false, {gradient_edge(x)});
    BOOST_TEST(item(x.grad()) == 10); // a leaf's edge accumulates
    BOOST_TEST(!w.grad().defined());
    backward({y}, {}, true, false, {gradient_edge(a)});
    BOOST_TEST(!a.retains_grad()); // another tensor's stores nothing
    BOOST_TEST(item(x.grad()) == 10);
    const Tensor other = leaf({1}) * 2.0;
    BOOST_CHECK_EXCEPTION(grad({y}, {gradient_edge(other)}, {}, true, false, std::nullopt, true), Error,
                          says("input 0 is a gradient edge that was not used", "materialize_grads"));
    BOOST_CHECK_EXCEPTION(grad({y}, {Edge()}, {}, true), Error, says("input 0 is an invalid gradient edge"));
}

BOOST_AUTO_TEST_CASE(T35_an_edge_keeps_the_graph_alive) { // T-35
    const Tensor x = leaf({3});
    Edge edge;
    {
        const Tensor y = x * x;
        edge = gradient_edge(y);
    }
    backward({edge});
    BOOST_TEST(item(x.grad()) == 6);
    BOOST_CHECK_EXCEPTION(backward({edge}), Error, says("a second time")); // E-35
}

BOOST_AUTO_TEST_CASE(edges_are_keys) {
    const Tensor x = leaf({1, 2});
    const auto parts = x.unbind();
    std::unordered_set<Edge> set;
    for (const Tensor& t : {parts[0], parts[1], parts[0], x}) set.insert(gradient_edge(t));
    BOOST_TEST(set.size() == 3u);
    BOOST_TEST(set.count(gradient_edge(parts[1])) == 1u);
}

BOOST_AUTO_TEST_CASE(E77_names_for_inputs) { // E-77
    const Tensor x = leaf({2}), w = leaf({3}), u = leaf({1}), y = x * w;
    const Named g = grad({y}, Named({{"weight", w}, {"input", x}, {"unused", u}}), {}, true, false, true);
    BOOST_TEST(g.size() == 3u);
    BOOST_TEST(g.begin()->key() == "weight");
    BOOST_TEST(item(*g.find("weight")) == 2);
    BOOST_TEST(item(*g.find("input")) == 3);
    BOOST_TEST(!g.find("unused")->defined());
    BOOST_CHECK_EXCEPTION(grad({y}, Named({{"unused", u}}), {}, true), Error, says("allow_unused"));
    backward({y}, {}, true, false, Named({{"w", w}}));
    BOOST_TEST(item(w.grad()) == 2);
    BOOST_TEST(!x.grad().defined());
    // Other mappings, and types derived from this one, do not compile.
    static_assert(InputsOfGrad<Named>);
    static_assert(!InputsOfGrad<DerivedDict>);
    static_assert(!InputsOfGrad<std::map<std::string, Tensor>>);
}

BOOST_AUTO_TEST_CASE(E79_a_scope_that_keeps_a_gradients_own_layout) { // E-79
    const auto strides_of_gradient = [](bool relaxed) {
        const Tensor x = ones({2, 3}, kDouble).requires_grad_(), y = x * 1.0;
        y.grad_fn()->register_posthook([](const variable_list&, const variable_list&) {
            // Fresh, dense, but column-major, and nobody else's.
            const Tensor g = empty_strided({2, 3}, {1, 2}, kDouble);
            g.fill_(2.0);
            return variable_list{g, Tensor()};
        });
        std::optional<autograd::RelaxGradLayoutGuard> guard;
        if (relaxed) guard.emplace();
        y.sum().backward();
        REEL_TEST_VALUES(x.grad(), 2, 2, 2, 2, 2, 2);
        return x.grad().strides().vec();
    };
    BOOST_TEST(strides_of_gradient(false) == (std::vector<std::int64_t>{3, 1}), boost::test_tools::per_element());
    BOOST_TEST(strides_of_gradient(true) == (std::vector<std::int64_t>{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(strides_of_gradient(false) == (std::vector<std::int64_t>{3, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
