#include <reel/data/datasets/concat.hpp>

#include <algorithm>

#include <reel/autograd/error.hpp>

namespace reel::data::datasets::detail {

std::vector<std::size_t> concat_ends(const std::vector<std::optional<std::size_t>>& sizes) {
    REEL_CHECK_VALUE(!sizes.empty(), "ConcatDataset: there are no datasets");
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        REEL_CHECK_VALUE(sizes[i], "ConcatDataset: dataset ", i, " has no size");
        ends.push_back((ends.empty() ? 0 : ends.back()) + *sizes[i]);
    }
    return ends;
}
std::size_t concat_part(ArrayRef<std::size_t> ends, std::size_t index) {
    const auto* part = std::upper_bound(ends.begin(), ends.end(), index);
    REEL_CHECK_INDEX(part != ends.end(), "ConcatDataset: index ", index, " is out of range for ", ends.back(),
                     " elements");
    return std::size_t(part - ends.begin());
}

} // namespace reel::data::datasets::detail
