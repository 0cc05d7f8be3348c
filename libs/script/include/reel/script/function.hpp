// Compiled functions and methods, and the unit that owns them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <reel/script/graph.hpp>
#include <reel/script/object.hpp>
#include <reel/script/schema.hpp>

namespace reel::jit {

using reel::IValue; // as libtorch writes it

class Program; ///< what the interpreter runs, made of a graph once (src/run/program.hpp)

/// What a run may take (rule SC-98); zero is no limit.
struct RunLimits {
    std::uint64_t steps = 0;      ///< nodes executed
    std::uint64_t live_bytes = 0; ///< of tensors, strings and lists that the run holds
    std::size_t call_depth = 1000;
    std::function<bool()> interrupt; ///< asked between nodes; true stops the run with InterruptedError's message
};

/// A function or a method (its first argument is `self`).
class Function {
public:
    Function(std::string qualified_name, std::shared_ptr<Graph> graph, FunctionSchema schema);
    /// Compiled when it is first asked for: `compile` fills graph and schema. A function that is met again while it is
    /// being compiled is recursive: ScriptError.
    Function(std::string qualified_name, std::function<void(Function&)> compile);
    ~Function();

    const std::string& qualified_name() const { return qualified_name_; }
    const std::string& name() const { return name_; } ///< the last part
    void ensure_defined();
    const FunctionSchema& schema();
    const std::shared_ptr<Graph>& graph();
    void set(std::shared_ptr<Graph> graph, FunctionSchema schema);
    std::shared_ptr<Graph> inlined_graph(); ///< rule SC-66
    std::string code();                     ///< section G, without the constants' map
    std::pair<std::string, std::vector<std::pair<std::string, IValue>>> code_with_constants();

    /// Calls with one value per argument (methods: self first); missing ones take their defaults. TypeError naming the
    /// argument (rule SC-58), ScriptException for what the script raises, Error when a limit is reached.
    IValue operator()(Args args, const Kwargs& kwargs = {});
    /// The limits of calls from this thread, from now until the guard's end.
    class LimitScope {
    public:
        explicit LimitScope(RunLimits limits);
        ~LimitScope();

    private:
        RunLimits before_;
    };
    Program& program(); ///< made on first use

private:
    std::string qualified_name_, name_;
    std::function<void(Function&)> compile_;
    bool compiling_ = false;
    std::shared_ptr<Graph> graph_, inlined_;
    FunctionSchema schema_;
    std::shared_ptr<Program> program_;
    std::atomic<Program*> ready_ = nullptr; ///< program_, once it is made: threads may call at once
};

/// Classes, functions and named types by qualified name. What is not there yet is asked of `importer`, which compiles
/// enough of an archive's text (rule SC-18).
class CompilationUnit : public std::enable_shared_from_this<CompilationUnit> {
public:
    CompilationUnit();
    ~CompilationUnit();
    /// A class, interface, enum or named tuple; null when there is none.
    TypePtr find_type(const std::string& qualified_name);
    ClassTypePtr find_class(const std::string& qualified_name);
    Function* find_function(const std::string& qualified_name); ///< null when there is none
    /// By its qualified name, or by its own as `compile` reads it. ValueError naming those that there are.
    Function& get_function(const std::string& name);
    /// `unit->run_method("f", x, 2)` calls it.
    template <class... A> IValue run_method(const std::string& name, A&&... arguments) {
        return get_function(name)(Args{IValue(std::forward<A>(arguments))...});
    }
    void add_type(TypePtr named);                               ///< ValueError for a name that is there
    Function& add_function(std::shared_ptr<Function> function); ///< likewise
    void remove(const std::string& qualified_name);
    /// Names in the order in which they were added.
    std::vector<TypePtr> types() const;
    std::vector<Function*> functions() const;
    /// Called with a name that is not there; adds it, or does not.
    std::function<void(const std::string& qualified_name)> importer;
    /// A name like `wanted` that is free: `__torch__.m.___torch_mangle_N.C` (rule SC-25).
    std::string mangled(const std::string& wanted) const;

private:
    struct Tables;
    std::unique_ptr<Tables> tables_;
};

} // namespace reel::jit
