// Standing in the place of kernels: each call that a recorder sees is kept with its arguments.
#pragma once

#include <tuple>
#include <type_traits>

#include <reel/autograd/error.hpp>
#include <reel/autograd/kernel.hpp>
#include <reel/autograd/kernels/random.hpp>

#include "replay/recording.hpp"

namespace reel::jit::replay {

/// How an argument is kept.
template <class A> struct Kept {
    using type = std::decay_t<A>;
    static type keep(Recorder&, const type& a) { return a; }
};
template <> struct Kept<const Tensor&> {
    using type = Tensor;
    static Tensor keep(Recorder& r, const Tensor& t) { return r.stand_in(t); }
};
template <> struct Kept<TensorList> {
    using type = std::vector<Tensor>;
    static type keep(Recorder& r, TensorList list) {
        type kept;
        for (const Tensor& t : list) kept.push_back(r.stand_in(t));
        return kept;
    }
};
template <> struct Kept<IntArrayRef> {
    using type = std::vector<std::int64_t>;
    static type keep(Recorder&, IntArrayRef list) { return type(list.begin(), list.end()); }
};

/// A kernel's call with what it was given.
template <class R, class... A> class CallOf final : public KernelCall {
public:
    using Function = R(A...);
    CallOf(Function* f, Recorder& r, const std::remove_reference_t<A>&... a) : f_(f), args_(Kept<A>::keep(r, a)...) {}
    Function* function() const { return f_; }
    auto& arguments() { return args_; }
    void run() override {
        std::apply(
            [&](const auto&... a) {
                if constexpr (std::is_void_v<R>) f_(a...);
                else REEL_INTERNAL_ASSERT(f_(a...), "a recorded kernel declines what it took before");
            },
            args_);
    }

private:
    Function* f_;
    std::tuple<typename Kept<A>::type...> args_;
};

struct Operands;
/// The tensors inside a structure that is an argument; most have none.
template <class T> struct Parts {
    static void add(const T&, Operands&) {}
};

/// The operands of a call, by what is done to them. `writes`: bit i is set for argument i.
struct Operands {
    std::vector<const Tensor*> read, written;
    template <class... A> Operands(unsigned writes, const A&... a) {
        unsigned bit = 1;
        (add(a, (writes & bit) != 0, bit), ...);
    }

private:
    void add(const Tensor& t, bool writes, unsigned& bit) {
        (writes ? written : read).push_back(&t);
        bit <<= 1;
    }
    void add(const TensorList& list, bool, unsigned& bit) {
        for (const Tensor& t : list) read.push_back(&t);
        bit <<= 1;
    }
    template <class T> void add(const T& t, bool, unsigned& bit) {
        Parts<T>::add(t, *this);
        bit <<= 1;
    }
};

/// The functions that stand in the place of a kernel's on the CPU.
template <auto& kernel, auto cpu> struct Stand;
template <auto& kernel, class R, class... A, R (*cpu)(A...)> struct Stand<kernel, cpu> {
    /// Keeps the call; one that returns false has done nothing.
    static R keep(A... a) {
        if (!reel::detail::launch_observer) [[likely]]
            return cpu(static_cast<A>(a)...);
        const reel::detail::UnobservedScope scope;
        Recorder* const recorder = current_recorder();
        const Operands operands(std::remove_reference_t<decltype(kernel)>::does::written, a...);
        if (recorder)
            for (const Tensor* t : operands.written) recorder->about_to_write(*t);
        bool done = true;
        if constexpr (std::is_void_v<R>) cpu(static_cast<A>(a)...);
        else done = cpu(static_cast<A>(a)...);
        if (done && recorder)
            recorder->kernel(kernel.name(), std::make_unique<CallOf<R, A...>>(cpu, *recorder, a...), operands.read,
                             operands.written);
        if constexpr (!std::is_void_v<R>) return done;
    }
    /// The same for one that draws random numbers: from the default generator where it is given none.
    static R draw(A... a) {
        if (reel::detail::launch_observer) [[unlikely]]
            if (Recorder* const recorder = current_recorder()) recorder->about_to_draw((is_generator(a) || ...));
        return keep(static_cast<A>(a)...);
    }
    /// One that need not do what it is asked for does not while somebody records: what it stands in for is kept.
    static R decline(A... a) {
        if (reel::detail::launch_observer && current_recorder()) [[unlikely]]
            return R();
        return cpu(static_cast<A>(a)...);
    }
    /// What follows this call cannot be replayed: the host learns something, or chance has a say.
    static R refuse(A... a) {
        if (!reel::detail::launch_observer) [[likely]]
            return cpu(static_cast<A>(a)...);
        if (Recorder* const recorder = current_recorder())
            recorder->give_up(str(kernel.name(), " is no kernel that can be replayed"));
        const reel::detail::UnobservedScope scope;
        return cpu(static_cast<A>(a)...);
    }

private:
    template <class T> static bool is_generator(const T& argument) {
        if constexpr (std::is_same_v<T, OptionalGenerator>) return argument && argument->defined();
        else return false;
    }
};

/// What stands in the place of a kernel whose calls are kept in a way of their own; null: `Stand` serves.
template <auto& kernel> inline constexpr auto own_stand = nullptr;

} // namespace reel::jit::replay
