// Members and tables of a module are one: every layer that has parameters or buffers, under everything that changes
// them. What forward computes with is told by its values.
#include <algorithm>
#include <functional>

#include <boost/test/unit_test.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/instances.hpp>
#include <reel/optim.hpp>

#include "nn/layers_with_state.hpp"

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

BOOST_AUTO_TEST_SUITE(members_and_tables)

namespace {

void collect(const Value& v, std::vector<Tensor>& out) {
    if (v.isTensor()) out.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) collect(e, out);
}
/// All results of a call with fixed inputs, as one row.
struct Probe {
    explicit Probe(const Layer& layer) : inputs(layer.inputs()) {}
    Tensor operator()(Module& m) const {
        ScalarType dtype = kDouble;
        for (const Tensor& t : tensors(m))
            if (t.is_floating_point()) dtype = t.scalar_type();
        Args args = inputs;
        for (Value& v : args)
            if (v.isTensor() && v.toTensor().is_floating_point()) v = Value(v.toTensor().to(dtype));
        std::vector<Tensor> results, rows;
        collect(m.call_values(args), results);
        for (const Tensor& r : results)
            if (r.defined()) rows.push_back(r.reshape({-1}).to(kDouble));
        return cat(rows);
    }
    static std::vector<Tensor> tensors(const Module& m) {
        std::vector<Tensor> r = m.parameters();
        for (const Tensor& b : m.buffers()) r.push_back(b);
        return r;
    }
    Args inputs;
};
bool differ(const Tensor& a, const Tensor& b) { return !a.sizes().equals(b.sizes()) || !allclose(a, b, 1e-9, 1e-9); }

/// Forward computes with every tensor that the tables name: changed in place, it changes the result. Gradients reach
/// every parameter, and an optimizer over parameters() moves them.
void check_tables_are_used(Module& m, const Layer& layer, const std::string& after) {
    const Probe probe(layer);
    m.eval();
    const Tensor before = probe(m).detach();
    const auto check = [&](const std::string& name, const Tensor& t) {
        if (name.find("num_batches_tracked") != std::string::npos) return;
        NoGradGuard guard;
        const Tensor kept = t.detach().clone();
        t.mul_(1.5).add_(rand_like(t));
        BOOST_TEST(differ(probe(m).detach(), before),
                   layer.name << " after " << after << ": forward does not use " << name);
        t.copy_(kept);
    };
    for (const auto& [name, t] : m.named_parameters().pairs()) check(name, t);
    for (const auto& [name, t] : m.named_buffers().pairs()) check(name, t);
    BOOST_TEST(!differ(probe(m).detach(), before), layer.name << " after " << after);
    // the state dict names the same memory
    for (const auto& item : m.state_dict("", true)) {
        const Tensor t = item->toTensor();
        bool known = false;
        for (const Tensor& own : Probe::tensors(m)) known = known || own.is_same(t);
        BOOST_TEST(known, layer.name << " after " << after << ": state_dict has another " << item.key());
    }
    const std::vector<Tensor> params = m.parameters();
    if (params.empty()) return;
    if (!params[0].is_floating_point()) return;
    m.zero_grad();
    const Tensor y = probe(m);
    (y * linspace(1, 2, y.numel(), kDouble)).sum().backward();
    for (const auto& [name, p] : m.named_parameters().pairs())
        BOOST_TEST(p.grad().defined(), layer.name << " after " << after << ": no gradient reaches " << name);
    optim::SGD sgd(params, optim::SGDOptions(.1));
    sgd.step();
    BOOST_TEST(differ(probe(m).detach(), before), layer.name << " after " << after << ": training changes nothing");
}

ModulePtr made(const Layer& layer) {
    manual_seed(3);
    ModulePtr m = nn::make_module(layer.name, layer.args, layer.kwargs);
    m->to(kDouble);
    NoGradGuard guard; // no zeros and ones that hide what is used
    for (const Tensor& p : m->parameters()) p.add_(rand_like(p) * .3);
    return m;
}
/// Other tensors under the same names.
nn::StateDict fresh_state(Module& m) {
    nn::StateDict d = m.state_dict();
    for (auto& item : d)
        if (const Tensor t = item->toTensor(); t.is_floating_point()) item.value() = Value(rand_like(t).add_(.5));
    return d;
}
template <class Fn> void for_each_module(Module& m, Fn fn) {
    auto all = m.module_items("", true);
    std::reverse(all.begin(), all.end()); // inner ones first: what is replaced goes
    for (const auto& [name, at] : all) fn(*at);
}

} // namespace

BOOST_AUTO_TEST_CASE(every_layer_is_listed) {
    std::set<std::string> listed = stateless();
    for (const Layer& l : layers_with_state()) listed.insert(l.name);
#define REEL_INSTANCE(Name) BOOST_TEST(listed.count(#Name) == 1u, #Name << " is in no list of this test");
    REEL_NN_LAYERS(REEL_INSTANCE)
#undef REEL_INSTANCE
}

BOOST_AUTO_TEST_CASE(every_layer_after_everything) {
    for (const Layer& layer : layers_with_state()) {
        const auto after = [&](const char* what, auto change) {
            const ModulePtr m = made(layer);
            const ModulePtr r = change(m);
            check_tables_are_used(*r, layer, what);
        };
        after("construction", [](const ModulePtr& m) { return m; });
        after("to(dtype)", [](const ModulePtr& m) { return m->to(kFloat), m->to(kDouble), m; });
        after("bfloat16() and double_()", [](const ModulePtr& m) { return m->bfloat16(), m->double_(), m; });
        after("to_empty", [](const ModulePtr& m) {
            const nn::StateDict d = fresh_state(*m);
            m->to_empty(Device(kCPU));
            m->load_state_dict(d, false);
            return m;
        });
        after("meta and back", [](const ModulePtr& m) {
            const nn::StateDict d = fresh_state(*m);
            m->to(Device(kMeta));
            m->to_empty(Device(kCPU));
            m->load_state_dict(d, false);
            return m;
        });
        after("load_state_dict", [](const ModulePtr& m) { return m->load_state_dict(fresh_state(*m)), m; });
        after("an assigning load",
              [](const ModulePtr& m) { return m->load_state_dict(fresh_state(*m), true, true), m; });
        after("attribute assignment", [](const ModulePtr& m) {
            for_each_module(*m, [](Module& at) {
                for (const auto& [name, p] : at.own_parameters().pairs())
                    if (p.defined()) at.set_attribute(name, Value(nn::Parameter(rand_like(p).add_(.5))));
                for (const auto& [name, b] : at.own_buffers().pairs())
                    if (b.defined() && b.is_floating_point()) at.set_attribute(name, Value(rand_like(b).add_(.5)));
            });
            return m;
        });
        after("registering again", [](const ModulePtr& m) {
            for_each_module(*m, [](Module& at) {
                for (const auto& [name, p] : at.own_parameters().pairs())
                    if (p.defined()) at.register_parameter(name, rand_like(p).add_(.5));
                for (const auto& [name, b] : at.own_buffers().pairs())
                    if (b.defined() && b.is_floating_point()) at.register_buffer(name, rand_like(b).add_(.5));
            });
            return m;
        });
        after("replaced children", [](const ModulePtr& m) {
            for_each_module(*m, [](Module& at) {
                for (const auto& [name, child] : at.own_children().pairs())
                    if (child) at.replace_module(name, child->clone());
            });
            return m;
        });
        after("clone", [](const ModulePtr& m) { return m->clone(); });
        after("conversion and clone", [](const ModulePtr& m) { return m->to(kFloat), m->to(kDouble), m->clone(); });
        after("share_memory", [](const ModulePtr& m) { return m->share_memory(), m; });
        after("requires_grad_ off and on",
              [](const ModulePtr& m) { return m->requires_grad_(false), m->requires_grad_(), m; });
    }
}

BOOST_AUTO_TEST_CASE(a_clone_and_its_original_share_nothing) {
    for (const Layer& layer : layers_with_state()) {
        const ModulePtr m = made(layer), copy = m->clone();
        const Probe probe(layer);
        m->eval();
        copy->eval();
        const Tensor before = probe(*m).detach();
        BOOST_TEST(!differ(probe(*copy).detach(), before), layer.name);
        NoGradGuard guard;
        for (const Tensor& t : Probe::tensors(*copy))
            if (t.is_floating_point()) t.add_(1);
        BOOST_TEST(!differ(probe(*m).detach(), before), layer.name);
    }
}

BOOST_AUTO_TEST_CASE(an_optimizer_over_replaced_parameters_says_so) {
    for (const Layer& layer : layers_with_state()) {
        const ModulePtr m = made(layer);
        if (m->parameters().empty()) continue;
        optim::SGD before(m->parameters(), optim::SGDOptions(.1));
        const Probe probe(layer);
        const auto pass = [&] { (probe(*m) * 2).sum().backward(); };
        m->to(kFloat);
        m->to(kDouble);
        pass();
        before.step(); // conversions keep the parameters
        m->load_state_dict(fresh_state(*m), true, true);
        pass();
        const std::string text = message_of([&] { before.step(); });
        BOOST_TEST(has(text, {"optimizer: parameter 0 of group 0", (m->repr_name() + ".").c_str(),
                              "another tensor took its place", "parameters()"}),
                   layer.name << ": " << text);
        optim::SGD after(m->parameters(), optim::SGDOptions(.1));
        after.step();
    }
}

BOOST_AUTO_TEST_SUITE_END()
