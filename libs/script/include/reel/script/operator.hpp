// The operators that scripts call: schemas of the reference with what runs them here.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <reel/script/schema.hpp>
#include <reel/script/symbol.hpp>

namespace reel::jit {

/// Runs a call: one value per argument of the schema, in its order, defaults filled in; they may be moved from.
/// One result is returned as it is, several as a tuple, none as None.
using Operation = std::function<IValue(std::span<IValue> arguments)>;

/// One overload.
class Operator {
public:
    FunctionSchema schema;
    Symbol symbol; ///< `aten::add`
    Operation run; ///< empty: known by name, but cannot be run (a call throws NotImplementedError naming it)
    /// The same of two numbers that stand anywhere: no row of arguments is made. Null where there is none.
    IValue (*run_pair)(const IValue& a, const IValue& b) = nullptr;
    bool has_side_effects = false; ///< prints, raises on purpose, draws random numbers: never dropped (SC-57)
    bool refused = false;          ///< touches files or processes (SC-96): naming it in a program is an error
};

/// All overloads of a name (`aten::add`) in the reference's order of registration; empty when there are none.
const std::vector<const Operator*>& operators(Symbol name);
/// `aten::add.Tensor`; null when absent.
const Operator* find_operator(std::string_view qualified);
/// Operators that are near in spelling, for messages.
std::vector<std::string> similar_operators(std::string_view name);

} // namespace reel::jit
