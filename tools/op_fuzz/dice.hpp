// Draws that a seed determines: the same on every machine, in any order of calls.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace op_fuzz {

/// SplitMix64.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    /// The dice of one call: of op `name`, number `call`.
    Dice(std::uint64_t seed, std::string_view name, std::uint64_t call) : state_(seed) {
        for (const char c : name) state_ = (next() ^ static_cast<unsigned char>(c)) * 0x9e3779b97f4a7c15ull;
        state_ = next() ^ call * 0xd1342543de82ef95ull;
    }

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    /// From 0 to n - 1.
    std::size_t below(std::size_t n) { return n ? std::size_t(next() % n) : 0; }
    /// Once in `n` draws.
    bool once_in(std::size_t n) { return below(n) == 0; }
    /// From -1 to 1.
    double uniform() { return double(next() >> 11) * 0x1p-52 - 1; }
    template <class T> T one_of(std::initializer_list<T> choices) { return choices.begin()[below(choices.size())]; }
    template <class T> const T& one_of(const std::vector<T>& choices) { return choices[below(choices.size())]; }

private:
    std::uint64_t state_;
};

} // namespace op_fuzz
