// Who saved, who wrote, what helps.
#include <reel/inspect/inplace_autopsy.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

using namespace reel;
using namespace reel::inspect;

namespace {
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(inplace_autopsy_)

BOOST_AUTO_TEST_CASE(an_activation_written_after_it_was_saved) {
    nn::Sequential net(nn::Linear(3, 4), nn::Sigmoid());
    const Recorder recorder(*net);
    const Tensor y = net(ones({2, 3}));
    BOOST_TEST(inplace_autopsy(recorder).cases.empty());
    y.add_(1);
    BOOST_CHECK_THROW(y.sum().backward(), Error);
    const InplaceAutopsy a = inplace_autopsy(recorder);
    BOOST_REQUIRE(a.cases.size() == 1u);
    const auto& c = a.cases[0];
    BOOST_TEST(c.saver == "SigmoidBackward0");
    BOOST_TEST(c.saver_module == "1");
    BOOST_TEST(c.tensor == "float32[2, 4]");
    BOOST_TEST(c.version == c.saved_version + 1);
    BOOST_REQUIRE(c.writes.size() == 1u);
    BOOST_TEST(c.writes[0].op == "add_");
    BOOST_TEST(!c.writes[0].place.empty());
    BOOST_TEST(!c.saver_place.empty());
    BOOST_TEST(contains(c.advice, "x = x.add(...)"), c.advice);
    BOOST_TEST(contains(a.json(), "\"op\":\"add_\""));
    // The advice helps.
    net(ones({2, 3})).add(1).sum().backward();
}

BOOST_AUTO_TEST_CASE(a_step_between_forward_and_backward) {
    nn::Sequential net(nn::Linear(3, 4), nn::Linear(4, 2));
    optim::SGD sgd(net->parameters(), 0.1);
    for (const Tensor& p : net->parameters()) p.mutable_grad() = ones_like(p);
    const Recorder recorder(*net);
    const Tensor loss = net(ones({2, 3})).sum();
    sgd.step();
    BOOST_CHECK_THROW(loss.backward(), Error);
    const InplaceAutopsy a = inplace_autopsy(recorder);
    BOOST_REQUIRE(a.cases.size() == 1u);
    BOOST_TEST(a.cases[0].tensor == "1.weight", a.text());
    BOOST_TEST(a.cases[0].writes.at(0).op == "SGD", a.text());
    BOOST_TEST(contains(a.cases[0].advice, "call backward() before step()"));
}

BOOST_AUTO_TEST_CASE(through_a_view) {
    nn::Sequential net(nn::Linear(3, 4), nn::Sigmoid());
    const Recorder recorder(*net);
    const Tensor y = net(ones({2, 3}));
    y.detach()[0].mul_(2);
    const InplaceAutopsy a = inplace_autopsy(recorder);
    BOOST_REQUIRE(a.cases.size() == 1u);
    BOOST_TEST(a.cases[0].writes.at(0).op == "mul_", a.text());
}

BOOST_AUTO_TEST_CASE(a_buffer_that_the_next_call_changed) {
    nn::BatchNorm1d norm(3);
    norm->eval();
    const Recorder recorder(*norm);
    const Tensor x = arange(12).to(kFloat).reshape({4, 3}).requires_grad_();
    const Tensor y = norm(x);
    norm->train();
    norm(x);
    BOOST_CHECK_THROW(y.sum().backward(), Error);
    const InplaceAutopsy a = inplace_autopsy(recorder);
    BOOST_REQUIRE(!a.cases.empty());
    BOOST_TEST(a.cases[0].tensor == "running_mean");
    BOOST_TEST(a.cases[0].advice.find("the buffer was changed") == 0u, a.text());
}

BOOST_AUTO_TEST_SUITE_END()
