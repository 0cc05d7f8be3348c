// What the recurrent networks share.
#pragma once

#include <optional>
#include <tuple>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/options.hpp>
#include <reel/nn/utils/rnn.hpp>

namespace reel::nn::detail {

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

/// Outputs of all steps and the last states of all layers and directions, c undefined but for LSTM.
struct RNNResult {
    Tensor output, hn, cn;
};
/// A module whose parameters a device's library wants side by side: asked for after they were converted or moved.
struct FlatParameters {
    virtual ~FlatParameters() = default;
    virtual void flatten_parameters() = 0;
};
/// Parameters weight_ih_l{k}, weight_hh_l{k}, bias_ih_l{k}, bias_hh_l{k}, weight_hr_l{k} (projections), for the
/// backward direction with the suffix _reverse; all U(+-1 / sqrt(hidden_size)).
template <class Derived> class RNNImplBase : public Cloneable<Derived>, public FlatParameters {
public:
    explicit RNNImplBase(const RNNOptionsBase& options);
    void reset() override;
    void reset_parameters();
    /// The parameters of each layer and direction lie in one memory as the device's library wants them, and are not
    /// copied at each call: the same tensors with the same numbers. Nothing happens where there is no such library, nor
    /// to parameters that are not all the layer's own. `to` and `clone` do it by themselves.
    void flatten_parameters() override;
    /// By layer and direction.
    std::vector<Tensor> all_weights() const;
    /// A tensor or a packed sequence, with the state or states to start from.
    static constexpr const char* forward_arguments = "input, hx";
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    RNNOptionsBase options_base;

protected:
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;
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

} // namespace reel::nn::detail
