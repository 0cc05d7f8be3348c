// An exception on its way out of a script, collecting the lines that it passes.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include <reel/script/source.hpp>

namespace reel::jit {

/// Becomes a ScriptException where it leaves the outermost call.
class Unwinding : public std::exception {
public:
    Unwinding(std::string kind, std::string message, bool raised_by_code)
        : kind_(std::move(kind)), message_(std::move(message)), raised_by_code_(raised_by_code) {}
    const char* what() const noexcept override { return message_.c_str(); }
    /// Passes the place in the function.
    void pass(const std::string& function, SourceRange where) { frames_.emplace_back(function, std::move(where)); }
    [[noreturn]] void leave() const;

private:
    std::string kind_, message_;
    bool raised_by_code_;
    std::vector<std::pair<std::string, SourceRange>> frames_; ///< innermost first
};

/// The exception being handled, as one on its way. What is no error of Reel's (a hook's own exception, a reached
/// limit) is thrown on as it is.
Unwinding current_unwinding();

} // namespace reel::jit
