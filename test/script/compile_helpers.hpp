// Texts that are compiled and called.
#pragma once

#include <memory>
#include <string>

#include <reel/script/compile.hpp>
#include <reel/script/object.hpp>

namespace reel::testing {

using namespace reel::jit;

/// A text's functions, callable by name.
struct Functions {
    std::shared_ptr<CompilationUnit> unit = std::make_shared<CompilationUnit>();
    explicit Functions(const std::string& source) { compile_functions(*unit, source); }
    IValue operator()(reel::Args arguments = {}, const char* name = "f") const {
        return (*unit->find_function("__torch__." + std::string(name)))(std::move(arguments));
    }
    std::string code(const char* name = "f") const {
        return unit->find_function("__torch__." + std::string(name))->code();
    }
};
/// The value of an expression.
inline IValue evaluated(const std::string& expression) {
    return Functions("def f():\n    return " + expression + "\n")();
}
inline std::string shown(const std::string& expression) { return str(evaluated(expression)); }

/// `line:column message` of the error of a text.
inline std::string failure(const std::string& source) {
    try {
        Functions program(source);
    } catch (const ScriptError& e) {
        return std::to_string(e.where().line()) + ":" + std::to_string(e.where().column()) + " " + e.message();
    }
    return "no error";
}
/// Of a body of `def f(x: Tensor, n: int, l: List[int], o: Optional[int])`.
inline std::string body_failure(const std::string& body) {
    return failure("def f(x: Tensor, n: int, l: List[int], o: Optional[int]):\n" + body);
}
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

inline std::string repeated(const std::string& part, std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += part;
    return text;
}

} // namespace reel::testing
