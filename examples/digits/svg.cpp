#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <reel/inspect/html.hpp>

namespace digits {

namespace {
std::string number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", v);
    return text;
}
std::string coordinate(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", v);
    return text;
}
} // namespace

Svg::Svg(double w, double h, const std::string& label)
    : body_("<svg viewBox=\"0 0 " + coordinate(w) + " " + coordinate(h) + "\" style=\"max-width:" +
            coordinate(w * 1.25) + "px\" role=\"img\" aria-label=\"" + reel::inspect::escaped_html(label) + "\">") {}
void Svg::line(double x1, double y1, double x2, double y2, const std::string& style) {
    body_ += "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) + "\" y2=\"" +
             coordinate(y2) + "\" " + style + "/>";
}
void Svg::rect(double x, double y, double w, double h, const std::string& style, const std::string& tip) {
    body_ += "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(w) + "\" height=\"" +
             coordinate(h) + "\" " + style;
    body_ += tip.empty() ? "/>" : "><title>" + reel::inspect::escaped_html(tip) + "</title></rect>";
}
void Svg::text(double x, double y, const std::string& text, const std::string& style) {
    body_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" " + style + ">" +
             reel::inspect::escaped_html(text) + "</text>";
}
void Svg::path(const std::string& d, const std::string& style) { body_ += "<path d=\"" + d + "\" " + style + "/>"; }
void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& style) {
    body_ += "<polyline fill=\"none\" points=\"";
    for (const auto& [x, y] : points) body_ += coordinate(x) + "," + coordinate(y) + " ";
    body_ += "\" " + style + "/>";
}

namespace {
using Points = std::vector<std::pair<double, double>>;
/// A line through the points, and a dot at each; points further apart than `pause` are not joined.
void draw_curve(Svg& svg, const Points& points, const std::string& color, double pause) {
    // A curve that pauses, as a frozen module's does, is not drawn through the pause.
    Points piece;
    for (const auto& point : points) {
        if (!piece.empty() && point.first - piece.back().first > pause) {
            svg.polyline(piece, "stroke=\"" + color + "\" stroke-width=\"2\" stroke-linejoin=\"round\"");
            piece.clear();
        }
        piece.push_back(point);
    }
    svg.polyline(piece, "stroke=\"" + color + "\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    for (const auto& [x, y] : points)
        svg.path("M" + coordinate(x) + " " + coordinate(y) + "h0",
                 "stroke=\"" + color + "\" stroke-width=\"5\" stroke-linecap=\"round\"");
}
} // namespace

std::string chart(const std::string& title, const std::vector<Curve>& curves, const std::vector<double>& marks,
                  bool logarithmic) {
    constexpr double width = 560, height = 300, left = 52, right = 118, top = 34, bottom = 36;
    double x_most = 1, low = 1e300, high = -1e300;
    for (const Curve& c : curves)
        for (const auto& [x, y] : c.points) {
            if (logarithmic && y <= 0) continue;
            x_most = std::max(x_most, x);
            low = std::min(low, y);
            high = std::max(high, y);
        }
    if (low > high) low = 0.1, high = 1;
    const auto scale = [&](double y) { return logarithmic ? std::log10(y) : y; };
    double from = scale(low), to = scale(high), tick = 1;
    if (!logarithmic) { // round steps: 1, 2 or 5 times a power of ten, about five of them
        const double base = std::pow(10, std::floor(std::log10(std::max(to - from, 1e-6) / 5)));
        for (const double factor : {10.0, 5.0, 2.0, 1.0})
            if ((to - from) / (base * factor) <= 5.5) tick = base * factor;
    }
    from = std::floor(from / tick + 1e-9) * tick;
    to = std::max(std::ceil(to / tick - 1e-9) * tick, from + tick);
    const double plot_w = width - left - right, plot_h = height - top - bottom;
    const auto px = [&](double x) { return left + (x_most > 1 ? (x - 1) / (x_most - 1) : 0.5) * plot_w; };
    const auto py = [&](double y) { return top + (1 - (scale(y) - from) / (to - from)) * plot_h; };
    Svg svg(width, height, title);
    svg.text(left, 18, title, "class=\"title\"");
    const int ticks = int(std::lround((to - from) / tick));
    for (int i = 0; i <= ticks; ++i) {
        const double at = from + (to - from) * i / ticks, y = top + (1 - double(i) / ticks) * plot_h;
        svg.line(left, y, left + plot_w, y, "class=\"grid\"");
        svg.text(left - 7, y + 4, number(logarithmic ? std::pow(10, at) : at), "class=\"tick\" text-anchor=\"end\"");
    }
    const int every = std::max(1, int(std::ceil(x_most / 12)));
    for (int x = 1; x <= int(x_most); x += every)
        svg.text(px(x), height - bottom + 18, std::to_string(x), "class=\"tick\" text-anchor=\"middle\"");
    svg.text(left + plot_w / 2, height - 4, "epoch", "class=\"tick\" text-anchor=\"middle\"");
    for (const double m : marks) svg.line(px(m), top, px(m), top + plot_h, "class=\"mark\"");
    // The key stands where the curves end; labels that would overlap are pushed down.
    std::vector<std::pair<double, const Curve*>> labels;
    for (const Curve& c : curves) {
        if (c.points.empty()) continue;
        std::vector<std::pair<double, double>> points;
        for (const auto& [x, y] : c.points)
            if (!logarithmic || y > 0) points.emplace_back(px(x), py(y));
        if (points.empty()) continue;
        draw_curve(svg, points, c.color, x_most > 1 ? px(2) - px(1) + 0.5 : width);
        labels.emplace_back(points.back().second, &c);
    }
    std::sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    constexpr double line_height = 14;
    double next = top + 4;
    const double overflow = double(labels.size()) * line_height - plot_h;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double room = top + plot_h + std::max(overflow, 0.0) - double(labels.size() - 1 - i) * line_height;
        const double y = std::min(std::max(labels[i].first, next), room);
        next = y + line_height;
        svg.text(left + plot_w + 10, y + 4, labels[i].second->name,
                 "class=\"key\" style=\"fill:" + labels[i].second->color + "\"");
    }
    return svg.str();
}

} // namespace digits
