// Recurrent layers over sequences.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/rnn.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/nn/rnn.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/nn/modules/rnn.hpp>

#include <cmath>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "module/members.hpp"
#include "modules/parameter_memory.hpp"
#include "modules/python_text.hpp"
#include "modules/rnn_values.hpp"

namespace reel::nn {

using utils::rnn::PackedSequence;

namespace detail {

template <class Derived> RNNImplBase<Derived>::RNNImplBase(const RNNOptionsBase& o) : options_base(o) {
    RNNImplBase::reset();
}
template <class Derived> std::string RNNImplBase<Derived>::mode_name() const {
    return options_base.mode() == kLSTM ? "LSTM" : options_base.mode() == kGRU ? "GRU" : "RNN";
}
template <class Derived> std::vector<std::string> RNNImplBase<Derived>::weight_names() const {
    std::vector<std::string> names;
    for (std::int64_t layer = 0; layer < options_base.num_layers(); ++layer)
        for (int direction = 0; direction < (options_base.bidirectional() ? 2 : 1); ++direction) {
            const std::string end = str("_l", layer, direction ? "_reverse" : "");
            names.insert(names.end(), {"weight_ih" + end, "weight_hh" + end});
            if (options_base.bias()) names.insert(names.end(), {"bias_ih" + end, "bias_hh" + end});
            if (options_base.proj_size() > 0) names.push_back("weight_hr" + end);
        }
    return names;
}
template <class Derived> void RNNImplBase<Derived>::reset() {
    const auto& o = options_base;
    const std::string name = mode_name();
    REEL_CHECK_VALUE(o.dropout() >= 0 && o.dropout() <= 1, name,
                     ": dropout should be a number in range [0, 1] representing the probability of an element being "
                     "zeroed, got ",
                     o.dropout());
    REEL_CHECK_VALUE(o.hidden_size() > 0, name, ": hidden_size must be greater than zero, got ", o.hidden_size());
    REEL_CHECK_VALUE(o.num_layers() > 0, name, ": num_layers must be greater than zero, got ", o.num_layers());
    REEL_CHECK_VALUE(o.proj_size() >= 0, name,
                     ": proj_size should be a positive integer or zero to disable projections, got ", o.proj_size());
    REEL_CHECK_VALUE(o.proj_size() < o.hidden_size(), name, ": proj_size has to be smaller than hidden_size, got ",
                     o.proj_size(), " and ", o.hidden_size());
    REEL_CHECK_VALUE(o.proj_size() == 0 || is_lstm(), name,
                     ": proj_size argument is only supported for LSTM, not RNN or GRU");
    if (o.dropout() > 0 && o.num_layers() == 1)
        REEL_WARN("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                  "num_layers greater than 1, but got dropout=",
                  text::number(o.dropout()), " and num_layers=1");
    const std::int64_t gates = (is_lstm()          ? 4
                                : o.mode() == kGRU ? 3
                                                   : 1) *
                               o.hidden_size(),
                       out = o.proj_size() > 0 ? o.proj_size() : o.hidden_size(),
                       directions = o.bidirectional() ? 2 : 1;
    for (const std::string& w : weight_names()) {
        const bool first = w.find("_l0") != std::string::npos;
        const auto is = [&](const char* kind) { return w.rfind(kind, 0) == 0; };
        this->register_parameter(w, is("weight_ih")
                                        ? detail::parameter_memory({gates, first ? o.input_size() : out * directions})
                                    : is("weight_hh") ? detail::parameter_memory({gates, out})
                                    : is("weight_hr") ? detail::parameter_memory({out, o.hidden_size()})
                                                      : detail::parameter_memory({gates}));
    }
    reset_parameters();
}
template <class Derived> void RNNImplBase<Derived>::reset_parameters() {
    const double bound = 1 / std::sqrt(double(options_base.hidden_size()));
    for (const Tensor& w : this->parameters()) init::uniform_(w, -bound, bound);
}
template <class Derived> void RNNImplBase<Derived>::flatten_parameters() {
    const auto& o = options_base;
    const RnnCell cell = is_lstm()               ? RnnCell::lstm
                         : o.mode() == kGRU      ? RnnCell::gru
                         : o.mode() == kRNN_RELU ? RnnCell::relu
                                                 : RnnCell::tanh;
    const NoGradGuard no_grad;
    std::vector<Tensor> own;
    for (const std::string& name : weight_names()) {
        const Tensor* const p = this->parameters_.find(name);
        if (!p || !p->defined() || !p->is_leaf()) return; // parametrized, normalized, pruned
        own.push_back(*p);
        if (own.size() > 1 && (p->device() != own[0].device() || p->scalar_type() != own[0].scalar_type())) return;
    }
    if (!kernels::rnn_flat_weights.has(own[0].device().type())) return;
    const std::size_t each = own.size() / std::size_t(o.num_layers() * (o.bidirectional() ? 2 : 1));
    for (std::size_t first = 0; first < own.size(); first += each) {
        std::vector<Tensor*> parts{&own[first], &own[first + 1]};
        Tensor absent;
        parts.push_back(o.bias() ? &own[first + 2] : &absent);
        parts.push_back(o.bias() ? &own[first + 3] : &absent);
        parts.push_back(o.proj_size() > 0 ? &own[first + each - 1] : &absent);
        const std::vector<Tensor> flat = kernels::rnn_flat_weights("flatten_parameters", cell, *parts[0], *parts[1],
                                                                   *parts[2], *parts[3], *parts[4]);
        for (std::size_t i = 0; i < flat.size(); ++i)
            if (flat[i].defined()) parts[i]->set_data(flat[i]);
    }
}
template <class Derived>
void RNNImplBase<Derived>::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    Cloneable<Derived>::copy_from(other, device, keep_hooks);
    flatten_parameters();
}
template <class Derived> std::vector<Tensor> RNNImplBase<Derived>::all_weights() const {
    std::vector<Tensor> r;
    for (const std::string& w : weight_names()) {
        const Tensor* parameter = this->parameters_.find(w);
        r.push_back(parameter ? *parameter : Entry::current(*this, w)); // parametrized, normalized, pruned
    }
    return r;
}

template <class Derived>
void RNNImplBase<Derived>::check_states(std::int64_t batch, const Tensor& hx, const Tensor& cx) const {
    const auto& o = options_base;
    const auto check = [&](const char* what, const Tensor& t, std::int64_t size) {
        const std::vector<std::int64_t> want{o.num_layers() * (o.bidirectional() ? 2 : 1), batch, size};
        REEL_CHECK(t.sizes() == IntArrayRef(want), mode_name(), ": Expected ", what, " size ", text::tuple(want),
                   ", got ", t.sizes());
    };
    const std::int64_t out = o.proj_size() > 0 ? o.proj_size() : o.hidden_size();
    if (is_lstm()) {
        check("hidden[0]", hx, out);
        check("hidden[1]", cx, o.hidden_size());
    } else check("hidden", hx, out);
}
/// `input` [rows, features] with batch_sizes, or with three dimensions.
template <class Derived>
RNNResult RNNImplBase<Derived>::compute(const Tensor& input, const Tensor& batch_sizes, const Tensor& hx_given,
                                        const Tensor& cx_given) {
    const auto& o = options_base;
    const std::vector<Tensor> weights = all_weights();
    const ScalarType dtype = weights[0].scalar_type();
    const bool packed = batch_sizes.defined();
    REEL_CHECK_VALUE(input.scalar_type() == dtype, mode_name(), ": RNN input dtype (", dtype_name(input.scalar_type()),
                     ") does not match weight dtype (", dtype_name(dtype), "). Convert input: input.to(",
                     dtype_name(dtype), "), or convert model: model.to(", dtype_name(input.scalar_type()), ")");
    REEL_CHECK(input.dim() == (packed ? 2 : 3), mode_name(), ": input must have ", packed ? 2 : 3, " dimensions, got ",
               input.dim());
    REEL_CHECK(input.size(-1) == o.input_size(), mode_name(), ": input.size(-1) must be equal to input_size. Expected ",
               o.input_size(), ", got ", input.size(-1));
    const std::int64_t batch = packed ? reel::select(batch_sizes, 0, 0).item<std::int64_t>()
                                      : input.size(o.batch_first() ? 0 : 1),
                       parts = o.num_layers() * (o.bidirectional() ? 2 : 1);
    const auto state = [&](const Tensor& given, std::int64_t size) {
        return given.defined() ? given : reel::zeros({parts, batch, size}, input.options().requires_grad(false));
    };
    const Tensor hx = state(hx_given, o.proj_size() > 0 ? o.proj_size() : o.hidden_size()),
                 cx = is_lstm() ? state(cx_given, o.hidden_size()) : Tensor();
    check_states(batch, hx, cx);
    const bool train = this->is_training();
    RNNResult r;
    if (is_lstm()) {
        const std::vector<Tensor> states{hx, cx};
        std::tie(r.output, r.hn, r.cn) = packed ? reel::lstm(input, batch_sizes, states, weights, o.bias(),
                                                             o.num_layers(), o.dropout(), train, o.bidirectional())
                                                : reel::lstm(input, states, weights, o.bias(), o.num_layers(),
                                                             o.dropout(), train, o.bidirectional(), o.batch_first());
        return r;
    }
    using Padded = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, TensorList, bool, std::int64_t, double,
                                                  bool, bool, bool);
    using Packed = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, const Tensor&, TensorList, bool,
                                                  std::int64_t, double, bool, bool);
    const auto run = [&](Padded over_padded, Packed over_packed) {
        std::tie(r.output, r.hn) = packed ? over_packed(input, batch_sizes, hx, weights, o.bias(), o.num_layers(),
                                                        o.dropout(), train, o.bidirectional())
                                          : over_padded(input, hx, weights, o.bias(), o.num_layers(), o.dropout(),
                                                        train, o.bidirectional(), o.batch_first());
    };
    if (o.mode() == kGRU) run(&reel::gru, &reel::gru);
    else if (o.mode() == kRNN_RELU) run(&reel::rnn_relu, &reel::rnn_relu);
    else run(&reel::rnn_tanh, &reel::rnn_tanh);
    return r;
}
template <class Derived> RNNResult RNNImplBase<Derived>::run(const Tensor& input, const Tensor& hx, const Tensor& cx) {
    REEL_CHECK_VALUE(input.dim() == 2 || input.dim() == 3, mode_name(), ": Expected input to be 2D or 3D, got ",
                     input.dim(),
                     options_base.mode() == kLSTM || options_base.mode() == kGRU ? "D instead" : "D tensor instead");
    const bool batched = input.dim() == 3;
    if (is_lstm() && hx.defined())
        REEL_CHECK(hx.dim() == input.dim() && cx.dim() == input.dim(), mode_name(), ": For ",
                   batched ? "batched 3-D" : "unbatched 2-D", " input, hx and cx should also be ", input.dim(),
                   "-D but got (", hx.dim(), "-D, ", cx.dim(), "-D) tensors");
    else if (hx.defined())
        REEL_CHECK(hx.dim() == input.dim(), mode_name(), ": For ", batched ? "batched 3-D" : "unbatched 2-D",
                   " input, hx should also be ", input.dim(), "-D but got ", hx.dim(), "-D tensor");
    if (batched) return compute(input, {}, hx, cx);
    const auto with_batch = [](const Tensor& t) { return t.defined() ? reel::unsqueeze(t, 1) : t; };
    const std::int64_t batch_dim = options_base.batch_first() ? 0 : 1;
    const RNNResult r = compute(reel::unsqueeze(input, batch_dim), {}, with_batch(hx), with_batch(cx));
    const auto without = [](const Tensor& t) { return t.defined() ? reel::squeeze(t, 1) : t; };
    return {reel::squeeze(r.output, batch_dim), without(r.hn), without(r.cn)};
}
/// The states are given and returned in the order of the sequences before packing.
template <class Derived>
RNNResult RNNImplBase<Derived>::run(const PackedSequence& input, const Tensor& hx, const Tensor& cx) {
    const auto ordered = [](const Tensor& t, const Tensor& places) {
        return t.defined() && places.defined() ? reel::index_select(t, 1, places) : t;
    };
    for (const Tensor& t : {hx, cx})
        REEL_CHECK(!t.defined() || t.dim() == 3, mode_name(), ": For a packed input, hx should be 3-D but got ",
                   t.dim(), "-D tensor");
    if (hx.defined()) check_states(reel::select(input.batch_sizes(), 0, 0).item<std::int64_t>(), hx, cx);
    const RNNResult r = compute(input.data(), input.batch_sizes(), ordered(hx, input.sorted_indices()),
                                ordered(cx, input.sorted_indices()));
    return {r.output, ordered(r.hn, input.unsorted_indices()), ordered(r.cn, input.unsorted_indices())};
}

template <class Derived> Value RNNImplBase<Derived>::forward_values(const Args& args, const Kwargs& kwargs) {
    return call_with_state(static_cast<Derived&>(*this), args, kwargs);
}

namespace {
template <class O> RNNOptionsBase base_of(RNNOptionsBase::rnn_options_base_mode_t mode, const O& o) {
    RNNOptionsBase b(mode, o.input_size(), o.hidden_size());
    b.num_layers(o.num_layers())
        .bias(o.bias())
        .batch_first(o.batch_first())
        .dropout(o.dropout())
        .bidirectional(o.bidirectional());
    if constexpr (requires { o.proj_size(); }) b.proj_size(o.proj_size());
    return b;
}
PackedSequence repacked(const Tensor& data, const PackedSequence& like) {
    return PackedSequence(data, like.batch_sizes(), like.sorted_indices(), like.unsorted_indices());
}
} // namespace

template <class Derived>
std::tuple<Tensor, Tensor> OneStateRNNImpl<Derived>::forward(const Tensor& input, const Tensor& hx) {
    const RNNResult r = this->run(input, hx, {});
    return {r.output, r.hn};
}
template <class Derived>
std::tuple<PackedSequence, Tensor> OneStateRNNImpl<Derived>::forward_with_packed_input(const PackedSequence& input,
                                                                                       const Tensor& hx) {
    const RNNResult r = this->run(input, hx, {});
    return {repacked(r.output, input), r.hn};
}

template class RNNImplBase<RNNImpl>;
template class RNNImplBase<LSTMImpl>;
template class RNNImplBase<GRUImpl>;
template class OneStateRNNImpl<RNNImpl>;
template class OneStateRNNImpl<GRUImpl>;

} // namespace detail

namespace {
/// What all three begin and end with; `between` is for the options that only one has.
template <class O, class F> void common_fields(OptionVisitor& v, O& o, F between) {
    v.required("input_size", o.input_size(), Shown::value);
    v.required("hidden_size", o.hidden_size(), Shown::value);
    if constexpr (std::is_same_v<O, LSTMOptions>) v.printed("proj_size", o.proj_size(), Shown::unless_default);
    v("num_layers", o.num_layers(), Shown::unless_default);
    between();
    v("bias", o.bias(), Shown::unless_default);
    v("batch_first", o.batch_first(), Shown::unless_default);
    v("dropout", o.dropout(), Shown::unless_default);
    v("bidirectional", o.bidirectional(), Shown::unless_default);
}
} // namespace

void RNNOptions::fields(OptionVisitor& v) {
    common_fields(v, *this, [&] {
        if (const Value* f = v.argument("nonlinearity"))
            REEL_CHECK_VALUE(f->toStringRef() == "tanh" || f->toStringRef() == "relu", "Unknown nonlinearity '",
                             f->toStringRef(), "'. Select from 'tanh' or 'relu'.");
        v.hidden("nonlinearity", nonlinearity_);
    });
    v.device_and_dtype();
}
void LSTMOptions::fields(OptionVisitor& v) {
    common_fields(v, *this, [] {});
    v.hidden("proj_size", proj_size_);
    v.device_and_dtype();
}
void GRUOptions::fields(OptionVisitor& v) {
    common_fields(v, *this, [] {});
    v.device_and_dtype();
}

RNNImpl::RNNImpl(const RNNOptions& o)
    : OneStateRNNImpl(o.nonlinearity() == kReLU ? detail::base_of(kRNN_RELU, o) : detail::base_of(kRNN_TANH, o)),
      options(o) {}

LSTMImpl::LSTMImpl(const LSTMOptions& o) : RNNImplBase(detail::base_of(kLSTM, o)), options(o) {}
std::tuple<Tensor, LSTMImpl::States> LSTMImpl::forward(const Tensor& input, const std::optional<States>& hx) {
    const detail::RNNResult r = hx ? run(input, std::get<0>(*hx), std::get<1>(*hx)) : run(input, {}, {});
    return {r.output, States(r.hn, r.cn)};
}
std::tuple<PackedSequence, LSTMImpl::States> LSTMImpl::forward_with_packed_input(const PackedSequence& input,
                                                                                 const std::optional<States>& hx) {
    const detail::RNNResult r = hx ? run(input, std::get<0>(*hx), std::get<1>(*hx)) : run(input, {}, {});
    return {detail::repacked(r.output, input), States(r.hn, r.cn)};
}

GRUImpl::GRUImpl(const GRUOptions& o) : OneStateRNNImpl(detail::base_of(kGRU, o)), options(o) {}

void register_rnn() {
    register_layers<LSTMImpl>();
    register_layers_by<RNNImpl, GRUImpl>(
        []<class M>(const std::string&, const Args& args, const Kwargs& kwargs) -> ModulePtr {
            REEL_CHECK_VALUE(!kwargs.contains("proj_size"),
                             "proj_size argument is only supported for LSTM, not RNN or GRU");
            return make_layer<M>(args, kwargs);
        });
}

} // namespace reel::nn
