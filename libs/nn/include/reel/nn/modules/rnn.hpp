// Recurrent layers over sequences.
#pragma once

#include <optional>
#include <tuple>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>
#include <reel/nn/utils/rnn.hpp>

namespace reel::nn {

namespace detail {
/// The options that all recurrent networks have.
template <class Self> struct RNNCommonOptions {
    RNNCommonOptions(std::int64_t input_size, std::int64_t hidden_size)
        : input_size_(input_size), hidden_size_(hidden_size) {}
    REEL_ARG_OF(Self, std::int64_t, input_size);
    REEL_ARG_OF(Self, std::int64_t, hidden_size);
    REEL_ARG_OF(Self, std::int64_t, num_layers) = 1;
    REEL_ARG_OF(Self, bool, bias) = true;
    REEL_ARG_OF(Self, bool, batch_first) = false;
    REEL_ARG_OF(Self, double, dropout) = 0.0;
    REEL_ARG_OF(Self, bool, bidirectional) = false;
};
/// What they are computed from; each fills it from its own options.
struct RNNOptionsBase : RNNCommonOptions<RNNOptionsBase> {
    using rnn_options_base_mode_t = Choice<enumtype::kLSTM, enumtype::kGRU, enumtype::kRNN_TANH, enumtype::kRNN_RELU>;
    RNNOptionsBase(rnn_options_base_mode_t mode, std::int64_t input_size, std::int64_t hidden_size)
        : RNNCommonOptions(input_size, hidden_size), mode_(mode) {}
    REEL_ARG(rnn_options_base_mode_t, mode);
    REEL_ARG(std::int64_t, proj_size) = 0;
};
} // namespace detail

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

namespace detail {
/// Outputs of all steps and the last states of all layers and directions, c undefined but for LSTM.
struct RNNResult {
    Tensor output, hn, cn;
};
/// Parameters weight_ih_l{k}, weight_hh_l{k}, bias_ih_l{k}, bias_hh_l{k}, weight_hr_l{k} (projections), for the
/// backward direction with the suffix _reverse; all U(+-1 / sqrt(hidden_size)).
template <class Derived> class RNNImplBase : public Cloneable<Derived> {
public:
    explicit RNNImplBase(const RNNOptionsBase& options);
    void reset() override;
    void reset_parameters();
    /// There is nothing to flatten: kept for PyTorch's programs.
    void flatten_parameters() {}
    /// By layer and direction.
    std::vector<Tensor> all_weights() const;
    /// A tensor or a packed sequence, with the state or states to start from.
    static constexpr const char* forward_arguments = "input, hx";
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    RNNOptionsBase options_base;

protected:
    /// Input [steps, batch, features] or unbatched [steps, features].
    RNNResult run(const Tensor& input, const Tensor& hx, const Tensor& cx);
    RNNResult run(const utils::rnn::PackedSequence& input, const Tensor& hx, const Tensor& cx);

private:
    std::vector<std::string> weight_names() const;
    RNNResult compute(const Tensor& input, const Tensor& batch_sizes, const Tensor& hx, const Tensor& cx);
    void check_states(std::int64_t batch, const Tensor& hx, const Tensor& cx) const;
    std::string mode_name() const;
    bool is_lstm() const { return options_base.mode() == kLSTM; }
};
/// Networks whose state is h alone.
template <class Derived> class OneStateRNNImpl : public RNNImplBase<Derived> {
public:
    using RNNImplBase<Derived>::RNNImplBase;
    /// All outputs [steps, batch, directions * hidden] and the last states [layers * directions, batch, hidden];
    /// without a batch dimension if the input has none. `hx` is zero unless given. Errors: ranks and sizes that do not
    /// fit.
    std::tuple<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {});
    std::tuple<utils::rnn::PackedSequence, Tensor>
    forward_with_packed_input(const utils::rnn::PackedSequence& packed_input, const Tensor& hx = {});
};
} // namespace detail

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

namespace detail {
/// Parameters weight_ih, weight_hh, bias_ih, bias_hh of `chunks` gates, all U(+-1 / sqrt(hidden_size)).
template <class Derived, class Options, std::int64_t chunks> class RNNCellImplBase : public Cloneable<Derived> {
public:
    RNNCellImplBase(std::int64_t input_size, std::int64_t hidden_size)
        : RNNCellImplBase(Options(input_size, hidden_size)) {}
    explicit RNNCellImplBase(const Options& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input, hx";
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    Options options;
    Tensor weight_ih, weight_hh, bias_ih, bias_hh;

protected:
    /// `state`, or zeros; checks it and the input.
    Tensor state_for(const Tensor& input, const Tensor& state, const char* label) const;
};
} // namespace detail

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
