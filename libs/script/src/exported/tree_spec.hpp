// The nesting of a program's inputs and outputs (rule SC-110).
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include <reel/autograd/value.hpp>

namespace reel::jit {

/// A leaf, or a tuple, list or dict of trees.
struct TreeSpec {
    enum class Kind : std::uint8_t { Leaf, Tuple, List, Dict };
    Kind kind = Kind::Leaf;
    std::vector<IValue> keys; ///< of a dict
    std::vector<TreeSpec> children;

    /// Reads the text of a spec. ValueError naming a node type that is not known.
    static TreeSpec parse(const std::string& text);
    /// The tree of a value. NotImplementedError for named tuples, and for dicts with other keys than strings and ints.
    static TreeSpec of(const IValue& value);
    /// The text that `parse` reads.
    std::string text() const;
    std::size_t leaves() const;
    /// Appends the leaves of `value`. ValueError naming the place (`input[0]['a']`) where it is another tree.
    void flatten(const IValue& value, const std::string& place, std::vector<IValue>& out) const;
    /// The value of which these are the leaves, from number `at` on, which is moved behind them.
    IValue unflatten(const std::vector<IValue>& leaves, std::size_t& at) const;
};

} // namespace reel::jit
