// Arguments of a call by values, for forwards that the generic way does not reach.
#pragma once

#include <reel/nn/call.hpp>

namespace reel::nn::detail {

/// The arguments of `M::forward` by position, those given by name put in place; the first `required` must be there.
template <class M, std::size_t required, std::size_t count> class BoundArguments {
public:
    BoundArguments(const M& m, const Args& args, const Kwargs& kwargs)
        : module_(m), args_(bind_arguments(m, parameters(), args, kwargs, storage_)) {}
    BoundArguments(const BoundArguments&) = delete;
    const Value& operator[](std::size_t i) const { return args_[i]; }
    /// Argument `i` as a T; ArgumentError names it otherwise.
    template <class T> T get(std::size_t i) const {
        try {
            if (i < required && args_[i].isNone()) throw_expected("a value", args_[i]);
            return unpack<T>(args_[i]);
        } catch (const TypeError& e) {
            throw_argument(module_, parameters(), i, e);
        }
    }

private:
    static Parameters parameters() {
        static constexpr auto absent = [] {
            std::array<bool, count> r{};
            for (std::size_t i = required; i < count; ++i) r[i] = true;
            return r;
        }();
        return {count, M::forward_arguments, absent.data()};
    }
    const M& module_;
    Args storage_;
    const Args& args_;
};

} // namespace reel::nn::detail
