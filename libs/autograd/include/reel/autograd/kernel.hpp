// A kernel: the function of an op that is written once for each device.
#pragma once

#include <type_traits>

#include <reel/autograd/detail/kernel_call.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// What calling a kernel does, said where it is declared. Whoever keeps calls to repeat them, or makes them on copies,
/// goes by it; one that the CPU has does not compile without.
namespace kernels {
/// It writes these arguments, counted from 0, which are tensors, and nothing else comes of it: the same operands give
/// the same again. One that returns false has done nothing.
template <int... argument> struct Writes {
    static constexpr unsigned written = ((1u << argument) | ...); ///< bit i: argument i
};
/// The same with random numbers: of the generator among its arguments, or of the default one.
template <int... argument> struct Draws : Writes<argument...> {};
/// A shortcut that may leave things as they are, whatever its operands, and answer so: its caller then goes another
/// way.
struct MayDecline : detail::Unsaid {};
/// The host learns something from it (a number, how many, a structure) and goes on by that.
struct Answers : detail::Unsaid {};
} // namespace kernels

/// A kernel, declared once in a header of reel/autograd/kernels/ with the signature, the op's name and the CPU's
/// function:
///
///     namespace reel::cpu { void softmax(const Tensor& out, const Tensor& rows, bool logarithm); }
///     namespace reel::kernels {
///     inline constinit Kernel<decltype(cpu::softmax), Writes<0>> softmax{"softmax", &cpu::softmax};
///     }
///
/// `Does` is one of `kernels::Writes`, `Draws`, `MayDecline`, `Answers`. The op calls `kernels::softmax(out, rows,
/// logarithm)`. A device's library includes the same header and sets its own function when it is loaded, before any
/// thread calls; another signature does not compile. The first tensor among the arguments says where the call runs, all
/// others must live there, too; undefined tensors live anywhere.
/// On meta a kernel without result does nothing: the tensors that it would fill have their shapes and dtypes already.
/// A kernel that several ops call takes the op's name as its first argument, a `const char*`; errors then speak of it.
/// Errors: NotImplementedError, the same text for all kernels, where the device has no function, on meta where the
/// kernel returns something; Error where operands live on several devices.
template <class Signature, class Does = detail::Unsaid> class Kernel;
template <class R, class... A, class Does> class Kernel<R(A...), Does> {
    static_assert((detail::is_tensor<A> || ...), "a kernel takes at least one tensor, which says where it runs");
    static_assert(detail::are_tensors<A...>(Does::written), "an argument that a kernel writes is a tensor");

public:
    using Function = R(A...);
    using does = Does;

    constexpr explicit Kernel(const char* name) : name_(name) {}
    constexpr Kernel(const char* name, Function* cpu) requires(!std::is_same_v<Does, detail::Unsaid>)
        : name_(name), functions_{cpu} {}
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    const char* name() const { return name_; }
    bool has(DeviceType d) const { return functions_[int(d)]; }
    /// The device's function, null where it has none: what stands in its place hands calls on to it.
    Function* function(DeviceType d) const { return functions_[int(d)]; }
    /// The device's function; null takes it away.
    void set(DeviceType d, Function* function) noexcept { functions_[int(d)] = function; }

    R operator()(A... a) const {
        const Tensor& where = detail::first_tensor(a...);
        const DeviceType d = where.device().type();
        if (d != kCPU || !functions_[int(kCPU)]) [[unlikely]] {
            const char* const op = detail::caller_or(name_, a...);
            if (!std::is_void_v<R> || d != kMeta) require(op, where);
            detail::check_one_device(op, where, {detail::tensor_or_null(a)...});
            if constexpr (std::is_void_v<R>)
                if (d == kMeta) return;
        }
        return functions_[int(d)](static_cast<A>(a)...);
    }
    /// The function of the device on which `where` lives, whatever the other operands' devices are: for copies, which
    /// go from one to another.
    R on(const Tensor& where, A... a) const {
        const DeviceType d = where.device().type();
        if (!functions_[int(d)]) [[unlikely]]
            require(detail::caller_or(name_, a...), where);
        return functions_[int(d)](static_cast<A>(a)...);
    }
    /// Throws NotImplementedError on behalf of `op` unless there is a function for the device of `where`.
    void require(const char* op, const Tensor& where) const {
        if (functions_[int(where.device().type())]) return;
        bool there[device_types];
        for (int i = 0; i < device_types; ++i) there[i] = functions_[i];
        detail::throw_no_kernel(op, where, there);
    }

private:
    const char* name_;
    Function* functions_[device_types] = {};
};

} // namespace reel
