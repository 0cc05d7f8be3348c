// Module paths on the nodes of the tape.
#include <reel/nn/module_paths.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::nn;

namespace {
struct ScaledImpl : Module {
    ScaledImpl() { inner = register_module("inner", Linear(2, 2)); }
    Tensor forward(const Tensor& x) { return reel::mul(inner(x), 3.0); }
    Linear inner{nullptr};
};
REEL_MODULE(Scaled);
} // namespace

BOOST_AUTO_TEST_SUITE(module_paths)

BOOST_AUTO_TEST_CASE(nodes_carry_the_innermost_running_module) {
    Sequential net(Linear(2, 2), Scaled());
    const Tensor x = ones({1, 2});
    Tensor y;
    {
        const RecordModulePaths record(*net, "net");
        y = net->forward(x).sum(); // a direct forward counts for the module around it
    }
    const autograd::TapeView view(y);
    BOOST_TEST(view.find("SumBackward0")->module_path == "");
    BOOST_TEST(view.find("MulBackward0")->module_path == "net.1");
    BOOST_TEST(view[std::size_t(view.find("MulBackward0")->inputs[0].node)].module_path == "net.1.inner");
    BOOST_TEST(view.text().find("in net.0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_is_recorded_outside_of_the_scope) {
    Linear l(2, 2);
    { const RecordModulePaths record(*l); }
    const Tensor y = l(ones({1, 2}));
    BOOST_TEST(y.grad_fn()->module_path().empty());
}

BOOST_AUTO_TEST_SUITE_END()
