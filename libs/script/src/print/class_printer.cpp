// The text of classes, named tuples, enums and interfaces in archives (rules SC-19 to SC-24).
#include "../types/text_reader.hpp"
#include "source_printer.hpp"

namespace reel::jit {

namespace {
std::string last_part(const std::string& qualified) { return qualified.substr(qualified.rfind('.') + 1); }
} // namespace

void SourcePrinter::print_type(const TypePtr& type) {
    if (auto c = type->cast<ClassType>()) return print_class(*c);
    if (auto i = type->cast<InterfaceType>()) return print_interface(*i);
    if (auto e = type->cast<EnumType>()) {
        line("class " + last_part(e->name()) + "(Enum):");
        ++level_;
        for (const auto& [name, value] : e->members()) {
            line(name + " = " + constant_text(value, *e->value_type()));
        }
        --level_;
        return;
    }
    auto tuple = type->cast<TupleType>();
    REEL_CHECK_TYPE(tuple && tuple->is_named(), "code: ", type->str(), " has no text of its own");
    line("class " + last_part(tuple->name()) + "(NamedTuple):");
    ++level_;
    for (std::size_t i = 0; i < tuple->fields().size(); ++i) {
        need(tuple->contained()[i]);
        line(tuple->fields()[i] + " : " + tuple->contained()[i]->annotation_str());
    }
    --level_;
}

void SourcePrinter::print_class(const ClassType& type) {
    line("class " + last_part(type.name()) + (type.is_module() ? "(Module):" : ":"));
    ++level_;
    if (type.is_module()) print_class_head(type);
    for (const ClassType::Line& l : type.lines()) {
        if (!l.is_constant) {
            print_attribute(type.attributes()[l.index], l.index == 0);
            continue;
        }
        const ClassType::Constant& c = type.constants()[l.index];
        line(c.name + " : Final[" + c.type->annotation_str() + "] = " + constant_text(c.value, *c.type));
    }
    for (const auto& method : type.methods()) {
        print_function(*method);
    }
    --level_;
}

void SourcePrinter::print_class_head(const ClassType& type) {
    const auto names = [&](const char* head, const std::vector<std::string>& list) {
        std::string text = std::string(head) + " = [";
        for (const std::string& name : list) {
            text += quote(name) + ", ";
        }
        line(text + "]");
    };
    std::vector<std::string> parameters, buffers;
    for (const ClassType::Attribute& a : type.attributes()) {
        if (a.kind == ClassType::AttributeKind::Parameter) parameters.push_back(a.name);
        if (a.kind == ClassType::AttributeKind::Buffer) buffers.push_back(a.name);
    }
    names("__parameters__", parameters);
    names("__buffers__", buffers);
    if (!type.forward_pre_hooks.empty()) names("__forward_pre_hooks__", type.forward_pre_hooks);
    if (!type.forward_hooks.empty()) names("__forward_hooks__", type.forward_hooks);
}

void SourcePrinter::print_attribute(const ClassType::Attribute& attribute, bool is_first) {
    need(attribute.type);
    if (is_identifier(attribute.name)) {
        line(attribute.name + " : " + attribute.type->annotation_str());
        return;
    }
    if (is_first) line("__annotations__ = []");
    line("__annotations__[" + quote(attribute.name) + "] = " + attribute.type->annotation_str());
}

void SourcePrinter::print_interface(const InterfaceType& type) {
    line("class " + last_part(type.name()) + "(ModuleInterface):");
    ++level_;
    for (const FunctionSchema& method : type.methods()) {
        std::string head = "def " + method.name + "(self";
        for (const Argument& a : method.arguments) {
            need(a.type);
            head += ", " + a.name + ": " + a.type->annotation_str();
        }
        const TypePtr result = method.returns.empty() ? Type::None() : method.returns[0].type;
        need(result);
        line(head + ") -> " + result->annotation_str() + ":");
        ++level_;
        line("pass");
        --level_;
    }
    --level_;
}

} // namespace reel::jit
