// What observers are told, and what pins decide.
#include <reel/autograd/observe.hpp>

#include <boost/test/unit_test.hpp>

#include <future>

#include <reel/autograd.hpp>
#include <reel/autograd/detail/notify_observers.hpp>
#include <reel/autograd/detail/pin.hpp>

using namespace reel;
using namespace reel::autograd;

namespace {

Tensor leaf() { return arange(3).to(kFloat).requires_grad_(); }

struct Notes final : Observer {
    std::vector<std::string> lines;
    bool let_hooks_run = true;
    void value_cut(CutKind kind, const char* op, const Tensor&) override {
        lines.push_back(str("cut ", to_string(kind), ' ', op));
    }
    void grad_cleared(const Tensor&, const char* by, bool) override { lines.push_back(str("cleared ", by)); }
    void hook_registered(const HookRef& h) override { lines.push_back(str("registered ", to_string(h.kind))); }
    void hook_removed(std::uint64_t) override { lines.push_back("removed"); }
    bool hook_fires(const HookRef& h, const Node*, const variable_list&) override {
        lines.push_back(str("fires ", to_string(h.kind)));
        return let_hooks_run;
    }
    void hook_returned(const HookRef&, bool replaced, const variable_list&) override {
        if (replaced) lines.push_back("replaced");
    }
    void node_runs(Node& n, GradList&) override { lines.push_back("runs " + n.name()); }
    void written(const Tensor&, const char* op) override { lines.push_back(str("written ", op)); }
    std::vector<std::string> take() { return std::exchange(lines, {}); }
};
using Lines = std::vector<std::string>;
#define CHECK_LINES(notes, ...)                                                                                        \
    do {                                                                                                               \
        const Lines got = (notes).take(), expected{__VA_ARGS__};                                                       \
        BOOST_TEST(got == expected, boost::test_tools::per_element());                                                 \
    } while (false)

} // namespace

BOOST_AUTO_TEST_SUITE(observe)

BOOST_AUTO_TEST_CASE(ways_off_the_tape) {
    Notes notes;
    const Tensor x = leaf(), y = x * 2;
    const ObserverScope scope(notes);
    (void)y.detach();
    CHECK_LINES(notes, "cut detach detach");
    (void)y.data();
    CHECK_LINES(notes, "cut data() data");
    (void)y.sum().item<float>();
    CHECK_LINES(notes, "cut item() item");
    (void)(y > 0);
    CHECK_LINES(notes, "cut not differentiable gt");
    (void)y.to(kLong);
    CHECK_LINES(notes, "cut not differentiable to_copy");
    (void)y.argmax();
    CHECK_LINES(notes, "cut not differentiable argmax");
    {
        NoGradGuard guard;
        (void)exp(y);
        CHECK_LINES(notes, "cut no_grad exp");
        (void)(x + 1);
        CHECK_LINES(notes, "cut no_grad add");
        (void)matmul(y, y);
        BOOST_TEST(!notes.take().empty());
    }
    (void)exp(y);             // recorded
    (void)ones({2}).detach(); // needs no gradient
    (void)(ones({2}) > 0);
    BOOST_TEST(notes.lines.empty());
}

BOOST_AUTO_TEST_CASE(hooks_from_registration_to_removal) {
    Notes notes;
    const Tensor x = leaf();
    const ObserverScope scope(notes);
    const Tensor y = x * 2;
    RemovableHandle h = y.register_hook([](const Tensor& g) { return g * 2; });
    x.register_post_accumulate_grad_hook([](const Tensor&) {});
    y.grad_fn()->register_posthook([](const variable_list&, const variable_list&) { return std::nullopt; });
    CHECK_LINES(notes, "registered tensor hook", "registered post-accumulate-grad hook", "registered node post-hook");
    y.sum().backward({}, true);
    CHECK_LINES(notes, "runs SumBackward0", "fires tensor hook", "replaced", "runs MulBackward0",
                "fires node post-hook", "runs AccumulateGrad", "fires post-accumulate-grad hook");
    h.remove();
    CHECK_LINES(notes, "removed");
}

BOOST_AUTO_TEST_CASE(hooks_can_be_left_out) {
    Notes notes;
    notes.let_hooks_run = false;
    const Tensor x = leaf();
    int calls = 0;
    x.register_hook([&](const Tensor& g) { return ++calls, g * 100; });
    const ObserverScope scope(notes);
    (x * 2).sum().backward();
    BOOST_TEST(calls == 0);
    BOOST_TEST(x.grad().equal(full({3}, 2.0)));
}

BOOST_AUTO_TEST_CASE(writes_and_cleared_gradients) {
    Notes notes;
    const Tensor x = leaf(), t = ones({2});
    (x * 2).sum().backward();
    const ObserverScope scope(notes);
    t.add_(1);
    CHECK_LINES(notes, "written add_");
    x.set_grad(Tensor());
    CHECK_LINES(notes, "cleared set_grad");
}

BOOST_AUTO_TEST_CASE(nothing_is_told_outside_of_the_scope_or_by_the_observer_itself) {
    struct Busy final : Observer {
        int cuts = 0;
        void value_cut(CutKind, const char*, const Tensor& t) override {
            ++cuts;
            (void)(t > 0); // not observed
        }
    } busy;
    const Tensor y = leaf() * 2;
    {
        const ObserverScope scope(busy);
        (void)(y > 0);
    }
    (void)(y > 0);
    BOOST_TEST(busy.cuts == 1);
    BOOST_TEST(!autograd::impl::observed());
}

BOOST_AUTO_TEST_CASE(pins_are_asked_before_anything_is_written) {
    struct Keeper final : PinKeeper {
        std::vector<std::string> asked;
        void on_write(const Tensor&, const char* op) override {
            asked.push_back(op);
            throw Error("pinned");
        }
        bool on_sweep(const Tensor&, const char* what) override { return asked.push_back(what), true; }
        bool on_mode(const void*, bool) override { return true; }
    } keeper;
    const Tensor t = ones({2, 2}), other = ones({2});
    autograd::impl::pin(t.storage().get(), keeper);
    BOOST_CHECK_THROW(t.add_(1), Error);
    BOOST_CHECK_THROW(t[0].fill_(7), Error);
    BOOST_CHECK_THROW(t.index_put_({0}, Scalar(5)), Error);
    BOOST_CHECK_THROW(t.set_data(other), Error);
    t.requires_grad_(true);
    BOOST_TEST(!t.requires_grad());
    other.add_(1);
    BOOST_TEST(t.equal(ones({2, 2})));
    BOOST_TEST(keeper.asked.size() == 5u);
    BOOST_TEST(keeper.asked.back() == "requires_grad_");
    autograd::impl::unpin(keeper);
    BOOST_TEST(!autograd::impl::any_pins());
    t.add_(1);
    BOOST_TEST(t.equal(full({2, 2}, 2.0)));
}

BOOST_AUTO_TEST_CASE(a_place_is_never_in_the_system) {
    // Here nothing but Reel, the standard library and what starts threads is on the stack.
    const CallSite site = std::async(std::launch::async, &CallSite::here).get();
    BOOST_TEST(site.known());
    BOOST_TEST(site.text() == "");
}

BOOST_AUTO_TEST_SUITE_END()
