// Exceptions and warnings: message assembly and the replaceable warning handler.
#include <reel/autograd/error.hpp>

#include <atomic>
#include <cstdio>

namespace reel {

Error::Error(std::string msg, std::source_location where) : msg_(std::move(msg)), what_(msg_), where_(where) {}
Error::~Error() = default;

void Error::add_context(std::string text) {
    context_.push_back(std::move(text));
    compose_what();
}
void Error::set_origin(const void* object, const std::string& text) {
    origin_ = object;
    origin_text_ = text;
    compose_what();
}
void Error::compose_what() {
    what_ = msg_;
    if (!origin_text_.empty()) what_ += "\n  " + origin_text_;
    for (const std::string& line : context_) what_ += "\n  " + line;
}

#define REEL_DEFINE_ERROR(Name) Name::~Name() = default;
REEL_DEFINE_ERROR(IndexError)
REEL_DEFINE_ERROR(TypeError)
REEL_DEFINE_ERROR(ValueError)
REEL_DEFINE_ERROR(KeyError)
REEL_DEFINE_ERROR(AttributeError)
REEL_DEFINE_ERROR(NotImplementedError)
REEL_DEFINE_ERROR(LinAlgError)
REEL_DEFINE_ERROR(OutOfMemoryError)
REEL_DEFINE_ERROR(DistError)

namespace {
thread_local WarningHandler* current_handler = nullptr;
std::atomic<bool> always{false};
} // namespace

namespace WarningUtils {
void set_warning_handler(WarningHandler* handler) noexcept { current_handler = handler; }
WarningHandler* get_warning_handler() noexcept { return current_handler; }
void set_warn_always(bool on) noexcept { always.store(on); }
bool get_warn_always() noexcept { return always.load(); }
} // namespace WarningUtils

void warn(WarningType type, std::string msg, std::source_location where) {
    if (current_handler) return current_handler->process(Warning(type, std::move(msg), where));
    std::fprintf(stderr, "%s: %s (%s:%u)\n", type == WarningType::UserWarning ? "warning" : "deprecated", msg.c_str(),
                 where.file_name(), unsigned(where.line()));
}

} // namespace reel
