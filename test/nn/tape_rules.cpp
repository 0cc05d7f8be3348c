// Where the rules of the tape meet modules: parameters, hooks of modules among hooks of tensors, checkpointed modules
// (rules E-5, E-60, E-84, E-86 to E-88, E-91, T-28).
#include <boost/test/unit_test.hpp>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::nn;
using autograd::checkpoint;
using autograd::CheckpointOptions;
using autograd::variable_list;

namespace {

Tensor vec(std::initializer_list<double> values) {
    Tensor t = empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t;
}
double item(const Tensor& t) { return t.item<double>(); }

struct TripleImpl : Module {
    std::string* log = nullptr;
    Tensor forward(const Tensor& x) {
        const Tensor y = x * 3.0;
        if (log && y.requires_grad())
            y.register_hook([this](const Tensor& g) { *log += "inside" + std::to_string(int(item(g))) + ' '; });
        return y;
    }
};
REEL_MODULE(Triple);
struct SquareImpl : Module {
    Tensor forward(const Tensor& x) { return x * x; }
};
REEL_MODULE(Square);

/// Notes every hook of `m` that runs.
void watch(Module& m, std::string& log) {
    m.register_forward_pre_hook([&](Module&, const Args&) { log += "pre "; });
    m.register_forward_hook([&](Module&, const Args&, const Value&) { log += "forward "; });
    m.register_forward_hook(
        [&](Module&, const Args&, const Value& result) { log += result.isNone() ? "always-none " : "always "; }, false,
        true);
    m.register_full_backward_pre_hook([&](Module&, const variable_list&) { log += "backward-pre "; });
    m.register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { log += "backward "; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(tape_rules)

BOOST_AUTO_TEST_CASE(E5_a_parameter_is_a_leaf_over_the_same_memory) { // E-5
    const Tensor x = vec({1, 2}).requires_grad_(), computed = x * 2.0;
    {
        NoGradGuard guard;
        const Parameter p(computed);
        BOOST_TEST(p.is_leaf());
        BOOST_TEST(p.requires_grad()); // also under no-grad
        BOOST_TEST(p.is_alias_of(computed));
        BOOST_TEST(!p.is_view());
        p.add_(1.0);
    }
    BOOST_TEST(computed._version() == 1); // one counter
    BOOST_TEST(!Parameter(computed, false).requires_grad());
    BOOST_CHECK_THROW(Parameter(ones({1}, kLong)), Error);
    BOOST_CHECK_NO_THROW(Parameter(ones({1}, kLong), false));
}

BOOST_AUTO_TEST_CASE(T28_hooks_of_modules_among_hooks_of_tensors) { // T-28
    const Tensor x = vec({1}).requires_grad_();
    std::string log;
    Triple m;
    m->log = &log;
    m->register_forward_pre_hook([&](Module&, const Args& args) { // the alias that forward gets
        (void)args;
    });
    m->register_full_backward_pre_hook([&](Module&, const variable_list& go) {
        log += "pre" + std::to_string(int(item(go[0]))) + ' ';
        return variable_list{go[0] * 10.0};
    });
    m->register_full_backward_hook([&](Module&, const variable_list& gi, const variable_list& go) {
        log += "full" + std::to_string(int(item(gi[0]))) + ',' + std::to_string(int(item(go[0]))) + ' ';
        return variable_list{gi[0] + 0.5};
    });
    const Tensor a = x * 1.0, y = m(a);
    a.register_hook([&](const Tensor& g) { log += "input" + std::to_string(item(g)).substr(0, 4); });
    y.register_hook([&](const Tensor& g) {
        log += "output ";
        return g * 2.0;
    });
    y.retain_grad();
    y.backward();
    BOOST_TEST(log == "output pre2 inside20 full60,20 input60.5");
    BOOST_TEST(item(y.grad()) == 2); // retained before the pre-hooks
    BOOST_TEST(item(x.grad()) == 60.5);
}

BOOST_AUTO_TEST_CASE(E60_identity_nodes_make_zeros) { // E-60
    Triple m;
    std::string seen;
    m->register_full_backward_hook([&](Module&, const variable_list& gi, const variable_list&) {
        seen = gi[0].defined() ? std::to_string(int(item(gi[0]))) : "undefined";
    });
    const Tensor x = vec({1}).requires_grad_(), y = m(x), z = y * 2.0;
    z.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    z.backward();
    BOOST_TEST(seen == "0");
}

BOOST_AUTO_TEST_CASE(E84_a_layer_frozen_in_the_forward) { // E-84
    Linear l(2, 1);
    const Tensor x = ones({1, 2});
    l->requires_grad_(false);
    const Tensor y = l(x.clone().requires_grad_()).sum();
    l->requires_grad_(true);
    y.backward();
    BOOST_TEST(!l->weight.grad().defined());
    l(x).sum().backward();
    l->requires_grad_(false);
    BOOST_TEST(l->weight.grad().defined()); // freezing keeps it
}

BOOST_AUTO_TEST_CASE(E87_E88_hooks_of_a_checkpointed_module) { // E-87, E-88
    for (const bool early_stop : {true, false}) {
        std::string log;
        Square m;
        watch(*m, log);
        CheckpointOptions options;
        options.early_stop = early_stop;
        const Tensor x = vec({3}).requires_grad_();
        const Tensor y = checkpoint(
            options, [&](const Tensor& t) { return m(t); }, x);
        BOOST_TEST(log == "pre forward always ");
        log.clear();
        y.backward();
        // Interrupted at the last saving: pre-hooks, always-call hooks without a result, no forward hooks.
        if (early_stop) BOOST_TEST(log == "backward-pre pre always-none backward ");
        else BOOST_TEST(log == "backward-pre pre forward always backward ");
        BOOST_TEST(item(x.grad()) == 6);
    }
}

BOOST_AUTO_TEST_CASE(E88_hooks_in_the_reentrant_form) { // E-88
    std::string log;
    Square m;
    watch(*m, log);
    CheckpointOptions options;
    options.use_reentrant = true;
    const Tensor x = vec({3}).requires_grad_();
    const Tensor y = checkpoint(
        options, [&](const Tensor& t) { return m(t); }, x);
    BOOST_TEST(log == "pre forward always ");
    log.clear();
    y.backward();
    BOOST_TEST(log == "pre forward always backward-pre backward ");
    BOOST_TEST(item(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(E91_a_sequence_of_modules_in_segments) { // E-91
    Sequential net(Linear(2, 3), Tanh(), Linear(3, 3), Tanh(), Linear(3, 1));
    std::string log;
    for (const auto& child : net->named_children())
        child.value()->register_forward_pre_hook([&, name = child.key()](Module&, const Args&) { log += name; });
    const Tensor x = ones({1, 2}).requires_grad_();
    const Tensor y = autograd::checkpoint_sequential(*net, 2, x);
    BOOST_TEST(log == "01234");
    y.sum().backward();
    BOOST_TEST(log == "0123401");
    const Tensor plain = x.grad().clone(), weight = net->named_parameters()["0.weight"].grad().clone();
    net->zero_grad();
    x.mutable_grad() = Tensor();
    net(x).sum().backward();
    BOOST_TEST(reel::equal(plain, x.grad()));
    BOOST_TEST(reel::equal(weight, net->named_parameters()["0.weight"].grad()));
    x.mutable_grad() = Tensor();
    log.clear();
    autograd::checkpoint_sequential(net, 2, x).sum().backward(); // a holder stands for its module
    BOOST_TEST(log == "0123401");
    BOOST_TEST(reel::equal(plain, x.grad()));
}

BOOST_AUTO_TEST_SUITE_END()
