// Drawings as SVG text.
#pragma once

#include <string>
#include <vector>

namespace digits {

class Svg {
public:
    Svg(double width, double height, const std::string& label);
    void line(double x1, double y1, double x2, double y2, const std::string& style);
    void rect(double x, double y, double w, double h, const std::string& style, const std::string& tip = {});
    void text(double x, double y, const std::string& text, const std::string& style);
    void path(const std::string& d, const std::string& style);
    void polyline(const std::vector<std::pair<double, double>>& points, const std::string& style);
    /// Markup as it is.
    void raw(const std::string& markup) { body_ += markup; }
    std::string str() const { return body_ + "</svg>"; }

private:
    std::string body_;
};

/// One curve of a chart.
struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points;
    std::string color;
};
/// Curves over epochs with axes, a key and dashed lines where stages begin.
std::string chart(const std::string& title, const std::vector<Curve>& curves, const std::vector<double>& marks,
                  bool logarithmic);

} // namespace digits
