// Firings in order, and the reasons of those that did not come.
#include <reel/inspect/hook_log.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::inspect;
using autograd::HookKind;
using autograd::variable_list;
using What = HookLogEntry::What;

namespace {

nn::Sequential two_layers() { return nn::Sequential(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2)); }
Tensor input() { return arange(6).to(kFloat).reshape({2, 3}) / 5 - 0.4; }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
/// `kind owner` of every firing.
std::vector<std::string> order(const HookLog& log) {
    std::vector<std::string> r;
    for (const HookLogEntry& e : log.entries)
        if (e.what == What::Fired) r.push_back(std::string(autograd::to_string(e.kind)) + " " + e.owner);
    return r;
}
const auto keep = [](nn::Module&, const variable_list&, const variable_list&) {};

} // namespace

BOOST_AUTO_TEST_SUITE(hook_log_)

BOOST_AUTO_TEST_CASE(all_kinds_in_order) {
    nn::Sequential net = two_layers();
    const nn::ModulePtr last = net->children()[2];
    last->register_full_backward_hook(keep);
    last->register_full_backward_pre_hook([](nn::Module&, const variable_list&) {});
    last->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {});
    last->register_forward_pre_hook([](nn::Module&, const Tensor&) {});
    const Tensor w = last->parameters()[0];
    w.register_hook([](const Tensor&) {});
    w.register_post_accumulate_grad_hook([](const Tensor&) {});
    const Recorder recorder(*net);
    const Tensor y = net(input());
    y.register_hook([](const Tensor& g) { return g * 2; });
    y.grad_fn()->register_prehook([](const variable_list&) { return std::nullopt; });
    y.sum().backward();
    const HookLog log = hook_log(recorder);
    const std::vector<std::string> seen = order(log);
    BOOST_REQUIRE(seen.size() == 8u);
    BOOST_TEST(seen[0] == "forward pre-hook 2");
    BOOST_TEST(seen[1] == "forward hook 2");
    BOOST_TEST(contains(seen[2], "tensor hook BackwardHookGateBackward"), log.text());
    BOOST_TEST(contains(seen[3], "node pre-hook BackwardHookGateBackward"), log.text());
    BOOST_TEST(seen[4] == "full backward pre-hook 2");
    // The accumulator is ready as soon as the layer has run, and goes first.
    BOOST_TEST(seen[5] == "tensor hook 2.weight", log.text());
    BOOST_TEST(seen[6] == "post-accumulate-grad hook 2.weight");
    BOOST_TEST(seen[7] == "full backward hook 2");
}

BOOST_AUTO_TEST_CASE(shapes_norms_times_and_replacement) {
    nn::Sequential net = two_layers();
    const Recorder recorder(*net);
    const Tensor y = net(input());
    const std::uint64_t id = y.register_hook([](const Tensor& g) { return g * 2; }).id();
    y.sum().backward();
    const HookLog log = hook_log(recorder);
    BOOST_TEST(log.fired(id) == 1u);
    const HookLogEntry* fired = nullptr;
    const HookLogEntry* registered = nullptr;
    for (const HookLogEntry& e : log.entries) {
        if (e.id != id) continue;
        if (e.what == What::Fired) fired = &e;
        if (e.what == What::Registered) registered = &e;
    }
    BOOST_REQUIRE(fired);
    BOOST_REQUIRE(registered);
    BOOST_TEST(fired->shapes == std::vector<std::string>{"float32[2, 2]"}, boost::test_tools::per_element());
    BOOST_TEST(fired->norms.at(0) == 2.0);
    BOOST_TEST(fired->replaced);
    BOOST_TEST(fired->pass >= 0);
    BOOST_TEST(fired->took_us > 0);
    BOOST_TEST(fired->at_us > registered->at_us);
    BOOST_TEST(!registered->place.empty());
    BOOST_TEST(contains(log.json(), "\"norms\":[2E0]"), log.json());
}

BOOST_AUTO_TEST_CASE(why_hooks_did_not_fire) {
    struct NetImpl : nn::Module {
        NetImpl() {
            used = register_module("used", nn::Linear(3, 2));
            idle = register_module("idle", nn::Linear(3, 2));
        }
        Tensor forward(const Tensor& x) { return used(x); }
        nn::Linear used{nullptr}, idle{nullptr};
    };
    const auto net = std::make_shared<NetImpl>();
    const std::uint64_t idle = net->idle->register_full_backward_hook(keep).id();
    const std::uint64_t frozen = net->used->weight.register_hook([](const Tensor&) {}).id();
    const std::uint64_t leaf = net->idle->bias.register_hook([](const Tensor&) {}).id();
    net->used->weight.requires_grad_(false);
    const Recorder recorder(*net);
    RemovableHandle gone = net->used->register_full_backward_hook(keep);
    const Tensor y = net->used(input()), aside = y * 3;
    const std::uint64_t off = aside.register_hook([](const Tensor&) {}).id();
    gone.remove();
    const std::uint64_t late = net->used->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {}).id();
    BOOST_TEST(contains(hook_log(recorder).why_not(leaf), "no backward pass ran"));
    y.sum().backward();
    const HookLog log = hook_log(recorder);
    BOOST_TEST(contains(log.why_not(idle), "not called"), log.text());
    BOOST_TEST(contains(log.why_not(frozen), "frozen"), log.text());
    BOOST_TEST(contains(log.why_not(leaf), "no gradient reached"), log.text());
    BOOST_TEST(contains(log.why_not(off), "not on the path"), log.text());
    BOOST_TEST(contains(log.why_not(late), "registered after the call"), log.text());
    BOOST_TEST(log.why_not(999999999).empty());
}

BOOST_AUTO_TEST_CASE(an_always_call_hook_that_ran_on_a_failing_call) {
    nn::Sequential net = two_layers();
    int calls = 0;
    const std::uint64_t id =
        net->register_forward_hook([&](nn::Module&, const Args&, const Value&) { ++calls; }, {.always_call = true})
            .id();
    const std::uint64_t other = net->register_forward_hook([](nn::Module&, const Args&, const Value&) {}).id();
    const Recorder recorder(*net);
    BOOST_CHECK_THROW(net(ones({2, 7})), Error);
    const HookLog log = hook_log(recorder);
    BOOST_TEST(calls == 1);
    BOOST_TEST(log.fired(id) == 1u, log.text());
    BOOST_TEST(contains(log.why_not(other), "the call threw"), log.text());
}

BOOST_AUTO_TEST_CASE(a_legacy_hook_is_on_the_list) {
    nn::Sequential net = two_layers();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const std::uint64_t id = net->children()[2]->register_backward_hook(keep).id();
#pragma GCC diagnostic pop
    const Recorder recorder(*net);
    net(input()).sum().backward();
    BOOST_TEST(hook_log(recorder).fired(id) == 1u, hook_log(recorder).text());
}

BOOST_AUTO_TEST_CASE(removed_and_without_grad_mode) {
    nn::Sequential net = two_layers();
    RemovableHandle gone = net->register_full_backward_hook(keep);
    const std::uint64_t quiet = net->children()[0]->register_full_backward_hook(keep).id();
    const Recorder recorder(*net);
    RemovableHandle never = net->children()[1]->register_full_backward_hook(keep);
    never.remove();
    NoGradGuard guard;
    net(input());
    const HookLog log = hook_log(recorder);
    BOOST_TEST(log.why_not(never.id()) == "it was removed", log.text());
    BOOST_TEST(contains(log.why_not(quiet), "grad mode was off"), log.text());
    BOOST_TEST(contains(log.why_not(gone.id()), "grad mode was off"), log.text());
}

BOOST_AUTO_TEST_CASE(a_dry_run_calls_nothing_and_leaves_nothing) {
    manual_seed(3);
    nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Dropout(0.5), nn::Linear(4, 2));
    int calls = 0;
    net->children()[0]->register_full_backward_hook(
        [&](nn::Module&, const variable_list&, const variable_list&) { ++calls; });
    net->children()[3]->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor&) { ++calls; });
    net->parameters()[0].register_post_accumulate_grad_hook([&](const Tensor&) { ++calls; });
    const Tensor mean = net->buffers()[0].clone();
    const Tensor grad = ones_like(net->parameters()[0]);
    net->parameters()[0].mutable_grad() = grad;
    const HookLog log = inspect::hooks::dry_run(*net, input());
    const std::vector<std::string> seen = order(log);
    const std::vector<std::string> expected{"forward hook 3", "full backward hook 0",
                                            "post-accumulate-grad hook 0.weight"};
    BOOST_TEST(seen == expected, log.text());
    BOOST_TEST(calls == 0);
    BOOST_TEST(net->buffers()[0].equal(mean));
    BOOST_TEST(net->parameters()[0].mutable_grad().is_same(grad));
    BOOST_TEST(!net->parameters()[1].mutable_grad().defined());
    const Tensor next = rand({1});
    manual_seed(3);
    (void)nn::Sequential(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Dropout(0.5), nn::Linear(4, 2));
    BOOST_TEST(rand({1}).equal(next)); // the random numbers go on as if nothing had been
    BOOST_TEST(contains(log.text(), "not called"));
}

BOOST_AUTO_TEST_CASE(a_dry_run_that_calls) {
    nn::Sequential net = two_layers();
    int calls = 0;
    net->register_full_backward_hook([&](nn::Module&, const variable_list&, const variable_list&) { ++calls; });
    (void)inspect::hooks::dry_run(*net, input(), {.call_hooks = true});
    BOOST_TEST(calls == 1);
    (void)inspect::hooks::dry_run(*net, input(), {.call_hooks = true, .backward = false});
    BOOST_TEST(calls == 1);
    BOOST_CHECK_THROW(inspect::hooks::dry_run(*net, Tensor()), Error);
}

BOOST_AUTO_TEST_CASE(a_dry_run_of_legacy_hooks) {
    nn::Sequential net = two_layers();
    int calls = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const std::uint64_t id =
        net->children()[2]
            ->register_backward_hook([&](nn::Module&, const variable_list&, const variable_list&) { ++calls; })
            .id();
#pragma GCC diagnostic pop
    const HookLog log = inspect::hooks::dry_run(*net, input());
    BOOST_TEST(log.fired(id) == 1u, log.text());
    BOOST_TEST(calls == 0);
    const std::vector<std::string> expected{"legacy backward hook 2"}; // and nothing of what carries it
    BOOST_TEST(order(log) == expected, log.text());
    BOOST_TEST(!contains(log.text(), "post-hook"), log.text());
}

BOOST_AUTO_TEST_CASE(a_hook_that_threw_says_so) {
    nn::Sequential net = two_layers();
    net->children()[2]->register_full_backward_hook(
        [](nn::Module&, const variable_list&, const variable_list&) -> void { throw std::runtime_error("mine"); });
    net->children()[2]->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {});
    net->parameters()[2].register_post_accumulate_grad_hook([](const Tensor&) {});
    const Recorder recorder(*net);
    BOOST_CHECK_THROW(net(input()).sum().backward(), std::runtime_error);
    const HookLog log = hook_log(recorder);
    std::vector<std::string> reasons;
    for (const HookLogEntry& e : log.entries)
        if (e.what == What::Fired) reasons.push_back(e.reason);
    const std::vector<std::string> expected{"", "", "it threw"};
    BOOST_TEST(reasons == expected, log.text());
}

BOOST_AUTO_TEST_CASE(a_hook_from_before_that_is_removed) {
    nn::Sequential net = two_layers();
    RemovableHandle gone = net->children()[2]->register_full_backward_hook(keep);
    const Recorder recorder(*net);
    gone.remove();
    net(input()).sum().backward();
    const HookLog log = hook_log(recorder);
    const std::string who = "full backward hook #" + std::to_string(gone.id()) + " on 2";
    BOOST_TEST(contains(log.text(), "removed " + who), log.text());
    BOOST_TEST(contains(log.text(), "not fired " + who + ": it was removed"), log.text());
}

BOOST_AUTO_TEST_SUITE_END()
