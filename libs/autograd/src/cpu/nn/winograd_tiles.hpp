// How Winograd's convolutions cut images: the result in tiles of 4 x 4, each of which reads 6 x 6 places of the source;
// rows of tiles, of one image or of several, are a unit of work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/nn/winograd_kernels.hpp"

namespace reel::cpu::winograd {

inline std::int64_t blocks_of(std::int64_t channels) {
    return (channels + winograd_kernels.lanes - 1) / winograd_kernels.lanes;
}

/// A plane that is read and the one that is tiled; the first tile reads from `top` rows above and `left` columns before
/// the source's first place. Volumes are planes one behind the other: plane z of the target reads `taps` planes of the
/// source, from z - front on.
struct Planes {
    std::int64_t batch = 1, source_height = 0, source_width = 0, target_height = 0, target_width = 0, top = 0, left = 0;
    std::int64_t taps = 1, source_depth = 1, target_depth = 1, front = 0;

    std::int64_t source_size() const { return source_height * source_width; }
    std::int64_t target_size() const { return target_height * target_width; }
    std::int64_t source_next() const { return source_depth * source_size(); } ///< from channel to channel
    std::int64_t target_next() const { return target_depth * target_size(); }
    std::int64_t across() const { return (target_width + 3) / 4; }
    std::int64_t down() const { return (target_height + 3) / 4; }
    std::int64_t rows() const { return batch * target_depth * down(); } ///< of tiles
    std::int64_t tiles() const { return rows() * across(); }
};

/// Rows of one plane, counted over the batch, that a unit reads and makes, and where they begin in its strips.
struct Piece {
    std::int64_t plane, source_row, source_rows, source_at, target_row, target_rows, target_at;
};

/// What some rows of tiles, counted over all images, read and make.
class Unit {
public:
    explicit Unit(const Planes& planes) : p_(planes) {
        for (std::int64_t c = 0; c < p_.across(); ++c) {
            source_row_.push_back(columns<6>(c * 4 - p_.left, p_.source_width));
            target_row_.push_back(columns<4>(c * 4, p_.target_width));
        }
    }
    std::int64_t tiles() const { return std::int64_t(targets.size()); }

    void cut(std::int64_t begin, std::int64_t end) {
        pieces.clear(), sources.clear(), targets.clear();
        std::int64_t source_at = 0, target_at = 0;
        for (std::int64_t row = begin; row < end;) {
            const std::int64_t plane = row / p_.down(), first = row % p_.down(),
                               last = std::min(p_.down(), first + end - row);
            const std::int64_t from = std::clamp<std::int64_t>(first * 4 - p_.top, 0, p_.source_height),
                               to = std::clamp<std::int64_t>(last * 4 + 2 - p_.top, from, p_.source_height);
            const Piece piece{plane,     from,      to - from,
                              source_at, first * 4, std::min(last * 4, p_.target_height) - first * 4,
                              target_at};
            for (std::int64_t r = first; r < last; ++r) {
                add(source_row_, r * 4 - p_.top, from, p_.source_height, p_.source_width, source_at, sources);
                add(target_row_, r * 4, first * 4, p_.target_height, p_.target_width, target_at, targets);
            }
            source_at += piece.source_rows * p_.source_width;
            target_at += piece.target_rows * p_.target_width;
            pieces.push_back(piece);
            row += last - first;
        }
    }

    std::vector<Piece> pieces;
    std::vector<WinogradSource> sources;
    std::vector<WinogradTarget> targets;

private:
    template <int n> static WinogradSquare<n> columns(std::int64_t first, std::int64_t width) {
        WinogradSquare<n> s{};
        s.inside = first >= 0 && first + n <= width;
        for (int i = 0; i < n; ++i) s.col[i] = first + i >= 0 && first + i < width ? std::int32_t(first + i) : -1;
        return s;
    }
    /// The squares of one row of tiles, whose first row of places is `row`; row `from` of the plane lies at `at`.
    template <int n>
    static void add(const std::vector<WinogradSquare<n>>& line, std::int64_t row, std::int64_t from,
                    std::int64_t height, std::int64_t width, std::int64_t at, std::vector<WinogradSquare<n>>& to) {
        std::int32_t rows[n];
        for (int i = 0; i < n; ++i)
            rows[i] = row + i >= 0 && row + i < height ? std::int32_t(at + (row + i - from) * width) : -1;
        const bool inside = row >= 0 && row + n <= height;
        const std::size_t begin = to.size();
        to.insert(to.end(), line.begin(), line.end());
        for (std::size_t t = begin; t < to.size(); ++t) {
            std::copy_n(rows, n, to[t].row);
            to[t].inside &= inside;
        }
    }

    const Planes& p_;
    std::vector<WinogradSource> source_row_;
    std::vector<WinogradTarget> target_row_;
};

/// Units of so many rows of tiles that `wanted` tiles are in one.
struct Units {
    std::int64_t rows, each, count;

    Units(const Planes& p, std::int64_t wanted) : rows(p.rows()), each(std::max<std::int64_t>(1, wanted / p.across())) {
        count = (rows + each - 1) / each;
        each = (rows + count - 1) / count;
        count = (rows + each - 1) / each;
    }
    /// The places of the largest strip.
    std::int64_t places(const Planes& p) const { return each * 6 * std::max(p.source_width, p.target_width); }
    void cut(std::int64_t unit, Unit& to) const { to.cut(unit * each, std::min(rows, (unit + 1) * each)); }
};

/// What a unit reads of one block of channels and one plane of the kernel, as a strip.
template <class T>
void gather_sources(const Planes& planes, const Unit& unit, std::int64_t channels, std::int64_t block, std::int64_t tap,
                    const T* source, float* strip) {
    const std::int64_t lanes = winograd_kernels.lanes, first = block * lanes;
    for (const Piece& p : unit.pieces) {
        const std::int64_t image = p.plane / planes.target_depth,
                           z = p.plane % planes.target_depth + tap - planes.front,
                           places = p.source_rows * planes.source_width;
        float* const to = strip + p.source_at * lanes;
        if (z < 0 || z >= planes.source_depth) std::fill_n(to, places * lanes, 0.f);
        else
            winograd_images<T>.gather(source + (image * channels + first) * planes.source_next() +
                                          z * planes.source_size() + p.source_row * planes.source_width,
                                      planes.source_next(), std::min(lanes, channels - first), places, to);
    }
}
/// Calls `f(strip's place, image's place, channels, places)` for what a unit makes of one block of channels.
template <class F>
void each_target(const Planes& planes, const Unit& unit, std::int64_t results, std::int64_t block, F f) {
    const std::int64_t lanes = winograd_kernels.lanes, first = block * lanes;
    for (const Piece& p : unit.pieces) {
        const std::int64_t image = p.plane / planes.target_depth, z = p.plane % planes.target_depth;
        f(p.target_at * lanes,
          (image * results + first) * planes.target_next() + z * planes.target_size() +
              p.target_row * planes.target_width,
          std::min(lanes, results - first), p.target_rows * planes.target_width);
    }
}

} // namespace reel::cpu::winograd
