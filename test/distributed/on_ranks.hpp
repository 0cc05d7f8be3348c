// What every rank of a world of threads found, for checks on the test's own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/distributed/session.hpp>

namespace reel::testing {

/// `body(rank)` of each of `n` ranks.
template <class Body> auto on_ranks(std::int64_t n, Body body) {
    using Result = decltype(body(std::int64_t(0)));
    std::vector<Result> results(static_cast<std::size_t>(n));
    distributed::spawn(n, [&](std::int64_t rank) { results[std::size_t(rank)] = body(rank); });
    return results;
}
/// What `body(rank)` throws on each of `n` ranks, with the name of its type; empty for nothing.
template <class Body> std::vector<std::string> errors_on_ranks(std::int64_t n, Body body) {
    return on_ranks(n, [&](std::int64_t rank) -> std::string {
        try {
            body(rank);
            return {};
        } catch (const KeyError& e) {
            return "KeyError: " + e.msg();
        } catch (const ValueError& e) {
            return "ValueError: " + e.msg();
        } catch (const DistError& e) {
            return "DistError: " + e.msg();
        } catch (const Error& e) {
            return "Error: " + e.msg();
        }
    });
}
inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace reel::testing
