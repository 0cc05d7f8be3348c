// Sample calls: what the property tests try every op with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/function.hpp>
#include <reel/autograd/value.hpp>

namespace properties {

using namespace reel;
using autograd::variable_list;

/// One call of an op.
struct Sample {
    std::string op;     ///< as it is registered
    std::string origin; ///< where the call comes from, for messages
    Args args;
    Kwargs kwargs;
    std::function<Value(const Args&)> call; ///< instead of the registry's call by name; takes no `kwargs`
    /// The gradient is, by convention, not the derivative by single entries: of a symmetric matrix of which one
    /// triangle is read, of eigenvectors up to their phase. A gauge-free call of the same op is tried with differences
    /// instead.
    bool by_convention = false;

    /// The tensors among the arguments, lists included, in order.
    variable_list operands() const;
    /// The same call of other tensors, one for each operand.
    Sample with(const variable_list& operands) const;
    /// The result's tensors. Random numbers are the same at every call.
    variable_list run() const;
    /// The same over other operands; an op that only exists in place works on a copy of the first.
    variable_list run_on(variable_list operands) const;
    /// What the schemas of the op say: it draws random numbers.
    bool is_random() const;
    /// The result, or part of it, is memory that nobody has written.
    bool leaves_memory_unwritten() const;
    std::string name() const { return op + " (" + origin + ")"; }
};

/// Every sample: the vendored ones and those made by hand; under REEL_PROPERTIES=long all cases of the reference data
/// (REEL_REFERENCE, else ../shared/oracle beside the checkout).
const std::vector<Sample>& samples();
/// Is the longer form asked for?
bool long_form();

/// Calls for ops that no reference case covers, and for those whose call by name says less than a C++ call.
void add_made_samples(std::vector<Sample>& list);
/// The same for factorisations, recurrent layers and pooling.
void add_made_layer_samples(std::vector<Sample>& list);
/// The same for functions of Python that have names or orders of their own, draws, grids, low rank.
void add_made_python_samples(std::vector<Sample>& list);

/// The same for schemas that the samples of their op's name leave out.
void add_made_schema_samples(std::vector<Sample>& list);

/// Beside each call whose gradient is a convention one that is free of it: of the operand's Hermitian part, and
/// returning what does not change with the phase of a vector.
void add_gauge_free_samples(std::vector<Sample>& list);

/// Copies of `operands` that are leaves; those that `wanted` marks require grad.
variable_list leaves(const variable_list& operands, const std::vector<bool>& wanted);
/// Which operands `sample` may be differentiated by: floating and complex ones in double precision; where the op
/// refuses that some of them require grad, only those that it takes.
std::vector<bool> differentiable_operands(const Sample& sample);
/// Fixed numbers of standard normal distribution, of the shape and dtype of `like`.
Tensor noise_like(const Tensor& like, std::uint64_t seed);

} // namespace properties
