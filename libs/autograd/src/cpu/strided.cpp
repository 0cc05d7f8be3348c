// Collapsing and walking.
#include "cpu/strided.hpp"

#include <algorithm>
#include <cstdlib>

#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

void for_each_flat(std::int64_t n, int nargs, char* const* data, const std::int64_t* bytes, Loop loop,
                   const void* context, std::int64_t grain) {
    if (n <= grain) {
        if (n > 0) loop(data, bytes, n, context);
        return;
    }
    // Chunks start at multiples of 64 elements, so that vector loops stay aligned.
    parallel_for(0, (n + 63) / 64, std::max<std::int64_t>(grain / 64, 1), [&](std::int64_t b, std::int64_t e) {
        char* p[max_operands];
        const std::int64_t first = b * 64, last = std::min(n, e * 64);
        for (int a = 0; a < nargs; ++a) p[a] = data[a] + first * bytes[a];
        loop(p, bytes, last - first, context);
    });
}

void for_each_strided(int ndim, const std::int64_t* shape, int nargs, char* const* data,
                      const std::int64_t* const* strides, Loop loop, const void* context, std::int64_t grain) {
    constexpr int max_dims = 64;
    std::int64_t size[max_dims], step[max_dims][max_operands];
    int n = 0;
    std::int64_t total = 1;
    for (int d = ndim - 1; d >= 0; --d) { // innermost first
        total *= shape[d];
        if (shape[d] == 1) continue;
        size[n] = shape[d];
        for (int a = 0; a < nargs; ++a) step[n][a] = strides[a][d];
        ++n;
    }
    if (total == 0) return;
    // Insertion sort by the first operand that tells two dimensions apart; the output decides first.
    const auto before = [&](int i, int j) {
        for (int a = 0; a < nargs; ++a) {
            const std::int64_t x = std::abs(step[i][a]), y = std::abs(step[j][a]);
            if (x == 0 || y == 0) continue;
            if (x != y) return x < y;
        }
        return false;
    };
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && before(j, j - 1); --j) {
            std::swap(size[j], size[j - 1]);
            for (int a = 0; a < nargs; ++a) std::swap(step[j][a], step[j - 1][a]);
        }
    int m = 0;
    for (int i = 1; i < n; ++i) { // collapse neighbours that continue each other
        bool joins = true;
        for (int a = 0; a < nargs; ++a) joins = joins && step[i][a] == step[m][a] * size[m];
        if (joins) size[m] *= size[i];
        else {
            ++m;
            size[m] = size[i];
            for (int a = 0; a < nargs; ++a) step[m][a] = step[i][a];
        }
    }
    n = n == 0 ? 0 : m + 1;
    if (n <= 1) {
        std::int64_t one[max_operands] = {};
        return for_each_flat(n ? size[0] : 1, nargs, data, n ? step[0] : one, loop, context, grain);
    }
    const std::int64_t inner = size[0], rows = total / inner;
    parallel_for(0, rows, std::max<std::int64_t>(grain / inner, 1), [&](std::int64_t b, std::int64_t e) {
        char* p[max_operands];
        std::int64_t index[max_dims];
        std::int64_t rest = b;
        std::copy(data, data + nargs, p);
        for (int d = 1; d < n; ++d) {
            index[d] = rest % size[d];
            rest /= size[d];
            for (int a = 0; a < nargs; ++a) p[a] += index[d] * step[d][a];
        }
        for (std::int64_t r = b; r < e; ++r) {
            loop(p, step[0], inner, context);
            for (int d = 1; d < n; ++d) {
                for (int a = 0; a < nargs; ++a) p[a] += step[d][a];
                if (++index[d] < size[d]) break;
                for (int a = 0; a < nargs; ++a) p[a] -= size[d] * step[d][a];
                index[d] = 0;
            }
        }
    });
}

} // namespace reel::cpu
