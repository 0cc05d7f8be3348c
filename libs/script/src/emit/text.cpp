#include "text.hpp"

#include <algorithm>

#include "emitter.hpp"
#include "passes/passes.hpp"
#include "syntax/parser.hpp"

namespace reel::jit::emit {

namespace {

thread_local std::vector<const Function*> being_compiled;

/// A function counts as being compiled while one of these lives.
class Compiling {
public:
    explicit Compiling(const Function& f) { being_compiled.push_back(&f); }
    ~Compiling() { being_compiled.pop_back(); }
    Compiling(const Compiling&) = delete;
};

/// How deep compiling one function may ask for another that is not compiled yet.
constexpr std::size_t compile_depth = 200;

} // namespace

bool is_being_compiled(const Function& f) { return std::ranges::find(being_compiled, &f) != being_compiled.end(); }

std::shared_ptr<Text> Text::parse(Source source, bool classes) {
    auto text = std::make_shared<Text>();
    text->context.source = std::make_shared<const Source>(std::move(source));
    text->file = syntax::parse_file(text->context.source, classes);
    for (const syntax::Definition& d : text->file.definitions) {
        if (text->by_name.emplace(d.name(), &d).second) continue;
        const auto begin = d.function ? d.function->begin : d.type->begin;
        text->context.fail(begin, begin + d.name().size(), "'" + d.name() + "' is defined twice");
    }
    return text;
}

std::shared_ptr<Function> Text::function(const syntax::Def& def, const std::string& qualified_name,
                                         const ClassType* self) {
    return std::make_shared<Function>(qualified_name, [text = shared_from_this(), &def, self](Function& f) {
        if (being_compiled.size() >= compile_depth)
            text->context.fail(def, "functions that need each other nest more than " + std::to_string(compile_depth) +
                                        " levels deep");
        Compiling compiling(f);
        auto graph = std::make_shared<Graph>();
        Emitter emitter(text->context, *graph);
        FunctionSchema schema = emitter.function(def, self ? self->shared_from_this() : nullptr);
        passes::clean_up(*graph);
        f.set(std::move(graph), std::move(schema));
    });
}

bool Text::define(const std::string& qualified_name) {
    const std::string prefix = context.module + ".";
    if (defined.contains(qualified_name)) return true;
    if (!qualified_name.starts_with(prefix)) return false;
    const auto found = by_name.find(qualified_name.substr(prefix.size()));
    if (found == by_name.end() || in_progress.contains(qualified_name)) return false;
    const syntax::Definition& d = *found->second;
    if (d.function) {
        context.unit->add_function(function(*d.function, qualified_name, nullptr));
        defined.insert(qualified_name);
        return true;
    }
    in_progress.insert(qualified_name);
    struct Done {
        std::set<std::string>& names;
        const std::string& name;
        ~Done() { names.erase(name); }
    } done{in_progress, qualified_name};
    context.unit->add_type(make_type(*d.type, qualified_name));
    defined.insert(qualified_name);
    return true;
}

TypePtr Text::make_type(const syntax::ClassDef& def, const std::string& qualified_name) {
    if (def.base.empty()) return make_class(*this, def, qualified_name, false);
    if (def.base == "Module") return make_class(*this, def, qualified_name, true);
    if (def.base == "NamedTuple") return make_named_tuple(*this, def, qualified_name);
    if (def.base == "Enum") return make_enum(*this, def, qualified_name);
    if (def.base == "ModuleInterface" || def.base == "Interface") return make_interface(*this, def, qualified_name);
    context.fail(def, "class '" + def.name + "' has the base '" + def.base +
                          "'; known are Module, NamedTuple, Enum and ModuleInterface");
}

} // namespace reel::jit::emit
