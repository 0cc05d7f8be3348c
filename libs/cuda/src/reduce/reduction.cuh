// The engine of reductions along rows: a rule says what a row's elements add up to, the engine who reads what.
//
// A rule has a trivially copyable `State` and
//     State nothing() const;                                  of no elements
//     void pack(State&, row, i, end) const;                   takes elements i, i + 1, ... of a row, one pack, up to
//     end State join(State, State) const;                         of two parts of a row void finish(row, State, length)
//     const;                  writes the result static constexpr int per_pack;
// Who reads what depends on the shape alone, so that two runs give the same bits.
#pragma once

#include "scratch.cuh"
#include "team.cuh"

namespace reel::cuda {

/// A rule over dense rows of T: elements come to `take(State&, element, place in the row)`.
template <class T, class Derived> struct DenseRows {
    static constexpr int per_pack = Elements<T>::per_pack;
    Elements<T> in;
    std::int64_t length;

    DenseRows(const Tensor& rows, std::int64_t inner) : in(rows), length(inner) {}
    template <class State> __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t end) const {
        const std::int64_t start = row * length;
        in.pack(start + i, start + end,
                [&](number_t<T> v, std::int64_t at) { static_cast<const Derived&>(*this).take(s, v, at - start); });
    }
};

/// The part of a row from `begin` to `end` that falls to this member of the team.
template <class Rule, class Team>
__device__ typename Rule::State walk(const Rule& rule, const Team& team, std::int64_t row, std::int64_t begin,
                                     std::int64_t end) {
    typename Rule::State s = rule.nothing();
    for (std::int64_t i = begin + std::int64_t(team.me) * Rule::per_pack; i < end;
         i += std::int64_t(team.size) * Rule::per_pack)
        rule.pack(s, row, i, end);
    return s;
}
template <class Rule> struct JoinOf {
    const Rule& rule;
    using State = typename Rule::State;
    __device__ State operator()(const State& a, const State& b) const { return rule.join(a, b); }
};

template <class Rule> struct WholeRows {
    Rule rule;
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t length, bool is_row) const {
        const auto s = team.join(walk(rule, team, row, 0, is_row ? length : 0), JoinOf<Rule>{rule});
        if (team.me == 0 && is_row) rule.finish(row, s, length);
    }
};
/// Long rows: a block for each chunk, then one for the chunks' states.
template <class Rule> struct Chunks {
    Rule rule;
    typename Rule::State* states;
    std::int64_t length, chunk, per_row;
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t number, std::int64_t, bool is_row) const {
        const std::int64_t row = number / per_row, begin = number % per_row * chunk,
                           end = begin + chunk < length ? begin + chunk : length;
        const auto s = team.join(walk(rule, team, row, begin, is_row ? end : begin), JoinOf<Rule>{rule});
        if (team.me == 0 && is_row) states[number] = s;
    }
};
template <class Rule> struct JoinedChunks {
    Rule rule;
    const typename Rule::State* states;
    std::int64_t length, per_row;
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t count, bool is_row) const {
        auto s = rule.nothing();
        for (std::int64_t k = team.me; is_row && k < count; k += team.size) s = rule.join(s, states[row * per_row + k]);
        s = team.join(s, JoinOf<Rule>{rule});
        if (team.me == 0 && is_row) rule.finish(row, s, length);
    }
};

/// Runs `rule` over `rows` rows of `length` elements; `like` lives where they do.
template <class Rule>
void reduce_rows(const char* op, const Tensor& like, const Rule& rule, std::int64_t rows, std::int64_t length) {
    constexpr std::int64_t shortest = 16384, most_chunks = 1024, enough_rows = 512;
    if (rows == 0) return;
    const OnDevice on(like);
    std::int64_t per_row = 1;
    if (rows < enough_rows) per_row = std::min((length + shortest - 1) / shortest, most_chunks / rows + 1);
    if (per_row <= 1) return over_rows(op, on, WholeRows<Rule>{rule}, rows, length, Rule::per_pack);
    const std::int64_t step = std::int64_t(threads_per_block) * Rule::per_pack,
                       chunk = ((length + per_row - 1) / per_row + step - 1) / step * step;
    per_row = (length + chunk - 1) / chunk;
    const DeviceScratch<typename Rule::State> states(rows * per_row, like);
    launch(op, rows_kernel<BlockTeam, Chunks<Rule>>, on.blocks(rows * per_row),
           Chunks<Rule>{rule, states.data(), length, chunk, per_row}, rows * per_row, chunk, threads_per_block);
    launch(op, rows_kernel<BlockTeam, JoinedChunks<Rule>>, on.blocks(rows),
           JoinedChunks<Rule>{rule, states.data(), length, per_row}, rows, per_row, threads_per_block);
}

} // namespace reel::cuda
