// Choosing the overload of a call, with the conversions that arguments undergo (rules SC-33, SC-89).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <reel/script/graph.hpp>
#include <reel/script/operator.hpp>

namespace reel::jit::emit {

/// A call's arguments.
struct Arguments {
    std::vector<Value*> positional;
    std::vector<std::pair<std::string, Value*>> keywords;
};

/// What a schema makes of a call.
struct Matched {
    std::vector<Value*> inputs; ///< one per argument
    std::vector<TypePtr> returns;
};

/// Fits the arguments to a schema, inserting conversions and defaults into the graph. On failure nothing stays in the
/// graph and `why` says what did not fit. `conversions`: a Tensor may become a number, a string a device.
std::optional<Matched> match(Graph& graph, const SourceRange& range, const FunctionSchema& schema,
                             const Arguments& arguments, bool conversions, std::string* why);
/// The value as the type asks for it, converted where that is possible; the value itself where not.
Value* convert(Graph& graph, const SourceRange& range, const TypePtr& wanted, Value* value, bool conversions);

/// A call of the first overload that fits, exactly or, if none does, with conversions. Null when none fits; `why` then
/// lists all with what did not fit.
Value* call_overload(Graph& graph, const SourceRange& range, Symbol name, const Arguments& arguments,
                     std::string* why);
/// The same; ScriptError when none fits.
Value* call_operator(Graph& graph, const SourceRange& range, Symbol name, const Arguments& arguments);
/// Several results as one: none is None, many are a tuple.
Value* pack(Graph& graph, Node* node, const FunctionSchema& schema);

Value* build_list(Graph& graph, TypePtr element, std::vector<Value*> values);
Value* build_tuple(Graph& graph, std::vector<Value*> values, TypePtr type = nullptr);
/// The elements of a tuple's value.
std::vector<Value*> unpack_tuple(Graph& graph, Value* tuple);
/// The constant that a value is; none when it is none.
const IValue* constant_of(const Value* value);
/// How messages and annotations name a type.
std::string type_name(const Type& type);

} // namespace reel::jit::emit
