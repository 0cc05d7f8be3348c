#include "names.hpp"

#include <algorithm>
#include <cctype>

namespace reel::jit {

namespace {

const std::unordered_set<std::string>& keywords() {
    static const std::unordered_set<std::string> words = {
        "and",  "as",     "assert", "async",  "await",  "break",   "class",    "continue", "def",
        "del",  "elif",   "else",   "except", "False",  "finally", "for",      "from",     "global",
        "if",   "import", "in",     "is",     "lambda", "None",    "nonlocal", "not",      "or",
        "pass", "raise",  "return", "True",   "try",    "while",   "with",     "yield"};
    return words;
}

// What a text means by these is not a local.
const std::unordered_set<std::string>& reserved() {
    static const std::unordered_set<std::string> words = [] {
        std::unordered_set<std::string> all = keywords();
        all.insert({"_", "aten", "attribute", "CONSTANTS", "fork", "getattr", "inf", "nan", "infj", "nanj", "ops",
                    "__torch__", "uninitialized", "unchecked_cast"});
        return all;
    }();
    return words;
}

} // namespace

bool is_identifier(std::string_view text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
    const bool plain = std::all_of(text.begin(), text.end(),
                                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    return plain && !keywords().contains(std::string(text));
}

std::string NameTable::fresh(const std::string& wanted) {
    std::string name = wanted;
    while (used_.contains(name) || reserved().contains(name)) {
        name = wanted + std::to_string(next_[name]++);
    }
    used_.insert(name);
    return name;
}

} // namespace reel::jit
