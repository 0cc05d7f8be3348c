// From source text to functions and classes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/script/function.hpp>

namespace reel::jit {

/// Compiles the functions of a text into `unit` under the prefix (`prefix.name`); nothing is added when one fails.
/// `constants` are `CONSTANTS.cN`. Throws ScriptError with the place.
std::vector<Function*> compile_functions(CompilationUnit& unit, const std::string& source,
                                         const std::string& prefix = "__torch__",
                                         const std::vector<IValue>& constants = {});
/// A unit of its own with the functions of a text, which `run_method` calls by name. Throws ScriptError.
std::shared_ptr<CompilationUnit> compile(const std::string& source);
/// `define`: compiles methods `def name(self, ...)` into the class; nothing is defined when one fails (SC-84).
void define_methods(ClassType& type, const std::string& source);

/// One code member of an archive (`code/__torch__/m.py`): parsed once, its classes, named types and functions are
/// compiled one by one when they are asked for.
class SourceFile {
public:
    /// Parses. `module`: `__torch__.m`. Throws ScriptError naming the file.
    SourceFile(CompilationUnit& unit, std::string module, std::string filename, std::string text,
               std::shared_ptr<const std::vector<IValue>> constants);
    ~SourceFile();
    /// Adds the class, named type or function of that qualified name to the unit, with what it needs; false when the
    /// file has none. Methods' bodies are compiled when they are first asked for.
    bool define(const std::string& qualified_name);

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed_;
};

} // namespace reel::jit
