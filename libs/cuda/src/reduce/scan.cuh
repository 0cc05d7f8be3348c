// The engine of scans along rows: running results of an operation that is associative, not necessarily commutative.
//
// A rule has a trivially copyable `State` and
//     State nothing() const;                                  joined with anything it changes nothing
//     State at(row, i, length) const;                         element i of a row, in the order of the scan
//     State join(State before, State after) const;
//     void put(row, i, State, length) const;                  writes result i
// How rows are divided depends on the shape alone, so that two runs give the same bits.
#pragma once

#include "reduction.cuh"

namespace reel::cuda {

inline constexpr int scanned_at_once = 4; // elements of a thread

/// Rows, or chunks of rows. For chunks there are states: of each chunk alone at first (`totals`), then of all up to it.
template <class Rule> struct Scan {
    using State = typename Rule::State;
    Rule rule;
    State* states = nullptr;
    std::int64_t chunk = 0, per_row = 1;
    bool totals = false;

    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t number, std::int64_t length, bool is_row) const {
        const std::int64_t row = number / per_row, part = number % per_row, begin = part * chunk,
                           end = per_row == 1 || begin + chunk > length ? length : begin + chunk;
        State carry = rule.nothing();
        if (is_row && states && !totals && part > 0) carry = states[number - 1];
        const JoinOf<Rule> join{rule};
        for (std::int64_t tile = begin; tile < end; tile += std::int64_t(team.size) * scanned_at_once) {
            const std::int64_t first = tile + std::int64_t(team.me) * scanned_at_once;
            State mine[scanned_at_once], run = rule.nothing(), all;
            for (int k = 0; k < scanned_at_once; ++k) {
                if (is_row && first + k < end) run = join(run, rule.at(row, first + k, length));
                mine[k] = run;
            }
            const State before = join(carry, team.before(run, rule.nothing(), join, all));
            if (!totals)
                for (int k = 0; k < scanned_at_once; ++k)
                    if (is_row && first + k < end) rule.put(row, first + k, join(before, mine[k]), length);
            carry = join(carry, all);
        }
        if (totals && team.me == 0 && is_row) states[number] = carry;
    }
};
/// The chunks' states, scanned in place.
template <class Rule> struct ScanOfStates {
    using State = typename Rule::State;
    Rule rule;
    State* states;

    __device__ State nothing() const { return rule.nothing(); }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t n) const { return states[row * n + i]; }
    __device__ State join(const State& a, const State& b) const { return rule.join(a, b); }
    __device__ void put(std::int64_t row, std::int64_t i, const State& s, std::int64_t n) const {
        states[row * n + i] = s;
    }
};

/// Runs `rule` over `rows` rows of `length` elements; `like` lives where they do.
template <class Rule>
void scan_rows(const char* op, const Tensor& like, const Rule& rule, std::int64_t rows, std::int64_t length) {
    constexpr std::int64_t tile = std::int64_t(threads_per_block) * scanned_at_once, shortest = 16 * tile,
                           most_chunks = 4096, enough_rows = 512;
    if (rows == 0 || length == 0) return;
    const OnDevice on(like);
    std::int64_t per_row = 1;
    if (rows < enough_rows) per_row = std::min((length + shortest - 1) / shortest, most_chunks / rows + 1);
    if (per_row <= 1) return over_rows(op, on, Scan<Rule>{rule}, rows, length, scanned_at_once);
    const std::int64_t chunk = ((length + per_row - 1) / per_row + tile - 1) / tile * tile;
    per_row = (length + chunk - 1) / chunk;
    const DeviceScratch<typename Rule::State> states(rows * per_row, like);
    const auto chunks = [&](bool totals) {
        launch(op, rows_kernel<BlockTeam, Scan<Rule>>, on.blocks(rows * per_row),
               Scan<Rule>{rule, states.data(), chunk, per_row, totals}, rows * per_row, length, threads_per_block);
    };
    chunks(true);
    const ScanOfStates<Rule> of_states{rule, states.data()};
    launch(op, rows_kernel<BlockTeam, Scan<ScanOfStates<Rule>>>, on.blocks(rows),
           Scan<ScanOfStates<Rule>>{of_states, nullptr, 0, 1, false}, rows, per_row, threads_per_block);
    chunks(false);
}

/// Rows and length of a tensor whose last dimension is scanned.
inline std::int64_t line_length(const Tensor& rows) { return rows.dim() == 0 ? 1 : rows.sizes().back(); }
inline std::int64_t line_count(const Tensor& rows) {
    const std::int64_t n = line_length(rows);
    return n == 0 ? 0 : rows.numel() / n;
}

} // namespace reel::cuda
