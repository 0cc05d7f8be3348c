// The table of module classes by name.
#include <reel/nn/factory.hpp>

#include <algorithm>
#include <map>

namespace reel::nn {

void register_all(); // generated

namespace {
// When the library is loaded. It stands beside the table, which every layer's source needs, so that the linker of a
// static library keeps it, and comes before a program's own initialisers, which may ask for a class.
[[gnu::constructor(200)]] void register_own_classes() { register_all(); }

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

ConstructorArgs::ConstructorArgs(std::string module, const std::vector<const char*>& names, const Args& args,
                                 const Kwargs& kwargs, std::optional<std::size_t> positional)
    : module_(std::move(module)) {
    REEL_CHECK_TYPE(positional || args.size() <= names.size(), module_, ": the constructor takes at most ",
                    names.size(), " arguments, got ", args.size());
    REEL_CHECK_TYPE(!positional || args.size() <= *positional, module_, ": the constructor takes ", *positional,
                    *positional == 1 ? " argument" : " arguments", " by position, the others by keyword; got ",
                    args.size());
    auto name = names.begin();
    for (const Value& v : args) values_.emplace_back(*name++, v);
    for (const auto& [key, value] : kwargs) {
        const std::string& k = key.toStringRef();
        REEL_CHECK_TYPE(std::find(names.begin(), names.end(), k) != names.end(), module_,
                        ": the constructor has no argument '", k, "'");
        REEL_CHECK_TYPE(!has(k.c_str()), module_, ": argument '", k, "' is given twice");
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

namespace detail {
ArgumentDtype::ArgumentDtype(const ConstructorArgs& arguments) : before_(get_default_dtype()) {
    if (!arguments.has("dtype")) return;
    const ScalarType dtype = arguments.at("dtype").toDtype();
    if (isComplexType(dtype)) complex_ = dtype;
    else set_default_dtype(dtype);
}
ArgumentDtype::~ArgumentDtype() { set_default_dtype(before_); }
void ArgumentDtype::finish(Module& m) const {
    if (complex_) m.convert([&](const Tensor& t) { return t.is_floating_point() ? t.to(*complex_) : t; });
}
} // namespace detail

} // namespace reel::nn
