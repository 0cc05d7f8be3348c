// A recording tells what it names apart for good, also when that is gone.
#include <reel/inspect/recorder.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>

#include <reel/autograd.hpp>
#include <reel/inspect.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::inspect;
using autograd::variable_list;

namespace {

struct DetachedImpl : nn::Module {
    DetachedImpl() { register_parameter("w", ones({2})); }
    Tensor forward(const Tensor& x) { return x + named_parameters()["w"].detach(); }
};
REEL_MODULE(Detached);
struct NetImpl : nn::Module {
    NetImpl() { head = register_module("head", nn::Linear(3, 2)); }
    Tensor forward(const Tensor& x) { return head(x); }
    nn::Linear head{nullptr};
};
REEL_MODULE(Net);
const auto keep = [](nn::Module&, const variable_list&, const variable_list&) {};
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(recorder_)

BOOST_AUTO_TEST_CASE(a_new_parameter_at_the_address_of_an_old_one) {
    Detached net;
    const Recorder recorder(*net);
    net(ones({2})); // the old parameter is cut
    const TensorImpl* old = net->named_parameters()["w"].impl().get();
    net->unregister_parameter("w");
    std::vector<Tensor> others; // one of them takes the address, if it is free
    for (int i = 0; i < 100 && (others.empty() || others.back().impl().get() != old); ++i) others.push_back(ones({2}));
    net->register_parameter("w", others.back());
    const GradReport r = explain_grad(*net);
    BOOST_TEST(std::string(to_string(r.find("w")->fate)) == "unused", r.text());
}

BOOST_AUTO_TEST_CASE(a_new_module_at_the_address_of_an_old_one) {
    Net net;
    const Recorder recorder(*net);
    net(ones({2, 3})).sum().backward();
    for (int i = 0; i < 100; ++i) { // memory given back is taken again
        const nn::Module* before = net->head.ptr().get();
        net->head = nullptr;
        net->replace_module("head", nn::Linear(3, 2));
        net->head = net->replace_module("head", nn::Linear(3, 2));
        if (net->head.ptr().get() == before) break;
    }
    const GradReport r = explain_grad(*net);
    BOOST_TEST(std::string(to_string(r.find("head.weight")->fate)) == "never called", r.text());
}

BOOST_AUTO_TEST_CASE(a_part_that_came_later_has_its_name) {
    Net net;
    const Recorder recorder(*net);
    net->head = net->replace_module("head", nn::Linear(3, 2));
    const std::uint64_t id = net->head->register_full_backward_hook(keep).id();
    net(ones({2, 3}).requires_grad_()).sum().backward();
    const HookLog log = hook_log(recorder);
    BOOST_TEST(log.fired(id) == 1u);
    BOOST_TEST(contains(log.text(), "full backward hook #" + std::to_string(id) + " on head"), log.text());
    BOOST_TEST(flow_view(recorder).dot().find("head.weight") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_model_may_end_first) {
    auto net = std::make_shared<NetImpl>();
    const Recorder recorder(*net);
    net->head(ones({2, 3})).sum().backward();
    const std::weak_ptr<NetImpl> weak = net;
    net.reset();
    BOOST_TEST(!weak.expired());
    BOOST_TEST(explain_grad(recorder.model()).count(GradFate::Got) == 2u);
    BOOST_TEST(hook_log(recorder).entries.empty());
}

BOOST_AUTO_TEST_SUITE_END()
