// Recurrent layers as ops: against the written-out recursion, first and second derivatives, what the tape keeps.
#include "tape_helpers.hpp"

#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/parallel.hpp>

using namespace tape_test;
using autograd::gradcheck;
using autograd::gradgradcheck;

BOOST_AUTO_TEST_SUITE(rnn)

namespace {

enum Cell { tanh_cell, relu_cell, lstm_cell_, gru_cell_ };
std::int64_t gates(Cell c) { return c == lstm_cell_ ? 4 : c == gru_cell_ ? 3 : 1; }
Tensor some(std::vector<std::int64_t> sizes) {
    return (randn(sizes, TensorOptions(kDouble)) * 0.5).detach().requires_grad_();
}
/// Input, states, then the parameters.
struct Network {
    Cell cell;
    std::int64_t layers = 1;
    bool bias = true, bidirectional = false, projected = false, packed = false, batch_first = false;
    std::int64_t in = 2, hidden = 3, steps = 2, batch = 3; ///< packed: batch sizes 3, 2, 1

    std::int64_t out() const { return projected ? 2 : hidden; }
    std::size_t states() const { return cell == lstm_cell_ ? 2 : 1; }
    variable_list operands() const {
        const std::int64_t parts = layers * (bidirectional ? 2 : 1);
        variable_list v{packed        ? some({6, in})
                        : batch_first ? some({batch, steps, in})
                                      : some({steps, batch, in}),
                        some({parts, batch, out()})};
        if (cell == lstm_cell_) v.push_back(some({parts, batch, hidden}));
        for (std::int64_t p = 0; p < parts; ++p) {
            const std::int64_t from = p < (bidirectional ? 2 : 1) ? in : out() * (bidirectional ? 2 : 1);
            v.push_back(some({gates(cell) * hidden, from}));
            v.push_back(some({gates(cell) * hidden, out()}));
            for (int b = 0; bias && b < 2; ++b) v.push_back(some({gates(cell) * hidden}));
            if (projected) v.push_back(some({out(), hidden}));
        }
        return v;
    }
    variable_list operator()(const variable_list& v) const {
        const std::vector<Tensor> w(v.begin() + 1 + std::ptrdiff_t(states()), v.end());
        const Tensor sizes = tensor({3, 2, 1}).to(kLong);
        if (cell == lstm_cell_) {
            const std::vector<Tensor> hx{v[1], v[2]};
            const auto [o, h, c] = packed ? lstm(v[0], sizes, hx, w, bias, layers, 0., true, bidirectional)
                                          : lstm(v[0], hx, w, bias, layers, 0., true, bidirectional, batch_first);
            return {o, h, c};
        }
        const auto two = [&](auto padded, auto over_packed) -> variable_list {
            const auto [o, h] = packed ? over_packed(v[0], sizes, v[1], w, bias, layers, 0., true, bidirectional)
                                       : padded(v[0], v[1], w, bias, layers, 0., true, bidirectional, batch_first);
            return {o, h};
        };
        using Padded = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, TensorList, bool, std::int64_t,
                                                      double, bool, bool, bool);
        using Packed = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, const Tensor&, TensorList, bool,
                                                      std::int64_t, double, bool, bool);
        if (cell == gru_cell_) return two(Padded(&gru), Packed(&gru));
        if (cell == relu_cell) return two(Padded(&rnn_relu), Packed(&rnn_relu));
        return two(Padded(&rnn_tanh), Packed(&rnn_tanh));
    }
};
double apart(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

/// One layer forwards, from the formulas.
variable_list written_out(Cell cell, const Tensor& x, Tensor h, Tensor c, const std::vector<Tensor>& w) {
    std::vector<Tensor> all;
    for (std::int64_t t = 0; t < x.size(0); ++t) {
        const Tensor gx = linear(x.select(0, t), w[0], w[2]), gh = linear(h, w[1], w[3]);
        const auto part = [&](const Tensor& g, int i) { return g.chunk(gates(cell), 1)[std::size_t(i)]; };
        if (cell == lstm_cell_) {
            const Tensor g = gx + gh;
            c = sigmoid(part(g, 1)) * c + sigmoid(part(g, 0)) * reel::tanh(part(g, 2));
            h = sigmoid(part(g, 3)) * reel::tanh(c);
            if (w.size() > 4) h = linear(h, w[4]);
        } else if (cell == gru_cell_) {
            const Tensor r = sigmoid(part(gx, 0) + part(gh, 0)), z = sigmoid(part(gx, 1) + part(gh, 1)),
                         n = reel::tanh(part(gx, 2) + r * part(gh, 2));
            h = (1 - z) * n + z * h;
        } else h = cell == relu_cell ? relu(gx + gh) : reel::tanh(gx + gh);
        all.push_back(h);
    }
    variable_list r{stack(all), h};
    if (cell == lstm_cell_) r.push_back(c);
    return r;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_fused_layer_is_the_recursion_written_out) {
    manual_seed(1);
    for (const Cell cell : {tanh_cell, relu_cell, lstm_cell_, gru_cell_})
        for (const bool projected : {false, true}) {
            if (projected && cell != lstm_cell_) continue;
            // One panel of columns with a tail, few rows; several panels and blocks of rows.
            const std::int64_t hidden = projected ? 19 : 70, batch = projected ? 3 : 13;
            const Network net{.cell = cell, .projected = projected, .hidden = hidden, .steps = 4, .batch = batch};
            const variable_list v = net.operands(), got = net(v);
            const std::vector<Tensor> w(v.begin() + 1 + std::ptrdiff_t(net.states()), v.end());
            const variable_list want =
                written_out(cell, v[0], v[1].select(0, 0), net.states() == 2 ? v[2].select(0, 0) : Tensor(), w);
            BOOST_TEST(apart(got[0], want[0]) < 1e-12);
            for (std::size_t i = 1; i < want.size(); ++i) BOOST_TEST(apart(got[i].select(0, 0), want[i]) < 1e-12);
            Tensor a, b;
            for (std::size_t i = 0; i < want.size(); ++i) {
                const Tensor seed = randn(want[i].sizes(), TensorOptions(kDouble)),
                             x = (got[i].reshape(seed.sizes()) * seed).sum(), y = (want[i] * seed).sum();
                a = a.defined() ? a + x : x;
                b = b.defined() ? b + y : y;
            }
            const variable_list ga = autograd::grad({a}, v), gb = autograd::grad({b}, v);
            for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(apart(ga[i], gb[i]) < 1e-11);
        }
}
BOOST_AUTO_TEST_CASE(first_derivatives) {
    manual_seed(2);
    for (const Cell cell : {tanh_cell, relu_cell, lstm_cell_, gru_cell_})
        for (const bool packed : {false, true})
            for (const bool bidirectional : {false, true}) {
                const Network net{.cell = cell, .layers = 2, .bidirectional = bidirectional, .packed = packed};
                BOOST_TEST(gradcheck(net, net.operands()));
            }
    const Network projected{.cell = lstm_cell_, .layers = 2, .bidirectional = true, .projected = true, .packed = true};
    BOOST_TEST(gradcheck(projected, projected.operands()));
    const Network plain{.cell = gru_cell_, .bias = false, .batch_first = true};
    BOOST_TEST(gradcheck(plain, plain.operands()));
}
BOOST_AUTO_TEST_CASE(second_derivatives) {
    manual_seed(3);
    for (const Cell cell : {tanh_cell, relu_cell, lstm_cell_, gru_cell_})
        for (const bool packed : {false, true}) {
            const Network net{.cell = cell, .bidirectional = packed, .packed = packed, .in = 1, .hidden = 2};
            BOOST_TEST(gradgradcheck(net, net.operands()));
        }
    const Network projected{.cell = lstm_cell_, .projected = true};
    BOOST_TEST(gradgradcheck(projected, projected.operands()));
}
BOOST_AUTO_TEST_CASE(steps_agree_with_layers) {
    manual_seed(4);
    const Network l{.cell = lstm_cell_}, g{.cell = gru_cell_}, t{.cell = tanh_cell}, r{.cell = relu_cell};
    const auto one = [](const Network& net, auto step) {
        const variable_list v = net.operands(), whole = net(v);
        Tensor h = v[1].select(0, 0), c = net.states() == 2 ? v[2].select(0, 0) : Tensor();
        const std::size_t w = 1 + net.states();
        for (std::int64_t s = 0; s < 2; ++s) std::tie(h, c) = step(v[0].select(0, s), h, c, v, w);
        BOOST_TEST(apart(h, whole[1].select(0, 0)) < 1e-14);
        if (c.defined()) BOOST_TEST(apart(c, whole[2].select(0, 0)) < 1e-14);
    };
    using Pair = std::tuple<Tensor, Tensor>;
    one(l, [](const Tensor& x, const Tensor& h, const Tensor& c, const variable_list& v, std::size_t w) {
        return lstm_cell(x, std::vector<Tensor>{h, c}, v[w], v[w + 1], v[w + 2], v[w + 3]);
    });
    one(g, [](const Tensor& x, const Tensor& h, const Tensor&, const variable_list& v, std::size_t w) {
        return Pair(gru_cell(x, h, v[w], v[w + 1], v[w + 2], v[w + 3]), Tensor());
    });
    one(t, [](const Tensor& x, const Tensor& h, const Tensor&, const variable_list& v, std::size_t w) {
        return Pair(rnn_tanh_cell(x, h, v[w], v[w + 1], v[w + 2], v[w + 3]), Tensor());
    });
    one(r, [](const Tensor& x, const Tensor& h, const Tensor&, const variable_list& v, std::size_t w) {
        return Pair(rnn_relu_cell(x, h, v[w], v[w + 1], v[w + 2], v[w + 3]), Tensor());
    });
}
BOOST_AUTO_TEST_CASE(derivatives_of_steps) {
    manual_seed(5);
    const auto step = [](const variable_list& v) -> variable_list {
        const auto [h, c] = lstm_cell(v[0], std::vector<Tensor>{v[1], v[2]}, v[3], v[4], v[5], v[6]);
        return {h, c};
    };
    const variable_list v{some({2, 2}),  some({2, 3}), some({2, 3}), some({12, 2}),
                          some({12, 3}), some({12}),   some({12})};
    BOOST_TEST(gradcheck(step, v));
    BOOST_TEST(gradgradcheck(step, v));
    const auto gru_step = [](const variable_list& u) { return gru_cell(u[0], u[1], u[2], u[3]); };
    BOOST_TEST(gradgradcheck(gru_step, {some({2}), some({3}), some({9, 2}), some({9, 3})}));
}
BOOST_AUTO_TEST_CASE(only_what_is_wanted_gets_a_gradient) { // E-22
    const Network net{.cell = lstm_cell_};
    variable_list v = net.operands();
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i].detach().requires_grad_(i == 4);
    const variable_list out = net(v);
    out[0].sum().backward();
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(v[i].grad().defined() == (i == 4));
    const NoGradGuard off;
    BOOST_TEST(!net(v)[0].requires_grad());
}
BOOST_AUTO_TEST_CASE(results_may_be_changed_in_place) { // as in PyTorch: backward keeps no result
    const Network net{.cell = lstm_cell_};
    const variable_list v = net.operands(), out = net(v), again = net(v);
    const variable_list want = autograd::grad({again[0].sum() + again[1].sum()}, v);
    out[0].add_(1);
    out[1].mul_(1);
    const variable_list got = autograd::grad({out[0].sum() + out[1].sum()}, v, {}, std::nullopt, false, true);
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(apart(got[i], want[i]) == 0);
}
BOOST_AUTO_TEST_CASE(a_weight_changed_before_backward_is_an_error) { // E-39
    const Network net{.cell = gru_cell_};
    const variable_list v = net.operands(), out = net(v);
    {
        const NoGradGuard off;
        v[3].add_(1);
    }
    BOOST_CHECK_EXCEPTION(out[0].sum().backward(), Error, says("modified by an in-place operation", "[9, 3]"));
}
BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_a_tape) {
    const Network net{.cell = lstm_cell_, .layers = 2};
    const variable_list v = net.operands(), recorded = net(v);
    const NoGradGuard off;
    const variable_list plain = net(v);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(apart(recorded[i], plain[i]) == 0);
}
BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
    manual_seed(8);
    const Network net{.cell = lstm_cell_, .hidden = 256, .steps = 4, .batch = 13}; // enough to be shared out
    const variable_list v = net.operands();
    const auto run = [&] { return autograd::grad({net(v)[0].sum()}, v); };
    const int before = get_num_threads();
    set_num_threads(1);
    const variable_list one = run();
    set_num_threads(2);
    const variable_list two = run();
    set_num_threads(before);
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(apart(one[i], two[i]) == 0);
}
BOOST_AUTO_TEST_CASE(forward_mode) {
    namespace fw = autograd::forward_ad;
    manual_seed(9);
    for (const Cell cell : {relu_cell, lstm_cell_, gru_cell_}) {
        const Network net{.cell = cell, .layers = 2, .bidirectional = true};
        const variable_list v = net.operands();
        variable_list moved, back;
        {
            const fw::DualLevel level;
            variable_list duals, tangents;
            for (const Tensor& t : v) {
                tangents.push_back(randn(t.sizes(), TensorOptions(kDouble)));
                duals.push_back(fw::make_dual(t, tangents.back()));
                moved.push_back(t.detach() + tangents.back() * 1e-6);
                back.push_back(t.detach() - tangents.back() * 1e-6);
            }
            const variable_list out = net(duals), ahead = net(moved), behind = net(back);
            for (std::size_t i = 0; i < out.size(); ++i)
                BOOST_TEST(apart(fw::unpack_dual(out[i]).tangent, (ahead[i] - behind[i]) / 2e-6) < 1e-6);
        }
    }
}
BOOST_AUTO_TEST_CASE(sixteen_bits_are_computed_in_float32) {
    manual_seed(6);
    const Network net{.cell = gru_cell_};
    variable_list v = net.operands(), half, wide;
    for (const Tensor& t : v) {
        half.push_back(t.detach().to(kBFloat16).requires_grad_());
        wide.push_back(half.back().detach().to(kFloat));
    }
    const variable_list a = net(half), b = net(wide);
    BOOST_TEST((a[0].scalar_type() == kBFloat16));
    BOOST_TEST((a[0] == b[0].to(kBFloat16)).all().item<bool>());
    a[0].sum().backward();
    BOOST_TEST((half[2].grad().scalar_type() == kBFloat16));
}
BOOST_AUTO_TEST_CASE(errors) {
    const Network net{.cell = lstm_cell_};
    variable_list v = net.operands();
    const std::vector<Tensor> hx{v[1], v[2]}, w(v.begin() + 3, v.end());
    BOOST_CHECK_EXCEPTION(lstm(v[0], std::vector<Tensor>{v[1]}, w, true, 1, 0., true, false, false), Error,
                          says("lstm expects two hidden states", "1"));
    BOOST_CHECK_EXCEPTION(lstm(v[0], hx, w, true, 2, 0., true, false, false), Error, says("lstm", "state"));
    BOOST_CHECK_EXCEPTION(
        lstm(v[0], hx, std::vector<Tensor>(w.begin(), w.begin() + 2), true, 1, 0., true, false, false), Error,
        says("incorrect number of RNN parameters", "4", "2"));
    BOOST_CHECK_EXCEPTION(lstm(v[0].narrow(0, 0, 0), hx, w, true, 1, 0., true, false, false), Error,
                          says("Expected sequence length to be larger than 0 in RNN"));
    BOOST_CHECK_EXCEPTION(lstm(v[0].narrow(2, 0, 1), hx, w, true, 1, 0., true, false, false), Error,
                          says("w_ih", "[12, 2]", "[12, 1]"));
    BOOST_CHECK_EXCEPTION(lstm(v[0].to(kFloat), hx, w, true, 1, 0., true, false, false), Error,
                          says("float64", "float32"));
    const Tensor rows = rand({6, 2}, TensorOptions(kDouble));
    BOOST_CHECK_EXCEPTION(lstm(rows, tensor({2, 3, 1}).to(kLong), hx, w, true, 1, 0., true, false), Error,
                          says("batch_sizes", "must not grow"));
    BOOST_CHECK_EXCEPTION(lstm(rows, tensor({3, 2}).to(kLong), hx, w, true, 1, 0., true, false), Error,
                          says("5 rows", "6"));
    BOOST_CHECK_EXCEPTION(gru_cell(rand({2, 4}), rand({2, 3}), rand({9, 2}), rand({9, 3})), Error,
                          says("gru_cell", "inconsistent input_size: got 4 expected 2"));
    BOOST_CHECK_EXCEPTION(gru_cell(rand({2, 2}), rand({2, 4}), rand({9, 2}), rand({9, 3})), Error,
                          says("inconsistent hidden_size: got 4, expected 3"));
    BOOST_CHECK_EXCEPTION(gru_cell(rand({2, 2}), rand({3, 3}), rand({9, 2}), rand({9, 3})), Error,
                          says("Input batch size 2 doesn't match hidden batch size 3"));
}

BOOST_AUTO_TEST_SUITE_END()
