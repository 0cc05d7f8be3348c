// Padding layers.
#pragma once

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// Amounts before and after each dimension, the last dimension first; one number pads every side.
template <std::size_t D> struct PadOptions {
    PadOptions(ExpandingArray<D * 2> padding) : padding_(padding) {}
    REEL_ARG(ExpandingArray<D * 2>, padding);
};
template <std::size_t D> struct ConstantPadOptions {
    ConstantPadOptions(ExpandingArray<D * 2> padding, Number value) : padding_(padding), value_(value) {}
    REEL_ARG(ExpandingArray<D * 2>, padding);
    REEL_ARG(Number, value) = 0;
};

namespace detail {
/// Pads the last dimensions by `mode` (reflect, replicate, circular, constant) and prints.
Tensor pad_by(const Tensor& input, IntArrayRef padding, const char* mode, double value);
std::string describe_pad(IntArrayRef padding);
std::string describe_pad(IntArrayRef padding, Number value);
} // namespace detail

using ReflectionPad1dOptions = PadOptions<1>;
/// Mirrors the input beyond its ends.
class ReflectionPad1dImpl : public Cloneable<ReflectionPad1dImpl> {
public:
    ReflectionPad1dImpl(ExpandingArray<2> padding) : options(padding) {}
    explicit ReflectionPad1dImpl(const ReflectionPad1dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "reflect", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReflectionPad1dOptions options;
};
REEL_MODULE(ReflectionPad1d);

using ReflectionPad2dOptions = PadOptions<2>;
/// Mirrors the input beyond its ends.
class ReflectionPad2dImpl : public Cloneable<ReflectionPad2dImpl> {
public:
    ReflectionPad2dImpl(ExpandingArray<4> padding) : options(padding) {}
    explicit ReflectionPad2dImpl(const ReflectionPad2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "reflect", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReflectionPad2dOptions options;
};
REEL_MODULE(ReflectionPad2d);

using ReflectionPad3dOptions = PadOptions<3>;
/// Mirrors the input beyond its ends.
class ReflectionPad3dImpl : public Cloneable<ReflectionPad3dImpl> {
public:
    ReflectionPad3dImpl(ExpandingArray<6> padding) : options(padding) {}
    explicit ReflectionPad3dImpl(const ReflectionPad3dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "reflect", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReflectionPad3dOptions options;
};
REEL_MODULE(ReflectionPad3d);

using ReplicationPad1dOptions = PadOptions<1>;
/// Repeats the elements at the ends.
class ReplicationPad1dImpl : public Cloneable<ReplicationPad1dImpl> {
public:
    ReplicationPad1dImpl(ExpandingArray<2> padding) : options(padding) {}
    explicit ReplicationPad1dImpl(const ReplicationPad1dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "replicate", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReplicationPad1dOptions options;
};
REEL_MODULE(ReplicationPad1d);

using ReplicationPad2dOptions = PadOptions<2>;
/// Repeats the elements at the ends.
class ReplicationPad2dImpl : public Cloneable<ReplicationPad2dImpl> {
public:
    ReplicationPad2dImpl(ExpandingArray<4> padding) : options(padding) {}
    explicit ReplicationPad2dImpl(const ReplicationPad2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "replicate", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReplicationPad2dOptions options;
};
REEL_MODULE(ReplicationPad2d);

using ReplicationPad3dOptions = PadOptions<3>;
/// Repeats the elements at the ends.
class ReplicationPad3dImpl : public Cloneable<ReplicationPad3dImpl> {
public:
    ReplicationPad3dImpl(ExpandingArray<6> padding) : options(padding) {}
    explicit ReplicationPad3dImpl(const ReplicationPad3dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "replicate", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ReplicationPad3dOptions options;
};
REEL_MODULE(ReplicationPad3d);

using CircularPad1dOptions = PadOptions<1>;
/// Continues from the other end.
class CircularPad1dImpl : public Cloneable<CircularPad1dImpl> {
public:
    CircularPad1dImpl(ExpandingArray<2> padding) : options(padding) {}
    explicit CircularPad1dImpl(const CircularPad1dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "circular", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    CircularPad1dOptions options;
};
REEL_MODULE(CircularPad1d);

using CircularPad2dOptions = PadOptions<2>;
/// Continues from the other end.
class CircularPad2dImpl : public Cloneable<CircularPad2dImpl> {
public:
    CircularPad2dImpl(ExpandingArray<4> padding) : options(padding) {}
    explicit CircularPad2dImpl(const CircularPad2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "circular", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    CircularPad2dOptions options;
};
REEL_MODULE(CircularPad2d);

using CircularPad3dOptions = PadOptions<3>;
/// Continues from the other end.
class CircularPad3dImpl : public Cloneable<CircularPad3dImpl> {
public:
    CircularPad3dImpl(ExpandingArray<6> padding) : options(padding) {}
    explicit CircularPad3dImpl(const CircularPad3dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "circular", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    CircularPad3dOptions options;
};
REEL_MODULE(CircularPad3d);

using ZeroPad1dOptions = PadOptions<1>;
/// Pads with zeros.
class ZeroPad1dImpl : public Cloneable<ZeroPad1dImpl> {
public:
    ZeroPad1dImpl(ExpandingArray<2> padding) : options(padding) {}
    explicit ZeroPad1dImpl(const ZeroPad1dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "constant", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ZeroPad1dOptions options;
};
REEL_MODULE(ZeroPad1d);

using ZeroPad2dOptions = PadOptions<2>;
/// Pads with zeros.
class ZeroPad2dImpl : public Cloneable<ZeroPad2dImpl> {
public:
    ZeroPad2dImpl(ExpandingArray<4> padding) : options(padding) {}
    explicit ZeroPad2dImpl(const ZeroPad2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "constant", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ZeroPad2dOptions options;
};
REEL_MODULE(ZeroPad2d);

using ZeroPad3dOptions = PadOptions<3>;
/// Pads with zeros.
class ZeroPad3dImpl : public Cloneable<ZeroPad3dImpl> {
public:
    ZeroPad3dImpl(ExpandingArray<6> padding) : options(padding) {}
    explicit ZeroPad3dImpl(const ZeroPad3dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::pad_by(input, options.padding(), "constant", 0); }
    std::string extra_repr() const override { return detail::describe_pad(options.padding()); }
    ZeroPad3dOptions options;
};
REEL_MODULE(ZeroPad3d);

using ConstantPad1dOptions = ConstantPadOptions<1>;
/// Pads with `value`.
class ConstantPad1dImpl : public Cloneable<ConstantPad1dImpl> {
public:
    ConstantPad1dImpl(ExpandingArray<2> padding, Number value) : options(padding, value) {}
    explicit ConstantPad1dImpl(const ConstantPad1dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) {
        return detail::pad_by(input, options.padding(), "constant", options.value());
    }
    std::string extra_repr() const override { return detail::describe_pad(options.padding(), options.value()); }
    ConstantPad1dOptions options;
};
REEL_MODULE(ConstantPad1d);

using ConstantPad2dOptions = ConstantPadOptions<2>;
/// Pads with `value`.
class ConstantPad2dImpl : public Cloneable<ConstantPad2dImpl> {
public:
    ConstantPad2dImpl(ExpandingArray<4> padding, Number value) : options(padding, value) {}
    explicit ConstantPad2dImpl(const ConstantPad2dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) {
        return detail::pad_by(input, options.padding(), "constant", options.value());
    }
    std::string extra_repr() const override { return detail::describe_pad(options.padding(), options.value()); }
    ConstantPad2dOptions options;
};
REEL_MODULE(ConstantPad2d);

using ConstantPad3dOptions = ConstantPadOptions<3>;
/// Pads with `value`.
class ConstantPad3dImpl : public Cloneable<ConstantPad3dImpl> {
public:
    ConstantPad3dImpl(ExpandingArray<6> padding, Number value) : options(padding, value) {}
    explicit ConstantPad3dImpl(const ConstantPad3dOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) {
        return detail::pad_by(input, options.padding(), "constant", options.value());
    }
    std::string extra_repr() const override { return detail::describe_pad(options.padding(), options.value()); }
    ConstantPad3dOptions options;
};
REEL_MODULE(ConstantPad3d);

} // namespace reel::nn
