// Padding layers.
#pragma once

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// Amounts before and after each dimension, the last dimension first; one number pads every side.
template <std::size_t D> struct PadOptions {
    PadOptions(ExpandingArray<D * 2> padding) : padding_(padding) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D * 2>, padding);
};
template <std::size_t D> struct ConstantPadOptions {
    ConstantPadOptions(ExpandingArray<D * 2> padding, Number value) : padding_(padding), value_(value) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D * 2>, padding);
    REEL_ARG(Number, value) = 0;
};

namespace detail {
/// Pads the last dimensions by `mode` (reflect, replicate, circular, constant).
Tensor pad_by(const Tensor& input, IntArrayRef padding, const char* mode, double value);
} // namespace detail

/// What the padding layers share; each says its `mode`.
template <std::size_t D, class Derived> class PadImpl : public Cloneable<Derived> {
public:
    PadImpl(ExpandingArray<D * 2> padding) : options(padding) {}
    explicit PadImpl(const PadOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), Derived::mode, 0); }
    PadOptions<D> options;
};
/// Mirrors the input beyond its ends.
template <std::size_t D, class Derived> class ReflectionPadImpl : public PadImpl<D, Derived> {
public:
    using PadImpl<D, Derived>::PadImpl;
    static constexpr const char* mode = "reflect";
};
/// Repeats the elements at the ends.
template <std::size_t D, class Derived> class ReplicationPadImpl : public PadImpl<D, Derived> {
public:
    using PadImpl<D, Derived>::PadImpl;
    static constexpr const char* mode = "replicate";
};
/// Continues from the other end.
template <std::size_t D, class Derived> class CircularPadImpl : public PadImpl<D, Derived> {
public:
    using PadImpl<D, Derived>::PadImpl;
    static constexpr const char* mode = "circular";
};
/// Pads with zeros.
template <std::size_t D, class Derived> class ZeroPadImpl : public PadImpl<D, Derived> {
public:
    using PadImpl<D, Derived>::PadImpl;
    static constexpr const char* mode = "constant";
};
/// Pads with `value`.
template <std::size_t D, class Derived> class ConstantPadImpl : public Cloneable<Derived> {
public:
    ConstantPadImpl(ExpandingArray<D * 2> padding, Number value) : options(padding, value) {}
    explicit ConstantPadImpl(const ConstantPadOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) {
        return detail::pad_by(input, options.padding(), "constant", options.value());
    }
    ConstantPadOptions<D> options;
};

using ReflectionPad1dOptions = PadOptions<1>;
using ReflectionPad2dOptions = PadOptions<2>;
using ReflectionPad3dOptions = PadOptions<3>;
using ReplicationPad1dOptions = PadOptions<1>;
using ReplicationPad2dOptions = PadOptions<2>;
using ReplicationPad3dOptions = PadOptions<3>;
using CircularPad1dOptions = PadOptions<1>;
using CircularPad2dOptions = PadOptions<2>;
using CircularPad3dOptions = PadOptions<3>;
using ZeroPad1dOptions = PadOptions<1>;
using ZeroPad2dOptions = PadOptions<2>;
using ZeroPad3dOptions = PadOptions<3>;
using ConstantPad1dOptions = ConstantPadOptions<1>;
using ConstantPad2dOptions = ConstantPadOptions<2>;
using ConstantPad3dOptions = ConstantPadOptions<3>;
REEL_MODULE_OF(ReflectionPad1d, ReflectionPadImpl<1, ReflectionPad1dImpl>);
REEL_MODULE_OF(ReflectionPad2d, ReflectionPadImpl<2, ReflectionPad2dImpl>);
REEL_MODULE_OF(ReflectionPad3d, ReflectionPadImpl<3, ReflectionPad3dImpl>);
REEL_MODULE_OF(ReplicationPad1d, ReplicationPadImpl<1, ReplicationPad1dImpl>);
REEL_MODULE_OF(ReplicationPad2d, ReplicationPadImpl<2, ReplicationPad2dImpl>);
REEL_MODULE_OF(ReplicationPad3d, ReplicationPadImpl<3, ReplicationPad3dImpl>);
REEL_MODULE_OF(CircularPad1d, CircularPadImpl<1, CircularPad1dImpl>);
REEL_MODULE_OF(CircularPad2d, CircularPadImpl<2, CircularPad2dImpl>);
REEL_MODULE_OF(CircularPad3d, CircularPadImpl<3, CircularPad3dImpl>);
REEL_MODULE_OF(ZeroPad1d, ZeroPadImpl<1, ZeroPad1dImpl>);
REEL_MODULE_OF(ZeroPad2d, ZeroPadImpl<2, ZeroPad2dImpl>);
REEL_MODULE_OF(ZeroPad3d, ZeroPadImpl<3, ZeroPad3dImpl>);
REEL_MODULE_OF(ConstantPad1d, ConstantPadImpl<1, ConstantPad1dImpl>);
REEL_MODULE_OF(ConstantPad2d, ConstantPadImpl<2, ConstantPad2dImpl>);
REEL_MODULE_OF(ConstantPad3d, ConstantPadImpl<3, ConstantPad3dImpl>);

} // namespace reel::nn
