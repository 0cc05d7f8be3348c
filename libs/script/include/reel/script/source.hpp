// Source text and places in it, for errors that point.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <reel/autograd/error.hpp>

namespace reel::jit {

/// A text and where it is from.
struct Source {
    std::string text, filename;
    std::size_t first_line = 1; ///< the number of the text's first line in the file
};

/// From `begin` up to `end`, in bytes. A range without source is that of nodes made by passes.
struct SourceRange {
    std::shared_ptr<const Source> source;
    std::size_t begin = 0, end = 0;

    std::string_view text() const;
    std::size_t line() const;   ///< as numbered in the file, from 1
    std::size_t column() const; ///< in the line as written, from 0
    /// `File "<string>", line N`, the lines with `~~~` under what is meant, `<--- HERE` behind the last (rule SC-85).
    std::string highlight() const;
    /// `file:line:column`, as the IR prints it behind a node; empty without source.
    std::string str() const;
};

/// A text that is no program: what() is the message and the place.
class ScriptError : public Error {
public:
    ScriptError(const std::string& message, const SourceRange& where);
    const std::string& message() const { return message_; }
    const SourceRange& where() const { return where_; }

private:
    std::string message_;
    SourceRange where_;
};

/// What a script raised (`raise ValueError("m")`, a failed assertion), or an operator inside a script threw: `kind` is
/// the name of the exception (`builtins.ValueError`; RuntimeError where the script names none), `message` its text;
/// what() adds the script's lines from the outermost call to the innermost.
class ScriptException : public Error {
public:
    ScriptException(std::string kind, std::string message, std::string trace, bool raised_by_code);
    const std::string& kind() const { return kind_; }
    const std::string& message() const { return message_; }
    bool raised_by_code() const { return raised_by_code_; }

private:
    std::string kind_, message_;
    bool raised_by_code_;
};

} // namespace reel::jit
