// What the interpreter runs: a graph as a row of instructions over registers, made once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <reel/script/function.hpp>
#include <reel/script/graph.hpp>

namespace reel::jit {

/// What an instruction does.
enum class Code : std::uint8_t {
    Operation,      ///< calls an operator
    Constructed,    ///< calls a function of the interpreter's own: tuples, lists, dicts
    Move,           ///< operands into results, all at once
    Jump,           ///< to `target`
    JumpUnless,     ///< to `target` unless the operand is true
    LoopNext,       ///< counts a step (the result) up to the operand; to `target` at the end
    Release,        ///< the operands' values are needed no more
    GetSlot,        ///< an attribute whose place is known
    SetSlot,
    GetNamed,       ///< an attribute of a value whose class the graph does not tell
    SetNamed,
    Create,         ///< an object of a class
    CallFunction,
    CallMethod,     ///< of a class, or of what stands behind an interface
    Fork,
    IsInstance,
    Enter,          ///< of `with`
    Exit,
    Raise,
    Print,
    Unpack,         ///< a tuple's or a list's elements
    Refuse          ///< an operator that cannot run
};

/// A register, or a constant; whether the value may be taken away.
struct Operand {
    std::int32_t index; ///< of a register, or ~index of a constant
    bool last = false;
};

struct Instruction {
    Code code;
    bool flag = false; ///< Unpack: a list's
    std::uint32_t operands = 0, operand_count = 0;
    std::uint32_t results = 0, result_count = 0; ///< registers; -1 for results that nobody uses
    std::uint32_t target = 0;                    ///< of jumps; the slot; a place in `names` or `types`
    union {
        const Operator* op = nullptr;
        IValue (*construct)(std::span<IValue>);
        Function* function;
        const ClassType* type;
        const class Program* program;
    };
};

/// Immutable after it was made, and used by any number of threads at once.
class Program {
public:
    /// `name` is what tracebacks call it.
    Program(const Graph& graph, std::string name);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// One value per input of the graph, which are moved from. Several results come as a tuple.
    IValue run(std::span<IValue> arguments) const;

    const std::string& name() const { return name_; }
    std::size_t size() const { return code_.size(); } ///< instructions

private:
    friend class Assembler;
    friend class Interpreter;
    std::string name_;
    std::size_t inputs_ = 0, registers_ = 0;
    std::vector<Instruction> code_;
    std::vector<SourceRange> places_; ///< one per instruction
    std::vector<Operand> operands_;
    std::vector<std::int32_t> results_;
    std::vector<IValue> constants_;
    std::vector<std::string> names_;
    std::vector<std::vector<TypePtr>> types_;
    std::vector<ClassTypePtr> classes_; ///< kept alive
    std::vector<std::unique_ptr<Program>> forks_;
};

/// Binds positional and keyword arguments to a schema (rule SC-58). TypeError naming the argument.
std::vector<IValue> bind_arguments(const FunctionSchema& schema, Args args, const Kwargs& kwargs);
/// A value as an argument of `type` takes it from outside: an int for a float, a one-element tensor for a number, a
/// dtype as its number. False when it does not fit.
bool convert_argument(IValue& value, const Argument& argument);

} // namespace reel::jit
