// The report: one HTML file with everything in it.
#pragma once

#include <string>

#include "trainer.hpp"

namespace digits {

struct Results {
    reel::Tensor predicted; ///< of the held-out images
    double accuracy = 0;
};
std::string report_html(Trainer& trainer, const Results& results);

/// The tape of one step as an SVG drawing: loss at the top, parameters at the sides.
std::string tape_drawing(const reel::Tensor& loss, reel::nn::Module& net);

} // namespace digits
