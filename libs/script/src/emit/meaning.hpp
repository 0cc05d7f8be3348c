// What a name or an expression of a program stands for: mostly a value, but also what exists only while compiling.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <reel/script/function.hpp>

#include "syntax/tree.hpp"

namespace reel::jit::emit {

/// Names with dots: `torch`, `torch.nn.functional`, `math`, `ops.prim`, `__torch__.m`, `CONSTANTS`.
struct Namespace {
    std::string path;
};
/// All overloads of an operator; `self` is the receiver of a call as a method, or null.
struct Overloads {
    Symbol name;
    Value* self = nullptr;
};
struct BoundMethod {
    Value* self;
    std::string name;
};
/// A type that is named as a value: called, it makes one.
struct Constructor {
    TypePtr type;
};
/// `int(x)`: nothing where the value is of the type, else a call.
struct Cast {
    TypePtr type;
    Symbol op;
};
/// Calls that the compiler itself understands: `isinstance`, `annotate`, `range`.
struct SpecialForm {
    std::string name;
};
/// `ValueError`, and, called, what it says: a message of its own or none yet.
struct ExceptionClass {
    std::string name;
    Value* message = nullptr;
};
/// What `print(x)` gives: a statement, and no value.
struct Nothing {};
/// `x.float` of a tensor: called, a conversion to a dtype, by its number.
struct TensorCast {
    Value* self;
    std::int64_t dtype;
};
/// A function of the library that is one of several (library_choices.hpp): which one, the arguments tell.
struct LibraryChoice {
    std::string module, name;
};
/// A function inside a function; only `fork` can have it.
struct Closure {
    const syntax::Def* def;
};
/// What loops walk in step: lists, ranges, and what `zip` and `enumerate` join of them.
struct Range {
    Value *begin, *end, *step;
    bool plain; ///< from 0 by 1: the number of the step is the element
};
struct Meaning;
struct Joined {
    std::vector<Meaning> parts;
};

struct Meaning : std::variant<Value*, Namespace, Overloads, Function*, BoundMethod, Constructor, Cast, SpecialForm,
                              ExceptionClass, Nothing, TensorCast, LibraryChoice, Closure, Range, Joined> {
    using variant::variant;
    template <class T> const T* as() const { return std::get_if<T>(this); }
};

} // namespace reel::jit::emit
