// Arguments of a module call by position and by name, and what to say about wrong ones.
#include <reel/nn/call.hpp>

#include <algorithm>

#include <reel/nn/module_paths.hpp>

namespace reel::nn {

ArgumentError::ArgumentError(const Module& module, std::string text)
    : TypeError(text), module_(&module), text_(std::move(text)) {
    const std::string* path = detail::recorded_path(module);
    whole_ = (path && !path->empty() ? *path + " (" + module.name() + ")" : module.name()) + ": " + text_;
}
ArgumentError::~ArgumentError() = default;
void ArgumentError::within(const Module& parent) {
    if (&parent == module_ || detail::recorded_path(*module_)) return;
    for (const auto& [path, m] : parent.module_items({}, true))
        if (m == module_) whole_ = path + " (" + module_->name() + "): " + text_;
}

namespace detail {

void left_call(Error& e, const Module& module) {
    if (auto* argument = dynamic_cast<ArgumentError*>(&e)) return argument->within(module);
    if (!e.origin()) {
        const std::string* path = recorded_path(module);
        return e.set_origin(&module, path && !path->empty() ? "in " + *path + " (" + module.name() + ")" : "");
    }
    for (const auto& [path, m] : module.module_items({}, true))
        if (m == e.origin() && !path.empty()) return e.set_origin(m, "in " + path + " (" + m->name() + ")");
}

namespace {
std::string parameter(const Parameters& p, std::size_t i) {
    std::string r = "argument " + std::to_string(i);
    if (p.names) r += " (" + std::string(nth_name(p.names, i)) + ")";
    return r;
}
std::string taken(const Parameters& p) {
    std::string r = std::to_string(p.count) + (p.count == 1 ? " argument" : " arguments");
    if (p.names && p.count) r += " (" + std::string(p.names) + ")";
    return r;
}
std::string given(const Args& args) {
    std::string r = std::to_string(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) r += (i ? ", " : ": ") + args[i].repr();
    return r;
}
} // namespace

Args defaults_in_order(std::initializer_list<std::pair<std::size_t, Value>> defaults) {
    std::vector<std::pair<std::size_t, Value>> sorted(defaults);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Args values;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        REEL_CHECK_VALUE(sorted[i].first == sorted[0].first + i,
                         "REEL_FORWARD_HAS_DEFAULT_ARGS: there must be one default for each of the last parameters; "
                         "after that of parameter ",
                         sorted[0].first + i - 1, " came one of ", sorted[i].first);
        values.push_back(sorted[i].second);
    }
    return values;
}
const Args& bind_arguments(const Module& m, const Parameters& p, const Args& args, const Kwargs& kwargs,
                           Args& storage) {
    if (args.size() > p.count) throw ArgumentError(m, "forward takes " + taken(p) + ", got " + given(args));
    if (args.size() == p.count && kwargs.empty() && !p.defaults) return args;
    storage = args;
    storage.resize(p.count);
    std::vector<bool> set(p.count);
    for (std::size_t i = 0; i < args.size(); ++i) set[i] = true;
    for (const auto& [key, value] : kwargs) {
        std::size_t i = 0;
        while (i < p.count && !(p.names && key.isString() && nth_name(p.names, i) == key.toStringRef())) ++i;
        const std::string shown = key.isString() ? key.toStringRef() : key.repr();
        if (i == p.count)
            throw ArgumentError(m, "forward got an unexpected keyword argument '" + shown + "' = " + value.repr() +
                                       "; it takes " + taken(p) +
                                       (p.names ? ""
                                                : " by position (a class that declares forward_arguments takes "
                                                  "them by name, too)"));
        if (set[i])
            throw ArgumentError(m, "forward got " + parameter(p, i) + " twice: by position and as keyword argument '" +
                                       shown + "' = " + value.repr());
        storage[i] = value;
        set[i] = true;
    }
    const std::size_t first_default = p.count - (p.defaults ? p.defaults->size() : 0);
    for (std::size_t i = 0; i < p.count; ++i)
        if (p.defaults && i >= first_default) { // None is as good as nothing
            if (storage[i].isNone()) storage[i] = (*p.defaults)[i - first_default];
        } else if (!set[i] && (p.defaults || !p.may_be_absent[i]))
            throw ArgumentError(m, parameter(p, i) + " is missing: forward takes " + taken(p) + ", got " + given(args));
    return storage;
}
void throw_argument(const Module& m, const Parameters& p, std::size_t i, const TypeError& why) {
    throw ArgumentError(m, parameter(p, i) + ": " + why.msg());
}
void throw_result(const Module& m, const TypeError& why) {
    throw ArgumentError(m, "a forward hook replaced the result by another kind: " + why.msg());
}

void throw_field(std::string_view name, const std::string& why) { REEL_THROW(TypeError, "field ", name, ": ", why); }
void throw_expected(const std::string& what, const Value& got) {
    REEL_THROW(TypeError, "expected ", what, ", got ", got.repr());
}
const ValueDict& dict_of_fields(const Value& v, const std::string& names) {
    if (!v.isGenericDict()) throw_expected("a dict with the fields " + names, v);
    const ValueDict& d = v.toGenericDict();
    std::size_t count = 1;
    for (const char c : names) count += c == ',';
    for (const auto& [key, value] : d) {
        bool known = false;
        for (std::size_t i = 0; i < count; ++i)
            known = known || (key.isString() && nth_name(names, i) == key.toStringRef());
        if (!known) REEL_THROW(TypeError, "expected a dict with the fields ", names, ", got one with ", key.repr());
    }
    return d;
}
const Value& field_of(const ValueDict& dict, std::string_view name) {
    const Value* v = dict.find(name);
    if (!v) REEL_THROW(TypeError, "is missing");
    return *v;
}

} // namespace detail
} // namespace reel::nn
