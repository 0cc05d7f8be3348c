// Full backward hooks and pre-hooks as lambdas over tensors and over values: both forms see and may change the same.
#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>

using namespace reel;
using autograd::variable_list;

BOOST_AUTO_TEST_SUITE(nn_backward_hooks)

namespace {

/// (2a + 3b, c): the example of B-13.
struct PairImpl : nn::Module {
    std::tuple<Tensor, Tensor> forward(const Tensor& a, const Tensor& b, const Tensor& c) {
        return {a * 2 + b * 3, c * 1};
    }
};
REEL_MODULE(Pair);

struct ScaleImpl : nn::Module {
    ScaleImpl() { w = register_parameter("w", full({}, 3.0)); }
    Tensor forward(const Tensor& x) { return x * w; }
    Tensor w;
};
REEL_MODULE(Scale);

std::string message_of(const std::function<void()>& fn) {
    try {
        fn();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
Tensor leaf(double v) { return full({}, v).requires_grad_(); }

} // namespace

BOOST_AUTO_TEST_CASE(B_13_both_forms_see_every_argument) {
    for (const bool values : {false, true}) {
        Pair m;
        const Tensor a = ones({2}).requires_grad_(), b = ones({2}), c = ones({2}).requires_grad_();
        int fired = 0;
        if (values)
            m->register_full_backward_hook([&](nn::Module&, const Value& gi, const Value& go) {
                ++fired;
                BOOST_TEST(gi.elements().size() == 3u);
                BOOST_TEST(equal(gi.elements()[0].toTensor(), full({2}, 2.0)));
                BOOST_TEST(equal(gi.elements()[1].toTensor(), zeros({2})));
                BOOST_TEST(equal(gi.elements()[2].toTensor(), zeros({2})));
                BOOST_TEST(equal(go.elements()[0].toTensor(), ones({2})));
                BOOST_TEST(go.elements()[1].isNone());
            });
        else
            m->register_full_backward_hook([&](nn::Module&, const variable_list& gi, const variable_list& go) {
                ++fired;
                BOOST_TEST(gi.size() == 3u);
                BOOST_TEST(equal(gi[0], full({2}, 2.0)));
                BOOST_TEST(equal(gi[1], zeros({2})));
                BOOST_TEST(equal(gi[2], zeros({2})));
                BOOST_TEST(equal(go[0], ones({2})));
                BOOST_TEST(!go[1].defined());
            });
        std::get<0>(m(a, b, c)).sum().backward();
        BOOST_TEST(fired == 1);
        BOOST_TEST(equal(a.grad(), full({2}, 2.0)));
        BOOST_TEST(equal(c.grad(), zeros({2}))); // without hooks it would be undefined
        BOOST_TEST(!b.grad().defined());
    }
}

BOOST_AUTO_TEST_CASE(B_17_hooks_chain_their_replacements) {
    for (const bool mixed : {false, true}) { // one hook over values takes the whole call off the path without them
        nn::Identity m;
        double seen = 0;
        m->register_full_backward_hook(
            [](nn::Module&, const variable_list& gi, const variable_list&) { return variable_list{gi[0] * 2}; });
        if (mixed)
            m->register_full_backward_hook(
                [&](nn::Module&, const Value& gi, const Value&) { seen = gi.elements()[0].toTensor().item<double>(); });
        else
            m->register_full_backward_hook(
                [&](nn::Module&, const variable_list& gi, const variable_list&) { seen = gi[0].item<double>(); });
        m->register_full_backward_hook(
            [](nn::Module&, const variable_list& gi, const variable_list&) -> std::optional<variable_list> {
                return variable_list{gi[0] + 1};
            });
        const Tensor x = leaf(5);
        m(x).backward();
        BOOST_TEST(seen == 2);
        BOOST_TEST(x.grad().item<double>() == 3);
    }
}

BOOST_AUTO_TEST_CASE(B_18_pre_hooks_change_what_flows_inside) {
    for (const bool none : {false, true}) {
        Scale m;
        double go_seen = -1, gi_seen = -1;
        m->register_full_backward_pre_hook([&](nn::Module&, const variable_list& go) {
            return none ? variable_list{Tensor()} : variable_list{go[0] * 0.5};
        });
        m->register_full_backward_hook([&](nn::Module&, const variable_list& gi, const variable_list& go) {
            gi_seen = gi[0].item<double>();
            go_seen = go[0].defined() ? go[0].item<double>() : 0;
        });
        const Tensor x = leaf(2);
        m(x).backward();
        if (none) {
            BOOST_TEST(gi_seen == 0);
            BOOST_TEST(go_seen == 0);
            BOOST_TEST(!m->w.grad().defined());
            BOOST_TEST(x.grad().item<double>() == 0);
        } else {
            BOOST_TEST(gi_seen == 1.5);
            BOOST_TEST(go_seen == 0.5);
            BOOST_TEST(m->w.grad().item<double>() == 1);
            BOOST_TEST(x.grad().item<double>() == 1.5);
        }
    }
}

BOOST_AUTO_TEST_CASE(B_19_an_undefined_entry_stops_the_gradient) {
    Scale m;
    m->register_full_backward_hook(
        [](nn::Module&, const variable_list&, const variable_list&) { return variable_list{Tensor()}; });
    const Tensor x = leaf(2);
    m(x).backward();
    BOOST_TEST(!x.grad().defined());
    BOOST_TEST(m->w.grad().item<double>() == 2);
}

BOOST_AUTO_TEST_CASE(B_20_replacements_are_checked) {
    const auto run = [](const Tensor& replacement, std::size_t count) {
        return message_of([&] {
            Scale m;
            m->register_full_backward_hook([&](nn::Module&, const variable_list&, const variable_list&) {
                return variable_list(count, replacement);
            });
            m(leaf(2)).backward();
        });
    };
    BOOST_TEST(has(run(ones({3}), 1), "full backward hook changed the size of gradient 0 from [] to [3]"));
    BOOST_TEST(has(run(ones({}, kDouble), 1),
                   "full backward hook changed the type of gradient 0 from float32 on cpu to float64 on cpu"));
    BOOST_TEST(has(run(ones({}), 2), "full backward hook returned 2 gradients, expected 1"));
    const std::string pre = message_of([] {
        Scale m;
        m->register_full_backward_pre_hook(
            [](nn::Module&, const variable_list&) { return variable_list(2, ones({})); });
        m(leaf(2)).backward();
    });
    BOOST_TEST(has(pre, "full backward pre-hook returned 2 gradients, expected 1"));
}

BOOST_AUTO_TEST_CASE(B_21_unused_outputs_stay_without_gradient) {
    struct TwoImpl : nn::Module {
        TwoImpl() {
            u = register_parameter("u", ones({}));
            v = register_parameter("v", ones({}));
        }
        std::tuple<Tensor, Tensor> forward(const Tensor& x) { return {x * u, x * v}; }
        Tensor u, v;
    };
    nn::ModuleHolder<TwoImpl> m(std::make_shared<TwoImpl>());
    m->register_full_backward_hook([](nn::Module&, const variable_list&, const variable_list&) {});
    const Tensor x = leaf(2);
    std::get<0>(m(x)).backward();
    BOOST_TEST(m->u.grad().item<double>() == 2);
    BOOST_TEST(!m->v.grad().defined());
}

BOOST_AUTO_TEST_CASE(B_14_without_an_input_that_requires_grad_hooks_fire_at_the_outputs) {
    Scale m;
    bool none_inputs = false, before = false;
    m->register_full_backward_hook([&](nn::Module&, const variable_list& gi, const variable_list& go) {
        none_inputs = gi.size() == 1 && !gi[0].defined() && go[0].item<double>() == 1;
        before = !m->w.grad().defined();
    });
    m(full({}, 2.0)).backward();
    BOOST_TEST(none_inputs);
    BOOST_TEST(before);
    BOOST_TEST(m->w.grad().item<double>() == 2);
}

BOOST_AUTO_TEST_CASE(B_31_a_stale_grad_output_is_not_used) {
    Scale m;
    int fired = 0;
    m->register_full_backward_hook([&](nn::Module&, const variable_list&, const variable_list&) { ++fired; });
    const Tensor x = leaf(2), y = m(x);
    autograd::grad({y}, {m->w}, {}, true); // reaches the outer gate only
    BOOST_TEST(fired == 0);
    y.backward();
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(a_hook_that_throws_leaves_the_module_usable) {
    Scale m;
    bool fail = true;
    int fired = 0;
    m->register_full_backward_hook([&](nn::Module&, const variable_list&, const variable_list&) {
        if (fail) throw std::runtime_error("from the hook");
        ++fired;
    });
    const Tensor x = leaf(2);
    BOOST_CHECK_EXCEPTION(m(x).backward(), std::runtime_error,
                          [](const auto& e) { return std::string(e.what()).find("from the hook") == 0; });
    fail = false;
    m(x).backward();
    BOOST_TEST(fired == 1);
    BOOST_TEST(x.grad().item<double>() == 3);
}

BOOST_AUTO_TEST_CASE(B_14_B_20_only_nones_are_nothing_where_no_input_requires_grad) {
    for (const bool number : {false, true}) {
        Scale m;
        int fired = 0;
        m->register_full_backward_hook([&](nn::Module&, const Value&, const Value&) {
            ++fired;
            return Value::tuple({number ? Value(5) : Value()});
        });
        const Tensor y = m(ones({}));
        if (number)
            BOOST_CHECK_EXCEPTION(y.backward(), Error, [](const Error& e) { return has(e.what(), "return none"); });
        else y.backward();
        BOOST_TEST(fired == 1);
    }
}

BOOST_AUTO_TEST_CASE(B_10_B_11_in_the_reference_mode_everything_counts_by_its_length) {
    struct Mode {
        explicit Mode(bool on) { nn::hooks::set_reference_mode(on); }
        ~Mode() { nn::hooks::set_reference_mode(false); }
    };
    ValueDict empty;
    // What the hook returns, and the error; a bare tensor is the list of its rows.
    const std::vector<std::pair<Value, const char*>> cases{{Value(3), "returned a int"},
                                                           {Value(full({}, 1.0)), "returned a Tensor"},
                                                           {Value(empty), "returned 0 gradients, expected 1"},
                                                           {Value("s"), "returned a str as gradient 0"},
                                                           {Value(full({2}, 1.0)), "returned 2 gradients, expected 1"},
                                                           {Value(full({1, 2}, 1.0)), "changed the size"}};
    for (const auto& [returned, error] : cases)
        for (const bool pre : {true, false}) {
            const Mode mode(true);
            Scale m;
            if (pre) m->register_full_backward_pre_hook([r = returned](nn::Module&, const Value&) { return r; });
            else m->register_full_backward_hook([r = returned](nn::Module&, const Value&, const Value&) { return r; });
            const Tensor y = m(ones({1, 2}).requires_grad_()).sum();
            const std::string text = message_of([&] { y.backward(); });
            BOOST_TEST(has(text, error), text << " for " << error);
        }
    Scale m; // elsewhere a single gradient may come bare
    m->register_full_backward_hook([](nn::Module&, const Value&, const Value&) { return Value(full({1, 2}, 7.0)); });
    const Tensor x = ones({1, 2}).requires_grad_();
    m(x).sum().backward();
    BOOST_TEST(equal(x.grad(), full({1, 2}, 7.0)));
}

BOOST_AUTO_TEST_SUITE_END()
