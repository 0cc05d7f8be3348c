// The table of module classes by name.
#include <reel/nn/factory.hpp>

#include <algorithm>
#include <map>

namespace reel::nn {

namespace {
std::map<std::string, ModuleFactory, std::less<>>& classes() {
    static std::map<std::string, ModuleFactory, std::less<>> all;
    return all;
}
} // namespace

bool register_module_class(const char* name, ModuleFactory factory) { return classes().emplace(name, factory).second; }
bool has_module(std::string_view name) { return classes().find(name) != classes().end(); }
ModulePtr make_module(std::string_view name, const Args& args, const Kwargs& kwargs) {
    const auto it = classes().find(name);
    if (it == classes().end()) REEL_THROW(KeyError, "make_module: there is no module class '", name, "'");
    return it->second(args, kwargs);
}

ConstructorArgs::ConstructorArgs(const char* module, std::initializer_list<const char*> names, const Args& args,
                                 const Kwargs& kwargs)
    : module_(module) {
    REEL_CHECK_TYPE(args.size() <= names.size(), module, ": the constructor takes at most ", names.size(),
                    " arguments, got ", args.size());
    auto name = names.begin();
    for (const Value& v : args) values_.emplace_back(*name++, v);
    for (const auto& [key, value] : kwargs) {
        const std::string& k = key.toStringRef();
        REEL_CHECK_TYPE(std::find(names.begin(), names.end(), k) != names.end(), module,
                        ": the constructor has no argument '", k, "'");
        REEL_CHECK_TYPE(!has(k.c_str()), module, ": argument '", k, "' is given twice");
        values_.emplace_back(k, value);
    }
}
bool ConstructorArgs::has(const char* name) const {
    for (const auto& [key, value] : values_)
        if (key == name) return !value.isNone();
    return false;
}
bool ConstructorArgs::given(const char* name) const {
    return std::any_of(values_.begin(), values_.end(), [name](const auto& v) { return v.first == name; });
}
const Value& ConstructorArgs::at(const char* name) const {
    for (const auto& [key, value] : values_)
        if (key == name) return value;
    REEL_THROW(TypeError, module_, ": the constructor's argument '", name, "' is missing");
}
std::vector<std::int64_t> ConstructorArgs::ints(const char* name, std::size_t n, std::int64_t fallback) const {
    if (!has(name)) return std::vector<std::int64_t>(n, fallback);
    const Value& v = at(name);
    if (!v.isSequence()) return std::vector<std::int64_t>(n, v.toInt());
    std::vector<std::int64_t> r = v.toIntVector();
    if (r.size() == 1) r.resize(n, r[0]);
    REEL_CHECK_VALUE(r.size() == n, module_, ": argument '", name, "' has ", r.size(), " entries, expected ", n);
    return r;
}

} // namespace reel::nn
