// Curves that grow during a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/value.hpp>

namespace agents {

using Points = std::vector<std::pair<double, double>>;

/// Named curves in the order of their first points.
class History {
public:
    void add(const std::string& curve, double x, double y);
    /// Empty when there is none.
    const Points& operator[](const std::string& curve) const;
    std::vector<std::string> names() const;
    /// Of the newest `n` points; 0 without any.
    double mean_of_last(const std::string& curve, std::size_t n) const;
    /// For checkpoints.
    reel::Value to_value() const;
    static History from_value(const reel::Value& value);

private:
    std::vector<std::pair<std::string, Points>> curves_;
};

} // namespace agents
