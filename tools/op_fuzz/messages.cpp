// Checks of messages.
#include "op_fuzz/messages.hpp"

#include <regex>

namespace op_fuzz {

using namespace reel;

namespace {

bool has_word(const std::string& text, const std::string& word) {
    return std::regex_search(text, std::regex("(^|[^A-Za-z0-9_])" + word + "($|[^A-Za-z0-9_])"));
}

bool begins_with(const std::string& text, const std::string& name) {
    const std::string last = name.substr(name.rfind('.') + 1);
    for (const std::string& n : {name, name + "_", last, last + "_"})
        if (text.size() > n.size() && text.starts_with(n) && (text[n.size()] == ':' || text[n.size()] == '('))
            return true;
    return false;
}

bool names_argument(const ops::Op& op, const std::string& text) {
    for (const ops::Schema& s : op.schemas)
        for (const ops::Argument& a : s.arguments)
            if (has_word(text, a.name)) return true;
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
    if (!begins_with(text, op.name)) return "does not begin with the op's name";
    const std::string rest = text.substr(std::min(text.size(), op.name.size()));
    if (!names_argument(op, rest)) return "names no argument";
    static const std::regex cpp("std::|reel::|_Z[NK0-9]|N4reel|basic_string|[A-Za-z]+Impl\\b|__|Schema\\b");
    if (std::regex_search(text, cpp)) return "speaks of C++";
    for (const Value& v : call.args)
        if (echoes(v, text)) return "repeats a long argument";
    for (const auto& [key, v] : call.kwargs)
        if (echoes(v, text)) return "repeats a long argument";
    if (text.size() > 4000) return "is " + std::to_string(text.size()) + " characters long";
    return {};
}

} // namespace op_fuzz
