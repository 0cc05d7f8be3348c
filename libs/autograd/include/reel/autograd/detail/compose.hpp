// Messages of errors, made of their parts when a check has failed.
#pragma once

#include <source_location>
#include <sstream>
#include <string>
#include <utility>

namespace reel::detail {

struct NoText {};
inline void stream_one(std::ostream&, NoText) {}
template <class T> void stream_one(std::ostream& os, const T& v) { os << v; }
/// Concatenates streamable parts; out of the hot path by construction (only called when a check fails).
template <class... A> [[gnu::cold, gnu::noinline]] std::string compose(const A&... a) {
    std::ostringstream os;
    (stream_one(os, a), ...);
    return os.str();
}
template <class E> [[noreturn, gnu::cold, gnu::noinline]] void raise(std::string msg, std::source_location w) {
    throw E(std::move(msg), w);
}

} // namespace reel::detail
