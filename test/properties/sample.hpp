// Sample calls: what the property tests try every op with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/function.hpp>
#include <reel/autograd/op.hpp>
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
    std::vector<std::string> schemas = {}; ///< texts, of which the call must take one; empty: any of the op's
    bool over_domain = false;              ///< of a pointwise rule, with operands from all of its domain
    std::optional<bool> random = {};       ///< what is_random() says, where that is known

    /// The tensors among the arguments, lists included, in order.
    variable_list operands() const;
    /// The same call of other tensors, one for each operand.
    Sample with(const variable_list& operands) const;
    /// The result's tensors. Random numbers are the same at every call.
    variable_list run() const;
    /// The same over other operands; an op that only exists in place works on a copy of the first.
    variable_list run_on(variable_list operands) const;
    /// The call draws random numbers: the state of the generator is another one after it.
    bool is_random() const;
    /// The result, or part of it, is memory that nobody has written.
    bool leaves_memory_unwritten() const;
    std::string name() const { return op + " (" + origin + ")"; }
};

/// The schema that a call by name takes, and what it gives to each of its arguments.
struct BoundCall {
    const ops::Schema* schema = nullptr; ///< null where the sample is no call by name, or no schema takes it
    std::vector<Value> arguments;
};
BoundCall bound_call(const Sample& sample);
/// Does `value` hold the tensor `t`, alone or in a list?
bool holds(const Value& value, const Tensor& t);

/// Every sample: the vendored ones and those of the ops' blocks; under REEL_PROPERTIES=long all cases of the reference
/// data (REEL_REFERENCE, else ../shared/oracle beside the checkout).
const std::vector<Sample>& samples();
/// Is the longer form asked for?
bool long_form();

/// The samples that stand in the ops' own blocks (sample_words.hpp); tools/opgen.py writes the function.
void add_samples_of_blocks(std::vector<Sample>& list);

/// Beside each call whose gradient is a convention one that is free of it: of the operand's Hermitian part, and
/// returning what does not change with the phase of a vector.
void add_gauge_free_samples(std::vector<Sample>& list);

/// Copies of `operands` that are leaves; those that `wanted` marks require grad.
variable_list leaves(const variable_list& operands, const std::vector<bool>& wanted);
/// Which operands `sample` may be differentiated by: floating and complex ones in double precision; where the op
/// refuses that some of them require grad, only those that it takes.
std::vector<bool> differentiable_operands(const Sample& sample);
/// Fixed numbers of standard normal distribution, of the shape and on the device of `like`, in double precision.
Tensor noise_like(const Tensor& like, std::uint64_t seed);

} // namespace properties
