
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/script/operator.hpp>

#include "archive/code_export.hpp"

#include "archive/archive_file.hpp"

namespace reel::jit {

struct CodeExport::File {
    File(std::string module, SourceContext& context) : module(std::move(module)), printer(context) {}
    std::string module;
    SourcePrinter printer;
};
CodeExport::CodeExport() = default;
CodeExport::~CodeExport() = default;

SourcePrinter& CodeExport::printer(const std::string& qualified_name) {
    const std::string module = qualified_name.substr(0, qualified_name.rfind('.'));
    for (const auto& f : files_)
        if (f->module == module) return f->printer;
    return files_.emplace_back(std::make_unique<File>(module, static_cast<SourceContext&>(*this)))->printer;
}
void CodeExport::add(const TypePtr& type) {
    if (!printed_.insert(type->name()).second) return;
    printer(type->name()).print_type(type);
    if (type->kind() != TypeKind::Class) return;
    for (const auto& method : static_cast<const ClassType&>(*type).methods()) look_at(*method->graph()->block());
}
void CodeExport::add(Function& function) {
    if (!printed_.insert(function.qualified_name()).second) return;
    printer(function.qualified_name()).print_function(function);
    look_at(*function.graph()->block());
}
void CodeExport::finish() {
    while (!noted_.empty()) {
        const auto [type, function] = noted_.front();
        noted_.pop_front();
        if (type) add(type);
        else add(*function);
    }
}
std::vector<std::pair<std::string, std::string>> CodeExport::files() const {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& f : files_) out.emplace_back(ArchiveFile::code_name(f->module), f->printer.text());
    return out;
}

void CodeExport::needs(const TypePtr& type) {
    if (known_.insert(type->name()).second) noted_.emplace_back(type, nullptr);
}
void CodeExport::needs(Function& function) {
    if (known_.insert(function.qualified_name()).second) noted_.emplace_back(nullptr, &function);
}
std::size_t CodeExport::constant(const IValue& value) {
    // equal tensors are one constant, other values are not looked for
    if (value.isTensor())
        for (std::size_t i = 0; i < constants_.size(); ++i) {
            if (!constants_[i].isTensor()) continue;
            const Tensor &a = constants_[i].toTensor(), &b = value.toTensor();
            if (a.is_same(b) || (a.scalar_type() == b.scalar_type() && a.device() == b.device() &&
                                 a.sizes().equals(b.sizes()) && reel::equal(a, b)))
                return i;
        }
    constants_.push_back(value);
    return constants_.size() - 1;
}
void CodeExport::look_at(const Block& block) {
    struct Change {
        const char* op;
        int version;
    };
    static constexpr Change changes[] = {{"aten::div", 4},      {"aten::div_", 4},     {"aten::full", 5},
                                         {"aten::linspace", 8}, {"aten::logspace", 9}, {"aten::gelu", 10},
                                         {"aten::gelu_", 10}};
    // the operators of numbers did not change, nor did ranges between tensors
    const auto is_range = [](const Node* n) {
        return n->kind().is("aten::linspace") || n->kind().is("aten::logspace");
    };
    const auto between_numbers = [&](const Node* n) {
        return is_range(n) && n->op()->schema.overload.find("Tensor") == std::string::npos;
    };
    const auto on_tensors = [&](const Node* n) {
        return !n->op() || n->op()->schema.arguments.empty() || n->kind().is("aten::full") || between_numbers(n) ||
               (n->op()->schema.arguments[0].type->kind() == TypeKind::Tensor && !is_range(n));
    };
    for (const Node* n = block.first(); n; n = n->next()) {
        for (const Change& c : changes)
            if (c.version > version_ && n->kind().is(c.op) && on_tensors(n)) version_ = c.version;
        for (const Block* inner : n->blocks()) look_at(*inner);
        for (const auto& [name, attribute] : n->attributes())
            if (const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute)) look_at(*(*graph)->block());
    }
}

} // namespace reel::jit
