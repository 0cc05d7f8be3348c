// The exception hierarchy, the checking macros that compose messages, and warnings.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/detail/compose.hpp>

namespace reel {

/// Base of every exception that Reel throws. `what()` is the message followed by the context lines added on the way up.
/// Python's RuntimeError and AssertionError map to this class itself.
class Error : public std::exception {
public:
    explicit Error(std::string msg, std::source_location where = std::source_location::current());
    Error(const Error&) = default;
    ~Error() override;

    const char* what() const noexcept override { return what_.c_str(); }
    const char* what_without_backtrace() const noexcept { return what_.c_str(); }
    /// The message alone, without context lines.
    const std::string& msg() const { return msg_; }
    const std::vector<std::string>& context() const { return context_; }
    /// Appends a line that says what was being done when the error happened.
    void add_context(std::string text);
    const std::source_location& where() const { return where_; }
    /// The first line of the context, which says which object the error comes from (a module, by its path); replaced
    /// when somebody further up knows it better.
    void set_origin(const void* object, const std::string& text);
    const void* origin() const { return origin_; }

private:
    void compose_what();
    std::string msg_, what_, origin_text_;
    const void* origin_ = nullptr;
    std::vector<std::string> context_;
    std::source_location where_;
};

// (Constructors are spelled out: nvcc 13 breaks down over inherited ones that default a source location.)
#define REEL_DECLARE_ERROR(Name)                                                                                       \
    class Name : public Error {                                                                                        \
    public:                                                                                                            \
        explicit Name(std::string msg, std::source_location where = std::source_location::current())                   \
            : Error(std::move(msg), where) {}                                                                          \
        ~Name() override;                                                                                              \
    };
REEL_DECLARE_ERROR(IndexError)          ///< index or dimension out of range
REEL_DECLARE_ERROR(TypeError)           ///< a value of the wrong kind
REEL_DECLARE_ERROR(ValueError)          ///< the right kind with an impossible value
REEL_DECLARE_ERROR(KeyError)            ///< bad or duplicate names
REEL_DECLARE_ERROR(AttributeError)      ///< failed look-ups by name or path
REEL_DECLARE_ERROR(NotImplementedError) ///< exists in principle, not for these operands
REEL_DECLARE_ERROR(LinAlgError)         ///< a factorization failed (singular, not positive definite)
REEL_DECLARE_ERROR(OutOfMemoryError)    ///< an allocator could not serve a request
REEL_DECLARE_ERROR(DistError)           ///< a failed collective
#undef REEL_DECLARE_ERROR

/// Concatenates streamable parts into a string.
template <class... A> std::string str(const A&... a) { return detail::compose(a...); }

#define REEL_THROW(ErrorType, ...)                                                                                     \
    ::reel::detail::raise<::reel::ErrorType>(::reel::detail::compose(__VA_ARGS__), std::source_location::current())
#define REEL_CHECK_WITH(ErrorType, cond, ...)                                                                          \
    do {                                                                                                               \
        if (!(cond)) [[unlikely]] {                                                                                    \
            ::reel::detail::raise<::reel::ErrorType>(                                                                  \
                ::reel::detail::compose(::reel::detail::NoText {} __VA_OPT__(, ) __VA_ARGS__),                         \
                std::source_location::current());                                                                      \
        }                                                                                                              \
    } while (false)
/// Throws `reel::Error` with the composed message unless `cond` holds.
#define REEL_CHECK(cond, ...) REEL_CHECK_WITH(Error, cond, __VA_ARGS__)
#define REEL_CHECK_INDEX(cond, ...) REEL_CHECK_WITH(IndexError, cond, __VA_ARGS__)
#define REEL_CHECK_VALUE(cond, ...) REEL_CHECK_WITH(ValueError, cond, __VA_ARGS__)
#define REEL_CHECK_TYPE(cond, ...) REEL_CHECK_WITH(TypeError, cond, __VA_ARGS__)
#define REEL_CHECK_NOT_IMPLEMENTED(cond, ...) REEL_CHECK_WITH(NotImplementedError, cond, __VA_ARGS__)
#define REEL_CHECK_LINALG(cond, ...) REEL_CHECK_WITH(LinAlgError, cond, __VA_ARGS__)
#define REEL_CHECK_OP_(a, op, b, ...)                                                                                  \
    REEL_CHECK((a)op(b), "expected " #a " " #op " " #b ", got ", (a), " and ", (b)__VA_OPT__(, ": ", ) __VA_ARGS__)
#define REEL_CHECK_EQ(a, b, ...) REEL_CHECK_OP_(a, ==, b, __VA_ARGS__)
#define REEL_CHECK_NE(a, b, ...) REEL_CHECK_OP_(a, !=, b, __VA_ARGS__)
#define REEL_CHECK_LT(a, b, ...) REEL_CHECK_OP_(a, <, b, __VA_ARGS__)
#define REEL_CHECK_LE(a, b, ...) REEL_CHECK_OP_(a, <=, b, __VA_ARGS__)
#define REEL_CHECK_GT(a, b, ...) REEL_CHECK_OP_(a, >, b, __VA_ARGS__)
#define REEL_CHECK_GE(a, b, ...) REEL_CHECK_OP_(a, >=, b, __VA_ARGS__)
/// A condition that only a defect of Reel itself can violate.
#define REEL_INTERNAL_ASSERT(cond, ...)                                                                                \
    REEL_CHECK(cond, "internal assertion failed: " #cond " " __VA_OPT__(, ) __VA_ARGS__)

enum class WarningType { UserWarning, DeprecationWarning };

namespace WarningUtils {
void set_warn_always(bool on) noexcept;
bool get_warn_always() noexcept;
/// Disables the once-per-site filter for the lifetime of the guard.
class WarnAlways {
public:
    explicit WarnAlways(bool on = true) : previous_(get_warn_always()) { set_warn_always(on); }
    ~WarnAlways() { set_warn_always(previous_); }
    WarnAlways(const WarnAlways&) = delete;

private:
    bool previous_;
};
} // namespace WarningUtils

/// What a warning handler receives.
class Warning {
public:
    using WarnAlways = WarningUtils::WarnAlways;
    Warning(WarningType type, std::string msg, std::source_location where)
        : type_(type), msg_(std::move(msg)), where_(where) {}
    WarningType type() const { return type_; }
    const std::string& msg() const { return msg_; }
    const std::source_location& source_location() const { return where_; }

private:
    WarningType type_;
    std::string msg_;
    std::source_location where_;
};

/// Receives every warning; the default one writes a line to standard error.
class WarningHandler {
public:
    virtual ~WarningHandler() = default;
    virtual void process(const Warning& warning) = 0;
};

namespace WarningUtils {
/// Installs `handler` for this thread and returns nothing; null restores the default.
void set_warning_handler(WarningHandler* handler) noexcept;
WarningHandler* get_warning_handler() noexcept;
/// Swaps the handler for the lifetime of the guard.
class WarningHandlerGuard {
public:
    explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
        set_warning_handler(handler);
    }
    ~WarningHandlerGuard() { set_warning_handler(previous_); }
    WarningHandlerGuard(const WarningHandlerGuard&) = delete;

private:
    WarningHandler* previous_;
};
} // namespace WarningUtils

/// Sends a warning to the current handler.
void warn(WarningType type, std::string msg, std::source_location where = std::source_location::current());

#define REEL_WARN(...) ::reel::warn(::reel::WarningType::UserWarning, ::reel::detail::compose(__VA_ARGS__))
#define REEL_WARN_DEPRECATION(...)                                                                                     \
    ::reel::warn(::reel::WarningType::DeprecationWarning, ::reel::detail::compose(__VA_ARGS__))
/// Warns once per call site (always, under `WarnAlways`).
#define REEL_WARN_ONCE(...)                                                                                            \
    do {                                                                                                               \
        static bool reel_warned_ = false;                                                                              \
        if (!reel_warned_ || ::reel::WarningUtils::get_warn_always()) {                                                \
            reel_warned_ = true;                                                                                       \
            REEL_WARN(__VA_ARGS__);                                                                                    \
        }                                                                                                              \
    } while (false)

} // namespace reel
