// The words that the samples in the ops' blocks are written in: `samples(call(numbers({3, 4}), 2))`.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sample.hpp"

namespace properties {

/// One sample of an op: a call by name, in the order of its schema.
struct SampleCall {
    Args args;
    Kwargs kwargs = {};
    std::string op = {};       ///< an alias; empty: the op itself
    bool convention = false;   ///< see Sample::by_convention
    bool whole_domain = false; ///< see Sample::over_domain

    SampleCall with(const char* name, Value value) const;
    SampleCall as(const char* alias) const;
    SampleCall by_convention() const;
};
/// A call of the op with these arguments.
template <class... T> SampleCall call(const T&... arguments) { return {{Value(arguments)...}}; }
/// The same over operands that are spread over the domain of the op: what the build writes for a pointwise rule.
template <class... T> SampleCall over_domain(const T&... arguments) {
    SampleCall made = call(arguments...);
    made.whole_domain = true;
    return made;
}

inline const Value none;
/// Numbers of no pattern, the same in every run; another `seed` gives others.
Tensor numbers(IntArrayRef sizes, std::uint64_t seed = 9, ScalarType dtype = kDouble);
Tensor numbers(IntArrayRef sizes, ScalarType dtype);
inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// 35 numbers, none of them round, spread over the open interval; where it has no end, over a few numbers of it.
/// Another `operand` gives others.
Tensor spread(double low, double high, std::int64_t operand = 0);
/// Complex numbers of the right half plane, around one.
Tensor spread_complex(std::int64_t operand = 0);
/// A A^H + 1: positive definite, with eigenvalues apart from each other.
Tensor definite(std::int64_t n, ScalarType dtype = kDouble);
/// A tensor of indices.
Tensor longs(std::vector<std::int64_t> values);
/// A list of integers: sizes, dimensions.
Value ints(std::vector<std::int64_t> values);
/// A list of tensors; an undefined one is None.
Value tensors(const std::vector<Tensor>& list);
/// The weights of a recurrent layer of 2 units over 3 features with so many gates.
Value gates(std::int64_t count);

/// Appends the samples of the block of `op` at `where`; `schemas` are the texts of its schema and of its aliases'.
void add(std::vector<Sample>& list, const char* op, const std::vector<std::string>& schemas, const char* where,
         std::initializer_list<SampleCall> calls);

} // namespace properties
