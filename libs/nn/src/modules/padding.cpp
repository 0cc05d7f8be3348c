// Padding layers.
#include <reel/nn/modules/padding.hpp>

#include <reel/autograd/ops.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

namespace detail {
Tensor pad_by(const Tensor& input, IntArrayRef padding, const char* mode, double value) {
    return reel::pad(input, padding, mode, Scalar(value));
}
std::string describe_pad(IntArrayRef padding) { return text::tuple(padding); }
std::string describe_pad(IntArrayRef padding, Number value) {
    return "padding=" + text::tuple(padding) + ", value=" + text::number(value);
}
} // namespace detail

namespace {
template <class M, std::size_t D> ModulePtr make_pad(const char* name, const Args& args, const Kwargs& kwargs) {
    return std::make_shared<M>(
        PadOptions<D>(text::expanding<D * 2>(ConstructorArgs(name, {"padding"}, args, kwargs), "padding")));
}
template <class M, std::size_t D> ModulePtr make_constant(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"padding", "value"}, args, kwargs);
    return std::make_shared<M>(
        ConstantPadOptions<D>(text::expanding<D * 2>(a, "padding"), (a.at("value"), text::number(a, "value", 0))));
}
[[maybe_unused]] const bool registered[] = {
    register_module_class(
        "ReflectionPad1d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReflectionPad1dImpl, 1>("ReflectionPad1d", a, k); }),
    register_module_class(
        "ReflectionPad2d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReflectionPad2dImpl, 2>("ReflectionPad2d", a, k); }),
    register_module_class(
        "ReflectionPad3d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReflectionPad3dImpl, 3>("ReflectionPad3d", a, k); }),
    register_module_class(
        "ReplicationPad1d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReplicationPad1dImpl, 1>("ReplicationPad1d", a, k); }),
    register_module_class(
        "ReplicationPad2d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReplicationPad2dImpl, 2>("ReplicationPad2d", a, k); }),
    register_module_class(
        "ReplicationPad3d",
        [](const Args& a, const Kwargs& k) { return make_pad<ReplicationPad3dImpl, 3>("ReplicationPad3d", a, k); }),
    register_module_class(
        "CircularPad1d",
        [](const Args& a, const Kwargs& k) { return make_pad<CircularPad1dImpl, 1>("CircularPad1d", a, k); }),
    register_module_class(
        "CircularPad2d",
        [](const Args& a, const Kwargs& k) { return make_pad<CircularPad2dImpl, 2>("CircularPad2d", a, k); }),
    register_module_class(
        "CircularPad3d",
        [](const Args& a, const Kwargs& k) { return make_pad<CircularPad3dImpl, 3>("CircularPad3d", a, k); }),
    register_module_class("ZeroPad1d",
                          [](const Args& a, const Kwargs& k) { return make_pad<ZeroPad1dImpl, 1>("ZeroPad1d", a, k); }),
    register_module_class("ZeroPad2d",
                          [](const Args& a, const Kwargs& k) { return make_pad<ZeroPad2dImpl, 2>("ZeroPad2d", a, k); }),
    register_module_class("ZeroPad3d",
                          [](const Args& a, const Kwargs& k) { return make_pad<ZeroPad3dImpl, 3>("ZeroPad3d", a, k); }),
    register_module_class(
        "ConstantPad1d",
        [](const Args& a, const Kwargs& k) { return make_constant<ConstantPad1dImpl, 1>("ConstantPad1d", a, k); }),
    register_module_class(
        "ConstantPad2d",
        [](const Args& a, const Kwargs& k) { return make_constant<ConstantPad2dImpl, 2>("ConstantPad2d", a, k); }),
    register_module_class(
        "ConstantPad3d",
        [](const Args& a, const Kwargs& k) { return make_constant<ConstantPad3dImpl, 3>("ConstantPad3d", a, k); }),
};
} // namespace

} // namespace reel::nn
