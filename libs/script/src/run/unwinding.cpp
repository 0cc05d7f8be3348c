#include "run/unwinding.hpp"

#include <reel/autograd/error.hpp>

#include "run/limits.hpp"

namespace reel::jit {

namespace {
std::string described(const std::string& kind, const std::string& message, const std::string& trace) {
    return trace + kind + (message.empty() ? "" : ": ") + message;
}
/// The name of the error's class.
std::string kind_of(const Error& e) {
#define REEL_SCRIPT_KIND(Name)                                                                                         \
    if (dynamic_cast<const Name*>(&e)) return #Name;
    REEL_SCRIPT_KIND(IndexError)
    REEL_SCRIPT_KIND(TypeError)
    REEL_SCRIPT_KIND(ValueError)
    REEL_SCRIPT_KIND(KeyError)
    REEL_SCRIPT_KIND(AttributeError)
    REEL_SCRIPT_KIND(NotImplementedError)
    REEL_SCRIPT_KIND(LinAlgError)
    REEL_SCRIPT_KIND(OutOfMemoryError)
#undef REEL_SCRIPT_KIND
    return "RuntimeError";
}
} // namespace

ScriptException::ScriptException(std::string kind, std::string message, std::string trace, bool raised_by_code)
    : Error(described(kind, message, trace)), kind_(std::move(kind)), message_(std::move(message)),
      raised_by_code_(raised_by_code) {}

void Unwinding::leave() const {
    std::string trace = "Traceback of the script (most recent call last):\n";
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
        const auto& [function, where] = *frame;
        trace += "in " + function + ":\n";
        if (where.source) trace += where.highlight() + "\n";
    }
    throw ScriptException(kind_, message_, trace, raised_by_code_);
}

Unwinding current_unwinding() {
    try {
        throw;
    } catch (const Unwinding& e) {
        return e;
    } catch (const LimitReached&) {
        throw;
    } catch (const ScriptException& e) {
        return {e.kind(), e.message(), e.raised_by_code()};
    } catch (const Error& e) {
        return {kind_of(e), e.what(), false};
    } catch (const std::bad_alloc&) {
        return {"OutOfMemoryError", "there is no memory for a value of the script", false};
    }
}

} // namespace reel::jit
