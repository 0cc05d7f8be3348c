#include "charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/inspect/html.hpp>

#include "../../digits/svg.hpp"
#include "png.hpp"
#include "progress.hpp"

namespace agents {

namespace {

using digits::Svg;

constexpr const char* colors[] = {"#3b73f0", "#d9480f", "#2f9e44", "#9c36b5", "#0c8599", "#b08900", "#c2255c"};

/// Means of neighbours: `smooth` of them, or as many as leave 300.
Points thinned(const Points& points, int smooth) {
    const std::size_t step = std::max({std::size_t(smooth), (points.size() + 299) / 300, std::size_t(1)});
    Points r;
    for (std::size_t i = 0; i < points.size(); i += step) {
        const std::size_t n = std::min(step, points.size() - i);
        double x = 0, y = 0;
        for (std::size_t k = i; k < i + n; ++k) x += points[k].first, y += points[k].second;
        r.emplace_back(x / double(n), y / double(n));
    }
    return r;
}
std::string short_number(double v) {
    const double a = std::abs(v);
    if (a >= 1e6) return format("%gM", v / 1e6);
    if (a >= 1e4) return format("%gk", v / 1e3);
    return format("%.4g", a < 1e-12 ? 0 : v);
}

/// From a value to a place, with ticks: 1, 2 or 5 times a power of ten, or whole powers.
class Axis {
public:
    Axis(double low, double high, double from, double to, bool logarithmic, int most)
        : logarithmic_(logarithmic), from_(from), to_(to) {
        low_ = value(low);
        high_ = std::max(value(high), low_ + 1e-9);
        const double base = std::pow(10, std::floor(std::log10((high_ - low_) / most)));
        step_ = base * 10;
        for (const double factor : {5., 2., 1.})
            if ((high_ - low_) / (base * factor) <= most) step_ = base * factor;
        if (logarithmic) step_ = std::max(1., std::ceil(step_));
    }
    void widen() {
        low_ = std::floor(low_ / step_ + 1e-9) * step_;
        high_ = std::ceil(high_ / step_ - 1e-9) * step_;
    }
    double place(double v) const { return at(value(v)); }
    std::vector<std::pair<double, std::string>> ticks() const {
        std::vector<std::pair<double, std::string>> r;
        for (double v = std::ceil(low_ / step_ - 1e-9) * step_; v <= high_ + step_ * 1e-6; v += step_)
            r.emplace_back(at(v), short_number(logarithmic_ ? std::pow(10, v) : v));
        return r;
    }

private:
    double value(double v) const { return logarithmic_ ? std::log10(v) : v; }
    double at(double v) const { return from_ + (to_ - from_) * (v - low_) / (high_ - low_); }
    bool logarithmic_;
    double from_, to_, low_, high_, step_;
};

/// Dark blue over green to yellow.
std::array<std::uint8_t, 3> color_of(double share) {
    static constexpr double stops[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    const double at = std::clamp(share, 0., 1.) * 4;
    const int i = std::min(int(at), 3);
    std::array<std::uint8_t, 3> r{};
    for (std::size_t c = 0; c < 3; ++c)
        r[c] = std::uint8_t(std::lround(stops[i][c] + (stops[i + 1][c] - stops[i][c]) * (at - i)));
    return r;
}

} // namespace

std::string line_chart(const std::string& title, const std::vector<ChartCurve>& curves, const ChartOptions& options) {
    constexpr double width = 560, height = 300, left = 56, right = 20, top = 50, bottom = 40;
    std::vector<Points> drawn;
    double x_low = 1e300, x_high = -1e300, low = 1e300, high = -1e300;
    for (const ChartCurve& c : curves) {
        Points points = thinned(c.points, c.smooth);
        if (options.logarithmic) std::erase_if(points, [](const auto& p) { return !(p.second > 0); });
        for (const auto& [x, y] : points) {
            x_low = std::min(x_low, x), x_high = std::max(x_high, x);
            low = std::min(low, y), high = std::max(high, y);
        }
        drawn.push_back(std::move(points));
    }
    if (x_low > x_high) x_low = 0, x_high = 1, low = options.logarithmic ? 0.1 : 0, high = 1;
    if (options.goal != 0) low = std::min(low, options.goal), high = std::max(high, options.goal);
    const Axis across(x_low, x_high, left, width - right, false, 6);
    Axis up(low, high, height - bottom, top, options.logarithmic, 5);
    up.widen();
    Svg svg(width, height, title);
    svg.text(left, 18, title, "class=\"title\"");
    for (const auto& [y, text] : up.ticks()) {
        svg.line(left, y, width - right, y, "class=\"grid\"");
        svg.text(left - 7, y + 4, text, "class=\"tick\" text-anchor=\"end\"");
    }
    for (const auto& [x, text] : across.ticks())
        svg.text(x, height - bottom + 16, text, "class=\"tick\" text-anchor=\"middle\"");
    svg.text((left + width - right) / 2, height - 6, options.x_label, "class=\"tick\" text-anchor=\"middle\"");
    if (options.goal != 0)
        svg.line(left, up.place(options.goal), width - right, up.place(options.goal), "class=\"mark\"");
    double key = left;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const std::string color = colors[i % std::size(colors)];
        Points places;
        for (const auto& [x, y] : drawn[i]) places.emplace_back(across.place(x), up.place(y));
        svg.polyline(places, "stroke=\"" + color + "\" stroke-width=\"1.6\" stroke-linejoin=\"round\"");
        svg.rect(key, 29, 10, 3, "fill=\"" + color + "\"");
        svg.text(key + 14, 35, curves[i].name, "class=\"key\"");
        key += 28 + 6.2 * double(curves[i].name.size());
    }
    return svg.str();
}

std::string heat_map(const std::string& title, const reel::Tensor& values, const HeatMapOptions& options) {
    const reel::Tensor v = values.detach().to(reel::kDouble).contiguous();
    const std::int64_t rows = v.size(0), columns = v.size(1);
    const double* data = v.data_ptr<double>();
    double low = options.low, high = options.high;
    if (low == high) low = *std::min_element(data, data + v.numel()), high = *std::max_element(data, data + v.numel());
    high = std::max(high, low + 1e-12);
    constexpr std::int64_t bar = 2; // pictures are as small as their values
    const reel::Tensor picture = reel::empty({rows, columns, 3}, reel::kByte),
                       scale = reel::empty({64, bar, 3}, reel::kByte);
    const auto paint = [](const reel::Tensor& to, std::int64_t pixel, double share) {
        const auto color = color_of(share);
        std::copy(color.begin(), color.end(), to.data_ptr<std::uint8_t>() + 3 * pixel);
    };
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x)
            paint(picture, (rows - 1 - y) * columns + x, (data[y * columns + x] - low) / (high - low));
    for (std::int64_t i = 0; i < 64 * bar; ++i) paint(scale, i, 1 - double(i / bar) / 63);
    constexpr double width = 400, height = 330, left = 60, right = 70, top = 34, bottom = 46;
    const Axis across(options.x_from, options.x_to, left, width - right, false, 5),
        up(options.y_from, options.y_to, height - bottom, top, false, 5),
        colored(low, high, height - bottom, top, false, 5);
    Svg svg(width, height, title);
    const auto image = [&](const reel::Tensor& pixels, double x, double w) {
        svg.raw(format("<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" preserveAspectRatio=\"none\" "
                       "style=\"image-rendering:pixelated\" href=\"",
                       x, top, w, height - top - bottom) +
                png_uri(pixels) + "\"/>");
    };
    svg.text(left, 18, title, "class=\"title\"");
    image(picture, left, width - left - right);
    image(scale, width - right + 12, 12);
    for (const auto& [x, text] : across.ticks())
        svg.text(x, height - bottom + 16, text, "class=\"tick\" text-anchor=\"middle\"");
    for (const auto& [y, text] : up.ticks()) svg.text(left - 7, y + 4, text, "class=\"tick\" text-anchor=\"end\"");
    for (const auto& [y, text] : colored.ticks()) svg.text(width - right + 29, y + 4, text, "class=\"tick\"");
    svg.text((left + width - right) / 2, height - 10, options.x_label, "class=\"tick\" text-anchor=\"middle\"");
    svg.text(
        14, (top + height - bottom) / 2, options.y_label,
        format("class=\"tick\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\"", (top + height - bottom) / 2));
    return svg.str();
}

std::string film_strip(const std::vector<reel::Tensor>& frames, const std::vector<std::string>& captions) {
    std::string r = "<div class=\"film\">";
    for (std::size_t i = 0; i < frames.size(); ++i)
        r += "<figure><img alt=\"" + reel::inspect::escaped_html(captions[i]) + "\" src=\"" + png_uri(frames[i]) +
             "\"><figcaption>" + reel::inspect::escaped_html(captions[i]) + "</figcaption></figure>";
    return r + "</div>";
}

} // namespace agents
