// What a function or an operator takes and gives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <reel/script/type.hpp>

namespace reel::jit {

/// One argument or result of a schema.
struct Argument {
    std::string name;
    TypePtr type;
    std::optional<IValue> default_value;
    std::optional<std::int64_t> broadcast; ///< N of `int[N]`: one number stands for N equal ones; none for `int[]`
    bool kwarg_only = false;
    bool is_written = false; ///< `(a!)`: the call changes what is given here
    bool is_alias = false;   ///< `(a)` or `(a!)`: argument and result share memory
    /// The type as the schema spells it, where that says more than the type: `ScalarType?`, `int[2]`, `Tensor(a!)`.
    std::string spelling;
};

/// `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
struct FunctionSchema {
    std::string name, overload;
    std::vector<Argument> arguments, returns;
    bool is_vararg = false, is_varret = false;

    std::string str() const; ///< the text from which it is read, defaults included
    std::string qualified() const { return overload.empty() ? name : name + "." + overload; }
    std::size_t find_argument(std::string_view name) const; ///< arguments.size() when absent
};

/// Reads a schema's text. Types may be variables (`t`, `tVal`, `Dict(Key, t)(a!)`); dtype, layout and memory format
/// words (`ScalarType`, `Layout`, `MemoryFormat`) are int, `SymInt` is int, `Scalar` is Number. Throws ValueError with
/// the position of what cannot be read.
FunctionSchema parse_schema(std::string_view text);
/// Reads a type as schemas and the IR spell it: `Tensor?[]`, `Dict(str, int)`, `(int, float)`.
TypePtr parse_ir_type(std::string_view text);

} // namespace reel::jit
