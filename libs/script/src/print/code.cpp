// `code` of a function (section G).
#include "source_printer.hpp"

namespace reel::jit {

namespace {

// Equal tensors are one constant.
std::size_t find_constant(const std::vector<std::pair<std::string, IValue>>& constants, const IValue& value) {
    if (!value.isTensor()) return constants.size();
    const Tensor& t = value.toTensor();
    for (std::size_t i = 0; i < constants.size(); ++i) {
        if (!constants[i].second.isTensor()) continue;
        const Tensor& known = constants[i].second.toTensor();
        if (known.scalar_type() == t.scalar_type() && known.device() == t.device() && known.sizes() == t.sizes() &&
            known.equal(t))
            return i;
    }
    return constants.size();
}

class CodeContext : public SourceContext {
public:
    std::size_t constant(const IValue& value) override {
        const std::size_t i = find_constant(constants, value);
        if (i == constants.size()) constants.emplace_back("c" + std::to_string(i), value);
        return i;
    }
    std::vector<std::pair<std::string, IValue>> constants;
};

} // namespace

std::pair<std::string, std::vector<std::pair<std::string, IValue>>> Function::code_with_constants() {
    CodeContext context;
    SourcePrinter printer(context);
    // A method's `self` goes without its type.
    const FunctionSchema& s = schema();
    const auto* owner = s.arguments.empty() ? nullptr : dynamic_cast<const ClassType*>(s.arguments[0].type.get());
    const bool is_method =
        (owner && owner->find_method(name()) == this) || (!s.arguments.empty() && s.arguments[0].name == "self");
    printer.print_function(*this, !is_method);
    return {printer.text(), std::move(context.constants)};
}

std::string Function::code() { return code_with_constants().first; }

} // namespace reel::jit
