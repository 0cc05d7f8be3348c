// What the text around a function offers to it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <reel/script/function.hpp>

#include "syntax/tree.hpp"

namespace reel::jit::emit {

/// Shared by all functions of one text.
struct Context {
    CompilationUnit* unit = nullptr;
    std::shared_ptr<const Source> source;
    std::shared_ptr<const std::vector<IValue>> constants; ///< `CONSTANTS.cN`; may be null
    std::string module;                                   ///< names without dots are looked up here: `__torch__.m`
    bool whole_names = false; ///< an archive's text: functions and classes are named with their modules
    /// Adds what this text itself defines under a qualified name; false when it has no such name. May be empty.
    std::function<bool(const std::string& qualified_name)> define;

    TypePtr find_type(const std::string& qualified_name) const {
        if (TypePtr type = unit->find_type(qualified_name)) return type;
        if (unit->find_function(qualified_name)) return nullptr; // perhaps out of another text of the module
        return define && define(qualified_name) ? unit->find_type(qualified_name) : nullptr;
    }
    Function* find_function(const std::string& qualified_name) const {
        if (Function* f = unit->find_function(qualified_name)) return f;
        return define && define(qualified_name) ? unit->find_function(qualified_name) : nullptr;
    }

    [[noreturn]] void fail(std::size_t begin, std::size_t end, const std::string& message) const {
        throw ScriptError(message, {source, begin, end});
    }
    template <class Tree> [[noreturn]] void fail(const Tree& where, const std::string& message) const {
        fail(where.begin, where.end, message);
    }
};

} // namespace reel::jit::emit
