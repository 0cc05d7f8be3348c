// Layers, optimizers and training on the device, against the CPU's.
#include <boost/test/unit_test.hpp>

#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/optim/factory.hpp>

#include "cuda/on_device.hpp"
#include "nn/layers_with_state.hpp"

using namespace reel;
using namespace reel::testing;

namespace {

Value moved(const Value& v) {
    if (v.isTensor()) return Value(v.toTensor().defined() ? there::put(v.toTensor()) : v.toTensor());
    if (!v.isSequence()) return v;
    std::vector<Value> all;
    for (const Value& e : v.elements()) all.push_back(moved(e));
    return Value::tuple(all);
}
void collect(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor() && v.toTensor().defined()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) collect(e, out);
}
/// Calls the module and goes back through what it gives.
std::vector<Tensor> pass(nn::Module& m, const Args& args) {
    std::vector<Tensor> results;
    collect(m.call_values(args), results);
    Tensor loss;
    for (const Tensor& r : results) {
        if (!r.requires_grad()) continue;
        const Tensor one = (r * r + r).sum();
        loss = loss.defined() ? loss + one : one;
    }
    if (loss.defined()) loss.backward();
    return results;
}
constexpr double near = 1e-9;

/// Fitting numbers with one matrix: three steps of an optimizer.
Tensor stepped(const std::string& name, Device device) {
    manual_seed(5);
    const Tensor x = randn({6, 4}, kDouble).to(device), y = randn({6, 3}, kDouble).to(device);
    const Tensor w = randn({4, 3}, kDouble).to(device).requires_grad_();
    const Tensor places = tensor({0, 2, 1, 3, 3, 0}).to(device); // for those that take sparse gradients alone
    const auto optimizer = optim::make_optimizer(name, {w}, {{"lr", Value(0.05)}});
    for (int i = 0; i < 3; ++i)
        optimizer->step([&] {
            optimizer->zero_grad();
            const Tensor rows = optimizer->takes(kStrided) ? mm(x, w) : embedding(w, places, -1, false, true);
            const Tensor loss = (rows - y).square().mean();
            loss.backward();
            return loss;
        });
    return w.detach();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_layers, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(every_layer_forward_and_backward) {
    for (const Layer& layer : layers_with_state()) {
        BOOST_TEST_CONTEXT(layer.name) {
            manual_seed(3);
            const nn::ModulePtr here = nn::make_module(layer.name, layer.args, layer.kwargs);
            here->to(kDouble);
            const nn::ModulePtr there = here->clone(there::gpu);
            for (const auto& p : there->named_parameters()) BOOST_TEST(p->is_cuda(), p.key());
            const Args args = layer.inputs();
            Args moved_args;
            for (const Value& v : args) moved_args.push_back(moved(v));
            const std::vector<Tensor> want = pass(*here, args), got = pass(*there, moved_args);
            BOOST_REQUIRE(got.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < near);
            const std::vector<Tensor> p = here->parameters(), q = there->parameters();
            BOOST_REQUIRE(p.size() == q.size());
            for (std::size_t i = 0; i < p.size(); ++i) {
                BOOST_TEST(p[i].grad().defined() == q[i].grad().defined());
                if (p[i].grad().defined()) BOOST_TEST(there::distance(q[i].grad(), p[i].grad()) < near);
            }
            const std::vector<Tensor> b = here->buffers(), c = there->buffers();
            for (std::size_t i = 0; i < b.size(); ++i)
                if (b[i].defined()) BOOST_TEST(there::distance(c[i], b[i]) < near);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_optimizer_steps) {
    for (const std::string& name : optim::optimizer_names())
        BOOST_TEST(there::distance(stepped(name, there::gpu), stepped(name, kCPU)) < 1e-8, name);
}

BOOST_AUTO_TEST_CASE(a_training_run_with_hooks) {
    manual_seed(1);
    nn::Sequential model{nn::Linear(4, 8), nn::Dropout(0.1), nn::Tanh(), nn::Linear(8, 3)};
    model->to(there::gpu);
    int forwards = 0, gradients = 0;
    model->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor& out) {
        BOOST_TEST(out.is_cuda());
        ++forwards;
    });
    model->parameters()[0].register_hook([&](const Tensor& g) {
        BOOST_TEST(g.is_cuda());
        ++gradients;
    });
    optim::Adam adam(model->parameters(), optim::AdamOptions(0.02));
    const Tensor x = randn({64, 4}), labels = (x.select(1, 0) > 0).to(kLong) + (x.select(1, 1) > 0).to(kLong);
    const Tensor there_x = there::put(x), there_labels = there::put(labels);
    double first = 0, last = 0;
    for (int i = 0; i < 40; ++i) {
        adam.zero_grad();
        const Tensor loss = nn::functional::cross_entropy(model(there_x), there_labels);
        loss.backward();
        adam.step();
        last = loss.item().toDouble();
        if (i == 0) first = last;
    }
    BOOST_TEST(last < 0.6 * first);
    BOOST_TEST(forwards == 40);
    BOOST_TEST(gradients == 40);
    // what was learned is the same here
    model->eval();
    const Tensor result = model(there_x);
    const nn::ModulePtr here = model->clone(Device(kCPU), false);
    BOOST_TEST(there::distance(result, here->call_values({Value(x)}).toTensor()) < 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()
