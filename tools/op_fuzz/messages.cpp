// Checks of messages.
#include "op_fuzz/messages.hpp"

#include "common/words.hpp"

namespace op_fuzz {

using namespace reel;

namespace {

/// Behind the op's name, which may be the short one and have an underscore; npos when `text` does not begin so.
std::size_t behind_name(const std::string& text, const std::string& name) {
    const std::string last = name.substr(name.rfind('.') + 1); // npos + 1 is 0
    for (const std::string& n : {name, name + "_", last, last + "_"})
        if (text.size() > n.size() && text.starts_with(n) && (text[n.size()] == ':' || text[n.size()] == '('))
            return n.size();
    return text.npos;
}

bool names_argument(const ops::Op& op, const std::string& text) {
    for (const ops::Schema& s : op.schemas)
        for (const ops::Argument& a : s.arguments)
            if (replay::has_word(text, a.name)) return true;
    for (const ops::Schema& s : op.schemas)
        if (!s.arguments.empty()) return false;
    return true;
}

bool echoes(const Value& v, const std::string& text) {
    constexpr std::size_t most = 200;
    if (v.isString()) return v.toStringRef().size() > most && text.find(v.toStringRef()) != text.npos;
    if (v.isSequence())
        for (const Value& e : v.elements())
            if (echoes(e, text)) return true;
    return false;
}

} // namespace

std::string message_fault(const ops::Op& op, const Call& call, const std::string& text) {
    const std::size_t behind = behind_name(text, op.name);
    if (behind == text.npos) return "does not begin with the op's name";
    const bool names_out = call.kwargs.contains("out") && replay::has_word(text.substr(behind), "out");
    if (!names_out && !names_argument(op, text.substr(behind))) return "names no argument";
    for (const char* cpp : {"std::", "reel::", "_ZN", "_ZNK", "N4reel", "basic_string", "Impl", "__"})
        if (text.find(cpp) != text.npos) return "speaks of C++";
    for (const Value& v : call.args)
        if (echoes(v, text)) return "repeats a long argument";
    for (const auto& [key, v] : call.kwargs)
        if (echoes(v, text)) return "repeats a long argument";
    if (text.size() > 4000) return "is " + std::to_string(text.size()) + " characters long";
    return {};
}

} // namespace op_fuzz
