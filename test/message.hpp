// What an error says.
#pragma once

#include <string>

#include <reel/autograd/error.hpp>

namespace reel::testing {

/// The message of the Error that `f` throws.
template <class F> std::string message(F f) {
    try {
        f();
    } catch (const Error& e) {
        return e.msg();
    }
    return "nothing was thrown";
}

} // namespace reel::testing
