// How Winograd's convolutions cut images: the result in tiles of 4 x 4, each of which reads 6 x 6 places of the source;
// rows of tiles, of one image or of several, are a unit of work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/winograd_kernels.hpp"

namespace reel::cpu::winograd {

inline std::int64_t blocks_of(std::int64_t channels) {
    return (channels + winograd_kernels.lanes - 1) / winograd_kernels.lanes;
}

/// A plane that is read and the one that is tiled; the first tile reads from `top` rows above and `left` columns before
/// the source's first place.
struct Planes {
    std::int64_t batch = 1, source_height = 0, source_width = 0, target_height = 0, target_width = 0, top = 0, left = 0;

    std::int64_t source_size() const { return source_height * source_width; }
    std::int64_t target_size() const { return target_height * target_width; }
    std::int64_t across() const { return (target_width + 3) / 4; }
    std::int64_t down() const { return (target_height + 3) / 4; }
    std::int64_t rows() const { return batch * down(); } ///< of tiles
    std::int64_t tiles() const { return rows() * across(); }
};

/// Rows of one image that a unit reads and makes, and where they begin in its strips.
struct Piece {
    std::int64_t image, source_row, source_rows, source_at, target_row, target_rows, target_at;
};

/// What the rows of tiles [begin, end), counted over all images, read and make.
struct Unit {
    std::vector<Piece> pieces;
    std::vector<WinogradSource> sources;
    std::vector<WinogradTarget> targets;

    std::int64_t tiles() const { return std::int64_t(targets.size()); }

    void cut(const Planes& p, std::int64_t begin, std::int64_t end) {
        pieces.clear(), sources.clear(), targets.clear();
        std::int64_t source_at = 0, target_at = 0;
        for (std::int64_t row = begin; row < end;) {
            const std::int64_t image = row / p.down(), first = row % p.down(),
                               last = std::min(p.down(), first + end - row);
            const std::int64_t from = std::clamp<std::int64_t>(first * 4 - p.top, 0, p.source_height),
                               to = std::clamp<std::int64_t>(last * 4 + 2 - p.top, from, p.source_height);
            const Piece piece{image,     from,      to - from,
                              source_at, first * 4, std::min(last * 4, p.target_height) - first * 4,
                              target_at};
            for (std::int64_t r = first; r < last; ++r) add_row(p, piece, r);
            source_at += piece.source_rows * p.source_width;
            target_at += piece.target_rows * p.target_width;
            pieces.push_back(piece);
            row += last - first;
        }
    }

private:
    template <int n>
    static WinogradSquare<n> square(std::int64_t row, std::int64_t column, std::int64_t first, std::int64_t height,
                                    std::int64_t width, std::int64_t at) {
        WinogradSquare<n> s;
        s.inside = row >= 0 && row + n <= height && column >= 0 && column + n <= width;
        for (int i = 0; i < n; ++i) {
            const bool below = row + i >= 0 && row + i < height, right = column + i >= 0 && column + i < width;
            s.row[i] = below ? std::int32_t(at + (row + i - first) * width) : -1;
            s.col[i] = right ? std::int32_t(column + i) : -1;
        }
        return s;
    }
    void add_row(const Planes& p, const Piece& piece, std::int64_t row) {
        for (std::int64_t column = 0; column < p.across(); ++column) {
            sources.push_back(square<6>(row * 4 - p.top, column * 4 - p.left, piece.source_row, p.source_height,
                                        p.source_width, piece.source_at));
            targets.push_back(
                square<4>(row * 4, column * 4, piece.target_row, p.target_height, p.target_width, piece.target_at));
        }
    }
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
    void cut(const Planes& p, std::int64_t unit, Unit& to) const {
        to.cut(p, unit * each, std::min(rows, (unit + 1) * each));
    }
};

} // namespace reel::cpu::winograd
