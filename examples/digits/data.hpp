// The digits: images, labels, and the part that is never trained on.
#pragma once

#include <string>

#include <reel/data/dataset.hpp>

namespace digits {

struct Digits {
    reel::data::TensorDataset train, test; ///< pixels [N, 1, 8, 8] between 0 and 1, labels [N]
};
/// Reads the file; every fifth row is held out. Errors name the file and the line.
Digits load_digits(const std::string& path);
/// The images whose label is below `classes`.
reel::data::TensorDataset below(const reel::data::TensorDataset& all, std::int64_t classes);

} // namespace digits
