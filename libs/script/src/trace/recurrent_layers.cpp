// Recurrent layers and cells as the reference records them: states that start from zero are as large as the batch is
// when the trace runs.
#include <reel/autograd/error.hpp>
#include <reel/nn/modules/rnn.hpp>

#include "ops/numbers.hpp"
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue zeros(Tracer& t, const Tensor& like, Args sizes) {
    return t.aten("aten::zeros",
                  {list(std::move(sizes)), number_of_dtype(like.scalar_type()), {}, like.device(), false});
}
IValue unsqueezed(Tracer& t, const char* name, const IValue& x, std::int64_t dim) {
    const IValue out = t.aten("aten::unsqueeze", {x, dim});
    t.local(name, out);
    return out;
}
IValue squeezed(Tracer& t, const IValue& x, std::int64_t dim) { return t.aten("aten::squeeze.dim", {x, dim}); }

/// A layer over sequences: one operator on the input, its states and the list of all weights.
class Recurrent {
public:
    Recurrent(Tracer& t, const nn::detail::RNNOptionsBase& o) : t_(t), o_(o), is_lstm_(o.mode() == kLSTM) {}

    IValue run(const nn::Module& layer, const Args& a) {
        const bool single = a.at(0).toTensor().dim() == 2;
        const std::int64_t batch = o_.batch_first() ? 0 : 1;
        const IValue input = single ? unsqueezed(t_, "input", a[0], batch) : a[0];
        const IValue size = t_.size(input.toTensor(), batch);
        t_.local("max_batch_size", size);
        const IValue state = a.size() > 1 && !a[1].isNone() ? given(a[1], single) : zero_state(input.toTensor(), size);
        Args weights;
        for (const auto& p : layer.own_parameters()) weights.emplace_back(*p);
        const IValue result =
            t_.aten(name(), {input, state, list(std::move(weights)), o_.bias(), o_.num_layers(), o_.dropout(),
                             layer.is_training(), o_.bidirectional(), o_.batch_first()});
        return unpacked(result.elements(), single, batch);
    }

private:
    const char* name() const {
        return is_lstm_                 ? "aten::lstm.input"
               : o_.mode() == kGRU      ? "aten::gru.input"
               : o_.mode() == kRNN_TANH ? "aten::rnn_tanh.input"
                                        : "aten::rnn_relu.input";
    }
    IValue given(const IValue& state, bool single) {
        if (!is_lstm_) return single ? unsqueezed(t_, "hx", state, 1) : state;
        Args both = state.elements();
        REEL_CHECK_VALUE(both.size() == 2, "jit::trace: an LSTM expects two states, h and c, got ", both.size());
        if (single)
            for (IValue& v : both) {
                v = t_.aten("aten::unsqueeze", {v, 1});
                t_.name(v, "hx");
            }
        return list(std::move(both));
    }
    IValue zero_state(const Tensor& input, const IValue& batch) {
        const std::int64_t layers = o_.num_layers() * (o_.bidirectional() ? 2 : 1), hidden = o_.hidden_size();
        const std::int64_t out = is_lstm_ && o_.proj_size() > 0 ? o_.proj_size() : hidden;
        const IValue h = zeros(t_, input, {layers, batch, out});
        if (!is_lstm_) {
            t_.local("hx", h);
            return h;
        }
        const IValue c = zeros(t_, input, {layers, batch, hidden});
        t_.name(h, "hx"); // both are in the variable `hx`
        t_.name(c, "hx");
        return list({h, c});
    }
    IValue unpacked(Args parts, bool single, std::int64_t batch) {
        if (single) {
            t_.local("output", parts[0]);
            if (!is_lstm_) t_.local("hidden", parts[1]);
            parts[0] = squeezed(t_, parts[0], batch);
            for (std::size_t i = 1; i < parts.size(); ++i) parts[i] = squeezed(t_, parts[i], 1);
        }
        if (!is_lstm_) return IValue::tuple({parts[0], parts[1]});
        return IValue::tuple({parts[0], IValue::tuple({parts[1], parts[2]})});
    }

    Tracer& t_;
    const nn::detail::RNNOptionsBase& o_;
    bool is_lstm_;
};

template <class M> IValue recurrent(Tracer& t, nn::Module& m, const Args& a) {
    return Recurrent(t, dynamic_cast<M&>(m).options_base).run(m, a);
}

/// What the cells have in common: one step of one layer, in the pieces that the reference's kernels are made of.
template <class M> class Cell {
public:
    Cell(Tracer& t, M& m, const Args& a) : t_(t), m_(m), single_(a.at(0).toTensor().dim() == 1) {
        input_ = single_ ? unsqueezed(t, "input", a[0], 0) : a[0];
        const bool given = a.size() > 1 && !a[1].isNone();
        constexpr bool lstm = std::is_same_v<M, nn::LSTMCellImpl>;
        if (!given) {
            const IValue batch = t.size(input_.toTensor(), 0);
            state_ = cell_ = zeros(t, input_.toTensor(), {batch, m.options.hidden_size()});
            t.local(lstm ? "zeros" : "hx", state_);
        } else if constexpr (lstm) {
            state_ = a[1].elements().at(0);
            cell_ = a[1].elements().at(1);
            if (single_) {
                state_ = t.aten("aten::unsqueeze", {state_, 0});
                cell_ = t.aten("aten::unsqueeze", {cell_, 0});
            }
        } else state_ = single_ ? unsqueezed(t, "hx", a[1], 0) : a[1];
    }
    IValue tanh_or_relu(const char* nonlinearity) {
        const IValue hidden = of_state();
        return out(t_.call(nonlinearity, {t_.call("add_", {hidden, of_input()})}));
    }
    IValue gru() {
        const Args in = chunks(of_input(), 3), hidden = chunks(of_state(), 3);
        const IValue reset = t_.call("sigmoid_", {t_.call("add_", {hidden[0], in[0]})});
        const IValue update = t_.call("sigmoid_", {t_.call("add_", {hidden[1], in[1]})});
        const IValue fresh = t_.call("tanh_", {t_.call("add", {in[2], t_.call("mul_", {hidden[2], reset})})});
        const IValue kept = t_.call("mul_", {t_.call("sub", {state_, fresh}), update});
        return out(t_.call("add_", {kept, fresh}));
    }
    IValue lstm() {
        const IValue hidden = of_state();
        const Args gates = chunks(t_.call("add_", {hidden, of_input()}), 4);
        const IValue in = t_.call("sigmoid_", {gates[0]}), forget = t_.call("sigmoid_", {gates[1]});
        const IValue fresh = t_.call("tanh_", {gates[2]}), open = t_.call("sigmoid_", {gates[3]});
        const IValue kept = t_.call("mul", {forget, cell_});
        const IValue cell = t_.call("add_", {kept, t_.call("mul", {in, fresh})});
        const IValue state = t_.call("mul", {open, t_.call("tanh", {cell})});
        if (!single_) return IValue::tuple({state, cell});
        return IValue::tuple({squeezed(t_, state, 0), squeezed(t_, cell, 0)});
    }

private:
    IValue of_input() { return t_.aten("aten::linear", {input_, m_.weight_ih, optional(m_.bias_ih)}); }
    IValue of_state() { return t_.aten("aten::linear", {state_, m_.weight_hh, optional(m_.bias_hh)}); }
    Args chunks(const IValue& x, std::int64_t n) { return t_.aten("aten::unsafe_chunk", {x, n, 1}).elements(); }
    IValue out(const IValue& result) {
        if (!single_) return result;
        t_.local("ret", result);
        return squeezed(t_, result, 0);
    }

    Tracer& t_;
    M& m_;
    bool single_;
    IValue input_, state_, cell_;
};

IValue rnn_cell(Tracer& t, nn::Module& m, const Args& a) {
    auto& cell = dynamic_cast<nn::RNNCellImpl&>(m);
    return Cell(t, cell, a).tanh_or_relu(cell.options.nonlinearity() == kReLU ? "relu" : "tanh");
}
IValue gru_cell(Tracer& t, nn::Module& m, const Args& a) { return Cell(t, dynamic_cast<nn::GRUCellImpl&>(m), a).gru(); }
IValue lstm_cell(Tracer& t, nn::Module& m, const Args& a) {
    return Cell(t, dynamic_cast<nn::LSTMCellImpl&>(m), a).lstm();
}

constexpr Layer table[] = {
    {"RNN", "rnn", recurrent<nn::RNNImpl>, "input hx"}, {"LSTM", "rnn", recurrent<nn::LSTMImpl>, "input hx"},
    {"GRU", "rnn", recurrent<nn::GRUImpl>, "input hx"}, {"RNNCell", "rnn", rnn_cell, "input hx"},
    {"LSTMCell", "rnn", lstm_cell, "input hx"},         {"GRUCell", "rnn", gru_cell, "input hx"},
};
} // namespace

std::span<const Layer> recurrent_layers() { return table; }

} // namespace reel::jit::trace_impl
