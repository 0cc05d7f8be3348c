// Recurrent layers: parameters, layouts, packed sequences, states, texts and errors.
#include <reel/nn/modules/rnn.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/gradcheck.hpp>
#include <reel/nn/factory.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;
using nn::utils::rnn::PackedSequence;

namespace {

double apart(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }
std::string names_of(const nn::Module& m) {
    std::string s;
    for (const auto& p : m.named_parameters()) s += p.key() + " ";
    return s;
}
/// float64 parameters, so that comparisons are sharp.
template <class M> M exact(M m) {
    m->to(kDouble);
    return m;
}
Tensor random_input(std::vector<std::int64_t> sizes) { return randn(sizes, TensorOptions(kDouble)); }

} // namespace

BOOST_AUTO_TEST_SUITE(rnn)

BOOST_AUTO_TEST_CASE(parameters_have_pytorchs_names_shapes_and_range) {
    const nn::LSTM m(nn::LSTMOptions(4, 5).num_layers(2).bidirectional(true).proj_size(3));
    BOOST_TEST(names_of(*m) ==
               "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 weight_ih_l0_reverse "
               "weight_hh_l0_reverse bias_ih_l0_reverse bias_hh_l0_reverse weight_hr_l0_reverse weight_ih_l1 "
               "weight_hh_l1 bias_ih_l1 bias_hh_l1 weight_hr_l1 weight_ih_l1_reverse weight_hh_l1_reverse "
               "bias_ih_l1_reverse bias_hh_l1_reverse weight_hr_l1_reverse ");
    BOOST_TEST(m->get_parameter("weight_ih_l0").sizes() == IntArrayRef({20, 4}));
    BOOST_TEST(m->get_parameter("weight_ih_l1").sizes() == IntArrayRef({20, 6}));
    BOOST_TEST(m->get_parameter("weight_hh_l1_reverse").sizes() == IntArrayRef({20, 3}));
    BOOST_TEST(m->get_parameter("weight_hr_l1").sizes() == IntArrayRef({3, 5}));
    for (const Tensor& p : m->parameters()) BOOST_TEST(p.abs().max().item<double>() <= 1 / std::sqrt(5.));
    BOOST_TEST(m->all_weights().size() == 20u);
    m->flatten_parameters();
    BOOST_TEST(names_of(*nn::GRU(nn::GRUOptions(2, 3).bias(false))) == "weight_ih_l0 weight_hh_l0 ");
    BOOST_TEST(names_of(*nn::LSTMCell(2, 3)) == "weight_ih weight_hh bias_ih bias_hh ");
    BOOST_TEST(nn::GRUCell(2, 3)->weight_ih.sizes() == IntArrayRef({9, 2}));
}
BOOST_AUTO_TEST_CASE(parameters_are_drawn_in_their_order) {
    manual_seed(3);
    const nn::GRU m(nn::GRUOptions(2, 3).num_layers(2));
    manual_seed(3);
    const double bound = 1 / std::sqrt(3.);
    for (const auto& p : m->named_parameters()) {
        const Tensor same = reel::empty(p.value().sizes()).uniform_(-bound, bound);
        BOOST_TEST((p.value() == same).all().item<bool>(), p.key());
    }
}
BOOST_AUTO_TEST_CASE(shapes_of_results) {
    nn::LSTM m(nn::LSTMOptions(4, 5).num_layers(2).bidirectional(true).proj_size(3));
    const auto [out, states] = m(randn({7, 2, 4}));
    BOOST_TEST(out.sizes() == IntArrayRef({7, 2, 6}));
    BOOST_TEST(std::get<0>(states).sizes() == IntArrayRef({4, 2, 3}));
    BOOST_TEST(std::get<1>(states).sizes() == IntArrayRef({4, 2, 5}));
    nn::RNN r(nn::RNNOptions(4, 5).nonlinearity(kReLU).batch_first(true));
    const auto [o, h] = r(randn({2, 7, 4}));
    BOOST_TEST(o.sizes() == IntArrayRef({2, 7, 5}));
    BOOST_TEST(h.sizes() == IntArrayRef({1, 2, 5}));
    BOOST_TEST((o >= 0).all().item<bool>());
    BOOST_TEST((o.select(1, 6) == h.select(0, 0)).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(batch_first_is_a_transpose_and_unbatched_a_batch_of_one) {
    const nn::GRU a = exact(nn::GRU(nn::GRUOptions(3, 4).num_layers(2).bidirectional(true))),
                  b = exact(nn::GRU(nn::GRUOptions(3, 4).num_layers(2).bidirectional(true).batch_first(true)));
    b->load_state_dict(a->state_dict());
    const Tensor x = random_input({5, 2, 3}), h = random_input({4, 2, 4});
    const auto [oa, ha] = a(x, h);
    const auto [ob, hb] = b(x.transpose(0, 1), h);
    BOOST_TEST(apart(oa, ob.transpose(0, 1)) == 0);
    BOOST_TEST(apart(ha, hb) == 0);
    const auto [one, last] = a(x.select(1, 1), h.select(1, 1));
    BOOST_TEST(one.sizes() == IntArrayRef({5, 8}));
    BOOST_TEST(apart(one, oa.select(1, 1)) < 1e-14);
    BOOST_TEST(apart(last, ha.select(1, 1)) < 1e-14);
    const auto [first, end] = b(x.select(1, 1), h.select(1, 1));
    BOOST_TEST(apart(first, one) == 0);
    BOOST_TEST(apart(end, last) == 0);
}
BOOST_AUTO_TEST_CASE(the_backward_direction_reads_from_the_end) {
    const nn::LSTM both = exact(nn::LSTM(nn::LSTMOptions(3, 4).bidirectional(true))), one = exact(nn::LSTM(3, 4));
    nn::StateDict part;
    for (const char* n : {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"})
        part.insert_or_assign(n, Value(both->get_parameter(std::string(n) + "_reverse").detach()));
    one->load_state_dict(part);
    const Tensor x = random_input({5, 2, 3});
    const auto [out, states] = both(x);
    const auto [back, last] = one(x.flip({0}));
    BOOST_TEST(apart(out.narrow(2, 4, 4), back.flip({0})) == 0);
    BOOST_TEST(apart(std::get<1>(states).select(0, 1), std::get<1>(last).select(0, 0)) == 0);
}
BOOST_AUTO_TEST_CASE(cells_take_the_steps_of_layers) {
    const nn::LSTM m = exact(nn::LSTM(3, 4));
    const nn::LSTMCell cell = exact(nn::LSTMCell(3, 4));
    nn::StateDict own;
    for (const char* n : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"})
        own.insert_or_assign(n, Value(m->get_parameter(std::string(n) + "_l0").detach()));
    cell->load_state_dict(own);
    const Tensor x = random_input({5, 2, 3});
    const auto [out, states] = m(x);
    std::optional<std::tuple<Tensor, Tensor>> s;
    for (std::int64_t t = 0; t < 5; ++t) {
        s = cell(x.select(0, t), s);
        BOOST_TEST(apart(std::get<0>(*s), out.select(0, t)) < 1e-14);
    }
    BOOST_TEST(apart(std::get<1>(*s), std::get<1>(states).select(0, 0)) < 1e-14);
    BOOST_TEST(apart(std::get<0>(cell(x.select(0, 0).select(0, 1))), out.select(0, 0).select(0, 1)) < 1e-14);
    nn::RNNCell relu(nn::RNNCellOptions(3, 4).nonlinearity(kReLU));
    BOOST_TEST((relu(randn({2, 3})) >= 0).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(packed_sequences_give_what_each_sequence_alone_gives) {
    const nn::LSTM m = exact(nn::LSTM(nn::LSTMOptions(3, 4).num_layers(2).bidirectional(true).proj_size(2)));
    const std::vector<std::int64_t> lengths{2, 5, 3};
    const Tensor x = random_input({5, 3, 3}), h = random_input({4, 3, 2}), c = random_input({4, 3, 4});
    const PackedSequence packed = nn::utils::rnn::pack_padded_sequence(x, lengths, false, false);
    const auto [out, states] = m->forward_with_packed_input(packed, std::tuple(h, c));
    const auto [padded, l] = nn::utils::rnn::pad_packed_sequence(out);
    for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t n = lengths[std::size_t(i)];
        const auto [alone, last] = m(x.select(1, i).narrow(0, 0, n), std::tuple(h.select(1, i), c.select(1, i)));
        BOOST_TEST(apart(padded.select(1, i).narrow(0, 0, n), alone) < 1e-14);
        BOOST_TEST(apart(std::get<0>(states).select(1, i), std::get<0>(last)) < 1e-14);
        BOOST_TEST(apart(std::get<1>(states).select(1, i), std::get<1>(last)) < 1e-14);
        if (n < 5) BOOST_TEST(padded.select(1, i).narrow(0, n, 5 - n).abs().max().item<double>() == 0);
    }
    // By values, as containers and the factory's users call.
    const Value v = m->call_values({Value::box(packed)});
    BOOST_TEST((v.elements().at(0).try_get<PackedSequence>() != nullptr));
}
BOOST_AUTO_TEST_CASE(gradients_reach_what_was_packed) {
    const nn::GRU m = exact(nn::GRU(2, 3));
    const auto fn = [&](const Tensor& x) {
        const PackedSequence p = nn::utils::rnn::pack_padded_sequence(x, std::vector<std::int64_t>{1, 3}, false, false);
        const auto [out, last] = m->forward_with_packed_input(p);
        return autograd::variable_list{std::get<0>(nn::utils::rnn::pad_packed_sequence(out)), last};
    };
    const Tensor x = random_input({3, 2, 2}).requires_grad_();
    BOOST_TEST(autograd::gradcheck(fn, {x}));
    const Tensor g = autograd::grad({fn(x)[0].sum()}, {x})[0];
    BOOST_TEST(g.select(1, 0).narrow(0, 1, 2).abs().max().item<double>() == 0); // behind the end
}
BOOST_AUTO_TEST_CASE(dropout_works_between_layers_in_training) {
    nn::RNN m(nn::RNNOptions(3, 4).num_layers(2).dropout(0.5)), full(nn::RNNOptions(3, 4).num_layers(2).dropout(1.0));
    const Tensor x = randn({5, 2, 3});
    const Tensor a = std::get<0>(m(x)), b = std::get<0>(m(x));
    BOOST_TEST(apart(a, b) > 0);
    m->eval();
    BOOST_TEST(apart(std::get<0>(m(x)), std::get<0>(m(x))) == 0);
    // With nothing passed on the second layer only sees its biases.
    const Tensor alone = std::get<0>(full(x));
    BOOST_TEST(apart(alone, std::get<0>(full(randn({5, 2, 3})))) == 0);
    WarningLog log;
    nn::RNN(nn::RNNOptions(3, 4).dropout(0.5));
    BOOST_TEST(log.any("non-zero dropout expects num_layers greater than 1, but got dropout=0.5 and num_layers=1"));
}
BOOST_AUTO_TEST_CASE(hooks_see_nested_results) { // C-3
    const nn::LSTM m(3, 4);
    std::size_t parts = 0;
    const auto handle = m->register_forward_hook([&](nn::Module&, const Args&, const Value& out) {
        parts = out.elements().at(1).elements().size();
        return std::optional<Value>();
    });
    const auto [out, states] = m(randn({5, 2, 3}), std::tuple(zeros({1, 2, 4}), zeros({1, 2, 4})));
    BOOST_TEST(parts == 2u);
    BOOST_TEST(std::get<1>(states).sizes() == IntArrayRef({1, 2, 4}));
}
BOOST_AUTO_TEST_CASE(clones_stand_alone) { // M-50
    const nn::GRU m(nn::GRUOptions(3, 4).bidirectional(true));
    const auto copy = std::dynamic_pointer_cast<nn::GRUImpl>(m->clone());
    const Tensor x = randn({5, 2, 3}), before = std::get<0>(m(x)).detach();
    BOOST_TEST(apart(std::get<0>(copy->forward(x)), before) == 0);
    {
        const NoGradGuard off;
        for (Tensor p : copy->parameters()) p.zero_();
    }
    BOOST_TEST(apart(std::get<0>(m(x)), before) == 0);
    BOOST_TEST(std::get<0>(copy->forward(x)).abs().max().item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(printing) {
    BOOST_TEST(nn::LSTM(nn::LSTMOptions(4, 5).num_layers(2).proj_size(2).bidirectional(true))->repr() ==
               "LSTM(4, 5, proj_size=2, num_layers=2, bidirectional=True)");
    BOOST_TEST(nn::GRU(nn::GRUOptions(4, 5).num_layers(3).bias(false).batch_first(true).dropout(0.5))->repr() ==
               "GRU(4, 5, num_layers=3, bias=False, batch_first=True, dropout=0.5)");
    BOOST_TEST(nn::RNN(nn::RNNOptions(4, 5).nonlinearity(kReLU))->repr() == "RNN(4, 5)");
    BOOST_TEST(nn::RNNCell(nn::RNNCellOptions(4, 5).bias(false).nonlinearity(kReLU))->repr() ==
               "RNNCell(4, 5, bias=False, nonlinearity=relu)");
    BOOST_TEST(nn::LSTMCell(4, 5)->repr() == "LSTMCell(4, 5)");
}
BOOST_AUTO_TEST_CASE(construction_errors_are_pytorchs) {
    const auto lstm = [](auto change) {
        return message_of<ValueError>([&] {
            nn::LSTMOptions o(4, 5);
            change(o);
            nn::LSTM m(o);
        });
    };
    BOOST_TEST(has(lstm([](auto& o) { o.dropout(1.5); }),
                   "dropout should be a number in range [0, 1] representing the probability of an element being "
                   "zeroed"));
    BOOST_TEST(has(lstm([](auto& o) { o.hidden_size(0); }), "hidden_size must be greater than zero"));
    BOOST_TEST(has(lstm([](auto& o) { o.num_layers(0); }), "num_layers must be greater than zero"));
    BOOST_TEST(has(lstm([](auto& o) { o.proj_size(-1); }),
                   "proj_size should be a positive integer or zero to disable projections"));
    BOOST_TEST(has(lstm([](auto& o) { o.proj_size(5); }), "proj_size has to be smaller than hidden_size"));
    BOOST_TEST(has(message_of<ValueError>([] {
                       nn::make_module("GRU", {4, 5}, {{"proj_size", 2}});
                   }),
                   "proj_size argument is only supported for LSTM, not RNN or GRU"));
    BOOST_TEST(has(message_of<ValueError>([] {
                       nn::make_module("RNN", {4, 5}, {{"nonlinearity", "sin"}});
                   }),
                   "Unknown nonlinearity 'sin'. Select from 'tanh' or 'relu'."));
}
BOOST_AUTO_TEST_CASE(call_errors_are_pytorchs) {
    nn::LSTM m(4, 5);
    nn::RNN r(nn::RNNOptions(4, 5).batch_first(true));
    BOOST_TEST(
        has(message_of<ValueError>([&] { m(randn({4})); }), "LSTM: Expected input to be 2D or 3D, got 1D instead"));
    BOOST_TEST(has(message_of<ValueError>([&] { r(randn({4})); }),
                   "RNN: Expected input to be 2D or 3D, got 1D tensor instead"));
    BOOST_TEST(has(message_of([&] {
                       m(randn({7, 2, 3}));
                   }),
                   "input.size(-1) must be equal to input_size. Expected 4, got 3"));
    BOOST_TEST(
        has(message_of<ValueError>([&] {
                m(randn({7, 2, 4}, TensorOptions(kDouble)));
            }),
            {"RNN input dtype", "float64", "does not match weight dtype", "float32", "Convert input: input.to("}));
    BOOST_TEST(has(message_of([&] {
                       r(randn({2, 7, 4}), zeros({1, 3, 5}));
                   }),
                   "Expected hidden size (1, 2, 5), got [1, 3, 5]"));
    BOOST_TEST(has(message_of([&] {
                       m(randn({7, 2, 4}), std::tuple(zeros({1, 2, 5}), zeros({1, 2, 6})));
                   }),
                   "Expected hidden[1] size (1, 2, 5), got [1, 2, 6]"));
    BOOST_TEST(has(message_of([&] {
                       r(randn({2, 7, 4}), zeros({1, 5}));
                   }),
                   "For batched 3-D input, hx should also be 3-D but got 2-D tensor"));
    BOOST_TEST(has(message_of([&] {
                       r(randn({7, 4}), zeros({1, 1, 5}));
                   }),
                   "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor"));
    BOOST_TEST(has(message_of([&] {
                       m(randn({7, 4}), std::tuple(zeros({1, 5}), zeros({1, 1, 5})));
                   }),
                   "For unbatched 2-D input, hx and cx should also be 2-D but got (2-D, 3-D) tensors"));
    nn::GRUCell g(4, 5);
    BOOST_TEST(has(message_of<ValueError>([&] {
                       g(randn({2, 2, 4}));
                   }),
                   "GRUCell: Expected input to be 1D or 2D, got 3D instead"));
    BOOST_TEST(has(message_of<ValueError>([&] {
                       g(randn({2, 4}), zeros({1, 2, 5}));
                   }),
                   "GRUCell: Expected hidden to be 1D or 2D, got 3D instead"));
    BOOST_TEST(has(message_of<ValueError>([&] {
                       nn::LSTMCell(4, 5)(randn({2, 4}), std::tuple(zeros({2, 5}), zeros({1, 2, 5})));
                   }),
                   "LSTMCell: Expected hx[1] to be 1D or 2D, got 3D instead"));
    BOOST_TEST(has(message_of([&] { g(randn({2, 3})); }), "input has inconsistent input_size: got 3 expected 4"));
}

BOOST_AUTO_TEST_SUITE_END()
