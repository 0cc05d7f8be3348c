#include "specs/choices.hpp"

#include <numeric>

namespace reel::rl::detail {

std::int64_t Choices::total() const { return std::accumulate(nvec.begin(), nvec.end(), std::int64_t(0)); }
std::string Choices::space() const {
    if (!several) return str("CategoricalBox(n=", nvec[0], ")");
    std::string text = "BoxList(boxes=[";
    for (std::size_t i = 0; i < nvec.size(); ++i) text += str(i ? ", " : "", "CategoricalBox(n=", nvec[i], ")");
    return text + "])";
}
std::string Choices::text() const { return several ? "nvec=" + sizes_text(nvec) : str("n=", nvec[0]); }
void Choices::check(const char* name) const {
    REEL_CHECK_VALUE(!nvec.empty(), name, ": nvec is empty; expected the number of choices of each part");
    for (const std::int64_t n : nvec)
        REEL_CHECK_VALUE(n >= 1, name, ": ", several ? "nvec has " : "n is ", n, "; expected at least one choice");
}
std::vector<std::int64_t> shape_ending(const char* name, std::int64_t last,
                                       const std::optional<std::vector<std::int64_t>>& shape) {
    if (!shape) return {last};
    REEL_CHECK_VALUE(!shape->empty() && shape->back() == last, name, ": expected a shape that ends with ", last,
                     ", got ", sizes_text(*shape));
    return *shape;
}

} // namespace reel::rl::detail
