#include "envs/render/canvas.hpp"
#include "detail/host_tensor.hpp"

#include <algorithm>
#include <cmath>

namespace reel::rl::detail {

void Canvas::view(Point center, double world_width) {
    center_ = center;
    scale_ = double(width_) / world_width;
}
Point Canvas::to_pixels(Point p) const {
    return {(p.x - center_.x) * scale_ + double(width_) / 2, double(height_) / 2 - (p.y - center_.y) * scale_};
}

/// Blends by how far each pixel's middle is inside; `distance` is negative there, in pixels.
template <class Distance> void Canvas::paint(Point low, Point high, Color color, const Distance& distance) {
    const auto bounded = [](double v, std::int64_t size) {
        return std::int64_t(std::clamp(v, 0.0, double(size))); // NaN cannot come: states are finite
    };
    const std::int64_t x0 = bounded(low.x - 1, width_), x1 = bounded(high.x + 2, width_);
    const std::int64_t y0 = bounded(low.y - 1, height_), y1 = bounded(high.y + 2, height_);
    for (std::int64_t y = y0; y < y1; ++y)
        for (std::int64_t x = x0; x < x1; ++x) {
            const double cover = std::clamp(0.5 - distance(Point{double(x) + 0.5, double(y) + 0.5}), 0.0, 1.0);
            if (cover == 0) continue;
            std::uint8_t* pixel = pixels_.data() + (y * width_ + x) * 3;
            const std::uint8_t ink[] = {color.r, color.g, color.b};
            for (int c = 0; c < 3; ++c)
                pixel[c] = std::uint8_t(std::lround(pixel[c] + cover * (double(ink[c]) - pixel[c])));
        }
}

void Canvas::disc(Point center, double radius, Color color) {
    const Point c = to_pixels(center);
    const double r = radius * scale_;
    paint({c.x - r, c.y - r}, {c.x + r, c.y + r}, color, [&](Point p) { return std::hypot(p.x - c.x, p.y - c.y) - r; });
}

void Canvas::line(Point from, Point to, double thickness, Color color) {
    const Point a = to_pixels(from), b = to_pixels(to);
    const double r = thickness * scale_ / 2, dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    paint({std::min(a.x, b.x) - r, std::min(a.y, b.y) - r}, {std::max(a.x, b.x) + r, std::max(a.y, b.y) + r}, color,
          [&](Point p) {
              const double along = length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0;
              const double t = std::clamp(along, 0.0, 1.0);
              return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy) - r;
          });
}

void Canvas::polygon(const std::vector<Point>& corners, Color color) {
    std::vector<Point> at;
    Point low{1e9, 1e9}, high{-1e9, -1e9}, middle{0, 0};
    for (const Point& corner : corners) {
        const Point p = to_pixels(corner);
        at.push_back(p);
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        middle = {middle.x + p.x / double(corners.size()), middle.y + p.y / double(corners.size())};
    }
    paint(low, high, color, [&](Point p) {
        double outside = -1e9;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const Point a = at[i], b = at[(i + 1) % at.size()];
            const double length = std::hypot(b.x - a.x, b.y - a.y);
            if (length == 0) continue;
            const auto side = [&](Point q) { return ((b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x)) / length; };
            outside = std::max(outside, side(middle) > 0 ? -side(p) : side(p));
        }
        return outside;
    });
}

Tensor Canvas::picture() const {
    const auto [out, pixels] = detail::host_tensor<std::uint8_t>({height_, width_, 3});
    std::copy(pixels_.begin(), pixels_.end(), pixels);
    return out;
}

} // namespace reel::rl::detail
