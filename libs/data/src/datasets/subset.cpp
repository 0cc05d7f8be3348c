#include <reel/data/datasets/subset.hpp>

#include <reel/autograd/error.hpp>

namespace reel::data::datasets::detail {

void check_subset(ArrayRef<std::size_t> indices, std::optional<std::size_t> size) {
    if (!size) return;
    for (const std::size_t i : indices)
        REEL_CHECK_INDEX(i < *size, "Subset: index ", i, " is out of range for a dataset of ", *size, " elements");
}
std::vector<std::size_t> subset_request(ArrayRef<std::size_t> indices, ArrayRef<std::size_t> request) {
    std::vector<std::size_t> r;
    r.reserve(request.size());
    for (const std::size_t i : request) {
        REEL_CHECK_INDEX(i < indices.size(), "Subset: index ", i, " is out of range for a subset of ", indices.size(),
                         " elements");
        r.push_back(indices[i]);
    }
    return r;
}

} // namespace reel::data::datasets::detail
