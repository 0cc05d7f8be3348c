#include "history.hpp"

#include <algorithm>

#include <reel/autograd/ops.hpp>

namespace agents {

using namespace reel;

void History::add(const std::string& curve, double x, double y) {
    auto at = std::find_if(curves_.begin(), curves_.end(), [&](const auto& c) { return c.first == curve; });
    if (at == curves_.end()) at = curves_.insert(curves_.end(), {curve, {}});
    at->second.emplace_back(x, y);
}
const Points& History::operator[](const std::string& curve) const {
    static const Points none;
    const auto at = std::find_if(curves_.begin(), curves_.end(), [&](const auto& c) { return c.first == curve; });
    return at == curves_.end() ? none : at->second;
}
std::vector<std::string> History::names() const {
    std::vector<std::string> r;
    for (const auto& [name, points] : curves_) r.push_back(name);
    return r;
}
double History::mean_of_last(const std::string& curve, std::size_t n) const {
    const Points& points = (*this)[curve];
    n = std::min(n, points.size());
    double sum = 0;
    for (std::size_t i = points.size() - n; i < points.size(); ++i) sum += points[i].second;
    return n ? sum / double(n) : 0;
}

Value History::to_value() const {
    ValueDict d;
    for (const auto& [name, points] : curves_) {
        const Tensor t = empty({std::int64_t(points.size()), 2}, kDouble);
        double* at = t.data_ptr<double>();
        for (const auto& [x, y] : points) *at++ = x, *at++ = y;
        d.set(name, t);
    }
    return d;
}
History History::from_value(const Value& value) {
    History h;
    for (const auto& [name, points] : value.toGenericDict()) {
        const Tensor t = points.toTensor().contiguous();
        const double* at = t.data_ptr<double>();
        for (std::int64_t i = 0; i < t.size(0); ++i) h.add(name.toStringRef(), at[2 * i], at[2 * i + 1]);
    }
    return h;
}

} // namespace agents
