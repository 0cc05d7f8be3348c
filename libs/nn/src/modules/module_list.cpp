// ModuleList and ModuleDict.
#include <reel/nn/modules/module_list.hpp>

#include <algorithm>

#include <reel/nn/factory.hpp>

namespace reel::nn {

namespace {
std::size_t position(const char* what, std::int64_t i, std::size_t n, bool end_allowed = false) {
    const std::int64_t size = std::int64_t(n), at = i < 0 ? i + size : i;
    REEL_CHECK_INDEX(at >= 0 && (at < size || (end_allowed && at == size)), what, ": index ", i,
                     " is out of range for ", size, " modules");
    return std::size_t(at);
}
std::string indented(const std::string& text) {
    std::string r;
    for (std::size_t i = 0; i < text.size(); ++i) {
        r += text[i];
        if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] != '\n') r += "  ";
    }
    return r;
}
} // namespace

void ModuleListImpl::append(ModulePtr module) { add_module(std::to_string(size()), std::move(module)); }
ModulePtr ModuleListImpl::ptr(std::int64_t i) const { return *children_[position("ModuleList", i, size())]; }
void ModuleListImpl::insert_at(std::int64_t i, ModulePtr module) {
    const std::size_t at = position("ModuleList: insert", i, size(), true);
    append(std::move(module)); // registers and checks it
    std::vector<ModulePtr> all = children_.values();
    std::rotate(all.begin() + std::ptrdiff_t(at), all.end() - 1, all.end());
    rebuild_children(detail::numbered(all));
}
void ModuleListImpl::assign_at(std::int64_t i, ModulePtr module) {
    replace_module(std::to_string(position("ModuleList: assign", i, size())), std::move(module));
}
ModulePtr ModuleListImpl::pop(std::int64_t i) {
    const std::size_t at = position("ModuleList: pop", i, size());
    std::vector<ModulePtr> all = children_.values();
    ModulePtr m = all[at];
    all.erase(all.begin() + std::ptrdiff_t(at));
    rebuild_children(detail::numbered(all));
    return m;
}
void ModuleListImpl::erase(std::optional<std::int64_t> begin, std::optional<std::int64_t> end, std::int64_t step) {
    rebuild_children(detail::without_slice("ModuleList", children_, begin, end, step));
}
std::shared_ptr<ModuleListImpl> ModuleListImpl::slice(std::optional<std::int64_t> begin,
                                                      std::optional<std::int64_t> end, std::int64_t step) const {
    auto out = std::make_shared<ModuleListImpl>();
    for (const std::size_t i : detail::slice_positions("ModuleList", begin, end, step, size()))
        out->append(ptr(std::int64_t(i)));
    return out;
}
std::string ModuleListImpl::repr() const {
    if (is_empty()) return repr_name() + "()";
    std::vector<std::string> texts;
    for (const auto& child : children_) texts.push_back(*child ? (*child)->repr() : "None");
    std::string r = repr_name() + "(\n";
    for (std::size_t i = 0; i < texts.size();) {
        std::size_t j = i;
        while (j + 1 < texts.size() && texts[j + 1] == texts[i]) ++j;
        const std::string where =
            i == j ? "(" + std::to_string(i) + "): "
                   : "(" + std::to_string(i) + "-" + std::to_string(j) + "): " + std::to_string(j - i + 1) + " x ";
        r += "  " + where + indented(texts[i]) + "\n";
        i = j + 1;
    }
    return r + ")";
}

ModuleDictImpl::ModuleDictImpl(const OrderedDict<std::string, ModulePtr>& modules) {
    for (const auto& item : modules) set(item.key(), item.value());
}
void ModuleDictImpl::update(const std::vector<Item>& modules) {
    for (const auto& [key, module] : modules) set(key, module);
}
void ModuleDictImpl::set(const std::string& key, ModulePtr module) {
    for (const char* method : {"keys", "values", "items", "update", "pop", "clear"})
        REEL_CHECK_WITH(KeyError, key != method, "ModuleDict: the name '", key, "' is taken by a method");
    if (contains(key)) replace_module(key, std::move(module));
    else add_module(key, std::move(module));
}
ModulePtr ModuleDictImpl::pop(const std::string& key) {
    ModulePtr m = (*this)[key];
    unregister_module(key);
    return m;
}
ModulePtr ModuleDictImpl::operator[](const std::string& key) const {
    REEL_CHECK_WITH(KeyError, contains(key), "ModuleDict: there is no module '", key, "'");
    return children_[key];
}
std::vector<std::string> ModuleDictImpl::keys() const {
    std::vector<std::string> r;
    for (const auto& item : children_) r.push_back(item.key());
    return r;
}
std::vector<ModuleDictImpl::Item> ModuleDictImpl::items() const {
    std::vector<Item> r;
    for (const auto& item : children_) r.emplace_back(item.key(), item.value());
    return r;
}
void ModuleDictImpl::clear() {
    for (const std::string& key : keys()) unregister_module(key);
}

void register_module_list() {
    register_module_class("ModuleList", [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
        const ConstructorArgs a("ModuleList", {"modules"}, args, kwargs);
        auto m = std::make_shared<ModuleListImpl>();
        if (a.has("modules"))
            for (const Value& v : a.at("modules").elements()) m->push_back(v.get<ModulePtr>());
        return m;
    });
    register_module_class("ModuleDict", [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
        const ConstructorArgs a("ModuleDict", {"modules"}, args, kwargs);
        auto m = std::make_shared<ModuleDictImpl>();
        if (a.has("modules"))
            for (const auto& [key, v] : a.at("modules").toGenericDict())
                m->insert(key.toStringRef(), v.get<ModulePtr>());
        return m;
    });
}

} // namespace reel::nn
