#include <reel/script/compile.hpp>

#include "text.hpp"

namespace reel::jit {

std::vector<Function*> compile_functions(CompilationUnit& unit, const std::string& source, const std::string& prefix,
                                         const std::vector<IValue>& constants) {
    auto text = emit::Text::parse({source, "<string>"}, false);
    text->context.unit = &unit;
    text->context.module = prefix;
    text->context.constants = std::make_shared<const std::vector<IValue>>(constants);
    std::vector<Function*> made;
    try {
        for (const syntax::Definition& d : text->file.definitions)
            made.push_back(&unit.add_function(text->function(*d.function, prefix + "." + d.name(), nullptr)));
        for (Function* f : made) f->ensure_defined();
    } catch (...) {
        for (const Function* f : made) unit.remove(std::string(f->qualified_name()));
        throw;
    }
    return made;
}

std::shared_ptr<CompilationUnit> compile(const std::string& source) {
    auto unit = std::make_shared<CompilationUnit>();
    compile_functions(*unit, source);
    return unit;
}

void define_methods(ClassType& type, const std::string& source) {
    auto text = emit::Text::parse({source, "<string>"}, false);
    text->context.unit = type.unit();
    text->context.module = "__torch__";
    std::vector<std::string> made;
    try {
        for (const syntax::Definition& d : text->file.definitions) {
            if (type.find_method(d.name()))
                text->context.fail(*d.function, "Can't redefine method: " + d.name() + " on class: " + type.name());
            type.add_method(text->function(*d.function, type.name() + "." + d.name(), &type));
            made.push_back(d.name());
        }
        for (const std::string& name : made) type.find_method(name)->ensure_defined();
    } catch (...) {
        for (const std::string& name : made) type.remove_method(name);
        throw;
    }
}

struct SourceFile::Parsed {
    std::shared_ptr<emit::Text> text;
};

SourceFile::SourceFile(CompilationUnit& unit, std::string module, std::string filename, std::string text,
                       std::shared_ptr<const std::vector<IValue>> constants)
    : parsed_(std::make_unique<Parsed>()) {
    parsed_->text = emit::Text::parse({std::move(text), std::move(filename)}, true);
    emit::Context& context = parsed_->text->context;
    context.unit = &unit;
    context.module = std::move(module);
    context.constants = std::move(constants);
    context.whole_names = true;
    context.define = [weak = std::weak_ptr(parsed_->text)](const std::string& name) {
        const auto text = weak.lock();
        return text && text->define(name);
    };
}

SourceFile::~SourceFile() = default;

bool SourceFile::define(const std::string& qualified_name) { return parsed_->text->define(qualified_name); }

} // namespace reel::jit
