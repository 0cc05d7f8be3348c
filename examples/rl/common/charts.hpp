// Drawings of a report.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd/tensor.hpp>

#include "history.hpp"

namespace agents {

struct ChartCurve {
    std::string name;
    Points points;
    /// Points that one drawn point is the mean of; 1 for a curve that is to be seen as it is.
    int smooth = 1;
};
struct ChartOptions {
    std::string x_label = "frames";
    bool logarithmic = false; ///< leaves out what is not positive
    double goal = 0;          ///< a dashed line, unless 0
};
/// Curves with axes and a key, as SVG. At most a few hundred points are drawn of each: means of neighbours.
std::string line_chart(const std::string& title, const std::vector<ChartCurve>& curves,
                       const ChartOptions& options = {});

struct HeatMapOptions {
    std::string x_label, y_label;
    double x_from = 0, x_to = 1, y_from = 0, y_to = 1;
    double low = 0, high = 0; ///< of the colours; the values' own where they are equal
};
/// `values`, [rows, columns] with y upwards, as a picture with a scale of colours.
std::string heat_map(const std::string& title, const reel::Tensor& values, const HeatMapOptions& options);

/// Pictures (uint8 [H, W, 3]) side by side, each with its caption.
std::string film_strip(const std::vector<reel::Tensor>& frames, const std::vector<std::string>& captions);

} // namespace agents
