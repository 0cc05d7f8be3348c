// The engine of reductions along columns: neighbouring threads read neighbouring columns of a row.
//
// A rule has a trivially copyable `State` and
//     State nothing() const;
//     void take(State&, row, column) const;
//     State join(State, State) const;
//     void finish(column, State) const;                       writes the result
// Who reads what depends on the shape alone, so that two runs give the same bits.
#pragma once

#include "reduction.cuh"

namespace reel::cuda {

inline constexpr int columns_of_block = 32, rows_of_block = 8;

/// Blocks are numbered by part of the rows, then by group of columns. `states` [parts, columns]; null for one part.
template <class Rule>
__global__ void columns_kernel(Rule rule, typename Rule::State* states, std::int64_t rows, std::int64_t columns,
                               std::int64_t rows_of_part, std::int64_t blocks) {
    using State = typename Rule::State;
    alignas(16) __shared__ unsigned char bytes[columns_of_block * rows_of_block * sizeof(State)];
    State* const part = reinterpret_cast<State*>(bytes);
    const std::int64_t groups = (columns + columns_of_block - 1) / columns_of_block;
    const int x = int(threadIdx.x) % columns_of_block, y = int(threadIdx.x) / columns_of_block;
    for (std::int64_t b = blockIdx.x; b < blocks; b += gridDim.x) {
        const std::int64_t column = b % groups * columns_of_block + x, begin = b / groups * rows_of_part,
                           end = begin + rows_of_part < rows ? begin + rows_of_part : rows;
        State s = rule.nothing();
        if (column < columns)
            for (std::int64_t row = begin + y; row < end; row += rows_of_block) rule.take(s, row, column);
        part[threadIdx.x] = s;
        __syncthreads();
        if (y == 0 && column < columns) {
            for (int k = 1; k < rows_of_block; ++k) s = rule.join(s, part[k * columns_of_block + x]);
            if (states) states[b / groups * columns + column] = s;
            else rule.finish(column, s);
        }
        __syncthreads();
    }
}
template <class Rule>
__global__ void joined_columns_kernel(Rule rule, const typename Rule::State* states, std::int64_t parts,
                                      std::int64_t columns) {
    for (std::int64_t c = first_place(); c < columns; c += place_step()) {
        typename Rule::State s = states[c];
        for (std::int64_t p = 1; p < parts; ++p) s = rule.join(s, states[p * columns + c]);
        rule.finish(c, s);
    }
}

/// Runs `rule` over `columns` columns of `rows` elements; `like` lives where they do.
template <class Rule>
void reduce_columns(const char* op, const Tensor& like, const Rule& rule, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t enough_blocks = 1024, fewest_rows = 128;
    if (columns == 0) return;
    const OnDevice on(like);
    const std::int64_t groups = (columns + columns_of_block - 1) / columns_of_block,
                       wanted = std::min(enough_blocks / groups + 1, std::max<std::int64_t>(rows / fewest_rows, 1)),
                       rows_of_part = std::max<std::int64_t>((rows + wanted - 1) / wanted, 1),
                       parts = std::max<std::int64_t>((rows + rows_of_part - 1) / rows_of_part, 1);
    const DeviceScratch<typename Rule::State> states(parts > 1 ? parts * columns : 0, like);
    launch(op, columns_kernel<Rule>, on.blocks(groups * parts), rule, parts > 1 ? states.data() : nullptr, rows,
           columns, rows_of_part, groups * parts);
    if (parts > 1) launch(op, joined_columns_kernel<Rule>, on.over(columns), rule, states.data(), parts, columns);
}

} // namespace reel::cuda
