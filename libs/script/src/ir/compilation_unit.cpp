// Classes, named types and functions by name.
#include <algorithm>
#include <unordered_map>

#include <reel/script/function.hpp>

namespace reel::jit {

struct CompilationUnit::Tables {
    std::unordered_map<std::string, TypePtr> types;
    std::unordered_map<std::string, std::shared_ptr<jit::Function>> functions;
    std::vector<std::string> type_names, function_names; // in order
    std::size_t mangled = 0;                             ///< how many names were
    bool has(const std::string& name) const { return types.contains(name) || functions.contains(name); }
};

CompilationUnit::CompilationUnit() : tables_(std::make_unique<Tables>()) {}
CompilationUnit::~CompilationUnit() {
    // A method's graph has values of the class's type, and the class has the method: the owner of both ends the circle.
    for (const auto& [name, type] : tables_->types)
        if (const auto held = std::const_pointer_cast<ClassType>(type->cast<ClassType>()))
            while (!held->methods().empty()) held->remove_method(std::string(held->methods().back()->name()));
}

TypePtr CompilationUnit::find_type(const std::string& qualified_name) {
    if (!tables_->has(qualified_name) && importer) importer(qualified_name);
    auto it = tables_->types.find(qualified_name);
    return it == tables_->types.end() ? nullptr : it->second;
}

ClassTypePtr CompilationUnit::find_class(const std::string& qualified_name) {
    TypePtr type = find_type(qualified_name);
    if (!type || type->kind() != TypeKind::Class) return nullptr;
    // The unit owns its classes; everybody else sees them unchanging.
    return std::const_pointer_cast<ClassType>(type->cast<ClassType>());
}

Function* CompilationUnit::find_function(const std::string& qualified_name) {
    if (!tables_->has(qualified_name) && importer) importer(qualified_name);
    auto it = tables_->functions.find(qualified_name);
    return it == tables_->functions.end() ? nullptr : it->second.get();
}

Function& CompilationUnit::get_function(const std::string& name) {
    Function* found = find_function(name);
    if (!found) found = find_function("__torch__." + name);
    std::string all;
    if (!found)
        for (const Function* f : functions()) all += (all.empty() ? "" : ", ") + f->qualified_name();
    REEL_CHECK_VALUE(found, "get_function: no function is called '", name, "'; there are: ", all);
    return *found;
}

void CompilationUnit::add_type(TypePtr named) {
    REEL_CHECK_VALUE(!named->name().empty(), "add_type: expected a class, an interface, an enum or a named tuple, got ",
                     named->str());
    REEL_CHECK_VALUE(!tables_->has(named->name()), "'", named->name(), "' is defined already");
    tables_->type_names.push_back(named->name());
    tables_->types.emplace(named->name(), std::move(named));
}

Function& CompilationUnit::add_function(std::shared_ptr<Function> function) {
    const std::string& name = function->qualified_name();
    REEL_CHECK_VALUE(!tables_->has(name), "'", name, "' is defined already");
    tables_->function_names.push_back(name);
    return *tables_->functions.emplace(name, std::move(function)).first->second;
}

void CompilationUnit::remove(const std::string& qualified_name) {
    if (tables_->types.erase(qualified_name)) std::erase(tables_->type_names, qualified_name);
    if (tables_->functions.erase(qualified_name)) std::erase(tables_->function_names, qualified_name);
}

std::vector<TypePtr> CompilationUnit::types() const {
    std::vector<TypePtr> out;
    for (const std::string& name : tables_->type_names) {
        out.push_back(tables_->types.at(name));
    }
    return out;
}

std::vector<Function*> CompilationUnit::functions() const {
    std::vector<Function*> out;
    for (const std::string& name : tables_->function_names) {
        out.push_back(tables_->functions.at(name).get());
    }
    return out;
}

std::string CompilationUnit::mangled(const std::string& wanted) const {
    if (!tables_->has(wanted)) return wanted;
    const std::size_t dot = wanted.rfind('.');
    std::string module = dot == wanted.npos ? std::string() : wanted.substr(0, dot);
    const std::string last = dot == wanted.npos ? wanted : wanted.substr(dot + 1);
    // A name that is mangled already gets another number, not a second mark.
    const std::size_t part = module.rfind('.') == module.npos ? 0 : module.rfind('.') + 1;
    if (module.compare(part, 16, "___torch_mangle_") == 0) module.resize(part ? part - 1 : 0);
    for (;;) {
        std::string name =
            (module.empty() ? "" : module + ".") + "___torch_mangle_" + std::to_string(tables_->mangled++) + "." + last;
        if (!tables_->has(name)) return name;
    }
}

} // namespace reel::jit
