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
#include <reel/script/operator.hpp>

namespace reel::jit {

/// What an instruction does.
enum class Code : std::uint8_t {
    Operation,    ///< calls an operator
    Pair,         ///< calls one of two numbers where they stand
    Construct,    ///< makes a tuple, a list or a dict
    Unpack,       ///< elements of a tuple or a list into the results
    Move,         ///< operands into results, all at once
    Jump,         ///< to `target`
    JumpUnless,   ///< to `target` unless the operand is true
    LoopNext,     ///< one more step, counted in the first result and shown in the second; at the end to `target`
    LoopAgain,    ///< the same behind the body: to `target` for one more step
    Release,      ///< the results' values are needed no more
    GetAttribute, ///< in the slot `target` where the object is of `type`, else by name
    SetAttribute,
    Create,       ///< an object of `type`
    CallFunction, ///< `function`
    CallMethod,   ///< `function` where it is known, else what the object has under the name
    Fork,         ///< runs `forked` with the operands at once
    IsInstance,   ///< of one of the types at `target`
    Enter,        ///< of `with`
    Exit,
    Refuse ///< an operator that cannot run
};

/// A register, or a constant; whether the value may be taken away.
struct Operand {
    std::int32_t index; ///< of a register, or ~index of a constant
    bool last = false;
};

struct Instruction {
    Code code;
    std::uint32_t operands = 0, operand_count = 0; ///< in the program's row of operands
    std::uint32_t results = 0, result_count = 0;   ///< in its row of registers; -1 for results that nobody uses
    std::uint32_t target = 0, name = 0;
    union {
        const Operation* operation = nullptr;
        IValue (*pair)(const IValue&, const IValue&);
        IValue (*construct)(std::span<IValue>);
        Function* function;
        const ClassType* type;
        const class Program* forked;
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
    std::vector<TypePtr> classes_; ///< kept alive
    std::vector<std::unique_ptr<Program>> forks_;
};

/// Binds positional and keyword arguments to a schema (rule SC-58). TypeError naming the argument.
std::vector<IValue> bind_arguments(const FunctionSchema& schema, Args args, const Kwargs& kwargs);
/// A value as an argument of `type` takes it from outside: an int for a float, a one-element tensor for a number, a
/// dtype as its number. False when it does not fit.
bool convert_argument(IValue& value, const Argument& argument);

} // namespace reel::jit
