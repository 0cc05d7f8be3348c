// Running extrema: within a vector by a scan over its lanes, which waits for nothing, then with what came before.
#include "cpu/reduce/running_extrema.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

/// Numbers and their places, lane by lane.
template <class T> struct Found {
    using V = Vec<T>;
    using Places = typename V::RawInt;
    V value;
    Places place;

    /// The earlier one where it beats this, the later of equals otherwise.
    template <bool Max> void join_earlier(const Found& o) {
        const auto beaten = Max ? value.v < o.value.v : value.v > o.value.v;
        value = beaten ? o.value.v : value.v;
        place = beaten ? o.place : place;
    }
    Found at_lanes(Places from) const { return {V(__builtin_shuffle(value.v, from)), __builtin_shuffle(place, from)}; }
};

/// The lane that lies some steps before each, or itself; a table, which the compiler would build at every use.
template <class T> struct EarlierLanes {
    static constexpr int w = Vec<T>::size;
    IntOf<T> from[w][w];
    constexpr EarlierLanes() : from() {
        for (int step = 0; step < w; ++step)
            for (int l = 0; l < w; ++l) from[step][l] = l < step ? l : l - step;
    }
};
template <class T> constexpr EarlierLanes<T> earlier_lanes;

/// Lanes of 32 bits go through memory: the compiler would take them out of the register one by one.
template <class Places> void store_places(std::int64_t* to, Places place) {
    constexpr int w = int(sizeof(place) / sizeof(place[0]));
    std::remove_reference_t<decltype(place[0])> lane[w];
    std::memcpy(lane, &place, sizeof(place));
    for (int half = 0; half < int(sizeof(std::int64_t) / sizeof(lane[0])); ++half) {
        constexpr int some = vector_bytes / int(sizeof(std::int64_t));
        typedef std::remove_reference_t<decltype(place[0])> Narrow __attribute__((vector_size(sizeof(lane[0]) * some)));
        typedef std::int64_t Wide __attribute__((vector_size(vector_bytes)));
        Narrow narrow;
        std::memcpy(&narrow, lane + half * some, sizeof(narrow));
        const Wide wide = __builtin_convertvector(narrow, Wide);
        std::memcpy(to + half * some, &wide, sizeof(wide));
    }
}

template <bool Max, class T> bool scan(const T* in, T* values, std::int64_t* places, std::int64_t n) {
    using V = Vec<T>;
    using Places = typename V::RawInt;
    constexpr int w = V::size;
    Places lane, first = {};
    std::memcpy(&lane, earlier_lanes<T>.from[0], sizeof(lane));
    Found<T> best{V(in[0]), first};
    auto unordered = best.value != best.value;
    std::int64_t i = 0;
    for (; i + w <= n; i += w) {
        Found<T> here{V::load(in + i), lane + IntOf<T>(i)};
        unordered = unordered | (here.value != here.value);
#pragma GCC unroll 4
        for (int step = 1; step < w; step *= 2) {
            Places from;
            std::memcpy(&from, earlier_lanes<T>.from[step], sizeof(from));
            here.template join_earlier<Max>(here.at_lanes(from));
        }
        here.template join_earlier<Max>(best);
        here.value.store(values + i);
        store_places(places + i, here.place);
        best = here.at_lanes(first + IntOf<T>(w - 1));
    }
    bool nan = any(unordered);
    T value = best.value[0];
    std::int64_t place = best.place[0];
    for (; i < n; ++i) {
        nan |= in[i] != in[i];
        const bool beaten = Max ? in[i] < value : in[i] > value;
        value = beaten ? value : in[i];
        place = beaten ? place : i;
        values[i] = value;
        places[i] = place;
    }
    return !nan;
}

template <class T> void set() { running_extrema<T> = {&scan<true, T>, &scan<false, T>}; }

} // namespace

void register_running_extrema() {
    set<float>();
    set<double>();
}

} // namespace reel::cpu::REEL_ISA
