// Modules compiled in place: the same results, hooks around them and inside, what changes between calls.
#include <reel/script/compiled_function.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/nn.hpp>

#include "message.hpp"
#include "script/compiled.hpp"

using namespace reel;
using namespace reel::testing;

namespace {

nn::Sequential net() {
    return nn::Sequential(nn::Linear(4, 8), nn::Tanh(), nn::LayerNorm(nn::LayerNormOptions({8})), nn::Linear(8, 3));
}
/// Both modules at the same inputs: the same bits, the same gradients?
template <class M> bool agree(M& compiled, M& plain, const Tensor& x) {
    const Tensor a = x.detach().clone().requires_grad_(), b = x.detach().clone().requires_grad_();
    const Tensor y = compiled(a), z = plain(b);
    compiled->zero_grad();
    plain->zero_grad();
    weighed(y).backward();
    weighed(z).backward();
    bool good = same(y, z) && same(a.grad(), b.grad());
    const auto p = compiled->parameters(), q = plain->parameters();
    for (std::size_t i = 0; i < p.size(); ++i) good = good && same(p[i].grad(), q[i].grad());
    return good;
}
nn::Sequential copy_of(const nn::Sequential& m) {
    return nn::Sequential(std::dynamic_pointer_cast<nn::SequentialImpl>(m->clone()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_compiled_module)

BOOST_AUTO_TEST_CASE(calls_are_replayed_and_follow_what_changes) {
    nn::Sequential m = net(), plain = copy_of(m);
    BOOST_TEST(message([&] { jit::explain(*m); }) ==
               "explain: " + m->name() + " is not compiled; call compile() on it first");
    m->compile();
    for (int i = 0; i < 4; ++i) BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(jit::explain(*m).replays == 2u);
    {
        const NoGradGuard off; // a step of training
        for (nn::Sequential* s : {&m, &plain})
            for (const Tensor& p : (*s)->parameters()) p.sub_(p.grad() * 0.1);
    }
    BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(jit::explain(*m).replays == 3u);
    for (nn::Sequential* s : {&m, &plain}) (*s)->parameters()[0].requires_grad_(false);
    for (int i = 0; i < 3; ++i) BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(jit::explain(*m).graphs.size() == 2u);
    for (nn::Sequential* s : {&m, &plain}) (*s)->to(kDouble);
    for (int i = 0; i < 3; ++i) BOOST_TEST(agree(m, plain, randn({5, 4}, kDouble)));
    BOOST_TEST(jit::explain(*m).graphs.size() == 3u);
    BOOST_TEST(jit::explain(*m).replays == 5u);
    nn::Sequential copy = copy_of(m);
    BOOST_TEST(message([&] { jit::explain(*copy); }).find("is not compiled") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(hooks_run_around_it_and_inside_make_it_eager) {
    nn::Sequential m = net(), plain = copy_of(m);
    m->compile();
    for (int i = 0; i < 3; ++i) m(randn({5, 4}).requires_grad_());
    int before = 0, after = 0, back = 0, inside = 0;
    m->register_forward_pre_hook([&](nn::Module&, const Tensor&) { ++before; });
    m->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor&) { ++after; });
    m->register_full_backward_hook([&](nn::Module&, const Tensor&, const Tensor&) { ++back; });
    BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST((before == 1 && after == 1 && back == 1));
    const auto replays = jit::explain(*m).replays;
    RemovableHandle handle =
        m->children()[1]->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor&) { ++inside; });
    BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(inside == 1);
    BOOST_TEST(jit::explain(*m).text().find("eager: there are hooks on a submodule") != std::string::npos);
    handle.remove();
    for (int i = 0; i < 3; ++i) BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(inside == 1);
    BOOST_TEST(jit::explain(*m).replays > replays);
}

BOOST_AUTO_TEST_CASE(training_and_evaluation_differ) {
    nn::Sequential m(nn::Linear(4, 6), nn::BatchNorm1d(6), nn::Dropout(0.5), nn::ReLU());
    m->compile();
    for (int i = 0; i < 5; ++i) m(randn({5, 4}).requires_grad_());
    // running statistics are written, in every call
    BOOST_TEST(m->named_buffers()["1.num_batches_tracked"].item<int>() == 5);
    BOOST_TEST(jit::explain(*m).replays == 3u);
    // gradients that can be differentiated again call the module once more, as it was
    const Tensor x = randn({5, 4}).requires_grad_();
    const Tensor y = m(x);
    m->eval();
    BOOST_TEST(message([&] { autograd::grad({y.sum()}, {x}, {}, true, true); }) ==
               "CompiledFunctionBackward: gradients that can be differentiated again, or of some results only, call "
               "the compiled function once more; tensors that it uses were replaced, or training flags changed, "
               "since: call it eagerly");
    BOOST_TEST(autograd::grad({y.sum()}, {x}, {}, true)[0].defined());
    m->train();
    BOOST_TEST(autograd::grad({y.sum()}, {x}, {}, true, true)[0].requires_grad());
    BOOST_TEST(m->named_buffers()["1.num_batches_tracked"].item<int>() == 6);
    m->eval();
    nn::Sequential plain = copy_of(m);
    plain->eval();
    for (int i = 0; i < 4; ++i) BOOST_TEST(agree(m, plain, randn({5, 4})));
    BOOST_TEST(jit::explain(*m).replays == 6u);
}

BOOST_AUTO_TEST_CASE(tuples_go_in_and_out) {
    nn::LSTMCell cell(nn::LSTMCellOptions(3, 5));
    const auto plain = std::dynamic_pointer_cast<nn::LSTMCellImpl>(cell->clone());
    cell->compile();
    for (int i = 0; i < 4; ++i) {
        const Tensor x = randn({2, 3}), h = randn({2, 5}), c = randn({2, 5});
        const auto [a, b] = cell(x, std::make_tuple(h, c));
        const auto [d, e] = plain->forward(x, std::make_tuple(h, c));
        BOOST_TEST((same(a, d) && same(b, e)));
        (a + b * 2).sum().backward();
        (d + e * 2).sum().backward();
    }
    BOOST_TEST(same(cell->parameters()[0].grad(), plain->parameters()[0].grad()));
    BOOST_TEST(jit::explain(*cell).replays == 2u, jit::explain(*cell));
}

BOOST_AUTO_TEST_CASE(a_module_that_is_gone_is_not_called_again) {
    Tensor y;
    const Tensor x = randn({2, 4}, kDouble).requires_grad_();
    {
        nn::Linear m(4, 3);
        m->to(kDouble);
        m->compile();
        for (int i = 0; i < 3; ++i) y = m(x);
        const Tensor g = autograd::grad({y.pow(2).sum()}, {x}, {}, true, true)[0];
        BOOST_TEST(g.requires_grad()); // by calling it once more
    }
    BOOST_TEST(
        message([&] { autograd::grad({y.pow(2).sum()}, {x}, {}, true, true); }) ==
        "CompiledFunctionBackward: gradients that can be differentiated again, or of some results only, call the "
        "compiled module once more, but it is gone; keep it");
    BOOST_TEST(autograd::grad({y.sum()}, {x})[0].defined());
}

/// The gradient of a weight after one example is kept as two vectors: whoever looks sees what eager calls give.
BOOST_AUTO_TEST_CASE(weights_of_one_example_get_gradients_that_are_written_when_asked_for) {
    nn::Sequential m(nn::Linear(80, 70), nn::ReLU(), nn::Linear(70, 60)), plain = copy_of(m);
    m->compile();
    const Tensor x = randn({1, 80});
    const auto pass = [&](nn::Sequential& s) { weighed(s(x)).backward(); };
    const auto weight = [](nn::Sequential& s) { return s->parameters()[0]; };
    const auto both = [&](auto&& f) { f(m), f(plain); };
    for (int i = 0; i < 3; ++i) {
        both([](auto& s) { s->zero_grad(); });
        both(pass);
    }
    BOOST_TEST_REQUIRE(jit::explain(*m).replays == 1u);
    BOOST_TEST(weight(m).grad().storage()->deferred());
    BOOST_TEST(!weight(plain).grad().storage()->deferred());

    const NoGradGuard off;
    const Tensor alias = weight(m).grad(), part = alias[3].slice(0, 5, 9);
    x.mul_(2); // it was another one when the gradient was made
    BOOST_TEST(same(part, weight(plain).grad()[3].slice(0, 5, 9)));
    BOOST_TEST(!weight(m).grad().storage()->deferred());
    BOOST_TEST(same(alias, weight(plain).grad()));

    const EnableGradGuard on;
    both(pass); // adds to what is there
    BOOST_TEST(same(weight(m).grad(), weight(plain).grad()));
    both([](auto& s) { s->zero_grad(); });
    both([&](auto& s) {
        weight(s).register_hook([](const Tensor& g) { return g * 3; });
        pass(s);
        nn::utils::clip_grad_norm_(s->parameters(), 1e-3);
    });
    BOOST_TEST(same(weight(m).grad(), weight(plain).grad()));
}

BOOST_AUTO_TEST_SUITE_END()
