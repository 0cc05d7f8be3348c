#include "environment.hpp"

#include <algorithm>

namespace reel::jit::emit {

namespace pending {
const Symbol load("pending::load");
const Symbol store("pending::store");
const Symbol leave("pending::leave");
const Symbol proceed("pending::proceed");
const Symbol next("pending::next");
const Symbol stop("pending::stop");
const Symbol with("pending::with");
} // namespace pending

TypePtr Frame::find_value(const std::string& name) const {
    for (const Frame* f = this; f; f = f->outer) {
        if (const auto found = f->values.find(name); found != f->values.end()) return found->second;
        if (f->meanings.contains(name)) return nullptr;
    }
    return nullptr;
}

const Meaning* Frame::find_meaning(const std::string& name) const {
    for (const Frame* f = this; f; f = f->outer) {
        if (f->values.contains(name)) return nullptr;
        if (const auto found = f->meanings.find(name); found != f->meanings.end()) return &found->second;
    }
    return nullptr;
}

const ScriptError* Frame::find_error(const std::string& name) const {
    for (const Frame* f = this; f; f = f->outer)
        if (const auto found = f->errors.find(name); found != f->errors.end()) return &found->second;
    return nullptr;
}

bool is_meaningful(const std::string& name) {
    if (name.empty() || name[0] != '_') return !name.empty();
    return std::any_of(name.begin() + 1, name.end(), [](char c) { return c < '0' || c > '9'; });
}

} // namespace reel::jit::emit
