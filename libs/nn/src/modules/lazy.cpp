// Lazy layers: from the first input, or a state dict, to the sizes of everything.
#include <reel/nn/modules/lazy.hpp>

#include <mutex>

#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/factory.hpp>

#include "module/members.hpp"

namespace reel::nn {

LazyModule::~LazyModule() = default;

namespace {

/// How the family of layers goes with the size of its input: `with` gives options that size, `of_input` finds it in an
/// input, `of_weight` in a tensor of a state dict (0 where that does not tell), `first` is the smallest that can be.
template <class Options> struct Family;

template <> struct Family<LinearOptions> {
    static constexpr const char* told_by[] = {"weight"};
    static std::int64_t first(const LinearOptions&) { return 1; }
    static void with(LinearOptions& o, std::int64_t n) { o.in_features(n); }
    static std::int64_t of_input(const LinearOptions&, const Tensor& x, const std::string&) { return x.size(-1); }
    static std::int64_t of_weight(const LinearOptions&, const Tensor& w) { return w.dim() == 2 ? w.size(1) : 0; }
};
/// Channels of [C, ...] or [N, C, ...].
template <std::size_t D> std::int64_t channels_of(const Tensor& x, const std::string& name) {
    REEL_CHECK(x.dim() == std::int64_t(D) + 1 || x.dim() == std::int64_t(D) + 2, name, ": expected ", D + 1,
               "D (unbatched) or ", D + 2, "D (batched) input, got an input of shape ", x.sizes());
    return x.size(x.dim() - std::int64_t(D) - 1);
}
template <std::size_t D> struct Family<ConvOptions<D>> {
    static constexpr const char* told_by[] = {"weight"};
    static std::int64_t first(const ConvOptions<D>& o) { return o.groups(); }
    static void with(ConvOptions<D>& o, std::int64_t n) { o.in_channels(n); }
    static std::int64_t of_input(const ConvOptions<D>&, const Tensor& x, const std::string& name) {
        return channels_of<D>(x, name);
    }
    static std::int64_t of_weight(const ConvOptions<D>& o, const Tensor& w) {
        return w.dim() == std::int64_t(D) + 2 ? w.size(1) * o.groups() : 0;
    }
};
template <std::size_t D> struct Family<ConvTransposeOptions<D>> {
    static constexpr const char* told_by[] = {"weight"};
    static std::int64_t first(const ConvTransposeOptions<D>& o) { return o.groups(); }
    static void with(ConvTransposeOptions<D>& o, std::int64_t n) { o.in_channels(n); }
    static std::int64_t of_input(const ConvTransposeOptions<D>&, const Tensor& x, const std::string& name) {
        return channels_of<D>(x, name);
    }
    static std::int64_t of_weight(const ConvTransposeOptions<D>&, const Tensor& w) {
        return w.dim() == std::int64_t(D) + 2 ? w.size(0) : 0;
    }
};
template <class Options> struct NormFamily {
    static constexpr const char* told_by[] = {"weight", "running_mean"};
    static std::int64_t first(const Options&) { return 1; }
    static void with(Options& o, std::int64_t n) { o.num_features(n); }
    static std::int64_t of_input(const Options&, const Tensor& x, const std::string& name) {
        REEL_CHECK(x.dim() >= 2, name, ": expected an input with channels, got one of shape ", x.sizes());
        return x.size(1);
    }
    static std::int64_t of_weight(const Options&, const Tensor& w) { return w.dim() == 1 ? w.size(0) : 0; }
};
template <> struct Family<BatchNormOptions> : NormFamily<BatchNormOptions> {};
template <> struct Family<InstanceNormOptions> : NormFamily<InstanceNormOptions> {};

template <class Options> Options with_features(Options o, std::int64_t n) {
    Family<Options>::with(o, n);
    return o;
}
/// Does the size of the input decide that of `t`? Scalars count, batches mostly.
bool depends(const Tensor& t) { return t.defined() && t.dim() > 0; }

} // namespace

template <class Derived, class Base>
LazyImpl<Derived, Base>::LazyImpl(const Options& o, const PrivateGenerator&)
    : Base(with_features(o, Family<Options>::first(o))) {
    NoGradGuard no_grad;
    Family<Options>::with(this->options, 0);
    for (const auto* table : {&this->own_parameters(), &this->own_buffers()})
        for (const auto& t : *table)
            if (depends(*t)) t->set_data(t->detach().new_empty({0}));
    detail::Entry::set_flag(*this, detail::lazy_flag, true);
}

template <class Derived, class Base> void LazyImpl<Derived, Base>::materialize(std::int64_t features) {
    NoGradGuard no_grad;
    const Options known = with_features(this->options, features);
    std::unique_ptr<Base> like;
    {
        const PrivateGenerator draws;
        like = std::make_unique<Base>(known); // checks, and has all sizes
    }
    this->options = known;
    const auto take = [](const auto& own, const auto& sizes) {
        for (const auto& t : own)
            if (depends(*t)) t->set_data(t->detach().new_empty(sizes[t.key()].sizes()));
    };
    take(this->own_parameters(), like->own_parameters());
    take(this->own_buffers(), like->own_buffers());
    lazy_ = false;
    detail::Entry::set_flag(*this, detail::lazy_flag, false);
}
template <class Derived, class Base> void LazyImpl<Derived, Base>::initialize_parameters(const Tensor& input) {
    static std::mutex first; // of calls on several threads
    const std::lock_guard lock(first);
    if (!lazy_) return;
    materialize(Family<Options>::of_input(this->options, input, this->repr_name()));
    Base::reset_parameters();
}
template <class Derived, class Base> void LazyImpl<Derived, Base>::reset() {
    if (!lazy_) Base::reset();
}
template <class Derived, class Base> void LazyImpl<Derived, Base>::reset_parameters() {
    if (!lazy_) Base::reset_parameters();
}
template <class Derived, class Base> std::string LazyImpl<Derived, Base>::repr_name() const {
    std::string name = Base::repr_name();
    const std::size_t at = lazy_ ? std::string::npos : name.find("Lazy");
    return at == std::string::npos ? name : name.erase(at, 4);
}
template <class Derived, class Base>
ModulePtr LazyImpl<Derived, Base>::clone(std::optional<Device> device, bool keep_hooks) const {
    auto copy = std::make_shared<Derived>(this->options);
    static_cast<LazyImpl&>(*copy).copy_from(*this, device, keep_hooks);
    return copy;
}
template <class Derived, class Base>
void LazyImpl<Derived, Base>::copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) {
    Base::copy_from(other, device, keep_hooks);
    const auto& from = static_cast<const LazyImpl&>(other);
    this->options = from.options;
    lazy_ = from.lazy_;
    detail::Entry::set_flag(*this, detail::lazy_flag, lazy_);
}
template <class Derived, class Base>
void LazyImpl<Derived, Base>::load_own_state(StateDict& map, const std::string& prefix, const ValueDict& metadata,
                                             bool strict, bool assign, LoadLists& lists) {
    for (const char* name : Family<Options>::told_by) {
        const Value* const v = lazy_ ? map.find(prefix + name) : nullptr;
        const std::int64_t n = v && v->isTensor() ? Family<Options>::of_weight(this->options, v->toTensor()) : 0;
        if (n <= 0) continue;
        materialize(n);
        const PrivateGenerator draws;
        Base::reset_parameters(); // should the load fail
    }
    Base::load_own_state(map, prefix, metadata, strict, assign, lists);
}

namespace {
/// The layer from Python's arguments, which are those of its base without the first.
template <class M, class O> ModulePtr make_lazy(const Args& args, const Kwargs& kwargs) {
    Args all{Value(std::int64_t(0))};
    all.insert(all.end(), args.begin(), args.end());
    BoundOptions<O> bound(type_name(typeid(M)), all, kwargs);
    return built<M>(bound.arguments, std::move(bound.options));
}
} // namespace

/// Each with the options that its constructor starts from.
#define REEL_LAZY_LAYERS(X)                                                                                            \
    X(Linear, LinearOptions)                                                                                           \
    X(Conv1d, ConvOptions<1>)                                                                                          \
    X(Conv2d, ConvOptions<2>)                                                                                          \
    X(Conv3d, ConvOptions<3>)                                                                                          \
    X(ConvTranspose1d, ConvTransposeOptions<1>)                                                                        \
    X(ConvTranspose2d, ConvTransposeOptions<2>)                                                                        \
    X(ConvTranspose3d, ConvTransposeOptions<3>)                                                                        \
    X(BatchNorm1d, LazyBatchNormOptions)                                                                               \
    X(BatchNorm2d, LazyBatchNormOptions)                                                                               \
    X(BatchNorm3d, LazyBatchNormOptions)                                                                               \
    X(InstanceNorm1d, LazyInstanceNormOptions)                                                                         \
    X(InstanceNorm2d, LazyInstanceNormOptions)                                                                         \
    X(InstanceNorm3d, LazyInstanceNormOptions)

#define REEL_INSTANTIATE(Name, Options) template class LazyImpl<Lazy##Name##Impl, Name##Impl>;
REEL_LAZY_LAYERS(REEL_INSTANTIATE)
#undef REEL_INSTANTIATE

void register_lazy() {
#define REEL_REGISTER(Name, Options) register_module_class("Lazy" #Name, &make_lazy<Lazy##Name##Impl, Options>);
    REEL_LAZY_LAYERS(REEL_REGISTER)
#undef REEL_REGISTER
}
#undef REEL_LAZY_LAYERS

} // namespace reel::nn
