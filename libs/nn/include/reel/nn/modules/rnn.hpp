// Recurrent layers over sequences.
#pragma once

#include <optional>
#include <tuple>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/detail/rnn_base.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>
#include <reel/nn/utils/rnn.hpp>

namespace reel::nn {

/// `dropout` works between layers, in training. `batch_first`: inputs and outputs are [batch, steps, features].
struct RNNOptions : detail::RNNCommonOptions<RNNOptions> {
    using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
    using RNNCommonOptions::RNNCommonOptions;
    void fields(OptionVisitor& v);
    REEL_ARG(nonlinearity_t, nonlinearity) = kTanh;
};
/// `proj_size`: h is projected to so many features by weight_hr.
struct LSTMOptions : detail::RNNCommonOptions<LSTMOptions> {
    using RNNCommonOptions::RNNCommonOptions;
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, proj_size) = 0;
};
struct GRUOptions : detail::RNNCommonOptions<GRUOptions> {
    using RNNCommonOptions::RNNCommonOptions;
    void fields(OptionVisitor& v);
};

/// h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh), or relu of it.
class RNNImpl : public detail::OneStateRNNImpl<RNNImpl> {
public:
    RNNImpl(std::int64_t input_size, std::int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
    explicit RNNImpl(const RNNOptions& options);
    RNNOptions options;
};
REEL_MODULE(RNN);

/// Long short-term memory: i, f, o = sigmoid, g = tanh of W_ih x + b_ih + W_hh h + b_hh; c = f c + i g, h = o tanh(c).
class LSTMImpl : public detail::RNNImplBase<LSTMImpl> {
public:
    using States = std::tuple<Tensor, Tensor>; ///< h and c
    LSTMImpl(std::int64_t input_size, std::int64_t hidden_size) : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
    explicit LSTMImpl(const LSTMOptions& options);
    /// As RNN's, with two states.
    std::tuple<Tensor, States> forward(const Tensor& input, const std::optional<States>& hx_opt = std::nullopt);
    std::tuple<utils::rnn::PackedSequence, States>
    forward_with_packed_input(const utils::rnn::PackedSequence& packed_input,
                              const std::optional<States>& hx_opt = std::nullopt);
    LSTMOptions options;
};
REEL_MODULE(LSTM);

/// Gated recurrent unit: r, z = sigmoid of W_ih x + b_ih + W_hh h + b_hh, n = tanh(W_in x + b_in + r (W_hn h + b_hn));
/// h = (1 - z) n + z h.
class GRUImpl : public detail::OneStateRNNImpl<GRUImpl> {
public:
    GRUImpl(std::int64_t input_size, std::int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
    explicit GRUImpl(const GRUOptions& options);
    GRUOptions options;
};
REEL_MODULE(GRU);

struct RNNCellOptions {
    using nonlinearity_t = Choice<enumtype::kTanh, enumtype::kReLU>;
    RNNCellOptions(std::int64_t input_size, std::int64_t hidden_size)
        : input_size_(input_size), hidden_size_(hidden_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, input_size);
    REEL_ARG(std::int64_t, hidden_size);
    REEL_ARG(bool, bias) = true;
    REEL_ARG(nonlinearity_t, nonlinearity) = kTanh;
};
struct LSTMCellOptions {
    LSTMCellOptions(std::int64_t input_size, std::int64_t hidden_size)
        : input_size_(input_size), hidden_size_(hidden_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, input_size);
    REEL_ARG(std::int64_t, hidden_size);
    REEL_ARG(bool, bias) = true;
};
using GRUCellOptions = LSTMCellOptions;

/// One step of RNN over [batch, features] or [features].
class RNNCellImpl : public detail::RNNCellImplBase<RNNCellImpl, RNNCellOptions, 1> {
public:
    using RNNCellImplBase::RNNCellImplBase;
    /// The next state. `hx` is zero unless given.
    Tensor forward(const Tensor& input, const Tensor& hx = {});
};
REEL_MODULE(RNNCell);
/// One step of LSTM.
class LSTMCellImpl : public detail::RNNCellImplBase<LSTMCellImpl, LSTMCellOptions, 4> {
public:
    using RNNCellImplBase::RNNCellImplBase;
    using States = std::tuple<Tensor, Tensor>;
    /// The next h and c.
    States forward(const Tensor& input, const std::optional<States>& hx_opt = std::nullopt);
};
REEL_MODULE(LSTMCell);
/// One step of GRU.
class GRUCellImpl : public detail::RNNCellImplBase<GRUCellImpl, GRUCellOptions, 3> {
public:
    using RNNCellImplBase::RNNCellImplBase;
    Tensor forward(const Tensor& input, const Tensor& hx = {});
};
REEL_MODULE(GRUCell);

} // namespace reel::nn
