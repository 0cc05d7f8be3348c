// Choices among a number of things, as numbers or as one-hot rows.
#pragma once

#include "specs/spec_impl.hpp"

namespace reel::rl::detail {

/// [2, 3] of parts that lie beside each other; without parts, a single choice.
struct Choices {
    std::vector<std::int64_t> nvec;
    bool several; ///< the Multi kinds

    std::int64_t total() const;
    std::string space() const;
    std::string text() const;
    /// ValueError for less than one choice.
    void check(const char* name) const;
};
std::shared_ptr<const SpecImpl> make_one_hot(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype,
                                             std::optional<Device> device);
std::shared_ptr<const SpecImpl> make_categorical(Choices choices, std::vector<std::int64_t> shape, ScalarType dtype,
                                                 std::optional<Device> device);
/// A shape, or [last] without one; ValueError where it does not end with `last`.
std::vector<std::int64_t> shape_ending(const char* name, std::int64_t last,
                                       const std::optional<std::vector<std::int64_t>>& shape);

} // namespace reel::rl::detail
