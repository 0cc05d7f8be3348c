// One op at one point: its loss, its gradients of both orders and its tangents, for the tests of derivatives.
#pragma once

#include <functional>
#include <memory>

#include "differences.hpp"
#include "findings.hpp"
#include "sample.hpp"

namespace properties {

/// A sample at given operands, with a fixed cotangent for each output: loss = sum Re <cotangent, output>.
class Trial {
public:
    Trial(const Sample& sample, variable_list operands, std::vector<bool> wanted);

    /// False where the op refuses the point, or has no finite value there, or no output that could be differentiated.
    bool usable() const { return usable_; }
    const Sample& sample() const { return sample_; }
    const std::vector<bool>& wanted() const { return wanted_; }
    const variable_list& operands() const { return operands_; }

    double loss(const variable_list& operands) const;
    /// The gradients of the wanted operands; zeros where there is none. With `create_graph` they are on the tape.
    variable_list gradients(const variable_list& leaves, bool create_graph) const;
    /// What the outputs' tangents make of the loss.
    double tangent_of_loss(const variable_list& directions) const;
    /// The tangents of the gradients.
    variable_list tangents_of_gradients(const variable_list& directions) const;
    /// Fixed directions for the wanted operands.
    variable_list directions(std::uint64_t seed) const;
    /// One real function for each place of each wanted operand: `f` of the operands, moved by t at that place.
    void
    along_places(std::int64_t few, const std::function<double(const variable_list&)>& f,
                 const std::function<void(std::size_t operand, std::int64_t place, const Difference&)>& visit) const;

private:
    variable_list outputs(const variable_list& in) const; ///< those in double precision

    Sample sample_;
    variable_list operands_, cotangents_;
    std::vector<bool> wanted_;
    bool usable_ = false;
};

/// The recorded point of a sample, and one of exact zeros, ones, halves and equal values where the op takes them.
std::vector<Trial> trials(const Sample& sample);

} // namespace properties
