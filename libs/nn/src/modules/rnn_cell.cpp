// Single steps of recurrent layers.
#include <cmath>

#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/nn/rnn.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>
#include <reel/nn/modules/rnn.hpp>

#include "modules/parameter_memory.hpp"
#include "modules/rnn_values.hpp"

namespace reel::nn {

namespace detail {

namespace {
constexpr const char* cell_name(std::int64_t chunks) {
    return chunks == 1 ? "RNNCell" : chunks == 3 ? "GRUCell" : "LSTMCell";
}
} // namespace

template <class Derived, class Options, std::int64_t chunks>
RNNCellImplBase<Derived, Options, chunks>::RNNCellImplBase(const Options& o) : options(o) {
    RNNCellImplBase::reset();
}
template <class Derived, class Options, std::int64_t chunks> void RNNCellImplBase<Derived, Options, chunks>::reset() {
    const std::int64_t in = options.input_size(), h = options.hidden_size();
    weight_ih = this->register_parameter("weight_ih", detail::parameter_memory({chunks * h, in}));
    weight_hh = this->register_parameter("weight_hh", detail::parameter_memory({chunks * h, h}));
    bias_ih =
        this->register_parameter("bias_ih", detail::parameter_memory({chunks * h}, options.bias()), options.bias());
    bias_hh =
        this->register_parameter("bias_hh", detail::parameter_memory({chunks * h}, options.bias()), options.bias());
    reset_parameters();
}
template <class Derived, class Options, std::int64_t chunks>
void RNNCellImplBase<Derived, Options, chunks>::reset_parameters() {
    const double bound = options.hidden_size() > 0 ? 1 / std::sqrt(double(options.hidden_size())) : 0;
    for (const Tensor& w : this->parameters()) init::uniform_(w, -bound, bound);
}
template <class Derived, class Options, std::int64_t chunks>
Tensor RNNCellImplBase<Derived, Options, chunks>::state_for(const Tensor& input, const Tensor& state,
                                                            const char* label) const {
    const char* name = cell_name(chunks);
    REEL_CHECK_VALUE(input.dim() == 1 || input.dim() == 2, name, ": Expected input to be 1D or 2D, got ", input.dim(),
                     "D instead");
    if (!state.defined()) {
        const TensorOptions like = input.options().requires_grad(false);
        return input.dim() == 1 ? reel::zeros({options.hidden_size()}, like)
                                : reel::zeros({input.size(0), options.hidden_size()}, like);
    }
    REEL_CHECK_VALUE(state.dim() == 1 || state.dim() == 2, name, ": Expected ", label, " to be 1D or 2D, got ",
                     state.dim(), "D instead");
    return state;
}

template <class Derived, class Options, std::int64_t chunks>
Value RNNCellImplBase<Derived, Options, chunks>::forward_values(const Args& args, const Kwargs& kwargs) {
    return call_with_state(static_cast<Derived&>(*this), args, kwargs);
}

template class RNNCellImplBase<RNNCellImpl, RNNCellOptions, 1>;
template class RNNCellImplBase<LSTMCellImpl, LSTMCellOptions, 4>;
template class RNNCellImplBase<GRUCellImpl, GRUCellOptions, 3>;

} // namespace detail

Tensor RNNCellImpl::forward(const Tensor& input, const Tensor& hx) {
    const Tensor h = state_for(input, hx, "hidden");
    const auto op = options.nonlinearity() == kReLU ? &reel::rnn_relu_cell : &reel::rnn_tanh_cell;
    return op(input, h, weight_ih, weight_hh, bias_ih, bias_hh);
}
LSTMCellImpl::States LSTMCellImpl::forward(const Tensor& input, const std::optional<States>& hx) {
    const Tensor states[] = {state_for(input, hx ? std::get<0>(*hx) : Tensor(), "hx[0]"),
                             state_for(input, hx ? std::get<1>(*hx) : Tensor(), "hx[1]")};
    return reel::lstm_cell(input, states, weight_ih, weight_hh, bias_ih, bias_hh);
}
Tensor GRUCellImpl::forward(const Tensor& input, const Tensor& hx) {
    return reel::gru_cell(input, state_for(input, hx, "hidden"), weight_ih, weight_hh, bias_ih, bias_hh);
}

void RNNCellOptions::fields(OptionVisitor& v) {
    v.required("input_size", input_size_, Shown::value);
    v.required("hidden_size", hidden_size_, Shown::value);
    v("bias", bias_, Shown::unless_default);
    v("nonlinearity", nonlinearity_, Shown::bare | Shown::unless_default);
    v.device_and_dtype();
}
void LSTMCellOptions::fields(OptionVisitor& v) {
    v.required("input_size", input_size_, Shown::value);
    v.required("hidden_size", hidden_size_, Shown::value);
    v("bias", bias_, Shown::unless_default);
    v.device_and_dtype();
}

void register_rnn_cell() { register_layers<RNNCellImpl, LSTMCellImpl, GRUCellImpl>(); }

} // namespace reel::nn
