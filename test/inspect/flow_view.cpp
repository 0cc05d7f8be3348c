// The picture of a backward pass.
#include <reel/inspect/flow_view.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::inspect;
using Mark = FlowView::Mark;

namespace {
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::size_t times(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
    return n;
}
} // namespace

BOOST_AUTO_TEST_SUITE(flow_view_)

BOOST_AUTO_TEST_CASE(nodes_edges_and_norms) {
    nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2));
    const Recorder recorder(*net);
    net(ones({5, 3})).sum().backward();
    const FlowView v = flow_view(recorder);
    BOOST_TEST(v.nodes.size() == 8u); // sum, linear, tanh, linear, four accumulators
    BOOST_TEST(v.edges.size() == 7u);
    BOOST_TEST(v.count(Mark::Fine) == 8u);
    BOOST_TEST(v.nodes[0].name == "SumBackward0");
    BOOST_TEST(v.nodes[0].norm == 1.0);
    for (const auto& n : v.nodes)
        if (n.leaf == "2.bias")
            BOOST_TEST(n.norm == std::sqrt(50.0), boost::test_tools::tolerance(1e-6)); // two entries of 5
    for (const auto& e : v.edges) BOOST_TEST(e.from < e.to);                           // gradients flow down
    const std::string dot = v.dot();
    BOOST_TEST(times(dot, "subgraph cluster_") == 3u, dot);
    BOOST_TEST(times(dot, " -> ") == 7u);
    BOOST_TEST(contains(dot, "penwidth="));
    const std::string page = v.html("a < b");
    BOOST_TEST(contains(page, "<title>a &lt; b</title>"));
    BOOST_TEST(times(page, "<path ") == 7u);
    BOOST_TEST(times(page, "<rect class=\"band\"") == 3u, page);
    BOOST_TEST(!contains(page, "http"));
    BOOST_TEST(!contains(page, "<script"));
}

BOOST_AUTO_TEST_CASE(dead_exploding_and_not_reached) {
    nn::Sequential net(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
    {
        NoGradGuard guard;
        net->parameters()[1].fill_(-100); // no unit of the first layer is ever on
    }
    const Recorder recorder(*net);
    const Tensor y = net(ones({5, 3})), aside = y.detach().requires_grad_() * 2;
    (y.sum() * 1e6).backward();
    const FlowView v = flow_view(recorder);
    BOOST_TEST(v.count(Mark::NotReached) >= 1u);
    for (const auto& n : v.nodes) {
        if (n.leaf == "0.weight" || n.leaf == "0.bias") BOOST_TEST((n.mark == Mark::Dead));
        if (n.leaf == "2.bias") BOOST_TEST((n.mark == Mark::Exploding));
    }
    BOOST_TEST(contains(v.dot(), "dead"));
    BOOST_TEST(contains(v.html(), "exploding"));
}

BOOST_AUTO_TEST_CASE(the_latest_pass_alone_with_accumulators_older_than_the_recording) {
    nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2));
    const Tensor before = net(ones({5, 3})); // its tape keeps the accumulators
    const Recorder recorder(*net);
    for (int i = 0; i < 3; ++i) {
        const Tensor aside = net(ones({5, 3})) * 2; // 8 nodes less 4 accumulators: not reached
        net(ones({5, 3})).sum().backward();
    }
    const FlowView v = flow_view(recorder);
    BOOST_TEST(v.count(Mark::Fine) == 8u);
    BOOST_TEST(v.count(Mark::NotReached) == 4u);
    std::size_t leaves = 0;
    for (const auto& n : v.nodes) leaves += !n.leaf.empty();
    BOOST_TEST(leaves == 4u);
}

BOOST_AUTO_TEST_CASE(nothing_to_draw) {
    nn::Linear net(2, 2);
    const Recorder recorder(*net);
    BOOST_CHECK_THROW(flow_view(recorder), ValueError);
    net(ones({1, 2})).sum().backward();
    BOOST_CHECK_THROW(flow_view(recorder, {.max_nodes = 2}), ValueError);
    const Recorder quiet(*net, {.norms = false});
    net(ones({1, 2})).sum().backward();
    BOOST_CHECK_THROW(flow_view(quiet), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
