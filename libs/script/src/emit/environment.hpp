// Which names a place of a program sees.
#pragma once

#include <map>
#include <string>

#include "meaning.hpp"

namespace reel::jit::emit {

/// Kinds of nodes that stand for statements until the graph is whole (joins.hpp, exits.hpp take them away).
namespace pending {
extern const Symbol load;     ///< a variable's value, wherever it was set last; attribute `name`
extern const Symbol store;    ///< sets a variable
extern const Symbol leave;    ///< `return`: the operand is the result
extern const Symbol proceed;  ///< to the loop's next step: whether there is one, and the carried values
extern const Symbol next;     ///< `continue`
extern const Symbol stop;     ///< `break`
extern const Symbol with;     ///< block 0 the body
} // namespace pending

/// The variables of one block. Those that hold values are stored and loaded by nodes; what else a name means is known
/// only here.
struct Frame {
    Block* block;
    Frame* outer;
    std::map<std::string, TypePtr> values;
    std::map<std::string, Meaning> meanings;
    std::map<std::string, ScriptError> errors; ///< why a name has no value here: `y is not defined in the false branch`

    /// The type of the variable as this block and those around it know it; null when it is none.
    TypePtr find_value(const std::string& name) const;
    const Meaning* find_meaning(const std::string& name) const;
    const ScriptError* find_error(const std::string& name) const;
    /// Whether a block around this one has it as a variable.
    TypePtr find_outside(const std::string& name) const { return outer ? outer->find_value(name) : nullptr; }
};

/// Whether a name says something: `_` and `_12` do not.
bool is_meaningful(const std::string& name);

} // namespace reel::jit::emit
