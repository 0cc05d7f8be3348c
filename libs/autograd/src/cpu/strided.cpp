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

namespace {

/// The dimensions of a walk in the order of memory, innermost first; those of one element are left out, neighbours are
/// joined. Of a shape without elements there is no walk.
struct Walk {
    static constexpr int max_dims = 64;
    int dims = 0, operands;
    std::int64_t size[max_dims], step[max_dims][max_operands];

    Walk(int ndim, const std::int64_t* shape, int nargs, const std::int64_t* const* strides) : operands(nargs) {
        for (int d = ndim - 1; d >= 0; --d) {
            if (shape[d] == 1) continue;
            size[dims] = shape[d];
            for (int a = 0; a < operands; ++a) step[dims][a] = strides[a][d];
            ++dims;
        }
        sort();
        join();
    }
    std::int64_t elements() const {
        std::int64_t n = 1;
        for (int d = 0; d < dims; ++d) n *= size[d];
        return n;
    }
    /// Does dimension i belong inside of j? The first operand that tells them apart decides, so the output before all
    /// others; an operand that is broadcast along one of them has nothing to say.
    bool inside(int i, int j) const {
        for (int a = 0; a < operands; ++a) {
            const std::int64_t x = std::abs(step[i][a]), y = std::abs(step[j][a]);
            if (x == 0 || y == 0) continue;
            if (x != y) return x < y;
        }
        return false;
    }
    /// Memory in its own order. `inside` is no strict order (a broadcast operand makes it blind to a pair), which an
    /// insertion sort bears and std::sort does not.
    void sort() {
        for (int i = 1; i < dims; ++i)
            for (int j = i; j > 0 && inside(j, j - 1); --j) {
                std::swap(size[j], size[j - 1]);
                for (int a = 0; a < operands; ++a) std::swap(step[j][a], step[j - 1][a]);
            }
    }
    /// Neighbours become one dimension where the outer goes on, in every operand, where the inner ends: dense memory of
    /// any shape becomes one long loop.
    void join() {
        int last = 0;
        for (int i = 1; i < dims; ++i) {
            bool joins = true;
            for (int a = 0; a < operands; ++a) joins = joins && step[i][a] == step[last][a] * size[last];
            if (joins) {
                size[last] *= size[i];
                continue;
            }
            ++last;
            size[last] = size[i];
            for (int a = 0; a < operands; ++a) step[last][a] = step[i][a];
        }
        dims = dims == 0 ? 0 : last + 1;
    }
    /// The longest dimension along which the first operand moves; -1 when it stands still.
    int longest_moving() const {
        int best = -1;
        for (int d = 0; d < dims; ++d)
            if (step[d][0] != 0 && (best < 0 || size[d] > size[best])) best = d;
        return best;
    }
    /// Rows `begin` to `end` of the innermost dimension. The outer ones count like an odometer: one step forward, and
    /// where a dimension is through, back to its start and on to the next.
    void rows(std::int64_t begin, std::int64_t end, char* const* data, Loop loop, const void* context) const {
        char* p[max_operands];
        std::int64_t index[max_dims], rest = begin;
        std::copy(data, data + operands, p);
        for (int d = 1; d < dims; ++d) {
            index[d] = rest % size[d];
            rest /= size[d];
            for (int a = 0; a < operands; ++a) p[a] += index[d] * step[d][a];
        }
        for (std::int64_t r = begin; r < end; ++r) {
            loop(p, step[0], size[0], context);
            for (int d = 1; d < dims; ++d) {
                for (int a = 0; a < operands; ++a) p[a] += step[d][a];
                if (++index[d] < size[d]) break;
                for (int a = 0; a < operands; ++a) p[a] -= size[d] * step[d][a];
                index[d] = 0;
            }
        }
    }
};

} // namespace

void for_each_strided(int ndim, const std::int64_t* shape, int nargs, char* const* data,
                      const std::int64_t* const* strides, Loop loop, const void* context, std::int64_t grain) {
    if (std::find(shape, shape + ndim, 0) != shape + ndim) return;
    const Walk walk(ndim, shape, nargs, strides);
    if (walk.dims <= 1) {
        const std::int64_t alone[max_operands] = {};
        return for_each_flat(walk.dims ? walk.size[0] : 1, nargs, data, walk.dims ? walk.step[0] : alone, loop, context,
                             grain);
    }
    const std::int64_t inner = walk.size[0];
    parallel_for(0, walk.elements() / inner, std::max<std::int64_t>(grain / inner, 1),
                 [&](std::int64_t b, std::int64_t e) { walk.rows(b, e, data, loop, context); });
}

void for_each_strided_apart(int ndim, const std::int64_t* shape, int nargs, char* const* data,
                            const std::int64_t* const* strides, Loop loop, const void* context, std::int64_t grain) {
    if (std::find(shape, shape + ndim, 0) != shape + ndim) return;
    const Walk walk(ndim, shape, nargs, strides);
    const int shared = walk.longest_moving();
    if (shared < 0) return for_each_strided(ndim, shape, nargs, data, strides, loop, context, walk.elements());
    const std::int64_t size = walk.size[shared], beside = walk.elements() / size;
    parallel_for(0, size, std::max<std::int64_t>(grain / beside, 1), [&](std::int64_t b, std::int64_t e) {
        Walk share = walk;
        share.size[shared] = e - b;
        char* p[max_operands];
        for (int a = 0; a < nargs; ++a) p[a] = data[a] + b * walk.step[shared][a];
        share.rows(0, beside * (e - b) / share.size[0], p, loop, context);
    });
}

} // namespace reel::cpu
