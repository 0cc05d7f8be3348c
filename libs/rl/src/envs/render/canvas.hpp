// A small picture to draw shapes on.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::rl::detail {

struct Color {
    std::uint8_t r, g, b;
};
struct Point {
    double x, y;
};

/// White at first. Shapes have smooth edges; coordinates and lengths are the world's, y upwards, with one scale for
/// both axes: `width` of the world fills the picture's, around the point `center`.
class Canvas {
public:
    Canvas(std::int64_t height, std::int64_t width) : height_(height), width_(width) {
        pixels_.assign(std::size_t(height * width * 3), 255);
    }
    void view(Point center, double world_width);
    void disc(Point center, double radius, Color color);
    /// A line with round ends.
    void line(Point from, Point to, double thickness, Color color);
    /// A convex polygon, whichever way around.
    void polygon(const std::vector<Point>& corners, Color color);
    /// [H, W, 3] uint8
    Tensor picture() const;

private:
    Point to_pixels(Point p) const;
    template <class Distance> void paint(Point low, Point high, Color color, const Distance& distance);

    std::int64_t height_, width_;
    double scale_ = 1;
    Point center_{0, 0};
    std::vector<std::uint8_t> pixels_;
};

} // namespace reel::rl::detail
