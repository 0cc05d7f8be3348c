// What the tests of impossible arguments share.
#pragma once

#include "shape_helpers.hpp"

#include <limits>

#include <reel/autograd/memory.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace bad_input {

using namespace reel;
using shape_test::message;

inline constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max(),
                              min64 = std::numeric_limits<std::int64_t>::min(), p31 = std::int64_t(1) << 31,
                              p32 = std::int64_t(1) << 32, p40 = std::int64_t(1) << 40, p61 = std::int64_t(1) << 61,
                              p62 = std::int64_t(1) << 62;

/// Calls by name, as the binding does.
inline Value call(const char* op, const Args& args, const Kwargs& kwargs = {}) {
    return ops::registry().at(op).call(args, kwargs);
}
inline Value ints(std::vector<std::int64_t> v) { return Value(std::move(v)); }
inline Tensor on_meta(IntArrayRef sizes, ScalarType t = kFloat) {
    return empty(sizes, TensorOptions(t).device(Device(kMeta)));
}
/// Does `fn` throw an `E` whose message holds all parts?
template <class E, class F, class... P> bool refuses(F fn, P... parts) {
    const std::string text = message<E>(fn);
    bool all = !text.empty();
    for (const std::string& p : {std::string(parts)...}) {
        if (text.find(p) != std::string::npos) continue;
        all = false;
        BOOST_TEST_MESSAGE("'" << p << "' is missing from: " << text);
    }
    return all;
}
/// How many bytes `fn` holds at most beside what there is: what grows with a number that is no size shows there.
template <class F> std::size_t most_bytes_of(F fn) {
    reset_peak_memory_stats();
    const std::size_t before = memory_stats().allocated_bytes;
    fn();
    return memory_stats().peak_allocated_bytes - before;
}

} // namespace bad_input
