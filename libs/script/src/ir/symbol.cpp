#include <reel/script/symbol.hpp>

#include <mutex>
#include <unordered_set>

namespace reel::jit {

namespace {
const std::string* intern(std::string_view text) {
    // Never freed: symbols are compared by address until the process ends, also by other static objects' destructors.
    static auto* const mutex = new std::mutex;
    static auto* const names = new std::unordered_set<std::string>;
    std::lock_guard lock(*mutex);
    return &*names->emplace(text).first;
}
} // namespace

Symbol::Symbol(std::string_view qualified) : text_(intern(qualified)) {}

std::string_view Symbol::ns() const {
    std::string_view text = *text_;
    std::size_t colons = text.find("::");
    return colons == text.npos ? std::string_view() : text.substr(0, colons);
}

std::string_view Symbol::name() const {
    std::string_view text = *text_;
    std::size_t colons = text.find("::");
    return colons == text.npos ? text : text.substr(colons + 2);
}

namespace prim {
#define REEL_SCRIPT_DEFINE(name) const Symbol name("prim::" #name);
REEL_SCRIPT_PRIM(REEL_SCRIPT_DEFINE)
#undef REEL_SCRIPT_DEFINE
} // namespace prim

} // namespace reel::jit
